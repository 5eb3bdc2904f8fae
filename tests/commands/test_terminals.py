# SPDX-License-Identifier: BSD-3-Clause
"""Where the command prints to: streams that are closed, full, or of another encoding."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest
from commands_harness import ECO, PROJECT, complaint, document, eco

# Not the binary: its -I ignores PYTHONIOENCODING, which stands for a locale that may not be there.
_ECO = 'eco() { "$PYTHON" -m eco "$@"; }\n'
_CREATED = document()["created"]


def shell(folder: Path, script: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """A shell's own redirections; nothing is in its folder but `net.json`."""
    run = subprocess.run(
        ["bash", "-c", _ECO + script],
        cwd=folder,
        env=os.environ
        | {"PYTHON": sys.executable, "PYTHONPATH": str(PROJECT / "python"), "ECO_BIN": str(ECO)}
        | variables,
        capture_output=True,
        encoding="latin-1",
    )
    assert "Traceback" not in run.stderr, run.stderr
    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With a profile whose JSON is more than a stream keeps to itself, and what was learned."""
    subnets = [host // 2 for host in range(40)]
    (tmp_path / "net.json").write_text(json.dumps(document(subnets)))
    arms = [{"choice": "native", "runs": 9, "mean": 0.003}, {"choice": "k2", "runs": 9, "mean": 2}]
    entry = {"mpi": "mpich 5", "operation": "bcast", "layout": "near", "hosts_shared": False}
    entry |= {"ranks": 8, "bytes": 9, "best": "k2", "arms": arms}
    (tmp_path / "net.json.learned").write_text(
        json.dumps({"eco_learned": 1, "network": _CREATED, "classes": [entry]})
    )
    return tmp_path


def test_another_encoding_replaces_what_it_lacks(folder: Path) -> None:
    run = shell(folder, "eco show net.json; eco show –.json", PYTHONIOENCODING="latin-1")
    assert "ring      n0?n39" in run.stdout
    assert "boundary 2.00×" in run.stdout
    assert run.stderr.startswith("eco: ?.json cannot be read")
    assert run.returncode == 3


def test_closed_standard_error_does_not_reach_the_result(folder: Path) -> None:
    run = shell(folder, "eco export net.json --format graphviz --json 2>&-")
    assert run.returncode == 0
    assert json.loads(run.stdout)["cannot"]


@pytest.mark.parametrize("words", ["show net.json --json", "show --help", "learn net.json"])
def test_a_reader_that_went_away(folder: Path, words: str) -> None:
    run = shell(folder, f"{{ sleep 0.2; eco {words}; }} | true; exit ${{PIPESTATUS[0]}}")
    assert (run.returncode, run.stderr) == (141, "")


def test_nobody_reads_the_complaint(folder: Path) -> None:
    assert shell(folder, "eco show none.json 2>/dev/full").returncode == 3
    run = shell(folder, "{ sleep 0.2; eco show none.json; } 2>&1 | true; exit ${PIPESTATUS[0]}")
    assert run.returncode == 3


def test_a_limit_of_files(folder: Path) -> None:
    run = shell(folder, "ulimit -f 0; eco show net.json --json > out")
    assert run.returncode == 5
    assert run.stderr == "eco: the result cannot be written: File too large\n"


@pytest.mark.parametrize(
    "error, sentence",
    [
        (PermissionError(13, "Permission denied", "a\udce9"), "eco: a\ufffd: Permission denied"),
        (OSError(122, "Disk quota exceeded"), "the result cannot be written: Disk quota exceeded"),
        (OSError(24, "Too many open files"), "the system refused: Too many open files"),
        (OSError("something"), "the system refused: something"),
    ],
)
def test_what_the_system_refuses_is_one_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch, error: OSError, sentence: str
) -> None:
    def refuse(_: object) -> NoReturn:
        raise error

    monkeypatch.setattr("eco.profile.read", refuse)
    run = eco("show", folder / "net.json")
    assert run.returncode == 5
    assert sentence in complaint(run)


def test_names_that_are_not_text(folder: Path) -> None:
    for profile in ("net.json", "net.json.learned"):
        (folder / profile).rename(folder / profile.replace("net", "n\udce9t"))
    odd, shown = folder / "n\udce9t.json", f"{folder}/n\ufffdt.json"
    report = {"eco_report": 2}
    (folder / "md\udce9.json").write_text(json.dumps(report))
    for words, code, found in (
        (("report", folder / "md\udce9.json"), 3, "md\ufffd.json"),
        (("report", folder / "no\udce9.json"), 3, "no\ufffd.json"),
        (("export", odd, "--format", "graphviz", "-o", folder / "x\udce9"), 0, "x\ufffd"),
        (("export", odd, "-f", "graphviz", "--json", "-o", folder / "x\udce9"), 0, "x\\ufffd"),
        (("learn", odd, "--json"), 0, "n\\ufffdt.json.learned"),
        (("learn", odd, "--forget"), 0, f"removed {shown}.learned"),
        (("learn", odd, "--forget"), 0, f"no file {shown}.learned"),
        (("learn", odd), 0, f"nothing was learned yet of {shown}"),
    ):
        run = eco(*words)
        assert run.returncode == code, run
        assert found in run.stdout + run.stderr
        assert "\udce9" not in run.stdout + run.stderr
    assert shell(folder, r"eco learn $'n\xe9t.json'").returncode == 0


def test_a_user_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(_: int) -> NoReturn:
        raise KeyError

    for variable in ("HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("pwd.getpwuid", none)
    run = eco("learn")
    assert run.returncode == 5
    assert "set HOME or XDG_DATA_HOME" in complaint(run)
