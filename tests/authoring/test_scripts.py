"""JavaScript modules inlined into one script: each once, imports first, faults named."""

from __future__ import annotations

from pathlib import Path

import pytest

from judge.authoring.scripts import inline_modules
from judge.faults import BundleError


def write(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (folder / f"{name}.js").write_text(text)
    return folder / "entry.js"


def faults(entry: Path) -> list[str]:
    with pytest.raises(BundleError) as caught:
        inline_modules(entry)
    return [str(fault) for fault in caught.value.faults]


def test_imports_come_first_and_each_module_once(tmp_path: Path) -> None:
    entry = write(
        tmp_path,
        entry='import { b } from "./b.js";\nimport { c } from "./c.js";\nb(c);\n',
        b='import { c } from "./c.js";\nexport function b() { return c; }\n',
        c="export const c = 1;\n",
    )
    assert inline_modules(entry) == "const c = 1;\n\nfunction b() { return c; }\n\nb(c);\n"


def test_every_kind_of_declaration_is_exported(tmp_path: Path) -> None:
    declarations = "let a = 1;\nclass B {}\nasync function c() {}\nfunction* d() {}\n"
    exported = "".join(f"export {line}\n" for line in declarations.splitlines())
    entry = write(tmp_path, entry=exported)
    assert inline_modules(entry) == declarations


def test_what_looks_like_an_import_inside_a_line_stays(tmp_path: Path) -> None:
    text = 'const text = "export const x";\n  important();\n'
    assert inline_modules(write(tmp_path, entry=text)) == text


def test_all_faults_of_all_modules_are_told_with_file_and_line(tmp_path: Path) -> None:
    entry = write(
        tmp_path,
        entry='import { gone } from "./gone.js";\nimport { b } from "./b.js";\nimport x;\n',
        b="const same = 1;\nexport default same;\nconst end = '</script>';\n",
    )
    told = faults(entry)
    assert len(told) == 4
    assert told[0].startswith("gone.js: the module, imported by entry.js, can't be read")
    assert told[1].startswith("b.js:2: expected `export` before")
    assert told[2].startswith("b.js:3: `</script` and `<!--` can't stand")
    assert told[3].startswith("entry.js:3: expected `import {…} from")


def test_names_declared_twice_are_a_fault(tmp_path: Path) -> None:
    entry = write(
        tmp_path,
        entry='import { b } from "./b.js";\nconst helper = b;\nfunction inner() { const b = 2; }\n',
        b="const helper = 1;\nexport const b = helper;\n",
    )
    assert faults(entry) == [
        "entry.js:2: b.js declares helper too; in one script names must differ"
    ]


def test_modules_that_import_each_other_are_a_fault(tmp_path: Path) -> None:
    entry = write(
        tmp_path,
        entry='import { b } from "./b.js";\nexport const a = 1;\n',
        b='import { a } from "./entry.js";\nexport const b = a;\n',
    )
    assert faults(entry) == [
        "b.js:1: entry.js imports this file in turn; the order would be undefined"
    ]


def test_a_name_that_is_no_text_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "entry.js").write_bytes(b"const a = '\xff';\n")
    assert "can't be read" in faults(tmp_path / "entry.js")[0]
