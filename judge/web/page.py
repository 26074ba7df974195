"""The page: the problem on one side, an editor on the other, results as they come."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from importlib import resources
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse, Response
from nicegui import app, ui

from judge.verdicts import Report, Verdict
from judge.web.api import RefusedError, Service, learners_page, learners_report
from judge.web.desk import SAMPLES, is_over
from judge.web.editor import Editor
from judge.web.elements import Text, faint, small_button
from judge.web.findings import Knowledge, show_findings
from judge.web.history import History
from judge.web.store import Status, Stored

# Documents in frames bring all they need with them, and may load nothing.
_FRAME_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; font-src data:; img-src data:; base-uri 'none'; form-action 'none'"
}


@dataclass(frozen=True)
class Contents:
    """What the page shows of the problem.

    Args:
        name: the problem's name.
        slug: its short name, under which a browser keeps the draft.
        document: the statement, theory and explorer as one self-contained HTML document.
        starter: what a learner starts from.
        file: the name under which a solution is downloaded.
        cases: name of every case by group, in order.
        knowledge: advice and counterexamples.
    """

    name: str
    slug: str
    document: bytes
    starter: str
    file: str
    cases: list[tuple[str, str]]
    knowledge: Knowledge


def add_page(service: Service, contents: Contents) -> None:
    """Add the routes of the page to NiceGUI's application."""

    @app.get("/problem", include_in_schema=False)
    def problem() -> Response:
        return HTMLResponse(contents.document, headers=_FRAME_HEADERS)

    @app.get("/submissions/{identity}/report", include_in_schema=False)
    def report(identity: str) -> Response:
        stored = service.store.get(identity)
        page = learners_page(stored) if stored else b""
        status = 200 if page else 404
        return HTMLResponse(page or "<p>not judged yet</p>", status, headers=_FRAME_HEADERS)

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
        self._news = False
        self._cells: dict[str, ui.element] = {}
        self._told = 0

    async def build(self, identity: str | None = None) -> None:
        """Lay the page out, and show a submission if one is asked for."""
        ui.add_css(_text("page.css"))
        ui.add_body_html(f"<script>{_text('page.js')}</script>")
        ui.colors(primary="#1c5fa8", negative="#b3261e")
        self._dark = ui.dark_mode(value=False)
        ui.on("judge-theme", lambda event: self._set_dark(dark=bool(event.args)))
        self._build_top()
        with ui.element("div").classes("panes"):
            with ui.element("div").classes("problem-pane"):
                ui.element("iframe").props('src="/problem" title="Problem, theory and explorer"')
            with ui.element("section").classes("work").props('aria-label="Your solution"'):
                self._build_work()
        client = ui.context.client
        client.on_delete(self._service.desk.listen(self._on_news))
        ui.timer(0.25, self._refresh)
        await client.connected(timeout=30.0)
        await self._restore(identity)

    # ------------------------------------------------------------------ layout

    def _build_top(self) -> None:
        with ui.element("header").classes("top"):
            skip = small_button("To the editor").classes("skip")
            skip.on("click", js_handler="() => judgePage.focus()")
            Text("h1", self._contents.name)
            ui.space()
            ui.link("Problem in a tab of its own", "/problem", new_tab=True).classes("wide-only")
            ui.link("API", "/openapi.json")
            button = small_button("Dark or light")
            button.on("click", js_handler="() => judgePage.toggle()")

    def _set_dark(self, *, dark: bool) -> None:
        self._dark.value = dark
        self._editor.set_dark(dark)

    def _build_work(self) -> None:
        self._editor = Editor(
            self._contents.starter, self._contents.slug, run=self._run, submit=self._submit
        )
        with ui.element("div").classes("bar"):
            run = ui.button("Run on the samples", on_click=self._run, color=None)
            run.props("outline no-caps")
            run.tooltip("Ctrl+Enter")
            submit = ui.button("Submit", on_click=self._submit).props("no-caps")
            submit.tooltip("Ctrl+Shift+Enter")
            self._cancel_button = small_button("Cancel")
            self._cancel_button.on_click(self._cancel)
            self._cancel_button.set_visibility(False)
            ui.space()
            small_button("Reset to the starter").on_click(self._reset)
            small_button("Download").on_click(self._download)
            self._build_upload()
        self._status = Text("p", "").classes("status").props('role="status"')
        self._count = faint("")
        self._progress = ui.element("div").classes("cells").props('aria-hidden="true"')
        self._results = ui.element("div").classes("results")
        self._history = History(self._service.store, self._client)

    def _build_upload(self) -> None:
        # The widget itself is a large box; its picker is all that is wanted here.
        upload = ui.upload(auto_upload=True, on_upload=self._upload).props('accept=".py,text/*"')
        upload.classes("hidden").props('aria-hidden="true"')
        button = small_button("Upload")
        # A browser opens a picker only while it handles a click.
        button.on("click", js_handler=f"() => runMethod({upload.id}, 'pickFiles', [])")

    async def _restore(self, identity: str | None) -> None:
        stored = None if identity is None else self._service.store.get(identity)
        await self._editor.restore(stored)
        if stored is not None:
            self._show(stored)
        elif identity is not None:
            self._say("There is no such submission.", "bad")

    # ------------------------------------------------------------------ what is done

    async def _run(self) -> None:
        await self._hand_in(samples_only=True)

    async def _submit(self) -> None:
        await self._hand_in(samples_only=False)

    async def _hand_in(self, *, samples_only: bool) -> None:
        source = self._editor.text.encode("utf-8", "replace")
        try:
            identity = await asyncio.to_thread(
                self._service.submit, self._client, source, samples_only=samples_only
            )
        except RefusedError as refused:
            ui.notify(f"Not taken: {refused}", type="negative")
            return
        stored = await asyncio.to_thread(self._service.store.get, identity)
        if stored is not None:
            self._editor.submitted(identity)
            self._show(stored)
            self._history.refresh()

    def _cancel(self) -> None:
        if self._shown is not None:
            self._service.desk.cancel(self._shown, self._client)
            self._news = True

    def _reset(self) -> None:
        self._editor.reset()
        ui.notify("Back at the starter; Ctrl+Z in the editor brings your text back.")

    def _download(self) -> None:
        ui.download.content(self._editor.text, self._contents.file)

    async def _upload(self, event: Any) -> None:
        data = await event.file.read()
        if len(data) > self._service.most_source:
            ui.notify(f"At most {self._service.most_source >> 10} KiB.", type="negative")
            return
        self._editor.text = data.decode("utf-8-sig", "replace")

    # ------------------------------------------------------------------ what is seen

    def _show(self, stored: Stored) -> None:
        """Show this submission from now on."""
        self._shown, self._told, self._news = stored.id, 0, True
        self._results.clear()
        self._progress.clear()
        self._cells.clear()
        self._editor.unmark()
        with self._progress:
            for name, group in self._contents.cases:
                if not stored.samples_only or group == SAMPLES:
                    self._cells[name] = ui.element("div").classes("cell").tooltip(name)

    def _on_news(self, identity: str) -> None:
        """Hear from the desk, in any thread; the timer looks at it."""
        if identity == self._shown:
            self._news = True

    async def _refresh(self) -> None:
        if not self._news or self._shown is None:
            return
        self._news = False
        stored = await asyncio.to_thread(self._service.store.get, self._shown)
        if stored is None or stored.id != self._shown:
            return
        self._cancel_button.set_visibility(
            not is_over(stored.status) and stored.client == self._client
        )
        for event in self._service.desk.progress(stored.id)[self._told :]:
            self._told += 1
            self._colour(event.case, event.verdict)
        if stored.status is Status.QUEUED:
            self._say("Waiting.", "", f"{self._service.store.position(stored)} before it.")
            # Its place changes without a word about it.
            self._news = True
        elif stored.status is Status.RUNNING:
            self._say("Running.", "", f"{self._told} of {len(self._cells)} cases.")
        elif stored.status is Status.CANCELLED:
            self._say("Cancelled.", "")
            self._history.refresh()
        else:
            self._finished(stored)

    def _say(self, text: str, kind: str, count: str = "") -> None:
        self._status.classes(replace=f"status {kind}")
        self._status.text = text
        self._count.text = count

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
        scope = " on the samples" if stored.samples_only else ""
        self._say(
            f"{report.verdict}, {report.verdict.meaning}{scope}",
            "good" if good else "bad",
            f"{report.passed} of {report.total} cases, score {report.score:.2f}",
        )
        self._mark(stored, report)
        self._history.refresh()
        self._results.clear()
        with self._results:
            if good and stored.samples_only:
                faint("Right on the samples. Submit runs all cases.")
            show_findings(report, self._contents.knowledge)
            ui.element("iframe").classes("report-frame").props(
                f'src="/submissions/{stored.id}/report" title="Report case by case"'
            )
            ui.link("A link to this submission", f"/submissions/{stored.id}")

    def _mark(self, stored: Stored, report: Report) -> None:
        for case in report.cases:
            if case.line:
                self._editor.mark(stored, case.line, case.message)
                return


def _text(name: str) -> str:
    return resources.files("judge.web").joinpath(name).read_text(encoding="utf-8")
