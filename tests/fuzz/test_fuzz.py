# SPDX-License-Identifier: BSD-3-Clause
"""The fuzzer with many inputs; `make test` gives it 2,000 among the unit tests."""

import subprocess
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
FUZZ = PROJECT / "build/release/bin/fuzz"


@pytest.mark.long
@pytest.mark.parametrize("seed", [2, 3])
def test_a_hundred_thousand_inputs(seed: int) -> None:
    words = [FUZZ, PROJECT / "tests/data/fuzz", "100000", str(seed)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
