"""The editor: CodeMirror, the draft kept in the browser, and the mark on the failing line."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any, Final

from nicegui import ui

from judge.web.elements import faint
from judge.web.store import Stored

LIGHT: Final = "githubLight"
DARK: Final = "githubDark"
_NOTE_LENGTH = 120
_HELP = (
    "Ctrl+Enter runs the samples, Ctrl+Shift+Enter submits, Ctrl+F searches; "
    "Escape, then Tab leaves the editor."
)


class Editor:
    """A learner's text.

    Args:
        starter: what stands in it at first.
        slug: the problem's short name, under which the browser keeps the draft.
        run: called at Ctrl+Enter.
        submit: called at Ctrl+Shift+Enter.
    """

    def __init__(
        self, starter: str, slug: str, run: Callable[[], Any], submit: Callable[[], Any]
    ) -> None:
        self._starter = starter
        self._slug = json.dumps(slug)
        keys: Any = {"Mod-Enter": run, "Mod-Shift-Enter": submit}
        self._area = ui.codemirror(
            starter, language="Python", indent="    ", keymap=keys, theme=LIGHT
        ).classes("editor")
        faint(_HELP)

    @property
    def text(self) -> str:
        """What stands in the editor."""
        return str(self._area.value)

    @text.setter
    def text(self, text: str) -> None:
        self.unmark()
        self._area.value = text

    async def restore(self, stored: Stored | None) -> None:
        """Show a submission's text, or the draft where that goes on from it; else the draft."""
        draft = await ui.run_javascript(f"judgePage.draft({self._slug})", timeout=10.0)
        text = draft.get("text") if isinstance(draft, dict) else None
        goes_on = stored is None or (isinstance(draft, dict) and draft.get("of") == stored.id)
        if goes_on and isinstance(text, str) and text.strip():
            self.text = text
        elif stored is not None and stored.source is not None:
            self.text = stored.source.decode("utf-8", "replace")
        area = f"getElement({self._area.id})"
        ui.run_javascript(
            f"{area}.editorPromise.then(() => judgePage.begin({self._slug}, {area}.editor))"
        )

    def submitted(self, identity: str) -> None:
        """Remember in the browser that the draft goes on from this submission."""
        ui.run_javascript(f"judgePage.submitted({self._slug}, {json.dumps(identity)})")

    def reset(self) -> None:
        """Go back to the starter; undo in the editor brings the text back."""
        self.text = self._starter

    def set_dark(self, dark: bool) -> None:
        """Choose the colours of the text."""
        self._area.set_theme(DARK if dark else LIGHT)

    def mark(self, stored: Stored, line: int, message: str) -> None:
        """Mark the failing line of a submission, where its text still stands in the editor."""
        lines = self.text.split("\n")
        digest = hashlib.sha256(self.text.encode("utf-8", "replace")).hexdigest()
        if digest != stored.digest or not 1 <= line <= len(lines):
            return
        end = sum(len(part) + 1 for part in lines[:line]) - 1
        note = message.splitlines()[0][:_NOTE_LENGTH] if message else "here"
        self._area.decorations[:] = [
            {"kind": "line", "line": line, "class": "failing-line"},
            {"kind": "widget", "position": end, "text": note, "class": "failing-note", "side": 1},
        ]
        self._area.reveal_line(line)

    def unmark(self) -> None:
        """Remove the mark."""
        if self._area.decorations:
            self._area.decorations.clear()
