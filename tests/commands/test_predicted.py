# SPDX-License-Identifier: BSD-3-Clause
"""bench/peers/predicted.py: stored measurements against a build's predictions."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from commands_harness import PROJECT
from eco.comparison import Comparison, Timing
from eco.engine import engine
from eco.modelled import Modelled

PREDICTED = PROJECT / "bench/peers/predicted.py"
PROFILE = PROJECT / "tests/data/three-levels.json"
HOSTS = [0, 1, 2, 3, 4]
CHOICES = ("star", "chain", "binomial")


def _timing(choice: str, seconds: float) -> Timing:
    return Timing(choice, choice, seconds, seconds, seconds, 0, seconds, seconds, (seconds,) * 4)


def _predictions(seconds: float = 1e-3, profile: bytes | None = None) -> dict[str, float]:
    """Per choice, where each was timed as taking so long."""
    measured = Comparison(
        "bcast", 65536, "near", len(HOSTS),
        tuple(_timing(choice, seconds) for choice in CHOICES), tuple(HOSTS),
    )  # fmt: skip
    model = Modelled(engine().parse_profile(profile or PROFILE.read_bytes(), "a profile"))
    return {each.choice: each.predicted or 0 for each in model.beside(measured).timings}


def _stored(folder: Path, times: dict[str, float]) -> Path:
    patterns = [
        {"pattern": choice, "choice": choice, "median": time, "samples": [time] * 4}
        for choice, time in times.items()
    ]
    result = {"operation": "bcast", "bytes": 65536, "hosts": HOSTS, "patterns": patterns}
    stored: dict[str, Any] = {"network": "three", "profile": json.loads(PROFILE.read_text())}
    file = folder / "measured.json"
    file.write_text(json.dumps({**stored, "results": [result]}))
    return file


@pytest.mark.parametrize(("factor", "code"), [(1.0, 0), (1.04, 0), (1.5, 1)])
def test_what_is_off_by_more_than_a_twentieth_fails(
    tmp_path: Path, factor: float, code: int
) -> None:
    times = _predictions()
    file = _stored(tmp_path, {choice: factor * time for choice, time in times.items()})
    words = [sys.executable, str(PREDICTED), "--from", str(file), "--json"]
    run = subprocess.run(words, stdout=subprocess.PIPE, text=True)
    assert run.returncode == code
    found = json.loads(run.stdout)
    assert found["schedules"] == len(CHOICES)
    assert found["median"] == pytest.approx(1 - 1 / factor)
    assert found["chosen"] == 1
    assert found["again"] == 0


def test_a_barrier_is_asked_for_with_a_size_that_bench_takes(tmp_path: Path) -> None:
    """The launcher fails, so nothing is timed. It is started only if all options are right."""
    words = [sys.executable, PREDICTED, PROFILE, "--operations", "barrier", "--", "false"]
    run = subprocess.run(list(map(str, words)), capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode != 0
    assert "false failed with exit code 1" in run.stderr
    result = {"operation": "barrier", "bytes": 1, "hosts": HOSTS, "patterns": []}
    result["patterns"] = [
        {"pattern": "binomial", "choice": "binomial", "median": 1e-3, "samples": [1e-3] * 4}
    ]
    stored = _stored(tmp_path, {})
    stored.write_text(json.dumps({**json.loads(stored.read_text()), "results": [result]}))
    words = [sys.executable, PREDICTED, "--from", stored, "--json"]
    run = subprocess.run(list(map(str, words)), stdout=subprocess.PIPE, text=True)
    assert [row["bytes"] for row in json.loads(run.stdout)["rows"]] == [0]


def test_connections_in_use_wait_less() -> None:
    """Over 100 ms and 1 MB/s 65,536 bytes wait for acknowledgements, once less in use."""
    root = json.loads(PROFILE.read_text())
    hosts = len(root["hosts"])
    root["minimum"] = [
        [[0 if a == b else 0.1 + size / 1e6 for b in range(hosts)] for a in range(hosts)]
        for size in root["parameters"]["sizes"]
    ]
    root.pop("model", None)
    far = json.dumps(root).encode()
    rested, in_use = _predictions(1.0, far), _predictions(0.01, far)
    for choice in CHOICES:
        assert in_use[choice] < rested[choice] - 0.1
    # All of a round together take longer than that, but none rests while another uses it.
    assert _predictions(0.3, far) == in_use
