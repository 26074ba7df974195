"""What the explorer's tests share: the cases it shows, a page that holds it, node, the browser."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from judge.authoring.scripts import inline_modules
from judge.problem import Problem
from judge.testcases import load_cases

if TYPE_CHECKING:
    # Imported where it is used: this module is collected where there is no browser, too.
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[2]
EXPLORER = ROOT / "generator" / "explorer"
CHROMIUM = "/usr/bin/chromium"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


@functools.cache
def reference() -> Any:
    """Return the module of the NumPy reference."""
    sys.path.insert(0, str(ROOT / "reference"))
    try:
        import encoder_block
    finally:
        sys.path.remove(str(ROOT / "reference"))
    return encoder_block


def arguments(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a case's input as the reference takes it."""
    return {
        name: value if name == "num_heads" else np.array(value, dtype=float)
        for name, value in values.items()
    }


def plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a case's input as JSON holds it."""
    return {
        name: value.tolist() if name != "num_heads" else value for name, value in values.items()
    }


@functools.cache
def all_cases() -> list[dict[str, Any]]:
    """Return every test case of the bundle, and the explorer's own, as the page holds them."""
    problem = Problem.load(ROOT)
    names = [parameter.name for parameter in problem.function.parameters]
    judged = [
        {
            "name": case.name,
            "input": plain(dict(zip(names, case.inputs, strict=True))),
            "expected": case.expected.tolist(),
        }
        for case in load_cases(problem)
    ]
    own = json.loads((EXPLORER / "cases.json").read_text())["cases"]
    for case in own:
        case["expected"] = reference().encoder_block(**arguments(case["input"])).tolist()
    return [*judged, *own]


def shown_cases() -> list[dict[str, Any]]:
    """Return the cases of a page for learners, the worked example first."""
    cases = [case for case in all_cases() if not case["name"].startswith("secret/")]
    return sorted(cases, key=lambda case: case["name"] != "sample/two-heads")


def page_html(cases: list[dict[str, Any]], data: str | None = None) -> str:
    """Return a page that holds the explorer, as strict as the real one about what it may load."""
    texts = json.loads((EXPLORER / "texts.json").read_text())
    content = data or json.dumps({"cases": cases, "texts": texts}).replace("<", "\\u003c")
    return f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Explorer</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<style>:root {{ color-scheme: light dark; }} body {{ background: light-dark(#fff, #15181c); }}
{(EXPLORER / "explorer.css").read_text()}</style></head>
<body><main><h1>Page</h1><section id="explorer"><h2>Explorer</h2><p>Tables as text.</p></section>
</main><script type="application/json" id="explorer-data">{content}</script>
<script type="module">{inline_modules(EXPLORER / "explorer.js")}</script></body></html>"""


def run_node(script: str, payload: Any) -> Any:
    """Run a module script beside the explorer's modules; it reads `payload` and prints JSON.

    NaN and infinities come back as the strings "nan", "inf" and "-inf".
    """
    frame = f"""
import {{ readFileSync }} from "node:fs";
const payload = JSON.parse(readFileSync(0, "utf8"));
const spell = (_, value) => typeof value === "number" && !Number.isFinite(value)
  ? (Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf") : value;
const answer = (() => {{ {script} }})();
console.log(JSON.stringify(answer, spell));
"""
    imports = "".join(
        f'import * as {path.stem} from "{path.as_uri()}";\n'
        for path in (
            EXPLORER / name for name in ("forward.js", "steps.js", "state.js", "numbers.js")
        )
    )
    finished = subprocess.run(
        ["node", "--input-type=module", "-e", imports + frame],
        input=json.dumps(payload), capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Give a browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(browser: Browser, address: str, **options: Any) -> Iterator[Page]:
    """Open a page; afterwards no message may stand in its console, and nothing but it be loaded."""
    context = browser.new_context(**options)
    page = context.new_page()
    page.set_default_timeout(5000)
    seen: list[str] = []
    page.on("console", lambda message: seen.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: seen.append(f"error: {error}"))
    page.on("request", lambda request: seen.append(f"request: {request.url}"))
    page.goto(address)
    try:
        yield page
    finally:
        page.close()
        context.close()
    base = address.split("#", maxsplit=1)[0]
    assert [entry for entry in seen if not entry.startswith(f"request: {base}")] == []
