# SPDX-License-Identifier: BSD-3-Clause
"""The benches that repeat figures of papers: their short forms give all of them. A file of its own,
which can run beside test_short.py."""

import pytest
from bench_harness import bench


@pytest.mark.long
@pytest.mark.lab
def test_eco_tables() -> None:
    tables = bench("papers/eco.py")["tables"]
    assert len(tables) == 3


@pytest.mark.lab
def test_karonis_figures() -> None:
    (found,) = bench("papers/karonis.py")
    assert found["figure"] == 8
    assert found["sizes"]["1024"]["multilevel"] > 0


@pytest.mark.long
@pytest.mark.lab
def test_qian_figures() -> None:
    assert {found["figure"] for found in bench("papers/qian.py")} == {1, 4}
