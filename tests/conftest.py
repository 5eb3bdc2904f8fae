# SPDX-License-Identifier: BSD-3-Clause
"""Where CI is set, nothing may be skipped: what a test needs is among the project's packages. Long
tests begin first, so that two workers end together. A test of rates or times that fails while other
machines take this one's processors is run again."""

import os
import shutil
import tempfile
import zlib
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

# Folders whose files take minutes come before those whose files take seconds (scripts/test.sh).
LONG_FIRST = ("mpi", "lab", "bench", "packages", "site")
# Of the processors' time, while a test that runs alone runs: the lab's wires then carry less than
# their rates. Such tests passed at 12 % taken, and failed in worse minutes of the same machine.
TAKEN = 0.05
TRIES = 3
IN_CI = os.environ.get("CI", "").lower() not in ("", "0", "false")


@pytest.fixture(autouse=True)
def _own_temporary_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """For each test. Open MPI's mpirun fails to start where one with its process number, which the
    machine gives again after 32,768, was killed and left its files."""
    folder = tempfile.mkdtemp(prefix="eco-")  # short: sockets in it have names of 107 bytes
    monkeypatch.setenv("TMPDIR", folder)
    yield
    shutil.rmtree(folder, ignore_errors=True)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, None, None]:
    outcome = yield
    report = outcome.get_result()  # type: ignore[attr-defined]
    if not IN_CI or not report.skipped or hasattr(report, "wasxfail"):
        return
    why = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    report.outcome = "failed"
    report.longrepr = f"CI is set, where no test may be skipped: {why.removeprefix('Skipped: ')}"


@pytest.hookimpl(tryfirst=True)  # what is long is deselected afterwards
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    _take_turns(items)

    def place(item: pytest.Item) -> int:
        folder = item.path.parent.name
        return LONG_FIRST.index(folder) if folder in LONG_FIRST else len(LONG_FIRST)

    items.sort(key=place)


def _take_turns(items: list[pytest.Item]) -> None:
    """Of a test that is marked `either`, half of the cases are long with one library, half
    with the other."""
    cases: dict[str, list[str]] = {}
    for item in items:
        if item.get_closest_marker("either") is None:
            continue
        given = dict(item.callspec.params)  # type: ignore[attr-defined]
        mpi = given.pop("mpi")
        name = item.nodeid.partition("[")[0]
        known, case = cases.setdefault(name, []), repr(sorted(given.items()))
        if case not in known:
            known.append(case)
        # Tests of one case each take turns by their names.
        turn = zlib.crc32(name.encode()) + known.index(case)
        if ("openmpi", "mpich")[turn % 2] != mpi.family:
            item.add_marker(pytest.mark.long)


def _processor_time() -> tuple[int, int]:
    """What a hypervisor gave to other machines, and all of it, since the machine began."""
    try:
        fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    except OSError:
        return 0, 1
    times = [int(field) for field in fields]
    return times[7], sum(times)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    if item.get_closest_marker("alone") is None:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for tries in range(1, TRIES + 1):
        before = _processor_time()
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        after = _processor_time()
        taken = (after[0] - before[0]) / max(1, after[1] - before[1])
        if not any(report.failed for report in reports) or taken < TAKEN or tries == TRIES:
            break
        print(f"\neco: {item.nodeid} failed while {taken:.0%} of the processors were taken: again")
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
