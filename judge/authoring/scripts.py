"""JavaScript modules as one inline script, so that a page works from a file without a server.

A page opened from `file://` may not import modules (each file is an origin of its own), but an
inline `<script type="module">` runs. Only plain forms are understood: `import {…} from "./name.js";`
on one line, and `export` before a declaration, each at the start of its line.
"""

from __future__ import annotations

import re
from pathlib import Path

from judge.faults import BundleError, Faults

_IMPORT = re.compile(r'import \{[^}]*\} from "\./(?P<name>[\w-]+\.js)";$')
_EXPORT = re.compile(r"export (?=(?:const|let|function|async function|class)\b)")
_DECLARATION = re.compile(
    r"^(?:const|let|function\*?|async function\*?|class) (?P<name>[\w$]+)", re.MULTILINE
)


def inline_modules(entry: Path) -> str:
    """Return a module and all that it imports as one script, each file once, imports first.

    Args:
        entry: a JavaScript module whose imports are files beside it.

    Raises:
        BundleError: a file is missing, an import or export has another form, two files declare the
            same name, or a text would end the script element; all such faults at once.
    """
    faults = Faults(entry.name)
    texts: dict[Path, str] = {}
    _collect(entry, texts, faults, ())
    owners: dict[str, Path] = {}
    for path, text in texts.items():
        for match in _DECLARATION.finditer(text):
            owner = owners.setdefault(match["name"], path)
            if owner is not path:
                at = text.count("\n", 0, match.start()) + 1
                Faults(f"{path.name}:{at}", found=faults.found).add(
                    f"{owner.name} declares {match['name']} too; in one script names must differ"
                )
    faults.raise_if_any()
    return "\n".join(text.strip() + "\n" for text in texts.values())


def _collect(
    path: Path, texts: dict[Path, str], faults: Faults, importers: tuple[Path, ...]
) -> None:
    """Add a module's text after those of its imports."""
    if path in texts:
        return
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        asked = f", imported by {importers[-1].name}," if importers else ""
        Faults(path.name, found=faults.found).add(f"the module{asked} can't be read: {error}")
        return
    kept = []
    for number, line in enumerate(lines, start=1):
        here = Faults(f"{path.name}:{number}", found=faults.found)
        if re.search(r"</script|<!--", line, re.IGNORECASE):
            here.add("`</script` and `<!--` can't stand in an inline script; split the string")
        if line.startswith("import"):
            match = _IMPORT.match(line)
            if match is None:
                here.add('expected `import {…} from "./name.js";` on one line')
            elif (target := path.parent / match["name"]) in (*importers, path):
                here.add(f"{target.name} imports this file in turn; the order would be undefined")
            else:
                _collect(target, texts, faults, (*importers, path))
            continue
        plain = _EXPORT.sub("", line, count=1) if line.startswith("export") else line
        if plain.startswith("export"):
            here.add("expected `export` before const, let, function or class")
        kept.append(plain)
    texts[path] = "\n".join(kept)
