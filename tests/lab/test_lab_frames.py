# SPDX-License-Identifier: BSD-3-Clause
"""Which frames the emulated wires carry, lose, delay and double; not how fast."""

import itertools
from pathlib import Path

import pytest
from lab_harness import needs_lab, wires

pytestmark = needs_lab

FAULTY = """
networks:
  a: {{kind: switch, rate: 100mbit, hosts: [x]}}
  b: {{kind: switch, rate: 100mbit, hosts: [y]}}
links:
  - {{between: [a, b], {faults}}}
"""


def test_no_frame_is_lost_or_doubled() -> None:
    assert wires("three-segments", frames=["n0", "n3"], times=100) == 100


def test_loss(tmp_path: Path) -> None:
    path = tmp_path / "lossy.yaml"
    path.write_text(FAULTY.format(faults="loss: 30%"))
    assert 90 <= wires(path, frames=["x", "y"], times=200) <= 190


@pytest.mark.alone  # a burst ends after 0.1 s, however few frames there were
def test_losses_in_a_row(tmp_path: Path) -> None:
    path = tmp_path / "bursts.yaml"
    path.write_text(FAULTY.format(faults="loss: 20%, burst: 20"))
    numbers = wires(path, order=["x", "y"], times=1000)
    gaps = [b - a - 1 for a, b in itertools.pairwise(numbers) if b > a + 1]
    assert gaps
    # Two ports, each with bursts of its own: one may follow the other.
    assert all(gap >= 20 for gap in gaps)
    assert 400 < len(numbers) < 1000


def test_frames_overtake_each_other(tmp_path: Path) -> None:
    path = tmp_path / "order.yaml"
    path.write_text(FAULTY.format(faults="reorder: 20%"))
    numbers = wires(path, order=["x", "y"], times=200)
    assert sorted(numbers) == list(range(200))
    assert numbers != sorted(numbers)


def test_frames_come_twice(tmp_path: Path) -> None:
    path = tmp_path / "twice.yaml"
    path.write_text(FAULTY.format(faults="duplicate: 20%"))
    numbers = wires(path, order=["x", "y"], times=200)
    assert set(numbers) == set(range(200))
    assert 210 <= len(numbers) < 300
