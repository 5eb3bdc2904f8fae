# SPDX-License-Identifier: BSD-3-Clause
"""What must not happen to a program, whatever befalls one of its ranks."""

import ctypes
import json
import re
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from mpi_harness import DATA, ECO, MPICH5, OPENMPI5, Mpi, Run, built, either, here, lab, with_one


def _run(
    mpi: Mpi, profile: Path, ranks: int, *words: object, seconds: float = 120, **settings: str
) -> Run:
    """What ranks say goes to a file: MPICH's launcher loses some of it when a job is aborted."""
    into_file = ("/bin/sh", "-c", 'file=$1; shift; exec "$@" >>"$file" 2>&1', "sh")
    environment = [f"{name}={value}" for name, value in settings.items()]
    launch = ("env", *environment, ECO, "exec", "--profile", profile)
    with tempfile.NamedTemporaryFile("r", dir=profile.parent, errors="replace") as said:
        run = here(mpi, ranks, *launch, *into_file, said.name, *words, seconds=seconds)
        text = said.read()
    return Run(run.code, text, text)


def _starved(
    mpi: Mpi,
    profile: Path,
    call: str,
    handler: str,
    allocations: Iterable[int],
    program: str = "starves",
    then: str = "barrier",
    **settings: str,
) -> list[Run]:
    """Two ranks, one of which gets so many more allocations; in order, up to the first that is
    enough. Four at once: Open MPI's launcher takes a second, asleep, to end a job that failed."""
    found = []

    def starve(allowed: int) -> Run:
        words = [built(mpi, program), call, handler, allowed, then]
        return _run(mpi, profile, 2, *words, ECO_CHOICE="eco", ECO_LEARN="off", **settings)

    numbers = list(allocations)
    with ThreadPoolExecutor(4) as pool:
        for first in range(0, len(numbers), 4):
            for run in pool.map(starve, numbers[first : first + 4]):
                found.append(run)
                if "all ok" in run.out:
                    return found
    return found


@pytest.mark.parametrize(
    "allocations",
    [(0, 2, 5, 13, 34, 89), pytest.param(range(90), marks=[pytest.mark.long])],
    ids=["some", "each"],
)
@pytest.mark.parametrize("call", ["init", "bcast", "gatherv", "reduce_scatter", "levels"])
@pytest.mark.parametrize("handler", [pytest.param("fatal", marks=[pytest.mark.full]), "return"])
@pytest.mark.timeout(400)
@either
def test_no_memory(
    mpi: Mpi, profile: Path, handler: str, call: str, allocations: Iterable[int]
) -> None:
    """On one rank: an MPI error, and no rank waits forever in a job that goes on."""
    _ends_well(_starved(mpi, profile, call, handler, allocations), call, handler)


def _ends_well(runs: list[Run], call: str, handler: str) -> None:
    told = 0
    for run in runs:
        assert "terminate called" not in run.err
        assert "Signal" not in run.err
        if "all ok" in run.out:
            assert run.code == 0, run.err
            break
        assert "out of memory" in run.err, run.text
        told += "told NO_MEM" in run.out
        if call != "levels":
            assert run.code != 0
        if "told" in run.out:
            assert handler == "return"
            # What a persistent receive of the library's says where a schedule fails in the wait.
            assert "told NO_MEM" in run.out or (call == "bcast_init" and "told another" in run.out)
            assert call == "levels" or "; the job ends" in run.err
    if handler == "return" and call != "init":
        assert told > 0


# Programs that name calls with a request have communicators made ready for them.
OTHERS = [
    ("starves", "split"),
    ("starves", "grid"),
    ("starves", "neighbor_allgather"),
    ("starves", "multicast"),
    ("starves-requests", "ibcast"),
    ("starves-requests", "bcast_init"),
    ("starves-requests", "split"),
]


# Before a call's communicator is known, on the way to its schedule, in its start and its wait.
@pytest.mark.parametrize(("program", "call"), OTHERS)
@with_one(MPICH5, OPENMPI5)
def test_no_memory_in(mpi: Mpi, profile: Path, program: str, call: str) -> None:
    """The same in what makes communicators, in calls with a request and in multicasts."""
    runs = _starved(mpi, profile, call, "return", (0, 31, 62, 70), program, ECO_REORDER="on")
    _ends_well(runs, call, "return")


@pytest.mark.parametrize(("program", "then"), [("starves", "dup"), ("starves-requests", "ibcast")])
@with_one(OPENMPI5, MPICH5)
def test_what_comes_after_no_memory(mpi: Mpi, profile: Path, program: str, then: str) -> None:
    """Other ranks are in ECO's schedule, so that what the library does alone would meet nobody."""
    runs = _starved(mpi, profile, "bcast", "return", (0, 5, 13), program, then)
    _ends_well(runs, "bcast", "return")


@pytest.mark.lab
@with_one(MPICH5, OPENMPI5)
def test_no_memory_when_a_communicator_is_freed(mpi: Mpi) -> None:
    """That multicasts: what it has is given back all the same."""
    profile = DATA / "three-segments-mcast.json"
    words = [built(mpi, "starves"), "free", "return", 0]
    run = lab(mpi, *words, eco=True, choice="mcast:segments=1", profile=profile, scale=100)
    assert "terminate called" not in run.err
    assert run.code == 0, run.text
    assert all(what.startswith("mcast") for what in run.used["bcast"])


@pytest.mark.long
@pytest.mark.parametrize(("program", "call"), OTHERS)
@pytest.mark.parametrize("handler", ["fatal", "return"])
@pytest.mark.timeout(600)
@either
def test_no_memory_in_each(mpi: Mpi, profile: Path, handler: str, program: str, call: str) -> None:
    """At each allocation, or every few."""
    allocations = [*range(120), *range(120, 1200, 7)]
    runs = _starved(mpi, profile, call, handler, allocations, program, ECO_REORDER="on")
    _ends_well(runs, call, handler)


# Messages between ranks of one host go by TCP, and are on their way for a while.
BY_TCP = {
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_btl": "tcp,self",
    "MPIR_CVAR_NOLOCAL": "1",
}


@pytest.mark.parametrize(("call", "settings"), [("late", {}), ("early", BY_TCP)])
@either
def test_nothing_is_freed_under_messages(
    mpi: Mpi, profile: Path, call: str, settings: dict[str, str]
) -> None:
    """A rank gives up while a message is on its way to it."""
    told = 0
    for allowed, run in enumerate(_starved(mpi, profile, call, "return", range(24), **settings)):
        if "all ok" in run.out:
            break
        told += "told NO_MEM" in run.out
        assert "written after it was freed" not in run.out, f"after {allowed} allocations"
    assert told > 0


RAILS: dict[str, Any] = {
    "scenario": "two-rails",
    "scale": 1,
    "choice": "tree:inner=star,on=ranks,rails=2",
}
PLAIN: dict[str, Any] = {"ranks": 4, "scale": 100, "order": "random:1"}


@pytest.mark.lab
@pytest.mark.parametrize("where", [PLAIN, RAILS], ids=["plain", "rails"])
@pytest.mark.parametrize("how", ["fork", "exec", "signals", "leftovers", "threads", "atexit"])
@with_one(OPENMPI5, MPICH5)
def test_beside_collectives(mpi: Mpi, how: str, where: dict[str, Any]) -> None:
    """Children that end, signals, what is freed late, threads that ask at once for the same."""
    # What is used after it was freed differs from what it was.
    settings = {"MALLOC_PERTURB_": "165"} if how == "atexit" else {}
    run = lab(mpi, built(mpi, "hazards"), how, eco=True, environment=settings, **where)
    assert run.code == 0, run.text
    assert "all ok" in run.out
    assert run.planned("bcast"), run.err
    if where is RAILS:
        assert any("rails=2" in what for what in run.used["bcast"])


@pytest.mark.lab
@either
def test_types_are_freed_under_a_lock_that_an_operator_waits_for(mpi: Mpi) -> None:
    """As with mpi4py, where the lock is Python's: a step that waits holds up no MPI_Type_free."""
    run = lab(mpi, built(mpi, "hazards"), "frees", eco=True, seconds=60, **PLAIN)
    assert run.code == 0, run.text
    assert "all ok" in run.out
    # With threads MPICH lets ECO make no progress.
    assert run.planned("iallreduce") == (mpi.family == "openmpi"), run.text


@pytest.mark.lab
@either
def test_a_handle_given_again(mpi: Mpi) -> None:
    """To another communicator than the one that was freed."""
    # What expects calls that do not block looks up other communicators meanwhile.
    settings = {"ECO_NONBLOCKING": "off"}
    run = lab(mpi, built(mpi, "hazards"), "handles", eco=True, environment=settings, **PLAIN)
    assert run.code == 0, run.text
    assert "all ok" in run.out
    # What is kept of one that is gone leaves all its calls to the library.
    assert run.times("bcast") == 90, run.err


@pytest.mark.lab
@either
def test_what_is_ecos_own_is_freed(mpi: Mpi) -> None:
    """By the time that MPI_Finalize calls the program back."""
    # A report, and what expects calls that do not block, would use MPI_COMM_WORLD to its very end.
    settings = {"ECO_NONBLOCKING": "off", "ECO_VERBOSE": "0"}
    run = lab(mpi, built(mpi, "hazards"), "keyvals", eco=True, environment=settings, **PLAIN)
    assert run.code == 0, run.text
    assert "all ok" in run.out
    assert "at the end" not in run.err
    # Natively no number has become free.
    native = lab(mpi, built(mpi, "hazards"), "keyvals", eco=False, **PLAIN)
    assert native.code == 0, native.text
    assert "all ok" not in native.out
    assert "at the end" in native.err


@pytest.mark.lab
@pytest.mark.parametrize(
    ("program", "how"),
    [
        ("sessions", "alone"),
        ("sessions", "around"),
        ("sessions-plain", "around"),
        ("sessions-plain", "part"),
    ],
)
@with_one(MPICH5, OPENMPI5)
def test_mpi_sessions(mpi: Mpi, program: str, how: str) -> None:
    """Without MPI_Init, before it and after MPI_Finalize all is native; between them ECO serves the
    communicators of sessions too, from the first collective on MPI_COMM_WORLD on."""
    run = lab(mpi, built(mpi, program), how, eco=True, seconds=60, **PLAIN)
    assert run.code == 0, run.text
    assert run.out.count("all ok") == 4, run.text
    if how == "alone":
        assert not run.used
    else:
        assert run.planned("bcast"), run.err


@pytest.mark.parametrize(("plugin", "operation"), [("plugin", "bcast"), ("overlaps", "iallreduce")])
@either
def test_a_plugin_is_unloaded(mpi: Mpi, plugin: str, operation: str, profile: Path) -> None:
    """The program is none of MPI's; what it loads is, and goes before the program does. Collectives
    that do not block run by ECO from the first one on, although only what is loaded calls them."""
    object_of = ECO.parent.parent / "lib" / f"libeco-{mpi.family}.so"
    settings = [f"LD_PRELOAD={object_of}", f"ECO_PROFILE={profile}", "ECO_CHOICE=eco"]
    words = [built(mpi, "loads"), built(mpi, f"{plugin}.so")]
    run = here(mpi, 2, "env", *settings, "ECO_VERBOSE=2", *words)
    assert run.code == 0, run.text
    assert run.out.count("all ok") == 2
    assert run.planned(operation), run.err
    assert not any("native" in how for how in run.used[operation]), run.err


# A choice for each size, so that roots and sizes make more plans than are kept.
def _choice(step: int, ranks: int) -> str:
    shape = ["star", "binomial"][step % 2]
    return f"tree:inner={shape},segments={step // 2 + (1 if ranks > 10 else 25)}"


# Ranks; rounds, sizes. MPICH spins where ranks share processors: fewer ranks, with larger plans.
ROOTS = [
    pytest.param(OPENMPI5, 16, (3, 80), marks=[pytest.mark.full]),
    pytest.param(MPICH5, 10, (2, 80), marks=[pytest.mark.long]),
    pytest.param(OPENMPI5, 64, (2, 80), marks=[pytest.mark.long]),
]
MOST_KEPT = 4096  # kB of plans


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("mpi", "ranks", "turns"),
    ROOTS,
    ids=lambda of: of.name if isinstance(of, Mpi) else str(of).replace(", ", "-"),
)
def test_roots_in_turn(mpi: Mpi, ranks: int, turns: tuple[int, int], profile: Path) -> None:
    """Thousands of calls, each rank as root with each size: what is kept has an end, and a program
    that goes on after the first round does not grow."""
    whole = json.loads(profile.read_text())
    whole["tuning"] = [
        {
            "mpi": mpi.family + " 0",
            "operation": "bcast",
            "layout": "near",
            "bytes": 64 * (1 + step),
            "ranks": ranks,
            "ranks_per_host": ranks,
            "choice": _choice(step, ranks),
            "native": 2.0,
            "eco": 1.0,
            "noise": 0.0,
            "predicted": False,
        }
        for step in range(80)
    ]
    profile.write_text(json.dumps(whole))
    words = [built(mpi, "hazards"), "roots", *turns]
    run = _run(mpi, profile, ranks, *words, seconds=550, ECO_VERBOSE="2", ECO_LEARN="off")
    assert run.code == 0, run.text
    assert "all ok" in run.out
    kept = re.findall(r" (\d+) kept \((\d+) kB\)$", run.err, re.MULTILINE)
    assert kept, run.err[-3000:]
    assert max(int(plans) for plans, _ in kept) <= 1024
    most = max(int(kilobytes) for _, kilobytes in kept)
    assert MOST_KEPT - 512 < most <= MOST_KEPT, run.err[-3000:]
    grew = re.search(r"grew by (-?\d+) kB", run.out)
    assert grew
    assert int(grew[1]) < 4096


COLLECTIVES = [
    *("bcast", "gather", "gatherv", "scatter", "scatterv", "reduce", "allgather", "allgatherv"),
    *("alltoall", "alltoallv", "alltoallw", "allreduce", "scan", "exscan", "reduce_scatter"),
    *("reduce_scatter_block", "neighbor_allgather", "multicast"),
]


def _has_gpu() -> bool:
    """Whether CUDA's own driver finds a device."""
    count = ctypes.c_int(0)
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return (
        driver.cuInit(0) == 0
        and driver.cuDeviceGetCount(ctypes.byref(count)) == 0
        and (count.value > 0)
    )


# What stands in for drivers, the real one only where it has a device: elsewhere there is no such
# test, rather than one that is skipped. HIP's numbers differ from version to version.
DRIVERS = ["fake/libcuda.so.1", "fake/libamdhip64.so.5", "fake/libamdhip64.so.6"]
GPU = ["libcuda.so.1"] if _has_gpu() else []


@pytest.mark.lab
@pytest.mark.parametrize("name", DRIVERS + GPU)
@with_one(OPENMPI5, MPICH5)
def test_device_memory(mpi: Mpi, name: str) -> None:
    """On some ranks, of a driver that is loaded late: nobody else touches it, and all is right."""
    driver = built(mpi, name) if name.startswith("fake/") else name
    run = lab(mpi, built(mpi, "devices"), driver, eco=True, **PLAIN)
    assert run.code == 0, run.text
    assert "all ok" in run.out
    missed = [name for name in COLLECTIVES if not run.planned(name)]
    assert not missed, run.err


@pytest.mark.lab
@either
def test_devices_that_cannot_be_told(mpi: Mpi) -> None:
    """One rank has Level Zero: all collectives are the library's, on all ranks."""
    loader = built(mpi, "fake/libze_loader.so.1")
    on_two = """case ${OMPI_COMM_WORLD_RANK-$PMI_RANK} in
        2) export LD_PRELOAD="$LD_PRELOAD $1";; esac; shift; exec "$@" """
    words = [built(mpi, "conformance"), "--light", "--sections", "bcast"]
    run = lab(mpi, "/bin/sh", "-c", on_two, "sh", loader, *words, eco=True, **PLAIN)
    assert run.code == 0, run.text
    assert "all ok" in run.out
    assert run.err.count("Level Zero") == 1
    assert not run.planned("bcast")
