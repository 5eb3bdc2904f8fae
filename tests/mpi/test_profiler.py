# SPDX-License-Identifier: BSD-3-Clause
"""A profiling tool above ECO sees all its calls, and ECO gets them from it."""

import pytest
from mpi_harness import ECO, PROFILE, Mpi, built, each, lab


@pytest.mark.lab
@pytest.mark.parametrize("first", ["eco", "tool"])
@each
def test_tool_above(mpi: Mpi, first: str) -> None:
    """Whichever of the two the user starts first."""
    tool, program = built(mpi, "profiler.so"), built(mpi, "conformance")
    with_tool = ["sh", "-c", 'LD_PRELOAD="$0:$LD_PRELOAD" exec "$@"', tool]
    options = [program, "--light", "--sections", "bcast,allreduce"]
    native = lab(mpi, *with_tool, *options, eco=False, ranks=4)
    if first == "eco":
        eco = lab(mpi, *with_tool, *options, eco=True, ranks=4)
    else:
        settings = {"ECO_PROFILE": str(PROFILE), "ECO_CHOICE": "eco", "ECO_VERBOSE": "2"}
        words = [*with_tool, ECO, "exec", *options]
        eco = lab(mpi, *words, eco=False, ranks=4, environment=settings)
    assert native.code == eco.code == 0, native.err + eco.err
    assert eco.results == native.results

    def counted(out: str) -> list[str]:
        return [line for line in out.splitlines() if line.startswith("profiler: ")]

    assert counted(native.out), native.out
    assert counted(eco.out) == counted(native.out)
    assert eco.planned("bcast") and eco.planned("allreduce"), eco.err
