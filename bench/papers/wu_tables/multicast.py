# SPDX-License-Identifier: BSD-3-Clause
"""Multicast from many sources: patterns, schedules and bounds (Wu, Yeh and Liu).

    pattern = multicast.draw(64, 64, lengths="large", seed=1)
    schedule = multicast.plan(pattern, "wrp")
    print(schedule.completion / multicast.bound(pattern).least)

../wu_engine does the work: an extension module, built when this is imported. Times are in seconds,
lengths in bytes.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from built import built_module


def _load() -> Any:
    spec = importlib.util.spec_from_file_location("_wu", built_module("_wu"))
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_wu = _load()


class Message(NamedTuple):
    """One source's message."""

    source: int
    bytes: int
    destinations: list[int]


@dataclass(frozen=True)
class Pattern:
    """Messages, and what sending and receiving costs each rank."""

    value: Any

    @property
    def ranks(self) -> int:
        return int(self.value.ranks)

    @property
    def messages(self) -> list[Message]:
        return [Message(*message) for message in self.value.messages]

    def with_messages(self, messages: Sequence[Message]) -> Pattern:
        """The same ranks and costs, other messages."""
        return Pattern(self.value.with_messages(messages))


@dataclass(frozen=True)
class Schedule:
    """What a planner found."""

    value: Any

    @property
    def completion(self) -> float:
        return float(self.value.completion)


@dataclass(frozen=True)
class Bound:
    """Times that no schedule beats: `least`; `paper` is that of the paper as printed, which can lie
    above the optimum where sizes differ."""

    paper: float
    least: float


def draw(
    ranks: int,
    sources: int,
    *,
    reach: str,
    lengths: str,
    rate: float,
    seed: int,
    classes: int = 4,
    spacing: str = "even",
    apart: bool = False,
) -> Pattern:
    """A random pattern as in the paper's §5; ../wu_engine/draw.h says what the words mean.

    rate: bits per second of every link.
    """
    words = (reach, lengths, rate, classes, spacing, apart, seed)
    return Pattern(_wu.draw(ranks, sources, *words))


def plan(pattern: Pattern, planner: str) -> Schedule:
    """A schedule by the planner of that name: fef, ecf, wr, wrp, best."""
    return Schedule(_wu.plan(pattern.value, planner))


def replan(pattern: Pattern, was: Pattern, before: Schedule) -> Schedule:
    """A schedule made from `before`, one of the similar pattern `was`, in a fraction of the time.

    Sources and destinations may have come and gone; the ranks are the same.
    """
    return Schedule(_wu.replan(pattern.value, was.value, before.value))


def bound(pattern: Pattern) -> Bound:
    """What no schedule of the pattern beats."""
    found = _wu.bound(pattern.value)
    return Bound(found.paper, found.least)
