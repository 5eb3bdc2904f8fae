# SPDX-License-Identifier: BSD-3-Clause
"""Programs that go on after a failure (ULFM): a communicator is revoked, or a rank dies.

With Open MPI 5 alone: MPICH 5.0's MPIX_Comm_revoke ends the job, and Open MPI 4 has none."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from mpi_harness import DATA, ECO, OPENMPI5, Run, built, here, lab

FAULTS = {"OMPI_MCA_mpi_ft_enable": "1", "PRTE_MCA_prte_enable_ft": "1"}
CALLS = ["bcast", "barrier", "allreduce", "ibcast", "iallreduce"]


def _said(run: Run) -> dict[int, str]:
    """By rank, how its call ended."""
    return {
        int(rank): how for rank, how in re.findall(r"^rank (\d+): (\w+)$", run.out, re.MULTILINE)
    }


def _all_revoked(run: Run) -> None:
    assert run.code == 0, run.text
    assert run.out.count("then revoked") == 4, run.out
    assert run.out.count("4 of 4 left, success") == 4, run.out


def _with_faults(call: str, *how: str, launch: Sequence[object] = ()) -> Run:
    program = [built(OPENMPI5, "revoked"), call, *how]
    return here(OPENMPI5, 4, *launch, *program, options=["--with-ft", "ulfm"], seconds=60)


def _by_eco(profile: Path, choice: str) -> list[object]:
    return ["env", f"ECO_CHOICE={choice}", "ECO_VERBOSE=2", ECO, "exec", "--profile", profile]


@pytest.mark.parametrize("call", CALLS)
def test_a_communicator_that_is_revoked(profile: Path, call: str) -> None:
    """Ends calls as natively: of ranks that wait in one already, and of the one that revokes."""
    native = _with_faults(call)
    run = _with_faults(call, launch=_by_eco(profile, "eco"))
    _all_revoked(run)
    assert _said(run) == _said(native)
    assert run.planned(call), run.err


def test_a_persistent_call_that_is_revoked(profile: Path) -> None:
    """A wait cannot tell more than that it failed (docs/nonblocking.md); the next start can."""
    run = _with_faults("bcast_init", launch=_by_eco(profile, "eco"))
    _all_revoked(run)
    assert _said(run) == {0: "revoked", 1: "truncated", 2: "truncated", 3: "truncated"}
    assert run.out.count("again revoked") == 4, run.out
    assert run.planned("bcast_init"), run.err


def test_a_persistent_call_of_which_a_rank_dies(profile: Path) -> None:
    run = _with_faults("bcast_init", "failed", launch=_by_eco(profile, "tree:inner=chain"))
    assert run.out.count("3 of 4 left, success") == 3, run.text
    ends = _said(run)
    assert {rank: ends[rank] for rank in (2, 3)} == {2: "truncated", 3: "truncated"}
    assert run.out.count("again failed") >= 2, run.out


@pytest.mark.lab
def test_a_multicast_that_is_revoked() -> None:
    """Receivers wait for datagrams, not for messages of a communicator."""
    run = lab(
        OPENMPI5,
        *[built(OPENMPI5, "revoked"), "bcast", "revoked", 20000],
        eco=True,
        ranks=4,
        seconds=60,
        profile=DATA / "three-segments-mcast.json",
        choice="mcast:segments=1",
        environment=FAULTS,
    )
    _all_revoked(run)
    assert _said(run) == dict.fromkeys(range(4), "revoked")
    assert run.used["bcast"][0].startswith("mcast"), run.err


@pytest.mark.parametrize("call", CALLS)
def test_a_rank_that_dies(profile: Path, call: str) -> None:
    """The last rank waits for one that waits for the dead one. No rank is told that the program's
    communicator was revoked."""
    choice = "exchange:inner=star" if call == "barrier" else "tree:inner=chain"
    run = _with_faults(call, "failed", launch=_by_eco(profile, choice))
    assert run.out.count("3 of 4 left, success") == 3, run.text
    # A root that only sends may not notice.
    ends = _said(run)
    assert ends.pop(0) in (["success", "failed"] if "bcast" in call else ["failed"])
    assert ends == {2: "failed", 3: "failed"}
