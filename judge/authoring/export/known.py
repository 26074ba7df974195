"""The bundle's known submissions with what must be said of them, for packages that carry both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

import msgspec

from judge.faults import Fault, Faults, decode
from judge.mistakes import Mistakes
from judge.problem import Problem
from judge.verdicts import Reason, Verdict
from judge.yamlfile import read_yaml

FOLDER = "submissions"
EXPECTED = "submissions/expected.yaml"
HOSTILE = "hostile"


class Expectation(msgspec.Struct, frozen=True):
    """One line of `submissions/expected.yaml`, which explains the keys."""

    verdict: Verdict
    reason: Reason | None = None
    message: str = ""
    cases: int | str | None = None
    note: str = ""
    alone: Verdict | None = None
    export: bool = True


@dataclass(frozen=True)
class Known:
    """A submission whose verdict is known.

    Args:
        path: folder and file name, as in "wrong_answer/one_nan.py".
        source: its bytes.
        title: what it shows, in a few words; empty where its file tells.
        verdict: what this judge must say.
        reason: of its first failing case.
        alone: the verdict where every case has a process of its own.
    """

    path: str
    source: bytes
    title: str
    verdict: Verdict
    reason: Reason | None
    alone: Verdict

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self.path.rpartition("/")[2].removesuffix(".py")


def known_submissions(problem: Problem, faults: list[Fault]) -> list[Known]:
    """Return the reference, the known submissions, and the common mistakes.

    Hostile submissions attack this judge alone; others are left out by their `export: false`.

    Args:
        problem: the bundle.
        faults: records what is missing or broken.
    """
    found = list(_reference(problem, faults))
    found += _written(problem, faults)
    found += _mistakes(problem)
    return found


def _reference(problem: Problem, faults: list[Fault]) -> Iterator[Known]:
    path = problem.folder / "reference" / problem.function_file
    if not path.is_file():
        faults.append(Fault(f"reference/{problem.function_file}", "the file is missing"))
        return
    accepted = Verdict.AC
    yield Known("accepted/reference.py", path.read_bytes(), "", accepted, None, accepted)


def _written(problem: Problem, faults: list[Fault]) -> Iterator[Known]:
    folder = problem.folder / FOLDER
    names = sorted(path.relative_to(folder).as_posix() for path in folder.glob("*/*.py"))
    names = [name for name in names if not name.startswith(f"{HOSTILE}/")]
    if not names:
        return
    found = Faults(EXPECTED, found=faults)
    value = read_yaml(problem.folder / EXPECTED, found)
    patterns = None if value is None else decode(value, dict[str, Expectation], found)
    if not patterns:
        return
    for name in names:
        matching = [line for pattern, line in patterns.items() if fnmatchcase(name, pattern)]
        if not matching or matching[0] is None:
            found.add(f"says nothing of {name}")
            continue
        line = matching[0]
        if not line.export:
            continue
        yield Known(
            name,
            (folder / name).read_bytes(),
            "",
            line.verdict,
            line.reason,
            line.alone or line.verdict,
        )


def _mistakes(problem: Problem) -> Iterator[Known]:
    if not (problem.folder / FOLDER / "mistakes.yaml").is_file():
        return
    mistakes = Mistakes.load(problem)
    wrong = Verdict.WA
    for mistake in mistakes.known:
        if mistake.common and not mistake.below_tolerance:
            path = f"wrong_answer/mistake_{mistake.id.replace('-', '_')}.py"
            source = mistakes.source(mistake.id).encode("utf-8")
            yield Known(path, source, mistake.title, wrong, Reason.VALUE, wrong)
