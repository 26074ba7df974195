"""The page: the problem on one side, an editor on the other, results as they come."""

from __future__ import annotations

import asyncio
import difflib
import html
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse, Response
from nicegui import app, ui

from judge.verdicts import Report, Verdict
from judge.web.api import RefusedError, Service, learners_page, learners_report
from judge.web.desk import is_over
from judge.web.store import Status, Stored

ADVICE_STEPS = ("gentle", "clear", "explicit")

Advise = Callable[[str, str], str]
"""Advice on a mistake's id (or a pair's) at a level; the finding's own line when unknown."""


@dataclass(frozen=True)
class Contents:
    """What the page shows of the problem.

    Args:
        name: the problem's name.
        document: the statement, theory and explorer as one self-contained HTML document.
        starter: what a learner starts from.
        cases: name of every case by group, in order.
        advise: advice by mistake id and level.
        counterexample: a case to paste by mistake id; empty where there is none.
    """

    name: str
    document: bytes
    starter: str
    cases: list[tuple[str, str]]
    advise: Advise
    counterexample: Callable[[str], str]


def add_page(service: Service, contents: Contents) -> None:
    """Add the routes of the page to NiceGUI's application."""

    @app.get("/problem", include_in_schema=False)
    def problem() -> Response:
        return HTMLResponse(contents.document)

    @app.get("/submissions/{identity}/report", include_in_schema=False)
    def report(identity: str) -> Response:
        stored = service.store.get(identity)
        page = learners_page(stored) if stored else b""
        return HTMLResponse(page or "<p>not judged yet</p>", 200 if page else 404)

    @ui.page("/", title=contents.name)
    async def index(request: Request) -> None:
        await _Page(service, contents, request.state.client).build()

    @ui.page("/submissions/{identity}", title=contents.name)
    async def submission(identity: str, request: Request) -> None:
        await _Page(service, contents, request.state.client).build(identity)


class _Page:
    """One browser tab."""

    def __init__(self, service: Service, contents: Contents, client: str) -> None:
        self._service = service
        self._contents = contents
        self._client = client
        self._shown: str | None = None
        self._cells: dict[str, ui.element] = {}
        self._told = 0
        self._levels: dict[int, int] = {}

    async def build(self, identity: str | None = None) -> None:
        """Lay the page out, and show a submission if one is asked for."""
        ui.add_css(Path(__file__).with_name("page.css"))
        ui.colors(primary="#1c5fa8", negative="#b3261e")
        dark = ui.dark_mode(None)
        with ui.element("header").classes("top"):
            ui.html(f"<h1>{_escaped(self._contents.name)}</h1>", sanitize=False)
            ui.space()
            ui.button("Dark or light", on_click=lambda: _toggle(dark)).props("flat dense no-caps")
            ui.link("API", "/openapi.json").classes("faint")
        with ui.element("main").classes("panes"):
            with ui.element("div").classes("problem-pane"):
                ui.element("iframe").props('src="/problem" title="Problem, theory and explorer"')
            with ui.element("section").classes("work").props('aria-label="Your solution"'):
                self._build_work()
        self._remove_listener = self._service.desk.listen(self._on_news)
        ui.context.client.on_disconnect(self._leave)
        self._timer = ui.timer(0.25, self._refresh)
        await ui.context.client.connected()
        await self._restore(identity)

    # ------------------------------------------------------------------ the editor

    def _build_work(self) -> None:
        keys: Any = {
            "Mod-Enter": lambda: self._submit(samples_only=True),
            "Mod-Shift-Enter": lambda: self._submit(samples_only=False),
        }
        self._editor = (
            ui.codemirror(
                self._contents.starter,
                language="Python",
                indent="    ",
                keymap=keys,
                on_change=self._keep_draft,
            )
            .classes("editor")
            .props('aria-label="Editor"')
        )
        with ui.element("div").classes("bar"):
            self._run_button = (
                ui.button("Run on the samples", on_click=lambda: self._submit(samples_only=True))
                .props("outline no-caps")
                .tooltip("Ctrl+Enter")
            )
            self._submit_button = (
                ui.button("Submit", on_click=lambda: self._submit(samples_only=False))
                .props("no-caps")
                .tooltip("Ctrl+Shift+Enter")
            )
            self._cancel_button = ui.button("Cancel", on_click=self._cancel).props("flat no-caps")
            self._cancel_button.set_visibility(False)
            ui.space()
            ui.button("Reset to the starter", on_click=self._reset).props("flat dense no-caps")
            ui.button(
                "Download", on_click=lambda: ui.download.content(self._editor.value, "solution.py")
            ).props("flat dense no-caps")
            # The widget itself is a large box; its picker is all that is wanted here.
            upload = (
                ui.upload(auto_upload=True, on_upload=self._upload)
                .props('accept=".py" aria-hidden="true"')
                .classes("hidden")
            )
            ui.button("Upload", on_click=lambda: upload.run_method("pickFiles")).props(
                "flat dense no-caps"
            )
        self._status = ui.label().classes("status").props('role="status" aria-live="polite"')
        self._progress = ui.element("div").classes("cells").props('aria-hidden="true"')
        self._results = ui.element("div").classes("w-full flex flex-col gap-3")
        with ui.expansion("My submissions", on_value_change=self._history_opened).classes("w-full"):
            self._history = ui.element("div").classes("w-full")

    async def _restore(self, identity: str | None) -> None:
        if identity is not None:
            stored = self._service.store.get(identity)
            if stored is None:
                self._status.set_text("There is no such submission.")
                return
            if stored.source is not None:
                self._editor.value = stored.source.decode("utf-8", "replace")
            self._show(stored.id)
            return
        draft = await ui.run_javascript(f"localStorage.getItem({_draft_key()})", timeout=5.0)
        if isinstance(draft, str) and draft.strip():
            self._editor.value = draft

    def _keep_draft(self) -> None:
        text = json.dumps(self._editor.value)
        ui.run_javascript(f"localStorage.setItem({_draft_key()}, {text})")

    def _reset(self) -> None:
        self._editor.value = self._contents.starter
        self._mark(None, "")
        ui.notify("Back at the starter; Ctrl+Z in the editor brings your text back.")

    async def _upload(self, event: Any) -> None:
        data = await event.file.read()
        if len(data) > self._service.most_source:
            ui.notify(f"At most {self._service.most_source >> 10} KiB.", type="negative")
            return
        self._editor.value = data.decode("utf-8-sig", "replace")

    # ------------------------------------------------------------------ submitting

    async def _submit(self, *, samples_only: bool) -> None:
        source = str(self._editor.value).encode("utf-8", "replace")
        try:
            identity = await asyncio.to_thread(
                self._service.submit, self._client, source, samples_only=samples_only
            )
        except RefusedError as refused:
            ui.notify(f"Not taken: {refused}", type="negative")
            return
        self._show(identity)

    def _cancel(self) -> None:
        if self._shown is not None:
            self._service.desk.cancel(self._shown, self._client)
            self._news = True

    def _show(self, identity: str) -> None:
        """Show this submission from now on."""
        self._shown, self._told, self._news = identity, 0, True
        self._levels.clear()
        self._results.clear()
        self._progress.clear()
        self._cells.clear()
        self._mark(None, "")
        stored = self._service.store.get(identity)
        with self._progress:
            for name, group in self._contents.cases:
                if stored is None or not stored.samples_only or group == "sample":
                    self._cells[name] = ui.element("div").classes("cell").tooltip(name)
        ui.run_javascript(f"history.replaceState(null, '', '/submissions/{identity}')")

    _news = False

    def _on_news(self, identity: str) -> None:
        """Hear from the desk, in any thread; the timer looks at it."""
        if identity == self._shown:
            self._news = True

    def _leave(self) -> None:
        self._remove_listener()
        self._timer.cancel()

    async def _refresh(self) -> None:
        if not self._news or self._shown is None:
            return
        self._news = False
        stored = await asyncio.to_thread(self._service.store.get, self._shown)
        if stored is None:
            return
        over = is_over(stored.status)
        self._cancel_button.set_visibility(not over and stored.client == self._client)
        for event in self._service.desk.progress(stored.id)[self._told :]:
            self._told += 1
            self._colour(event.case, event.verdict)
        if stored.status is Status.QUEUED:
            before = self._service.store.position(stored)
            self._say(f"Waiting; {before} before it.", "")
            self._news = True
        elif stored.status is Status.RUNNING:
            self._say(f"Running: {self._told} of {len(self._cells)} cases.", "")
        elif stored.status is Status.CANCELLED:
            self._say("Cancelled.", "")
        else:
            self._finished(stored)

    def _say(self, text: str, kind: str) -> None:
        self._status.classes(replace=f"status {kind}")
        self._status.set_text(text)

    def _colour(self, case: str, verdict: Verdict) -> None:
        cell = self._cells.get(case)
        if cell is not None and verdict is not Verdict.NOT_RUN:
            cell.classes("good" if verdict is Verdict.AC else "bad")

    def _finished(self, stored: Stored) -> None:
        report = learners_report(stored)
        if report is None:
            return
        for case in report.cases:
            self._colour(case.name, case.verdict)
        good = report.verdict is Verdict.AC
        scope = "on the samples" if stored.samples_only else "in all"
        self._say(
            f"{report.verdict}, {report.verdict.meaning}: {report.passed} of {report.total} cases "
            f"{scope}, score {report.score:.2f}",
            "good" if good else "bad",
        )
        failing = next((case for case in report.cases if case.line), None)
        self._mark(failing.line if failing else None, failing.message if failing else "")
        self._results.clear()
        with self._results:
            if good and stored.samples_only:
                ui.label("Right on the samples. Submit runs all cases.").classes("faint")
            self._diagnosis(report)
            ui.element("iframe").classes("report-frame").props(
                f'src="/submissions/{stored.id}/report" title="Report case by case"'
            )
            ui.link("A link to this submission", f"/submissions/{stored.id}").classes("faint")

    def _mark(self, line: int | None, message: str) -> None:
        """Mark the failing line, with its message behind it."""
        self._editor.decorations.clear()
        text = str(self._editor.value)
        lines = text.split("\n")
        if line is None or not 1 <= line <= len(lines):
            return
        end = sum(len(part) + 1 for part in lines[:line]) - 1
        self._editor.decorations.extend(
            [
                {"kind": "line", "line": line, "class": "failing-line"},
                {
                    "kind": "widget",
                    "position": end,
                    "text": message.splitlines()[0][:120] if message else "here",
                    "class": "failing-note",
                    "side": 1,
                },
            ]
        )

    # ------------------------------------------------------------------ diagnosis

    def _diagnosis(self, report: Report) -> None:
        for number, finding in enumerate(report.diagnosis):
            with ui.element("div").classes("card"):
                ui.html(f"<h3>Looks like: {_escaped(finding.title)}</h3>", sanitize=False)
                if finding.evidence is not None:
                    cases = finding.evidence.cases
                    ui.label(f"The same outputs as this mistake on {cases} cases.").classes("faint")
                with ui.element("div") as lines:
                    ui.label(finding.advice)
                self._levels[number] = 0
                more = ui.button("Say more").props("flat dense no-caps")
                more.on_click(self._more_advice(number, finding.id, lines, more))
                example = self._contents.counterexample(finding.counterexample or "")
                if example:
                    with ui.expansion("A small case that shows it, to paste").classes("w-full"):
                        ui.code(example, language="python").classes("w-full")

    def _more_advice(
        self, number: int, identity: str, lines: ui.element, button: ui.button
    ) -> Callable[[], None]:
        def more() -> None:
            self._levels[number] += 1
            level = ADVICE_STEPS[self._levels[number]]
            said = self._contents.advise(identity, level)
            if said:
                with lines:
                    ui.label(said)
            if not said or self._levels[number] + 1 == len(ADVICE_STEPS):
                button.set_visibility(False)

        return more

    # ------------------------------------------------------------------ history

    def _history_opened(self, event: Any) -> None:
        if event.value:
            self._fill_history()

    def _fill_history(self) -> None:
        self._history.clear()
        stored = self._service.store.history(self._client)
        with self._history:
            if not stored:
                ui.label("Nothing yet.").classes("faint")
                return
            with ui.element("table").classes("history"):
                with ui.element("tr"):
                    for heading in ("when", "what", "verdict", ""):
                        with ui.element("th"):
                            ui.label(heading)
                for one, before in zip(stored, [*stored[1:], None], strict=True):
                    self._history_row(one, before)
            self._diff = ui.element("div").classes("diff w-full")

    def _history_row(self, one: Stored, before: Stored | None) -> None:
        when = time.strftime("%d %b %H:%M:%S", time.localtime(one.received))
        with ui.element("tr"):
            with ui.element("td"):
                ui.link(when, f"/submissions/{one.id}")
            with ui.element("td"):
                ui.label("samples" if one.samples_only else "all cases")
            with ui.element("td"):
                ui.label(one.verdict or str(one.status))
            with ui.element("td"):
                if before is not None and one.source is not None and before.source is not None:
                    ui.button(
                        "Changes since the one before",
                        on_click=lambda: self._show_diff(before, one),
                    ).props("flat dense no-caps")

    def _show_diff(self, old: Stored, new: Stored) -> None:
        before, after = (
            (stored.source or b"").decode("utf-8", "replace").splitlines() for stored in (old, new)
        )
        lines = difflib.unified_diff(before, after, "before", "after", lineterm="")
        self._diff.clear()
        with self._diff:
            ui.codemirror("\n".join(lines) or "The same text.", language="diff").props(
                "disable"
            ).classes("editor")


def _toggle(dark: ui.dark_mode) -> None:
    dark.value = not dark.value


def _draft_key() -> str:
    return json.dumps("judge-draft")


def _escaped(text: str) -> str:
    return html.escape(text)
