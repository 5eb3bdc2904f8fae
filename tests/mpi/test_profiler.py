"""A profiling tool above ECO sees all its calls, and ECO gets them from it."""

import pytest
from mpi_harness import ECO, PROFILE, Mpi, built, each, lab


@pytest.mark.lab
@each
def test_tool_above(mpi: Mpi) -> None:
    tool, program = built(mpi, "profiler.so"), built(mpi, "conformance")
    words = ["sh", "-c", 'LD_PRELOAD="$0:$LD_PRELOAD" exec "$@"', tool]
    options = [program, "--light", "--sections", "bcast,allreduce"]
    native = lab(mpi, *words, *options, eco=False, ranks=4)
    settings = {"ECO_PROFILE": str(PROFILE), "ECO_CHOICE": "eco", "ECO_VERBOSE": "1"}
    eco = lab(mpi, *words, ECO, "exec", *options, eco=False, ranks=4, environment=settings)
    assert native.code == eco.code == 0, native.err + eco.err
    assert eco.results == native.results

    def counted(out: str) -> list[str]:
        return [line for line in out.splitlines() if line.startswith("profiler: ")]

    assert counted(native.out), native.out
    assert counted(eco.out) == counted(native.out)
    assert eco.planned("bcast") and eco.planned("allreduce"), eco.err
