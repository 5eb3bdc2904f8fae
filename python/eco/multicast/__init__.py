# SPDX-License-Identifier: BSD-3-Clause
"""Multicast from many sources: patterns, schedules and bounds (Wu, Yeh and Liu).

    pattern = multicast.draw(ranks=64, lengths="large", seed=1)
    schedule = multicast.plan(pattern, "wrp")
    print(schedule.completion / multicast.bound(pattern).least)

The engine does the work (src/eco/multicast); times are in seconds, lengths in bytes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from eco import text_files
from eco.engine import engine, errors
from eco.errors import EcoError, ExitCode

if TYPE_CHECKING:
    from eco._engine import multicast as _engine


class Message(NamedTuple):
    """One source's message."""

    source: int
    bytes: int
    destinations: list[int]


class Task(NamedTuple):
    """A send to, or a receive from, `peer`; a receive starts when the rank begins to wait."""

    sends: bool
    peer: int
    message: int
    start: float
    end: float


@dataclass(frozen=True)
class Pattern:
    """Messages, and what sending and receiving costs each rank."""

    value: _engine.Pattern

    @property
    def ranks(self) -> int:
        return self.value.ranks

    @property
    def deliveries(self) -> int:
        return self.value.deliveries

    @property
    def messages(self) -> list[Message]:
        return [Message(*message) for message in self.value.messages]

    def with_messages(self, messages: Sequence[Message]) -> Pattern:
        """The same ranks and costs, other messages."""
        with errors():
            return Pattern(self.value.with_messages(messages))

    def to_json(self) -> str:
        """As docs/formats.md describes."""
        return self.value.to_json()


@dataclass(frozen=True)
class Schedule:
    """Every rank's sends and receives in order, with their times."""

    value: _engine.Schedule

    @property
    def completion(self) -> float:
        return self.value.completion

    @property
    def tasks(self) -> list[list[Task]]:
        """Per rank."""
        return [[Task(*task) for task in tasks] for tasks in self.value.tasks]

    def to_json(self) -> str:
        return self.value.to_json()


@dataclass(frozen=True)
class Bound:
    """Times that no schedule beats: `least`, the largest of the last three.

    `paper` is that of the paper as printed, which can lie above the optimum where sizes differ.
    """

    paper: float
    least: float
    ranks: float
    work: float
    spread: float


def read(path: Path) -> Pattern:
    """A checked pattern; raises EcoError if it makes no sense."""
    origin = os.fsencode(path).decode(errors="replace")
    try:
        text = text_files.read(path, "replace")
    except OSError as error:
        raise EcoError(
            f"{origin} cannot be read ({error.strerror}); name a problem file "
            "as in docs/formats.md",
            ExitCode.BAD_INPUT,
        ) from None
    return parse(text, origin)


def parse(text: str, origin: str = "the pattern") -> Pattern:
    """From JSON; `origin` names it in complaints."""
    with errors():
        return Pattern(engine().multicast.parse_pattern(text, origin))


def draw(
    ranks: int = 64,
    sources: int | None = None,
    *,
    reach: str = "all",
    lengths: str = "large",
    rate: float = 155e6,
    classes: int = 4,
    spacing: str = "even",
    apart: bool = False,
    seed: int = 1,
) -> Pattern:
    """A random pattern as in the paper's §5; src/eco/multicast/draw.h says what the words mean.

    rate: bits per second of every link. sources: all ranks if not given.
    """
    with errors():
        drawn = engine().multicast.draw(
            ranks,
            ranks if sources is None else sources,
            reach,
            lengths,
            rate,
            classes,
            spacing,
            apart,
            seed,
        )
        return Pattern(drawn)


def planners() -> dict[str, str]:
    """Names of all planners, and what they stand for."""
    return dict(engine().multicast.planners())


def plan(pattern: Pattern, planner: str) -> Schedule:
    """A schedule by the planner of that name."""
    with errors():
        return Schedule(engine().multicast.plan(pattern.value, planner))


def replan(pattern: Pattern, was: Pattern, before: Schedule) -> Schedule:
    """A schedule made from `before`, one of the similar pattern `was`, in a fraction of the time.

    Sources and destinations may have come and gone; the ranks are the same.
    """
    with errors():
        return Schedule(engine().multicast.replan(pattern.value, was.value, before.value))


def bound(pattern: Pattern) -> Bound:
    """What no schedule of the pattern beats."""
    found = engine().multicast.bound(pattern.value)
    return Bound(found.paper, found.least, found.ranks, found.work, found.spread)


def verify(pattern: Pattern, schedule: Schedule) -> str:
    """Empty when the schedule is right, else one sentence that says what is wrong."""
    return engine().multicast.verify(pattern.value, schedule.value)
