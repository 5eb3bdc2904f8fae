# SPDX-License-Identifier: BSD-3-Clause
"""Options that measure, tune and bench share, and how they reach the probe."""

from __future__ import annotations

from typing import Annotated, Any, Optional

import typer

from eco.engine import engine
from eco.errors import EcoError, ExitCode

Words = Annotated[
    Optional[list[str]],
    typer.Argument(
        metavar="-- LAUNCHER…",
        help="The command that starts MPI programs on your hosts: mpirun -n 8 --hostfile hosts",
        show_default=False,
    ),
]
Mpi = Annotated[
    Optional[str],
    typer.Option(
        help="The launcher's MPI, if ECO cannot find it out: openmpi, mpich or abi.",
        metavar="FAMILY",
    ),
]


Interfaces = Annotated[
    Optional[str],
    typer.Option(
        help="The interfaces and networks that the MPI library uses, such as eth0,10.9.0.0/16; "
        "auto: those that join all hosts, if others do not (default: its own choice).",
        metavar="auto|LIST",
    ),
]


def profile(usual: str) -> Any:
    """The option that names a profile, with its help."""
    return typer.Option("--topology", "--profile", metavar="FILE", readable=False, help=usual)


Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def _list(what: str, usual: str) -> Any:
    return typer.Option(help=f"{what} (default: {usual.replace(',', ', ')}).", metavar="LIST")


# The probe knows what is usual.
_SIZES = "Message sizes in bytes"
PairSizes = Annotated[Optional[str], _list(_SIZES, "1,1024,16384")]
TuneSizes = Annotated[Optional[str], _list(_SIZES, "16,1024,16384,131072")]
BenchSizes = Annotated[Optional[str], _list(_SIZES, "16,16000")]
_OPERATIONS = "Collectives by their lower-case MPI names, or all"
TuneOperations = Annotated[Optional[str], _list(_OPERATIONS, "all that have choices of their own")]
BenchOperations = Annotated[Optional[str], _list(_OPERATIONS, "bcast,allgather,allreduce")]


_MOST_BYTES = 10**9


def sizes(text: str | None) -> list[str]:
    """`--sizes` for the probe."""
    if text is None:
        return []
    counts = []
    for word in text.split(","):
        if not word.strip().isdecimal() or len(word) > 20 or not 1 <= int(word) <= _MOST_BYTES:
            raise EcoError(
                f"--sizes {text!r}: must be message sizes in bytes from 1 to {_MOST_BYTES}, "
                "such as 16,16000",
                ExitCode.USAGE,
            )
        counts.append(int(word))
    return ["--sizes", ",".join(str(count) for count in sorted(set(counts)))]


def operations(text: str | None) -> list[str]:
    """`--operations` for the probe."""
    if text is None:
        return []
    known = engine().operations()
    names = known if text == "all" else [word.strip() for word in text.split(",")]
    for name in names:
        if name not in known:
            raise EcoError(
                f"--operations: {name!r} is an unknown collective; choose from "
                f"{', '.join(known)}, or all",
                ExitCode.USAGE,
            )
    return ["--operations", ",".join(names)]


def count(name: str, value: int | None) -> list[str]:
    """A number of times, one at least."""
    if value is None:
        return []
    if value < 1:
        raise EcoError(f"--{name} {value}: must be above 0", ExitCode.USAGE)
    return [f"--{name}", str(value)]


def number(name: str, value: float | None, most: float) -> list[str]:
    """A positive figure."""
    if value is None:
        return []
    if not 0 < value < most:  # nan too
        raise EcoError(f"--{name} {value:g}: must be between 0 and {most:g}", ExitCode.USAGE)
    return [f"--{name}", f"{value:g}"]


_SHORTEST, _LONGEST = 1, 86400


def within(name: str, value: float | None) -> list[str]:
    """A time for everything: a visit to hosts far apart may take a second; less than a day."""
    if value is None:
        return []
    if not _SHORTEST <= value < _LONGEST:  # nan too
        raise EcoError(
            f"--{name} {value:g}: must be a time in seconds, from {_SHORTEST} to "
            f"less than a day ({_LONGEST})",
            ExitCode.USAGE,
        )
    return ["--within", f"{value:g}"]
