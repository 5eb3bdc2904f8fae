# SPDX-License-Identifier: BSD-3-Clause
"""Checks whether the launcher joined its processes into one job; if not, nothing else is known."""

from collections.abc import Iterator, Sequence

from eco.doctor.facts import Host
from eco.doctor.finding import Finding, Severity


def check(told: Sequence[Sequence[Host]]) -> Iterator[Finding]:
    """told: what each rank 0 told, before and after measuring; of one job there is one rank 0."""
    if len({host.name for hosts in told for host in hosts}) > 1 and len(told) == 2:
        return
    names = tuple(dict.fromkeys(host.name for hosts in told for host in hosts))
    library = told[0][0].mpi
    if len(told) > 2:
        yield Finding(
            "not-one-job",
            Severity.ERROR,
            names,
            f"each process is alone, as the launcher is not that of {library}, which was loaded",
            "measured",
            "a program runs as many times as it has ranks, each on its own",
            "start programs with the launcher of the MPI library that they are linked with "
            "(compare: which mpirun, ldd PROGRAM), or name the library: --mpi openmpi|mpich",
        )
    else:
        yield Finding(
            "one-host",
            Severity.ERROR,
            names,
            "all ranks are on this host, so there is no network to look at",
            "measured",
            "",
            "give the launcher a host file, or one rank for each host: mpirun -n 8 --hostfile "
            "hosts, with slots=1 (Open MPI: --map-by node)",
        )
