# SPDX-License-Identifier: BSD-3-Clause
"""mpi4py's own tests of collectives (from its source package): the same results as natively."""

import re
import subprocess
import tarfile
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from mpi_harness import DATA, MPICH5, OPENMPI5, PROJECT, Mpi, Run, either, lab, with_one

VERSION = "4.1.2"
PLACE = PROJECT / "build" / "mpi4py"
# Some seconds' worth: those on a communicator of all ranks.
SOME = ["-i", "test_cco_(obj|buf|vec)", "-e", "inter", "-k", "WorldDup"]

SEPARATELY = 'exec "$@" > "$0/${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" 2>&1'


@cache
def suite(mpi: Mpi) -> Path:
    """mpi4py's test/main.py, fetched once."""
    main = PLACE / f"mpi4py-{VERSION}" / "test" / "main.py"
    if not main.exists():
        PLACE.mkdir(parents=True, exist_ok=True)
        command = [mpi.python, "-m", "pip", "download", "-q", "--no-deps", "-d", PLACE]
        command += ["--no-binary", "mpi4py", f"mpi4py=={VERSION}"]
        result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        with tarfile.open(PLACE / f"mpi4py-{VERSION}.tar.gz") as archive:
            archive.extractall(PLACE)  # the filter argument came after Debian 12's Python
    return main


def verdict(run: Run, ranks: list[str]) -> tuple[set[str], set[str], set[str]]:
    """How many tests ran, which failed, and how it ended; all ranks must say the same number."""
    ran = [number for text in ranks for number in re.findall(r"^Ran (\d+) tests", text, re.M)]
    assert len(ran) == len(ranks) and "0" not in ran, run.text + ranks[0][-6000:]
    text = "\n".join(ranks)
    failed = set(re.findall(r"^(?:FAIL|ERROR): .*", text, re.M))
    return set(ran), failed, set(re.findall(r"^(?:OK|FAILED).*", text, re.M))


def compare(
    mpi: Mpi,
    ranks: int,
    tests: list[str],
    seconds: float,
    collectives: bool = True,
    form: str = "{}",
    **network: Any,
) -> None:
    network = {"scale": 100, "order": "random:1", "seconds": seconds, **network}

    # Each rank's output in a file of its own: the launcher mixes lines that come in pieces.
    def go(eco: bool) -> tuple[Run, list[str]]:
        with tempfile.TemporaryDirectory() as place:
            program = ["sh", "-c", SEPARATELY, place, mpi.python, suite(mpi), *tests]
            run = lab(mpi, *program, eco=eco, ranks=ranks, **network)
            texts = [path.read_text(errors="replace") for path in Path(place).iterdir()]
        assert len(texts) == ranks, run.text
        return Run(run.code, run.out, run.err + "\n".join(texts)), texts

    (native, native_texts), (eco, eco_texts) = go(False), go(True)
    assert verdict(eco, eco_texts) == verdict(native, native_texts)
    assert eco.code == native.code
    if collectives:
        for name in ("bcast", "allgather", "allreduce"):
            assert eco.planned(form.format(name)), eco.err[-3000:]


# Each kind with one library, and with the other where there is time: test_conformance.py and
# test_twins.py have all operations of all kinds with both.
@pytest.mark.lab
@with_one(OPENMPI5, MPICH5)
def test_some(mpi: Mpi) -> None:
    compare(mpi, 3, SOME, 140)


# Those that do not block, of which mpi4py's communicators have no others first.
SETTINGS = {"ECO_NONBLOCKING": "expected"}
# mpi4py asks for MPI_THREAD_MULTIPLE, with which they are native in MPICH.
ONE_THREAD = {**SETTINGS, "MPI4PY_RC_THREAD_LEVEL": "serialized"}


def nonblocking(mpi: Mpi) -> dict[str, Any]:
    return {"form": "i{}", "environment": ONE_THREAD if mpi.family == "mpich" else SETTINGS}


@pytest.mark.long
@pytest.mark.lab
@either
def test_some_nonblocking(mpi: Mpi) -> None:
    some = ["-i", "test_cco_nb", "-e", "inter", "-k", "WorldDup", "-k", "InplaceWorld"]
    compare(mpi, 3, some, 140, **nonblocking(mpi))


def persistent(mpi: Mpi) -> dict[str, Any]:
    return {**nonblocking(mpi), "form": "{}_init"}


# test_twins.py has them with both libraries, each operation.
@pytest.mark.lab
@pytest.mark.long
@either
def test_some_persistent(mpi: Mpi) -> None:
    some = ["-i", "test_cco_pr", "-e", "inter", "-k", "WorldDup", "-k", "InplaceWorld"]
    compare(mpi, 3, some, 140, **persistent(mpi))


@pytest.mark.lab
@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("ranks", [3, 5, 7])
@either
def test_all_persistent(mpi: Mpi, ranks: int) -> None:
    compare(mpi, ranks, ["-i", "test_(cco_pr|request)"], 1700, **persistent(mpi))


@pytest.mark.lab
@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("ranks", [3, 5, 7])
@either
def test_all_nonblocking(mpi: Mpi, ranks: int) -> None:
    compare(mpi, ranks, ["-i", "test_(cco_nb|request|grequest)"], 1700, **nonblocking(mpi))


@pytest.mark.lab
@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("ranks", [3, 4, 7])
@either
def test_all(mpi: Mpi, ranks: int) -> None:
    compare(mpi, ranks, ["-i", "test_cco"], 1700)


# In jobs of their own, on a network without delays: files and windows, of which natively a test
# takes more than a minute over long ways; and with Open MPI processes that connect, because PRTE
# 3.0's daemons write past an array when ranks of several hosts do, and die of it some time later
# (natively at once, under glibc's MALLOC_CHECK_=3). All ranks spawning do not come back there.
APART = {
    "openmpi": ["test_io", "test_rma", "test_dynproc", "test_spawn"],
    "mpich": ["test_io", "test_rma", "test_util_sync"],
}


@pytest.mark.lab
@pytest.mark.long
@pytest.mark.timeout(4000)
@either
def test_everything_in_three_levels(mpi: Mpi) -> None:
    """All modules, not collectives alone: what ECO leaves to the library works beside it."""
    network = {"scenario": str(DATA / "three-levels.yaml"), "profile": DATA / "three-levels.json"}
    without = [word for name in APART[mpi.family] for word in ("-e", name)]
    compare(mpi, 5, without, 1900, scale=1, **network)


@pytest.mark.lab
@pytest.mark.long
@pytest.mark.timeout(2000)
@pytest.mark.parametrize("name", ["test_io", "test_dynproc"])
@either
def test_apart(mpi: Mpi, name: str) -> None:
    compare(mpi, 5, ["-i", name], 900, collectives=False)


@pytest.mark.lab
@pytest.mark.long
@pytest.mark.timeout(1000)
@either
def test_windows(mpi: Mpi) -> None:
    """On two hosts: over five of the lab natively one of these takes minutes even so."""
    tests = ["-i", "test_(rma|util_sync)"]
    compare(mpi, 3, tests, 450, collectives=False, hosts=2, per_host=2)
