"""A learner's submissions, and what changed between two of them."""

from __future__ import annotations

import difflib
import itertools
import time
from typing import Any

from nicegui import ui

from judge.web.elements import Text, faint
from judge.web.store import Store, Stored

_CHOSEN = 2
_KINDS = {"+": "added", "-": "removed", "@": "place"}


class History:
    """A folded list of one client's submissions.

    Args:
        store: where they are.
        client: whose.
    """

    def __init__(self, store: Store, client: str) -> None:
        self._store = store
        self._client = client
        self._chosen: list[Stored] = []
        self._boxes: dict[str, ui.checkbox] = {}
        with ui.expansion("My submissions", on_value_change=self.refresh).classes(
            "w-full"
        ) as self._fold:
            self._list = ui.element("div").classes("w-full")

    def refresh(self, _event: Any = None) -> None:
        """Show the list as it is now, if it is unfolded."""
        if not self._fold.value:
            return
        self._list.clear()
        self._chosen.clear()
        self._boxes.clear()
        stored = self._store.history(self._client)
        with self._list:
            if not stored:
                faint("Nothing yet.")
                return
            faint("Tick two to see what changed between them.")
            self._table(stored)
            self._diff = ui.element("div").classes("w-full").props('role="status"')

    def _table(self, stored: list[Stored]) -> None:
        with ui.element("table").classes("history"):
            with ui.element("thead"), ui.element("tr"):
                for heading in ("Compare", "When", "Cases", "Verdict"):
                    Text("th", heading).props('scope="col"')
            with ui.element("tbody"):
                for one in stored:
                    self._row(one)

    def _row(self, one: Stored) -> None:
        when = time.strftime("%d %b %H:%M:%S", time.localtime(one.received))
        with ui.element("tr"):
            with ui.element("td"):
                if one.source is not None:
                    box = ui.checkbox(on_change=lambda event: self._tick(one, event.value))
                    self._boxes[one.id] = box.props(f'dense aria-label="Compare that of {when}"')
            with ui.element("td"):
                ui.link(when, f"/submissions/{one.id}")
            Text("td", "samples" if one.samples_only else "all")
            Text("td", one.verdict or str(one.status))

    def _tick(self, one: Stored, ticked: bool) -> None:
        if ticked:
            self._chosen.append(one)
            if len(self._chosen) > _CHOSEN:
                # Its own event takes it off the list.
                self._boxes[self._chosen[0].id].value = False
        else:
            self._chosen = [other for other in self._chosen if other.id != one.id]
        self._diff.clear()
        if len(self._chosen) == _CHOSEN:
            old, new = sorted(self._chosen, key=lambda stored: stored.received)
            with self._diff:
                _show_changes(old, new)


def _show_changes(old: Stored, new: Stored) -> None:
    """Show a unified diff, one element for each run of lines of one kind."""
    before, after = (
        (stored.source or b"").decode("utf-8", "replace").splitlines() for stored in (old, new)
    )
    lines = list(difflib.unified_diff(before, after, lineterm=""))[2:]
    if not lines:
        faint("The same text.")
        return
    with ui.element("pre").classes("changes").props('tabindex="0" aria-label="What changed"'):
        for start, run in itertools.groupby(lines, key=lambda line: line[:1]):
            Text("span", "\n".join(run) + "\n").classes(_KINDS.get(start, "same"))
