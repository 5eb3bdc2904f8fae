# SPDX-License-Identifier: BSD-3-Clause
"""Checks whether the launcher joined its processes into one job; if not, nothing else is known."""

from collections.abc import Iterator, Sequence

from eco.doctor.facts import Host
from eco.doctor.finding import Finding, Severity, listed
from eco.quantities import natural


def check(ranks: Sequence[Host]) -> Iterator[Finding]:
    """ranks: what each process told, in any order; of one job just one has rank 0."""
    names = tuple(sorted({each.name for each in ranks}, key=natural))
    if sum(each.rank == 0 for each in ranks) > 1:
        yield Finding(
            "not-one-job",
            Severity.ERROR,
            names,
            f"each process is a job of its own, because the launcher does not belong to "
            f"{listed(sorted({each.mpi for each in ranks}))}, which the processes loaded",
            "measured",
            "the program runs once for each rank, without communication",
            "start programs with the launcher of the MPI library that they are linked with "
            "(compare: which mpirun, ldd PROGRAM), or name the library: --mpi openmpi|mpich",
        )
    elif len(names) == 1 and len(ranks) == ranks[0].ranks:
        yield Finding(
            "one-host",
            Severity.ERROR,
            names,
            "all ranks are on this host, so there is no network to check",
            "measured",
            "",
            "give the launcher a hostfile, or one rank for each host: mpirun -n 8 --hostfile "
            "hosts, with slots=1 (Open MPI: --map-by node)",
        )
