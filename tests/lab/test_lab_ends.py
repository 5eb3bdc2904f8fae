# SPDX-License-Identifier: BSD-3-Clause
"""However the lab ends, nothing stays: no process, no namespace, no file."""

import os
import signal
import subprocess
import time
import uuid
from pathlib import Path

import pytest
from lab_harness import LAB, needs_quiet_lab

pytestmark = needs_quiet_lab


def processes(marker: str) -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if marker.encode() in path.read_bytes():
                found.append((path.parent / "cmdline").read_bytes().decode(errors="replace"))
        except OSError:
            continue
    return found


def traces() -> set[str]:
    """Names that a launcher or the lab could leave behind."""
    names = ("prte", "ompi", "pmix", "openmpi", "eco-lab", "vader", "sm_", "mpich", "hydra", "n0.")
    folders = ("/tmp", os.environ["TMPDIR"], "/dev/shm", "/run", "/run/netns", "/var/tmp")
    places = [Path(folder) for folder in folders]
    return {
        str(entry)
        for place in places
        if place.is_dir()
        for entry in place.iterdir()
        if entry.name.startswith(names)
    }


def test_files_of_killed_launchers_are_not_found_by_the_next_test() -> None:
    assert not list(Path(os.environ["TMPDIR"]).iterdir())


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_stays(mpi: str, how: signal.Signals, tmp_path: Path) -> None:
    before = traces()
    marker = f"ECO_TEST_MARK={uuid.uuid4()}"
    name, value = marker.split("=")
    started = tmp_path / "started"
    program = ["sh", "-c", f"echo x >>{started}; exec sleep 300"]
    with subprocess.Popen(
        [*LAB, "run", "two-sites", "--mpi", mpi, "--native", "--", *program],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, name: value},
    ) as front:
        limit = time.monotonic() + 30
        while not (started.exists() and len(started.read_text()) == 16):
            assert time.monotonic() < limit, "the program did not start"
            time.sleep(0.05)
        assert len(processes(marker)) > 8
        front.send_signal(how)
        code = front.wait(15)
    assert code == (-9 if how == signal.SIGKILL else 128 + how)
    limit = time.monotonic() + 5
    while left := processes(marker):
        assert time.monotonic() < limit, left
        time.sleep(0.05)
    assert traces() <= before


def test_stopped_while_it_builds(tmp_path: Path) -> None:
    marker = f"ECO_TEST_MARK={uuid.uuid4()}"
    name, value = marker.split("=")
    for delay in (0, 0.1, 0.3):
        with subprocess.Popen(
            [*LAB, "run", "campus-20", "--mpi", "openmpi", "--native", "--", "sh", "-c", "sleep 9"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, name: value},
        ) as front:
            limit = time.monotonic() + 10
            while len(processes(marker)) < 2:  # those of the lab
                assert time.monotonic() < limit
                time.sleep(0.01)
            time.sleep(delay)
            front.terminate()
            assert front.wait(15) != 0
    limit = time.monotonic() + 5
    while left := processes(marker):
        assert time.monotonic() < limit, left
        time.sleep(0.05)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_stopped_while_it_measures(how: signal.Signals, tmp_path: Path) -> None:
    marker = f"ECO_TEST_MARK={uuid.uuid4()}"
    name, value = marker.split("=")
    with subprocess.Popen(
        [*LAB, "run", "two-sites", "--mpi", "openmpi", "--", "sh", "-c", "sleep 9"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, name: value, "XDG_CACHE_HOME": str(tmp_path)},
    ) as front:
        limit = time.monotonic() + 30
        while not any("eco-probe" in line for line in processes(marker)):
            assert time.monotonic() < limit, "the measurement did not start"
            time.sleep(0.1)
        front.send_signal(how)
        assert front.wait(15) != 0
    limit = time.monotonic() + 15
    while left := processes(marker):
        assert time.monotonic() < limit, left
        time.sleep(0.1)
    assert not list(tmp_path.rglob("*.json"))
