"""The command line of the judge, `judge`.

Exit codes: 0 accepted or nothing found, 1 not accepted or something found, 2 usage or a broken
bundle, 3 judge error or isolation refused, 130 interrupted.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # what is imported here delays the sandbox
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

_JUDGING = ("run",)
_WITHOUT_SANDBOX = ("-h", "--help", "--debug")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit.

    Args:
        arguments: the words after `judge`; those of this process when None.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        code = _run(words)
    except KeyboardInterrupt:
        # While the command was still being imported.
        code = 130
    if arguments is None and words[:1] and words[0] in _JUDGING:
        _leave(code)
    sys.exit(code)


def _leave(code: int) -> NoReturn:
    """End at once: the sandbox is closed, and taking every module apart is time for nothing."""
    import os

    for stream in (sys.stdout, sys.stderr):
        try:  # noqa: SIM105 (contextlib may not be imported)
            stream.flush()
        except (AttributeError, OSError, ValueError):
            # Closed by the caller, or its reader has gone.
            pass
    os._exit(code)


def _run(words: list[str]) -> int:
    if words[:1] and words[0] in _JUDGING and not set(words) & set(_WITHOUT_SANDBOX):
        import gc

        from judge.sandbox import early

        # Before click and all else: it boots while they are imported.
        early.start()
        # Of what is made until judging begins nothing is garbage; `run` switches it on again.
        gc.disable()
    try:
        from judge.cli.group import run

        return run(words)
    finally:
        if "judge.sandbox.early" in sys.modules:
            sys.modules["judge.sandbox.early"].close_unused()
