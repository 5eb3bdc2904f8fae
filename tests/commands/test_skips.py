# SPDX-License-Identifier: BSD-3-Clause
"""tests/conftest.py: where CI is set a skipped test fails, elsewhere it is counted."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands_harness import PROJECT

TESTS = """
import pytest
def test_in_its_body():
    pytest.skip("gcc is missing")
@pytest.mark.skipif(True, reason="mpicc is missing")
def test_by_its_mark():
    pass
@pytest.mark.xfail
def test_that_is_expected_to_fail():
    assert False
"""


@pytest.mark.parametrize(("ci", "code"), [("true", 1), ("false", 0), ("", 0)])
def test_a_skip(tmp_path: Path, ci: str, code: int) -> None:
    shutil.copy(PROJECT / "tests/conftest.py", tmp_path)
    (tmp_path / "test_skipping.py").write_text(TESTS)
    words = [sys.executable, "-m", "pytest", "-q", "-rsEf", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(
        words, capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "CI": ci}
    )
    assert done.returncode == code, done.stdout
    assert ("2 skipped" in done.stdout) == (code == 0)
    for tool in ("gcc", "mpicc"):
        assert (f"no test may be skipped: {tool} is missing" in done.stdout) == (code == 1)
