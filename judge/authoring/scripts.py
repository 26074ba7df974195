"""JavaScript modules as one inline script, so that a page works from a file without a server.

A page opened from `file://` may not import modules (each file is an origin of its own), but an
inline `<script type="module">` runs. Only plain forms are understood, each at the start of its
line: `import {…} from "./name.js";` on one line, and `export` before a declaration.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from judge.faults import Faults

_IMPORT = re.compile(r'import \{[^}]*\} from "\./(?P<name>[\w-]+\.js)";$')
_EXPORT = re.compile(r"export (?=(?:const|let|function\*?|async function\*?|class)\b)")
_DECLARATION = re.compile(
    r"(?:const|let|function\*?|async function\*?|class) (?P<name>[\w$]+)"  # at the top level
)


def inline_modules(entry: Path) -> str:
    """Return a module and all that it imports as one script, each file once, imports first.

    Args:
        entry: a JavaScript module whose imports are files beside it.

    Raises:
        BundleError: a file is missing, an import or export has another form, two files declare the
            same name, or a text would end the script element; all such faults at once.
    """
    modules = _Modules(Faults(entry.name))
    modules.add(entry)
    modules.faults.raise_if_any()
    return "\n".join(text.strip() + "\n" for text in modules.texts.values())


@dataclass
class _Modules:
    """The modules met so far.

    Args:
        faults: what is wrong with them.
        texts: their texts without imports and exports, in the order in which they must run.
        owners: which file declares a name.
    """

    faults: Faults
    texts: dict[Path, str] = field(default_factory=dict)
    owners: dict[str, Path] = field(default_factory=dict)

    def add(self, path: Path, importers: tuple[Path, ...] = ()) -> None:
        """Add a module's text after those of its imports."""
        if path in self.texts:
            return
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            asked = f", imported by {importers[-1].name}," if importers else ""
            self._at(path).add(f"the module{asked} can't be read: {error}")
            return
        kept = []
        for number, line in enumerate(lines, start=1):
            here = self._at(path, number)
            if re.search(r"</script|<!--", line, re.IGNORECASE):
                here.add("`</script` and `<!--` can't stand in an inline script; split the string")
            if line.startswith("import"):
                self._import(line, here, (*importers, path))
                continue
            plain = _EXPORT.sub("", line, count=1) if line.startswith("export") else line
            if plain.startswith("export"):
                here.add("expected `export` before const, let, function or class")
            self._declare(plain, path, here)
            kept.append(plain)
        self.texts[path] = "\n".join(kept)

    def _import(self, line: str, here: Faults, importers: tuple[Path, ...]) -> None:
        match = _IMPORT.match(line)
        if match is None:
            here.add('expected `import {…} from "./name.js";` on one line')
            return
        target = importers[-1].parent / match["name"]
        if target in importers:
            here.add(f"{target.name} imports this file in turn; the order would be undefined")
        else:
            self.add(target, importers)

    def _declare(self, line: str, path: Path, here: Faults) -> None:
        match = _DECLARATION.match(line)
        if match is None:
            return
        owner = self.owners.setdefault(match["name"], path)
        if owner is not path:
            here.add(f"{owner.name} declares {match['name']} too; in one script names must differ")

    def _at(self, path: Path, line: int | None = None) -> Faults:
        where = path.name if line is None else f"{path.name}:{line}"
        return Faults(where, found=self.faults.found)
