# SPDX-License-Identifier: BSD-3-Clause
"""What all ranks must decide alike, where their environments or the library's means differ."""

import json
import os
import platform
import re
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from mpi_harness import ECO, PROFILE, PROJECT, Mpi, Run, built, either, lab

# On every rank but the first, the environment says what the first one's does not.
_ELSEWHERE = 'case ${OMPI_COMM_WORLD_RANK-$PMI_RANK} in 0) ;; *) export "$1";; esac; shift; '


def _elsewhere(mpi: Mpi, setting: str) -> Run:
    program = built(mpi, "conformance")
    options: Sequence[object] = ["--light", "--sections", "bcast,allreduce"]
    start = f'exec {ECO} exec --profile {PROFILE} -- "$@"'
    words = ["/bin/sh", "-c", _ELSEWHERE + start, "sh", setting, program, *options]
    return lab(mpi, *words, eco=False, ranks=4, environment={"ECO_VERBOSE": "2"})


@pytest.mark.lab
@either
@pytest.mark.parametrize("setting", ["ECO_DISABLE=1", "ECO_CHOICE=native", "ECO_PROFILE=/none"])
def test_rank_zero_decides(mpi: Mpi, setting: str) -> None:
    run = _elsewhere(mpi, setting)
    assert run.code == 0, run.text
    assert "all ok" in run.out
    assert run.used, run.err


# On one rank, another object is loaded in place of the one that `eco exec` chose.
_ANOTHER = """case ${OMPI_COMM_WORLD_RANK-$PMI_RANK} in
    2) LD_PRELOAD=$(echo "$LD_PRELOAD" | sed "s,[^ :]*/$1,$2,"); export LD_PRELOAD;;
esac; shift 2; exec "$@"
"""


@pytest.mark.lab
@either
@pytest.mark.parametrize("differs", [True, False])
def test_builds_that_differ(mpi: Mpi, differs: bool, tmp_path: Path) -> None:
    """Could decide differently: native collectives, and one line that names the host."""
    usual = ECO.parent.parent / "lib" / f"libeco-{mpi.family}.so"
    found = re.search(rb"eco-build \S+ [0-9a-f]{16}", usual.read_bytes())
    assert found
    name = found[0][:-4] + b"beef" if differs else found[0]
    other = tmp_path / "other.so"
    other.write_bytes(usual.read_bytes().replace(found[0], name))
    program = built(mpi, "conformance")
    options = ["--light", "--sections", "bcast,allreduce"]
    words = ["/bin/sh", "-c", _ANOTHER, "sh", usual.name, other, program, *options]
    run = lab(mpi, *words, eco=True, ranks=4)
    assert run.code == 0, run.text
    assert "all ok" in run.out
    assert run.planned("bcast") == (not differs), run.err
    lines = [line for line in run.err.splitlines() if "another ECO" in line]
    assert len(lines) == differs, run.err
    if differs:
        assert "rank 2 on n2 " in lines[0]
        assert name.decode() in lines[0]


@pytest.mark.lab
@either
def test_unreadable_setting(mpi: Mpi) -> None:
    """Bytes that are no text: one line, and the library's own collectives."""
    program = built(mpi, "conformance")
    options = ["--light", "--sections", "bcast"]
    run = lab(mpi, program, *options, eco=True, ranks=3, choice=os.fsdecode(b"\xff\xe9"))
    assert run.code == 0, run.text
    assert "all ok" in run.out
    assert "ECO_CHOICE" in run.err or "native collectives" in run.err


@pytest.mark.lab
@pytest.mark.long
@pytest.mark.timeout(600)
@either
def test_many_communicators_alive(mpi: Mpi) -> None:
    """More than half of the library's contexts: the rest are not ECO's to take."""
    program = built(mpi, "alive")
    run = lab(mpi, program, "1100", eco=True, ranks=3, scale=100, seconds=500)
    assert run.code == 0, run.text
    assert "all ok" in run.out
    assert run.planned("bcast")


@pytest.mark.skipif(platform.machine() != "x86_64", reason="names x86's instructions")
def test_products_and_sums_are_rounded_alike() -> None:
    """Other processors decide by the same sums: nothing may be compiled so that a product
    and a sum are rounded once."""
    commands = json.loads((PROJECT / "build/release/compile_commands.json").read_text())
    ours = [shlex.split(entry["command"]) for entry in commands if "/src/eco/" in entry["file"]]
    ours = [words for words in ours if words[words.index("-c") + 1].endswith((".cpp", ".cxx"))]
    assert len(ours) > 50
    assert all("-ffp-contract=off" in words for words in ours)
    flags = [word for word in ours[0] if word.startswith(("-f", "-O", "-std"))]
    compiler = next(word for word in ours[0] if word.endswith(("c++", "g++", "clang++")))
    code = "double f(double a, double b, double c) { return a * b + c; }"
    words = [compiler, *flags, "-mfma", "-x", "c++", "-S", "-o", "-", "-"]
    done = subprocess.run(words, input=code, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "mulsd" in done.stdout
    assert "fmadd" not in done.stdout
