# SPDX-License-Identifier: BSD-3-Clause
"""`eco tune --native-algorithms`: times the MPI library's own algorithms, one set a run.

From a profile and a launcher to what each algorithm took (`AlgorithmTimes`). The library is told by
its own settings which to use, so each set needs a start of its own; a budget bounds all of them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from eco import algorithms, comparison, probe
from eco.algorithms import Run
from eco.errors import EcoError, ExitCode
from eco.launcher import Launcher
from eco.profile_parts import AlgorithmTimes

USUAL_BUDGET = 180.0  # seconds
USUAL_SIZES = (16, 1024, 16384)
_PER_CALL = 0.1  # seconds of runs of one operation and size
_FOR_SECOND_LOOKS = 0.25  # of the budget
_LONGER = 1.5  # than the library's own choice its other algorithms take, in the mean
_CLEARLY = 1.05  # how many times faster an algorithm must be, timed twice
_PATIENCE = 60.0  # an algorithm may hang where another network makes it wait forever
_USUAL: Run = Run({}, {})

Cell = tuple[str, int]  # operation, bytes
Show = Callable[[float, str], None]


@dataclass
class Outcome:
    """What was timed, and what not."""

    entries: list[AlgorithmTimes] = field(default_factory=list)
    runs: int = 0
    failed: list[str] = field(default_factory=list)
    not_timed: list[str] = field(default_factory=list)


class _TimeIsUp(Exception):
    pass


class Timer:
    """Starts the probe again and again until the time is over."""

    def __init__(
        self, launcher: Launcher, text: str, budget: float, show: Show, say: probe.Say
    ) -> None:
        self._launcher, self._text, self._show, self._say = launcher, text, show, say
        self._began = time.monotonic()
        self._budget = budget
        self.library = ""
        self.places: tuple[int, tuple[int, ...]] = (0, ())  # ranks, and their hosts
        self.found: dict[Cell, dict[str, list[float]]] = {}  # "": the library's own choice
        self.start = 0.0  # seconds until the probe began to time, in its first run
        self.cost: dict[Cell, float] = {}  # of all runs of one operation and size, there

    @property
    def left(self) -> float:
        return self._budget - (time.monotonic() - self._began)

    def time(self, run: Run, cells: Sequence[Cell], what: str, until: float = 0) -> None:
        """These calls with the algorithms of one run; `until`: what must be left of the budget."""
        last = time.monotonic()

        def take_event(event: dict[str, Any]) -> None:
            nonlocal last
            now = time.monotonic()
            self.start = self.start or now - last
            if event.get("event") == "result":
                self.cost.setdefault(self._note(run, event), now - last)
                last = now
            elif event.get("event") == "progress":
                self._show(1 - max(self.left, 0) / self._budget, f"{what}: {event.get('what', '')}")
            if self.left < until:
                raise _TimeIsUp

        sizes = sorted({size for _, size in cells})
        operations = sorted({operation for operation, _ in cells})
        options = ["--profile", "-", "--patterns", "native", "--budget", f"{_PER_CALL}"]
        options += ["--operations", ",".join(operations)]
        options += ["--sizes", ",".join(map(str, sizes))]
        probe.run(
            self._launcher,
            "bench",
            options,
            take_event,
            self._text,
            self._say,
            patience=lambda: _PATIENCE,
            settings=run.settings,
        )

    def _note(self, run: Run, event: Mapping[str, Any]) -> Cell:
        result = comparison.read(dict(event))
        library = str(event.get("mpi", ""))
        if self.library and library != self.library:
            raise EcoError(f"one run was of {self.library}, another of {library}", ExitCode.LAUNCH)
        self.library = library
        self.places = (result.ranks, result.hosts)
        cell = (result.operation, result.bytes)
        algorithm = run.algorithms.get(result.operation, "")
        timing = result.timing(comparison.NATIVE)
        if timing is not None and (algorithm or run is _USUAL):
            self.found.setdefault(cell, {}).setdefault(algorithm, []).append(timing.median)
        return cell


def time_all(
    timer: Timer, operations: Sequence[str] | None, sizes: Sequence[int], budget: float
) -> Outcome:
    """The library's own choice first, then each algorithm, then once more what seems faster."""
    outcome = Outcome()
    known = sorted({*algorithms.operations("openmpi"), *algorithms.operations("mpich 5")})
    wanted = [name for name in operations or known if name in known]
    if not wanted:
        raise EcoError(
            f"--operations: MPI libraries have algorithms to choose from for {', '.join(known)}",
            ExitCode.USAGE,
        )
    cells = [(name, size) for name in wanted for size in (sizes or USUAL_SIZES)]
    try:
        timer.time(_USUAL, cells, "the library's own choice")
    except _TimeIsUp:
        outcome.not_timed.append("all algorithms: the library's own choice took the whole time")
        return outcome
    outcome.runs = 1
    runs = algorithms.runs(timer.library)
    if not runs:
        raise EcoError(f"the algorithms of {timer.library} are not known", ExitCode.BAD_INPUT)
    cells = _affordable(timer, runs, list(timer.found), budget, outcome)
    reserve = budget * _FOR_SECOND_LOOKS
    tried: list[Run] = []
    for number, run in enumerate(runs, 1):
        if _attempt(timer, run, cells, f"run {number} of {len(runs)}", reserve, outcome):
            tried.append(run)
    _look_again(timer, tried, outcome)
    outcome.entries = [_entry(timer, cell, times) for cell, times in sorted(timer.found.items())]
    return outcome


def _of(run: Run, cells: Sequence[Cell]) -> list[Cell]:
    return [
        (name, size) for name, size in cells if name in run.algorithms and size > run.longer_than
    ]


def _affordable(
    timer: Timer, runs: Sequence[Run], cells: list[Cell], budget: float, outcome: Outcome
) -> list[Cell]:
    """Without the longest messages, if the time is too short for all."""

    def needs() -> float:
        own = (_LONGER * timer.cost[cell] for run in runs for cell in _of(run, cells))
        return timer.start * len(runs) + sum(own)

    while len({size for _, size in cells}) > 1 and needs() > (1 - _FOR_SECOND_LOOKS) * timer.left:
        longest = max(size for _, size in cells)
        cells = [cell for cell in cells if cell[1] < longest]
        outcome.not_timed.append(f"{longest} B: {budget:g} s are too short for it")
    for cell in set(timer.found) - set(cells):
        del timer.found[cell]
    return cells


def _attempt(
    timer: Timer, run: Run, cells: Sequence[Cell], what: str, reserve: float, outcome: Outcome
) -> bool:
    own = _of(run, cells)
    if not own:
        return False
    names = ", ".join(f"{name} {run.algorithms[name]}" for name in dict(own))
    if timer.left <= reserve:
        outcome.not_timed.append(f"{names}: no time was left")
        return False
    try:
        timer.time(run, own, what, reserve)
    except _TimeIsUp:
        outcome.not_timed.append(f"{names}: in part, as the time was over")
    except EcoError as error:
        if error.code is not ExitCode.LAUNCH:
            raise
        outcome.failed.append(f"{names}: {error.message}")
        return False
    outcome.runs += 1
    return True


def _look_again(timer: Timer, runs: Sequence[Run], outcome: Outcome) -> None:
    """What was fastest of many may have been lucky: it must be so twice, and the library's own
    choice is timed twice too."""
    leading: dict[Cell, str] = {}
    for cell, times in timer.found.items():
        best = min(times, key=lambda name: times[name][0])
        if best and times[best][0] * _CLEARLY < times[""][0]:
            leading[cell] = best
    if not leading:
        return
    _second(timer, _USUAL, list(leading), outcome)
    for run in runs:
        own = [cell for cell in _of(run, list(leading)) if run.algorithms[cell[0]] == leading[cell]]
        if own:
            _second(timer, run.only({name for name, _ in own}), own, outcome)


def _second(timer: Timer, run: Run, cells: Sequence[Cell], outcome: Outcome) -> None:
    if timer.left <= 0:
        return
    try:
        timer.time(run, cells, "once more what seems faster")
        outcome.runs += 1
    except _TimeIsUp:
        pass
    except EcoError as error:
        if error.code is not ExitCode.LAUNCH:
            raise


def _entry(timer: Timer, cell: Cell, times: Mapping[str, list[float]]) -> AlgorithmTimes:
    usual = min(times[""])
    slower = {name: max(found) for name, found in times.items() if name}
    twice = {name: slower[name] for name, found in times.items() if name and len(found) > 1}
    best = min(twice, key=lambda name: twice[name], default="")
    if best and twice[best] * _CLEARLY > usual:
        best = ""
    ranks, hosts = timer.places
    return AlgorithmTimes(
        mpi=timer.library,
        operation=cell[0],
        bytes=cell[1],
        ranks=ranks,
        hosts=len(set(hosts)),
        usual=usual,
        best=best,
        times=slower,
    )


def report(outcome: Outcome) -> str:
    """One sentence, and one for each thing that is missing."""
    faster = [entry for entry in outcome.entries if entry.best]
    lines = [
        f"{len(outcome.entries)} operations and sizes timed in {outcome.runs} runs; another "
        f"algorithm than the library's own choice is faster for {len(faster)}"
    ]
    lines += [f"not timed: {each}" for each in outcome.not_timed]
    lines += [f"failed: {each}" for each in outcome.failed]
    return "\n".join(lines)


def document(outcome: Outcome) -> str:
    """For --json."""
    return json.dumps(
        {
            "native_algorithms": [dict(vars(entry)) for entry in outcome.entries],
            "runs": outcome.runs,
            "not_timed": outcome.not_timed,
            "failed": outcome.failed,
        }
    )
