# SPDX-License-Identifier: BSD-3-Clause
"""What the lab's tests share."""

import ctypes
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from eco.lab.mpi import PROJECT, dependencies
from eco.lab.profile import own_command

HERE = Path(__file__).parent
LAB = own_command("eco.lab")


def _no_namespaces() -> str:
    child = os.fork()
    if child == 0:
        user = 0 if os.geteuid() == 0 else 0x10000000
        os._exit(0 if ctypes.CDLL(None).unshare(user | 0x40000000) == 0 else 1)
    _, status = os.waitpid(child, 0)
    return "" if status == 0 else "this machine forbids user and network namespaces"


WHY_NOT = _no_namespaces()
RELAY = PROJECT / "build" / "release" / "bin" / "eco-lab-relay"
needs_lab = [
    pytest.mark.lab,
    pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT or "namespaces work"),
    pytest.mark.skipif(not RELAY.exists(), reason="eco-lab-relay is not built: run make"),
]


# A lab whose rates or times a test looks at.
needs_quiet_lab = [*needs_lab, pytest.mark.alone]


def lab(
    *words: str | Path,
    timeout: float = 60,
    env: Mapping[str, str] | None = None,
    stdin: str | None = None,
    before: tuple[str, ...] = (),
) -> subprocess.CompletedProcess[str]:
    """`eco lab WORDS…`, everything captured."""
    return subprocess.run(
        [*before, *LAB, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, **(env or {})},
        **({"stdin": subprocess.DEVNULL} if stdin is None else {"input": stdin}),  # type: ignore[call-overload]
    )


def wires(scenario: str | Path, scale: float = 1, **request: object) -> Any:
    """What inside.py measures in a scenario."""
    done = subprocess.run(
        [sys.executable, str(HERE / "inside.py"), str(scenario), json.dumps(request)],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "SCALE": str(scale)},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def other_build(family: str, folder: Path) -> Path:
    """A probe whose object says that it is another build of ECO; for `build` of fault.sh, which
    finds it by ECO_TEST_OTHER_PROBE."""
    build, name = RELAY.parents[1], f"libeco-{family}.so"
    content = (build / "lib" / name).read_bytes()
    end = content.index(b"\0", content.index(b"eco-build "))
    last = b"0" if content[end - 1] != ord("0") else b"1"
    (folder / name).write_bytes(content[: end - 1] + last + content[end:])
    probe = folder / "probe"  # takes the object beside it
    shutil.copy(build / "bin" / f"eco-probe-{family}", probe)
    return probe


def compiled(family: str, folder: Path) -> Path:
    """The test program `where.c`, built with the project's own MPI of that family."""
    compiler = dependencies() / family / "bin" / "mpicc"
    if not compiler.exists():
        pytest.skip(f"the project's own {family} is not there: run make")
    program = folder / f"where-{family}"
    subprocess.run([compiler, "-o", program, HERE / "where.c"], check=True)
    return program
