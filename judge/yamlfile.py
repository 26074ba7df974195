"""Read the YAML files that people write: `problem.yaml` and its neighbours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from judge.faults import Faults, read_text


class _UniqueKeyLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """The safe loader, which also rejects a key written twice (YAML 1.2, section 3.2.1.3)."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, str) and key in seen:
                raise yaml.MarkedYAMLError(
                    problem=f'the key "{key}" is written twice', problem_mark=key_node.start_mark
                )
            seen.add(key if isinstance(key, str) else str(key))
        mapping: dict[Any, Any] = super().construct_mapping(node, deep=deep)
        return mapping


def read_yaml(path: Path, faults: Faults) -> Any:
    """Read a YAML file into plain values, or record what is wrong (with line) and return None."""
    text = read_text(path, faults)
    if text is None:
        return None
    try:
        value = yaml.load(text, Loader=_UniqueKeyLoader)  # noqa: S506 (a subclass of SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        faults.add(f"not valid YAML{line}: {error.problem}")
        return None
    except yaml.YAMLError as error:
        faults.add(f"not valid YAML: {error}")
        return None
    if value is None:
        faults.add("the file is empty")
    return value
