# SPDX-License-Identifier: BSD-3-Clause
"""What the model says of calls that a bench timed: the bound, and each schedule's time."""

from __future__ import annotations

import dataclasses
import statistics
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from eco.comparison import Comparison, Timing
from eco.engine import engine, errors

if TYPE_CHECKING:
    from eco import _engine

# TCP sends as much as its window had grown to, and forgets that half by half for each of its
# time-outs (0.2 s and a round trip) in which a connection rests. Where calls follow each other in
# less, none has lost what its first flight's acknowledgements gave it. Most schedules cross the
# slow links over the same connections, and a bench times them in turns, in any order: so one rests
# as long as another schedule takes, not as long as all of them.
_LONGEST_REST = 0.5
_GROWN = 2

# Beyond that a root differs little from another, and simulating each takes time.
_MOST_ROOTS = 16


class Modelled:
    """One profile's network."""

    def __init__(self, profile: _engine.Profile) -> None:
        """profile: the engine's, as profile.read_both gives it."""
        self._profile = profile
        with errors():
            self._network = engine().build_network(self._profile)
            self._in_use = engine().build_network(self._profile)
        self._in_use.first_flight *= _GROWN

    @property
    def assumed(self) -> bool:
        """No model was measured: media and overheads are guesses."""
        return bool(self._network.assumed)

    def beside(self, measured: Comparison) -> Comparison:
        """The same with its bound and predicted times, if it says on which hosts it ran."""
        if not measured.hosts:
            return measured
        roots = _roots(measured)
        rest = statistics.median(each.median for each in measured.timings)
        network = self._in_use if rest < _LONGEST_REST else self._network
        with errors():
            hierarchy = engine().build_hierarchy(self._profile, list(measured.hosts))
            call = network, list(measured.hosts), hierarchy, measured.operation
            size = 0 if measured.operation == "barrier" else measured.bytes
            bound = _median(roots, lambda root: engine().bound(*call, root, size)[0])
            by_messages = _median(roots, lambda root: engine().bound(*call, root, size, False)[0])

            def predicted(timing: Timing) -> float | None:
                if not engine().can_simulate(timing.choice):
                    return None
                return _median(
                    roots, lambda root: engine().predict(*call, root, size, timing.choice)
                )

            timings = tuple(
                dataclasses.replace(each, predicted=predicted(each)) for each in measured.timings
            )
        return dataclasses.replace(
            measured, bound=bound, bound_by_messages=by_messages, timings=timings
        )


def _roots(measured: Comparison) -> Counter[int]:
    """How often each was the root: they take turns from rank 1 on."""
    if not engine().rooted(measured.operation):
        return Counter([0])
    ranks, rounds = len(measured.hosts), len(measured.reference.samples)
    if rounds < ranks or ranks <= _MOST_ROOTS:
        return Counter(turn % ranks for turn in range(1, rounds + 1))
    every = -(-ranks // _MOST_ROOTS)
    return Counter(range(0, ranks, every))


def _median(roots: Counter[int], figure: Callable[[int], float]) -> float:
    """As of the times: if no time is below its root's bound, neither is their median."""
    figures = {root: figure(root) for root in roots}
    return statistics.median(figures[root] for root in roots.elements())
