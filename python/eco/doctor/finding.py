# SPDX-License-Identifier: BSD-3-Clause
"""What `eco doctor` found, as a value, and the exit code that follows from all of it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import IntEnum
from typing import Any


class Severity(IntEnum):
    """How much it matters; `code` is the exit code if nothing matters more."""

    NOTE = 0  # worth knowing; not wrong
    WARNING = 1  # costs time
    ERROR = 2  # a job hangs, fails, or runs without ECO

    @property
    def code(self) -> int:
        return {Severity.NOTE: 0, Severity.WARNING: 10, Severity.ERROR: 11}[self]


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong."""

    check: str  # its name, the same in all versions
    severity: Severity
    where: tuple[str, ...]  # hosts, or what else it is about
    what: str
    sure: str  # how this is known: read, measured, or likely
    cost: str  # what it costs; empty if nobody can tell
    todo: str  # what to do; may hold a line to paste

    @property
    def sentence(self) -> str:
        known = f"{self.sure}; {self.cost}" if self.cost else self.sure
        return f"{listed(self.where)}: {self.what} ({known}); {self.todo}"

    def document(self) -> dict[str, Any]:
        """The written form."""
        found = asdict(self) | {"severity": self.severity.name.lower(), "do": self.todo}
        del found["todo"]
        return found | {"where": list(self.where), "sentence": self.sentence}


def exit_code(findings: Sequence[Finding]) -> int:
    """That of the worst."""
    return max((each.severity.code for each in findings), default=0)


def listed(names: Sequence[str], most: int = 4) -> str:
    """Few by name, many by number."""
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"
