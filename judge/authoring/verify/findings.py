"""What verification found: collected in one place, printed in another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from judge.faults import Fault

Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class Finding:
    """One thing that is not as the bundle says, or not as its margins demand.

    Args:
        check: name of the check that found it.
        severity: `error`, or `warning` where machines differ or taste decides.
        where: a file and key, a case, a mistake or a submission.
        message: what is wrong, what was expected, what to do.
    """

    check: str
    severity: Severity
    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.where}: {self.message} [{self.check}]"


@dataclass
class Findings:
    """Collects findings; `under` gives a view that records under a check's name."""

    check: str = ""
    found: list[Finding] = field(default_factory=list)

    def under(self, check: str) -> Findings:
        """Return a view of the same collection for one check."""
        return Findings(check, self.found)

    def error(self, where: str, message: str) -> None:
        """Record what must not be."""
        self.found.append(Finding(self.check, "error", where, message))

    def warning(self, where: str, message: str) -> None:
        """Record what should be looked at."""
        self.found.append(Finding(self.check, "warning", where, message))

    def faults(self, faults: Iterable[Fault]) -> None:
        """Record the faults of a file that could not be read."""
        for fault in faults:
            self.error(fault.where, fault.message)

    @property
    def errors(self) -> list[Finding]:
        """The findings that make verification fail."""
        return [finding for finding in self.found if finding.severity == "error"]
