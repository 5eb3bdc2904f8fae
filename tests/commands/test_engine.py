# SPDX-License-Identifier: BSD-3-Clause
"""The compiled engine as Python sees it."""

import subprocess
import sys
from pathlib import Path

import pytest
from eco.engine import engine, errors
from eco.errors import EcoError, ExitCode

PROFILE = Path(__file__).parent.parent / "data/three-segments.json"


def test_profile_and_hierarchy() -> None:
    profile = engine().parse_profile(PROFILE.read_bytes(), "a profile")
    assert len(profile.hosts) == 8
    hierarchy = engine().build_hierarchy(profile, list(range(8)))
    assert hierarchy.ranks == 8
    assert sorted(hierarchy.ring) == list(range(8))
    assert str(hierarchy).count("(") == 3


def test_errors_carry_sentence_and_code(tmp_path: Path) -> None:
    cut_off = tmp_path / "cut.json"
    cut_off.write_text(PROFILE.read_text()[:200])
    with pytest.raises(EcoError) as caught, errors():
        engine().parse_profile(cut_off.read_bytes(), str(cut_off))
    assert caught.value.code == ExitCode.BAD_INPUT
    assert "cut.json" in caught.value.message


def test_mypy_sees_the_types_that_the_engine_has() -> None:
    """The stubs are written, not built: a new binding needs a new stub."""
    script = Path(__file__).parents[2] / "scripts/stub.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
