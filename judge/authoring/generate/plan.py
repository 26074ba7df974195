"""`generator/cases.yaml`: every test case by name, before anything is drawn."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import numpy as np

from judge import constraints
from judge.faults import Faults, decode, did_you_mean
from judge.problem import Problem
from judge.signature import PYTHON_TYPES, ValueType
from judge.testcases import TagInfo
from judge.yamlfile import read_yaml

PLAN_FORMAT = 1
PLAN_FILE = "generator/cases.yaml"
GIVEN = "given"

_NAME = re.compile(r"[a-z][a-z0-9-]*/[a-z]+(-[a-z]+)*")


class TagRule(msgspec.Struct, frozen=True):
    """A tag: what it says, and where `holds` is given, the expression that sets it.

    Args:
        text: in words, as in "more than one head".
        holds: expression over sizes and scalar parameters; the tag is set where it is true.
        switches_off: for a probe, the half of the computation that adds nothing.
    """

    text: str
    holds: str = ""
    switches_off: str = ""

    @property
    def info(self) -> TagInfo:
        """What the manifest keeps of the tag."""
        return TagInfo(self.text, self.switches_off)


class CasePlan(msgspec.Struct, frozen=True, kw_only=True, rename={"options": "with"}):
    """One case: either `input`, written out, or a `family` with a `shape` and options (`with`).

    Args:
        name: "group/what-it-shows", in lower-case words.
        shows: one sentence.
        tags: tags set by hand.
        family: name of a public function in `generator/families.py`.
        shape: sizes of dimensions and values of scalar parameters.
        options: keyword options of the family, written under `with`.
        input: values by parameter name, for a case that is written out.
    """

    name: str
    shows: str
    tags: list[str] = []
    family: str = ""
    shape: dict[str, int] = {}
    options: dict[str, Any] = {}
    input: dict[str, Any] = {}

    @property
    def group(self) -> str:
        """The test group, which is the first part of the name."""
        return self.name.partition("/")[0]


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """The whole file: tags and cases, in order."""

    format: int
    tags: dict[str, TagRule]
    cases: list[CasePlan]

    @staticmethod
    def load(problem: Problem, families: dict[str, Any]) -> Plan:
        """Read and check `generator/cases.yaml`.

        Args:
            problem: the bundle.
            families: public functions of `generator/families.py` by name.

        Raises:
            BundleError: with every fault of the file, each with its key path.
        """
        faults = Faults(PLAN_FILE)
        value = read_yaml(problem.folder / PLAN_FILE, faults)
        faults.raise_if_any()
        plan = decode(value, Plan, faults)
        faults.raise_if_any()
        assert isinstance(plan, Plan)  # noqa: S101 (decode gives None only with faults)
        _check(plan, problem, families, faults)
        faults.raise_if_any()
        return plan


def given_inputs(plan: CasePlan, problem: Problem, faults: Faults) -> dict[str, Any]:
    """Turn the values of a written-out case into arrays and Python values.

    Args:
        plan: the case, with `input`.
        problem: says which type each parameter has.
        faults: records values that are not of their parameter's type.
    """
    kinds = {parameter.name: parameter.kind for parameter in problem.function.parameters}
    inputs: dict[str, Any] = {}
    for name, value in plan.input.items():
        kind = kinds.get(name)
        try:
            inputs[name] = value if kind is None else _value(value, kind)
        except (ValueError, TypeError, OverflowError) as error:
            faults.scope(name).add(str(error))
    return inputs


def _value(value: Any, kind: ValueType) -> Any:
    if not kind.is_array:
        wanted = PYTHON_TYPES[kind.dtype]
        exact = isinstance(value, int) and not isinstance(value, bool) and wanted is float
        return float(value) if exact else value
    try:
        array = np.array(value)
    except ValueError:
        raise ValueError(f"expected {kind.text}: the lists have unequal lengths") from None
    allowed = {"float64": "fi", "int64": "i", "bool": "b"}[kind.dtype]
    if array.dtype.kind not in allowed:
        raise ValueError(f"expected {kind.text}, got {array.dtype} values")
    return array.astype(kind.dtype) + 0.0 if kind.dtype == "float64" else array.astype(kind.dtype)


def _check(plan: Plan, problem: Problem, families: dict[str, Any], faults: Faults) -> None:
    if plan.format != PLAN_FORMAT:
        faults.scope("format").add(f"expected {PLAN_FORMAT}, got {plan.format}")
    for tag, rule in plan.tags.items():
        try:
            if rule.holds:
                constraints.names(rule.holds)
        except ValueError as error:
            faults.scope("tags").scope(tag).scope("holds").add(str(error))
    groups = [group.name for group in problem.groups]
    seen: dict[str, int] = {}
    for index, case in enumerate(plan.cases):
        place = faults.scope("cases").scope(index)
        _check_name(case, groups, place)
        if case.name in seen:
            place.scope("name").add(
                f'"{case.name}" is already the name of cases[{seen[case.name]}]'
            )
        seen.setdefault(case.name, index)
        for tag in case.tags:
            if tag not in plan.tags:
                place.scope("tags").add(f'"{tag}" is not among tags{did_you_mean(tag, plan.tags)}')
            elif plan.tags[tag].holds:
                place.scope("tags").add(f'"{tag}" is set by its expression; leave it out here')
        _check_making(case, problem, families, place)


def _check_name(case: CasePlan, groups: list[str], place: Faults) -> None:
    if not _NAME.fullmatch(case.name):
        place.scope("name").add(
            f"{case.name!r}: write group/what-it-shows in lower-case words joined by -, "
            "without numbers"
        )
    elif case.group not in groups:
        near = did_you_mean(case.group, groups)
        place.scope("name").add(f'problem.yaml has no group "{case.group}"{near}')
    if not case.shows.strip():
        place.scope("shows").add("say in one sentence what the case shows")


def _check_making(
    case: CasePlan, problem: Problem, families: dict[str, Any], place: Faults
) -> None:
    if bool(case.input) == bool(case.family):
        place.add("give either input (written out) or family (drawn), and not both")
        return
    if case.input:
        if case.shape or case.options:
            place.add("a case that is written out has neither shape nor with")
        faults = place.scope("input")
        before = len(place.found)
        inputs = given_inputs(case, problem, faults)
        if len(place.found) == before:
            problem.check_inputs(inputs, faults)
        return
    if case.family not in families:
        near = did_you_mean(case.family, families)
        place.scope("family").add(f'generator/families.py has no function "{case.family}"{near}')
    parameters = problem.function.parameters
    dims = {d for p in parameters for d in p.kind.dims or () if not d.isdigit()}
    wanted = dims | {p.name for p in parameters if p.type == "int"}
    for name in case.shape:
        if name not in wanted:
            place.scope("shape").scope(name).add(f"no such size{did_you_mean(name, wanted)}")
    missing = sorted(wanted - case.shape.keys())
    if missing:
        place.scope("shape").add(f"the size of {', '.join(missing)} is missing")
        return
    for constraint in problem.constraints:
        if constraint.holds and not constraints.holds(constraint.holds, case.shape):
            used = sorted(constraints.names(constraint.holds))
            have = ", ".join(f"{name} = {case.shape[name]}" for name in used)
            place.scope("shape").add(f"breaks the constraint {constraint.holds!r}: {have}")
