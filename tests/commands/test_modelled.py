# SPDX-License-Identifier: BSD-3-Clause
"""eco/modelled.py: what a bench prints beside its times."""

import statistics

import pytest
from commands_harness import PROJECT
from eco.comparison import Comparison, Timing
from eco.engine import engine
from eco.modelled import Modelled

PROFILE = PROJECT / "tests/data/three-levels.json"
HOSTS = (0, 1, 2, 3, 4)
SIZE = 65536


def _bounds(operation: str) -> list[float]:
    profile = engine().parse_profile(PROFILE.read_bytes(), "a profile")
    network = engine().build_network(profile)
    hierarchy = engine().build_hierarchy(profile, list(HOSTS))
    return [
        engine().bound(network, list(HOSTS), hierarchy, operation, root, SIZE)[0] for root in HOSTS
    ]


@pytest.mark.parametrize("rounds", [2, 5, 7, 12])
@pytest.mark.parametrize("operation", ["scatter", "gatherv", "allgather"])
def test_times_that_no_schedule_can_beat_are_at_the_bound(operation: str, rounds: int) -> None:
    """Whichever roots had more turns: the far one's scatter takes three times as long."""
    bounds = _bounds(operation)
    times = [bounds[turn % len(HOSTS)] for turn in range(1, rounds + 1)]
    if operation == "scatter":
        assert statistics.mean(times) > 1.05 * statistics.median(times) or rounds == 2
    native = Timing(
        "native", "native", statistics.median(times), min(times), 0, 0, 0, 0, tuple(times)
    )
    measured = Comparison(operation, SIZE, "near", len(HOSTS), (native,), HOSTS)
    profile = engine().parse_profile(PROFILE.read_bytes(), "a profile")
    assert Modelled(profile).beside(measured).times_bound("native") == pytest.approx(1)
