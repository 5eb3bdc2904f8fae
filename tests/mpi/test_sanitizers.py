# SPDX-License-Identifier: BSD-3-Clause
"""Programs that GCC's sanitizers watch, as users build them."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from mpi_harness import ECO, HERE, OURS, PROFILE, Mpi, Run, here

# Of the libraries.
NO_LEAKS = ("ASAN_OPTIONS=detect_leaks=0", "LSAN_OPTIONS=detect_leaks=0")
NAMES = ("undefined", "address", "thread", "leak")


@pytest.fixture(scope="module", params=OURS, ids=lambda mpi: mpi.name)
def mpi(request: pytest.FixtureRequest) -> Mpi:
    assert isinstance(request.param, Mpi)
    return request.param


def program(mpi: Mpi, sanitizer: str, folder: Path) -> Path:
    path = folder / f"{sanitizer}-{mpi.name}"
    words = [mpi.c, f"-fsanitize={sanitizer}", HERE / "sanitized.c", "-o", path]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if "cannot find" in done.stderr:
        pytest.skip(f"this compiler has no -fsanitize={sanitizer}")
    assert done.returncode == 0, done.stderr
    return path


def run(mpi: Mpi, folder: Path, *words: object) -> Run:
    """With ECO's schedules, on this host as one of a profile's."""
    profile = folder / "here.json"
    profile.write_text(json.dumps(json.loads(PROFILE.read_text()) | {"tuning": []}))
    text = profile.read_text().replace('"n0"', json.dumps(os.uname().nodename))
    profile.write_text(text)
    eco = [ECO, "exec", "--mpi", mpi.family, "--verbose", "--profile", profile]
    choice = "ECO_CHOICE=tree:inner=star,on=ranks"
    return here(mpi, 2, "env", *NO_LEAKS, choice, *eco, *words)


@pytest.mark.parametrize("sanitizer", NAMES)
def test_it_runs(mpi: Mpi, sanitizer: str, tmp_path: Path) -> None:
    """As natively: these libraries themselves do not end well with ThreadSanitizer."""
    path = program(mpi, sanitizer, tmp_path)
    # What makes ranks sleep would come before the runtime.
    native = here(mpi, 2, "env", "-u", "LD_PRELOAD", *NO_LEAKS, path)
    done = run(mpi, tmp_path, path)
    assert done.code == native.code, done.text
    assert done.out.count("sum 3 of 2") == native.out.count("sum 3 of 2"), done.text
    if sanitizer != "thread":
        assert native.code == 0, native.text
        assert "bcast" in done.err  # in the report: by ECO


def test_by_a_script(mpi: Mpi, tmp_path: Path) -> None:
    """Which alone is known when ECO is loaded."""
    script = tmp_path / "run.sh"
    script.write_text(f"#!/bin/sh\n{program(mpi, 'address', tmp_path)}\n")
    script.chmod(0o755)
    done = run(mpi, tmp_path, script)
    assert done.code == 0, done.text
    assert done.out.count("sum 3 of 2") == 2


def test_it_still_finds_faults(mpi: Mpi, tmp_path: Path) -> None:
    done = run(mpi, tmp_path, program(mpi, "address", tmp_path), "fault")
    assert done.code != 0
    assert "heap-buffer-overflow" in done.text
