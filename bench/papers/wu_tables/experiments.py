# SPDX-License-Identifier: BSD-3-Clause
"""The experiments of §5 as cases, and what one case gives."""

import functools
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from wu_tables import multicast
from wu_tables.multicast import Message, Pattern, Schedule

EXPERIMENTS = ("broadcast", "all-to-all", "multiple", "similar")
PLANNERS = ("fef", "ecf", "wr", "wrp", "best")
LENGTHS = ("small", "large", "mixed")
RATES = (155e6, 1e9)
RANKS = 64

# "Several classes according to their send and receive overheads", in the ranges given. And:
# "randomly chooses the destination nodes".
READINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "even": ("4 classes in even steps; each other rank with probability 1/2", {}),
    "geometric": ("4 classes in geometric steps", {"spacing": "geometric"}),
    "two": ("2 classes, the ends of the ranges", {"classes": 2}),
    "free": ("no classes, every figure drawn evenly", {"spacing": "free"}),
    "apart": ("a rank's classes as sender and as receiver drawn apart", {"apart": True}),
    "any": ("any number of destinations, each as likely", {"reach": "any"}),
}
CHANGES = {
    "-source": "a source goes",
    "+source": "a source comes",
    "-destination": "a destination goes",
    "+destination": "a destination comes",
    "-rank": "a rank goes, as source and destination",
    "+rank": "a rank comes, as both",
    "mixed": "five destinations go, five come",
}


@dataclass(frozen=True)
class Case:
    """One bar group of a figure, or one line of a table."""

    experiment: str
    reading: str
    lengths: str
    rate: float
    ranks: int
    sources: int
    weight: float  # about what it costs, against others

    @property
    def title(self) -> str:
        return f"{self.experiment} {self.lengths} {self.rate / 1e6:g} Mbit/s, {self.sources}"

    def draw(self, seed: int) -> Pattern:
        how = {"reach": "half", **READINGS[self.reading][1]}
        if self.experiment in ("broadcast", "all-to-all"):
            how["reach"] = "all"
        return multicast.draw(
            self.ranks, self.sources, lengths=self.lengths, rate=self.rate, seed=seed, **how
        )


def cases(experiment: str, reading: str) -> Iterator[Case]:
    """Of one experiment; a broadcast's weight counts for all its roots."""
    for rate in RATES:
        for lengths in LENGTHS:
            given = (experiment, reading, lengths, rate)
            if experiment == "broadcast":
                for ranks in (4, 8, 16, 32, 64):
                    yield Case(*given, ranks, ranks, 0.02 + ranks / 100)
            elif experiment == "all-to-all":
                yield Case(*given, RANKS, RANKS, 50)
            elif experiment == "multiple":
                for sources, weight in ((4, 1.5), (16, 6), (32, 12), (64, 25)):
                    yield Case(*given, RANKS, sources, weight)
            else:
                for sources, weight in ((1, 0.2), (16, 2), (64, 10)):
                    yield Case(*given, RANKS, sources, weight)


Tick = Callable[[float], None]  # takes the share that is done


def measure(case: Case, draws: int, seed: int, tick: Tick) -> dict[str, Any]:
    """Means over the draws; times in seconds."""
    if case.experiment == "similar":
        return {"case": asdict(case), **_similar(case, max(1, draws // 20), seed, tick)}
    rows = []
    systems = max(1, draws // case.ranks) if case.experiment == "broadcast" else draws
    for number in range(systems):
        pattern = case.draw(seed + number)
        if case.experiment == "broadcast":
            messages = pattern.messages
            size = messages[0].bytes  # the same message from every root
            rows += [
                _plan_all(pattern.with_messages([one._replace(bytes=size)])) for one in messages
            ]
        else:
            rows.append(_plan_all(pattern))
        tick((number + 1) / systems)
    return {"case": asdict(case), "patterns": len(rows), **_means(rows)}


def _plan_all(pattern: Pattern) -> dict[str, float]:
    bound = multicast.bound(pattern)
    row = {"bound": bound.least, "paper": bound.paper}
    for name in PLANNERS:
        started = time.process_time()
        schedule = multicast.plan(pattern, name)
        row[f"{name} took"] = time.process_time() - started
        row[name] = schedule.completion
    return row


def _means(rows: list[dict[str, float]]) -> dict[str, Any]:
    def mean(values: Iterator[float]) -> float:
        return sum(values) / len(rows)

    return {
        "bound": mean(row["bound"] for row in rows),
        "paper": mean(row["paper"] for row in rows),
        "paper above bound": mean(float(row["paper"] > 1.000001 * row["bound"]) for row in rows),
        "planners": {
            name: {
                "completion": mean(row[name] for row in rows),
                "over bound": mean(row[name] / row["bound"] for row in rows),
                "over bound, worst": max(row[name] / row["bound"] for row in rows),
                "over paper": mean(row[name] / row["paper"] for row in rows),
                "over paper, worst": max(row[name] / row["paper"] for row in rows),
                "took": mean(row[f"{name} took"] for row in rows),
                "took, longest": max(row[f"{name} took"] for row in rows),
            }
            for name in PLANNERS
        },
    }


def _similar(case: Case, draws: int, seed: int, tick: Tick) -> dict[str, Any]:
    """Per change: how much longer the schedule takes than one planned anew, and its planning."""
    sums: dict[str, dict[str, float]] = {}
    for number in range(draws):
        pattern = case.draw(seed + number)
        for change in CHANGES:
            dice = random.Random(f"{seed + number} {change}")
            pair = _changed(pattern, change, dice)
            if pair is None:
                continue
            was, now = pair
            before = multicast.plan(was, "best")
            anew, anew_took = _timed(functools.partial(multicast.plan, now, "best"))
            again, again_took = _timed(functools.partial(multicast.replan, now, was, before))
            ratio = again.completion / anew.completion
            one = sums.setdefault(change, dict.fromkeys(("n", "ratio", "worst", "anew", "took"), 0))
            one["n"] += 1
            one["ratio"] += ratio
            one["worst"] = max(one["worst"], ratio)
            one["anew"] += anew_took
            one["took"] += again_took
        tick((number + 1) / draws)
    return {
        "patterns": draws,
        "changes": {
            change: {
                "completion": one["ratio"] / one["n"],
                "worst": one["worst"],
                "anew": one["anew"] / one["n"],
                "took": one["took"] / one["n"],
            }
            for change, one in sums.items()
        },
    }


def _timed(planning: Callable[[], Schedule]) -> tuple[Schedule, float]:
    """The least of three: a few microseconds are lost in whatever else the machine does."""
    took = []
    for _ in range(3):
        started = time.process_time()
        schedule = planning()
        took.append(time.process_time() - started)
    return schedule, min(took)


def _changed(pattern: Pattern, change: str, dice: random.Random) -> tuple[Pattern, Pattern] | None:
    """The pattern before and after; None where there is too little to take away."""
    messages = pattern.messages
    if change == "mixed":
        was, now = ([_less(one, dice) for one in _five(messages, dice)] for _ in range(2))
        return pattern.with_messages(was), pattern.with_messages(now)
    kind = change[1:]
    less = list(messages)
    if kind == "source":
        less.pop(dice.randrange(len(less)))
    elif kind == "destination":
        at = dice.randrange(len(less))
        less[at] = _less((less[at], 1), dice)
    else:
        gone = dice.randrange(pattern.ranks)
        less = [
            one._replace(destinations=[to for to in one.destinations if to != gone])
            for one in less
            if one.source != gone
        ]
    if not any(one.destinations for one in less):
        return None
    smaller = pattern.with_messages(less)
    return (pattern, smaller) if change[0] == "-" else (smaller, pattern)


def _five(messages: list[Message], dice: random.Random) -> list[tuple[Message, int]]:
    """Each message with how many destinations it loses, five in all."""
    losses = [0] * len(messages)
    for _ in range(5):
        losses[dice.randrange(len(messages))] += 1
    return list(zip(messages, losses, strict=True))


def _less(what: tuple[Message, int], dice: random.Random) -> Message:
    message, count = what
    kept = dice.sample(message.destinations, max(1, len(message.destinations) - count))
    return message._replace(destinations=sorted(kept))
