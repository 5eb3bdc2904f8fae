# SPDX-License-Identifier: BSD-3-Clause
"""What the engine predicts for one collective call: candidates, their timelines, the bound."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eco import profile as profiles
from eco.engine import engine, errors
from eco.errors import EcoError, ExitCode

if TYPE_CHECKING:
    from eco import _engine

File = Annotated[
    Path, typer.Argument(metavar="FILE", readable=False, help="A profile of `eco measure`.")
]
Operation = Annotated[
    str, typer.Argument(metavar="OP", help="A collective by its lower-case MPI name: bcast.")
]
Size = Annotated[
    int,
    typer.Option(
        "--bytes",
        metavar="N",
        help="Message size; of one block for gather, scatter, allgather, alltoall.",
    ),
]
Root = Annotated[
    int, typer.Option(metavar="R", help="The root's rank, if the collective has a root.")
]
RanksPerHost = Annotated[
    int, typer.Option(metavar="K", help="Ranks on each host; ranks are contiguous on a host.")
]
_MOST_BYTES = 10**9
_MOST_RANKS = 4096
_MOST_CANDIDATES = 12
_MOST_MESSAGES = 100_000  # ten seconds, and some hundred MB
# Topology-unaware baselines on contiguous ranks: what a library does.
BASELINES = ("binomial", "ring", "butterfly")


@dataclass(frozen=True)
class Prediction:
    """One choice, simulated."""

    choice: str
    timeline: dict[str, Any]
    baseline: bool

    @property
    def time(self) -> float:
        return float(self.timeline["time"])

    @property
    def bottleneck(self) -> dict[str, Any] | None:
        number = self.timeline["bottleneck"]
        return None if number is None else self.timeline["links"][number]

    @property
    def carrying(self) -> float:
        """Seconds that the busiest link needs for what crosses it."""
        return self.time * self.bottleneck["share"] if self.bottleneck else 0.0

    @property
    def hops(self) -> int:
        """Messages that wait for each other, in the chain that decided."""
        steps = self.timeline["chain"]
        return len({(step["rank"], step["task"]) for step in steps if step["what"] == "flow"})


class Call:
    """One collective call on a measured network."""

    def __init__(
        self, file: Path, operation: str, size: int, root: int, ranks_per_host: int = 1
    ) -> None:
        known = engine().operations()
        if operation not in known:
            raise EcoError(
                f"{operation!r} is an unknown collective; choose from {', '.join(known)}",
                ExitCode.USAGE,
            )
        _check("--bytes", size, 0, _MOST_BYTES)
        self.profile, self.checked = profiles.read_both(file)
        hosts = len(self.profile.hosts)
        _check("--ranks-per-host", ranks_per_host, 1, _MOST_RANKS // hosts or 1)
        self.host_of = [host for host in range(hosts) for _ in range(ranks_per_host)]
        _check("--root", root, 0, len(self.host_of) - 1)
        self.operation = operation
        self.bytes = 0 if operation == "barrier" else size
        self.root = root
        with errors():
            self.network = engine().build_network(self.checked)
            self.hierarchy = engine().build_hierarchy(self.checked, self.host_of)

    @property
    def assumed(self) -> bool:
        """No model was measured: media and overheads are guesses."""
        return bool(self.network.assumed)

    @property
    def error(self) -> float:
        return float(self.network.error)

    @cached_property
    def bound(self) -> tuple[float, str]:
        return self._bound(multicast=True)

    @cached_property
    def bound_by_messages(self) -> tuple[float, str]:
        """Without IP multicast."""
        return self._bound(multicast=False)

    def _bound(self, *, multicast: bool) -> tuple[float, str]:
        with errors():
            time, reason = engine().bound(
                self.network,
                self.host_of,
                self.hierarchy,
                self.operation,
                self.root,
                self.bytes,
                multicast,
            )
        return float(time), str(reason)

    def times_bound(self, time: float) -> float | None:
        return time / self.bound[0] if self.bound[0] > 0 else None

    @cached_property
    def explained(self) -> _engine.Explained:
        """What a program's call runs with the library that was measured with, and why."""
        with errors():
            return engine().explain(
                self.checked, self.hierarchy, self.operation, self.root, self.bytes, self.library
            )

    @property
    def runs(self) -> str:
        return self.explained.choice

    @cached_property
    def native(self) -> _engine.CallEstimate:
        """What the library takes, as reports of jobs have it."""
        with errors():
            return engine().native_time(
                self.checked, self.host_of, self.operation, self.root, self.bytes, self.library
            )

    @cached_property
    def library(self) -> str:
        """The MPI that was measured with, as in the profile's tuning: `openmpi 5.0.11`."""
        version = re.search(r"\d[\d.]*", self.profile.mpi_version)
        return f"{self.profile.mpi_family} {version.group() if version else ''}".rstrip()

    def messages(self, choice: str) -> float:
        with errors():
            return float(engine().messages(self.hierarchy, self.operation, choice))

    def predict(self, choice: str, baseline: bool = False) -> Prediction:
        choice = choice.encode(errors="replace").decode()  # a shell passes any bytes
        with errors():
            known = engine().supports(self.hierarchy, self.operation, choice)
        if known and self.messages(choice) > _MOST_MESSAGES:
            raise EcoError(self._too_many(self.messages(choice), choice), ExitCode.USAGE)
        with errors():
            text = engine().simulate(
                self.network, self.host_of, self.hierarchy, self.operation, self.root, self.bytes,
                choice,
            )  # fmt: skip
        return Prediction(choice, json.loads(text), baseline)

    @cached_property
    def candidates(self) -> list[Prediction]:
        """The fastest candidates of tuning and what runs, with the topology-unaware baselines."""
        with errors():
            choices = list(
                engine().forecast(
                    self.network, self.host_of, self.hierarchy, self.operation, self.root,
                    self.bytes, _MOST_CANDIDATES,
                )
                # On so many ranks all of them would take too long.
                or engine().candidates(self.hierarchy, self.operation, self.bytes)
            )  # fmt: skip
            extra = [
                name
                for name in BASELINES
                if name not in choices and engine().supports(self.hierarchy, self.operation, name)
            ]
        own = self._affordable(choices)
        if self.runs not in (*choices, *extra) and engine().can_simulate(self.runs):
            own += self._affordable([self.runs])
        if not own:
            raise EcoError(self._too_many(min(map(self.messages, choices))), ExitCode.USAGE)
        baseline = [name for name in extra if self.messages(name) <= _MOST_MESSAGES / 4]
        found = [self.predict(choice) for choice in own]
        found += [self.predict(name, baseline=True) for name in baseline]
        return sorted(found, key=lambda one: one.time)

    def _affordable(self, choices: list[str]) -> list[str]:
        """The first ones, as many as can be simulated in some seconds."""
        kept, messages = [], 0.0
        for choice in choices:
            if messages + self.messages(choice) <= _MOST_MESSAGES:
                kept.append(choice)
                messages += self.messages(choice)
        return kept

    def _too_many(self, messages: float, choice: str = "") -> str:
        named = f" by {choice}" if choice else ""
        return (
            f"{self.operation} on {len(self.host_of):,} ranks{named} has about {messages:,.0f} "
            f"messages, more than the {_MOST_MESSAGES:,} that can be simulated with every one of "
            "their times; take fewer --ranks-per-host or segments"
        )

    @property
    def winner(self) -> Prediction:
        """Of ECO's own."""
        return next(one for one in self.candidates if not one.baseline)

    def tree(self, choice: str) -> tuple[list[int], list[list[int]]]:
        """Parents and children; empty if the choice is no tree."""
        with errors():
            parents, children = engine().tree(self.hierarchy, self.operation, choice, self.root)
        return list(parents), [list(below) for below in children]

    def document(self) -> dict[str, Any]:
        """What `--json` of every verb begins with."""
        return {
            "operation": self.operation,
            "bytes": self.bytes,
            "root": self.root,
            "ranks": len(self.host_of),
            "model": {"assumed": self.assumed, "error": self.error},
            "bound": {"time": self.bound[0], "reason": self.bound[1]},
            "bound_by_messages": {
                "time": self.bound_by_messages[0],
                "reason": self.bound_by_messages[1],
            },
        }


def _check(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise EcoError(f"{name} {value}: must be {least} to {most}", ExitCode.USAGE)


def why(winner: Prediction, others: list[Prediction]) -> str:
    """One sentence: why the fastest is faster than the next one of another kind."""
    family = _kind(winner.choice)
    different = [one for one in others if _kind(one.choice) != family] or others
    if not different:
        return "It is the only candidate."
    rival = min(different, key=lambda one: one.time)
    if rival.time <= winner.time * 1.01:
        return f"{rival.choice} is as fast, within 1 %."
    gained = rival.time - winner.time
    less = rival.carrying - winner.carrying
    own, other = winner.bottleneck, rival.bottleneck
    if own and other and less >= gained / 2:
        return (
            f"It beats {rival.choice} because its busiest link, {own['name']}, carries "
            f"{own['bytes']:,.0f} B; there {other['name']} carries {other['bytes']:,.0f} B."
        )
    if winner.hops < rival.hops:
        return (
            f"It beats {rival.choice} because {_count(winner.hops)} wait for each other on its "
            f"critical path, there {rival.hops}."
        )
    if own and other:
        return (
            f"It beats {rival.choice} because more happens at once: its busiest link is busy "
            f"{own['share']:.0%} of the time, there {other['share']:.0%}."
        )
    return f"It beats {rival.choice} by lower send and receive overheads."


def _count(messages: int) -> str:
    return "1 message has to" if messages == 1 else f"{messages} messages"


def _kind(choice: str) -> str:
    """Without segments and window, which tune but do not change what is done."""
    head, _, rest = choice.partition(":")
    keys = [
        item for item in rest.split(",") if item.partition("=")[0] not in ("segments", "window")
    ]
    return f"{head}:{','.join(keys)}"
