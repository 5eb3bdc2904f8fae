# SPDX-License-Identifier: BSD-3-Clause
"""scripts/ci.sh: whatever fails, the whole fails and says what it was."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTS = {"build": "build", "test": "test.sh", "lint": "lint.sh", "test-sanitizers": "sanitize.sh"}


def _ci(folder: Path, *broken: str) -> tuple[int, str]:
    """Of a project whose parts only say their names, and fail if they are broken."""
    scripts = folder / "scripts"
    scripts.mkdir()
    shutil.copy(ROOT / "scripts" / "ci.sh", scripts)
    (folder / "Makefile").write_text(f"build:\n\t@exit {int('build' in broken)}\n")
    for part, name in PARTS.items():
        if name.endswith(".sh"):
            script = scripts / name
            script.write_text(f"#!/bin/sh\necho {part} $*\nexit {int(part in broken)}\n")
            script.chmod(0o755)
    # As from a shell: under `make test` the make in it would name its folder.
    of_make = ("MAKELEVEL", "MAKEFLAGS", "MFLAGS")
    environment = {name: value for name, value in os.environ.items() if name not in of_make}
    run = subprocess.run(
        [scripts / "ci.sh"], capture_output=True, text=True, check=False, env=environment
    )
    return run.returncode, run.stdout


def test_all_pass(tmp_path: Path) -> None:
    code, said = _ci(tmp_path)
    assert code == 0
    assert said.splitlines()[:3] == ["test full", "lint", "test-sanitizers"]
    assert "CI PASSED" in said.splitlines()[-1]
    assert (tmp_path / "build" / "sanitize-build.log").read_text() == "test-sanitizers build\n"


@pytest.mark.parametrize("broken", PARTS)
def test_one_fails(tmp_path: Path, broken: str) -> None:
    code, said = _ci(tmp_path, broken)
    assert code == 1
    assert f"CI FAILED ({broken}) after" in said.splitlines()[-1]


def test_two_fail(tmp_path: Path) -> None:
    code, said = _ci(tmp_path, "lint", "test-sanitizers")
    assert code == 1
    assert "CI FAILED (lint,test-sanitizers) after" in said.splitlines()[-1]
