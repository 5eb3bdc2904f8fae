# SPDX-License-Identifier: BSD-3-Clause
"""`eco measure` and `eco tune`: what reaches the probe, what is written, what goes wrong."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from coded_lines import coded
from commands_harness import (
    DONE,
    ECO,
    PROJECT,
    complaint,
    document,
    eco,
    launcher,
    measure_ended_by,
    progress,
    tuned,
)

pytestmark = pytest.mark.usefixtures("store")
PROFILE = {"event": "profile", "profile": document()}
ALL_WELL: list[dict[str, Any]] = [progress(0.1), progress(0.5), PROFILE, DONE]


def test_file_and_store(tmp_path: Path, store: Path) -> None:
    start = launcher(tmp_path / "bin", ALL_WELL)
    out = tmp_path / "net.json"
    result = eco("measure", "-o", out, "--", start.path, "-n", "8")
    assert result.returncode == 0, result.stderr
    assert json.loads(out.read_text()) == document()
    assert [json.loads(path.read_text()) for path in store.iterdir()] == [document()]
    assert "8 hosts in 3 subnets (n0–n2, n3–n5, n6 n7)" in result.stdout
    assert "measuring:  50%" in result.stderr
    assert start.called()["words"][:2] == ["-n", "8"]
    assert start.called()["words"][2] == str(ECO)
    assert start.options == ["measure"]
    assert start.called()["stdin"] == ""


def test_without_a_file_only_the_store(tmp_path: Path, store: Path) -> None:
    start = launcher(tmp_path / "bin", ALL_WELL)
    assert eco("measure", "--", start.path).returncode == 0
    assert len(list(store.iterdir())) == 1


def test_one_host_is_no_network(tmp_path: Path, store: Path) -> None:
    """Found by programs, it would hide the profile of all hosts."""
    one = {"event": "profile", "profile": document([0])}
    start = launcher(tmp_path / "bin", [one, DONE])
    result = eco("measure", "--", start.path, "-n", "1")
    assert result.returncode == 2
    assert "all ranks ran on n0, so there is no network to measure" in complaint(result)
    out = tmp_path / "net.json"
    result = eco("measure", "-o", out, "--", start.path, "-n", "1")
    assert result.returncode == 0, result.stderr
    assert "programs do not find this profile by themselves" in result.stdout
    assert json.loads(out.read_text())["hosts"] == ["n0"]
    assert not list(store.glob("*.json"))


def test_a_store_that_cannot_be(tmp_path: Path, store: Path) -> None:
    store.parents[1].write_text("a file where the folder should be")
    start = launcher(tmp_path / "bin", ALL_WELL)
    result = eco("measure", "--", start.path)
    assert result.returncode == 5
    assert "cannot be written" in complaint(result)
    result = eco("measure", "-o", tmp_path / "net.json", "--", start.path)
    assert result.returncode == 0
    assert f"`eco exec` will need --profile {tmp_path / 'net.json'}" in result.stderr


def test_no_time_is_said_that_nobody_knows(tmp_path: Path) -> None:
    unknown = {"event": "progress", "done": 0.0, "what": "n0 – n1"}
    start = launcher(tmp_path / "bin", [unknown, progress(0.5, 7.0), PROFILE, DONE])
    result = eco("measure", "-o", tmp_path / "net.json", "--", start.path)
    assert "measuring:   0%\n" in result.stderr
    assert "measuring:  50%, 7 s left\n" in result.stderr


def test_options(tmp_path: Path) -> None:
    start = launcher(tmp_path / "bin", ALL_WELL)
    others = ["--round-trips", "7", "--repeats", "2", "--tolerance", "0.3"]
    others += ["--within", "9", "--all-pairs", "--no-multicast", "--no-tune"]
    given = ["--budget" if word == "--within" else word for word in others]
    assert eco("measure", "--sizes", "1024,1", *given, "--", start.path).returncode == 0
    assert start.options == ["measure", "--sizes", "1,1024", *others]


def test_budget(tmp_path: Path) -> None:
    chosen = {"event": "chosen", "timed": 5, "predicted": 3, "open": 2}
    start = launcher(tmp_path / "bin", [progress(0.1), chosen, PROFILE, DONE])
    result = eco("measure", "--budget", "20", "--", start.path)
    assert result.returncode == 0, result.stderr
    assert start.options == ["measure", "--within", "20"]
    assert (
        "5 choices timed against the library, 3 certain by prediction, 2 uncertain after this time "
        "and left to the library" in result.stdout
    )
    summary = json.loads(eco("measure", "--json", "--", start.path).stdout)
    assert summary["chosen"] == {"timed": 5, "predicted": 3, "open": 2}


def test_a_budget_that_the_network_alone_took(tmp_path: Path) -> None:
    chosen = {"event": "chosen", "timed": 0, "predicted": 3, "open": 2, "network": 23.2}
    start = launcher(tmp_path / "bin", [progress(0.1), chosen, PROFILE, DONE])
    out = tmp_path / "net.json"
    result = eco("measure", "-o", out, "--budget", "5", "--", start.path)
    assert result.returncode == 0, result.stderr
    then = f"; eco tune {out} --budget 60 -- LAUNCHER times them"
    long = (
        "starting the ranks and measuring the network took 23 s, more than the budget of 5 s, so "
        "no choices were timed"
    )
    assert result.stdout.splitlines().count(long + then) == 1
    summary = json.loads(eco("measure", "--json", "--", start.path).stdout)
    (note,) = summary["notes"]
    assert note.startswith(
        "starting the ranks and measuring the network took 23 s of the budget of 60 s, and the "
        f"rest was too short to time a choice; eco tune {summary['files'][0]} --budget 60 "
    )
    # The network is known now; a minute would be less than what was too short.
    again = eco("measure", "-o", out, "--budget", "300", "--json", "--", start.path)
    (note,) = json.loads(again.stdout)["notes"]
    assert note.startswith("starting and ending the ranks took 23 s of the budget of 300 s")
    assert note.endswith(f"eco tune {out} --budget 300 -- LAUNCHER times them")
    for other in ({"timed": 1}, {"open": 0}):
        start = launcher(tmp_path / "bin", [chosen | other, PROFILE, DONE])
        assert "took" not in eco("measure", "--", start.path).stdout


def test_notes_of_the_probe(tmp_path: Path) -> None:
    note = {"event": "note", "text": "whether hosts share processors is not clear: it is late"}
    start = launcher(tmp_path / "bin", [progress(0.1), note, PROFILE, DONE])
    result = eco("measure", "--", start.path)
    assert result.returncode == 0, result.stderr
    assert note["text"] in result.stdout.splitlines()
    assert json.loads(eco("measure", "--json", "--", start.path).stdout)["notes"] == [note["text"]]


@pytest.mark.parametrize(
    ("version", "family"),
    [
        ("mpirun (Open MPI) 5.0.11", "openmpi"),
        ("prterun (PRRTE) 3.0", "openmpi"),
        ("HYDRA build details:\n    Version: 4.0", "mpich"),
        ("Intel(R) MPI Library for Linux* OS, Version 2021.11", "mpich"),
        ("something else", None),
    ],
)
def test_family_of_the_launcher(tmp_path: Path, version: str, family: str | None) -> None:
    start = launcher(tmp_path / "bin", ALL_WELL, version=version)
    assert eco("measure", "--", "env", "A=1", start.path).returncode == 0
    assert start.options == (["--mpi", family] if family else []) + ["measure"]


def test_library_of_the_launcher(tmp_path: Path) -> None:
    start = launcher(tmp_path / "bin", ALL_WELL)
    library = tmp_path / "lib" / "libmpi.so.12"
    library.parent.mkdir()
    library.touch()
    assert eco("measure", "--mpi", "mpich", "--", start.path).returncode == 0
    assert start.options == ["--mpi", "mpich", "measure", "--libmpi", str(library)]


def test_another_library_is_not_taken(tmp_path: Path) -> None:
    start = launcher(tmp_path / "bin", ALL_WELL)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libmpi.so.12").touch()
    assert eco("measure", "--mpi", "abi", "--", start.path).returncode == 0
    assert start.options == ["--mpi", "abi", "measure"]
    eco("measure", "--mpi", "openmpi", "--", start.path, ECO_LIBMPI="/opt/libmpi.so.40")
    assert start.options == ["--mpi", "openmpi", "measure", "--libmpi", "/opt/libmpi.so.40"]


def test_the_lab_knows_its_own_mpi(tmp_path: Path, store: Path) -> None:
    start = launcher(tmp_path / "bin", ALL_WELL, name="eco", version="Open MPI")
    out = tmp_path / "net.json"
    assert eco("measure", "-o", out, "--", start.path, "lab", "run", "net").returncode == 0
    assert start.called()["words"][:4] == ["lab", "run", "net", "--"]
    assert start.options == ["measure"]
    assert not store.exists(), "emulated hosts share their names: not for eco exec to find"


def test_known_hosts_are_handed_over(tmp_path: Path) -> None:
    out = tmp_path / "net.json"
    start = launcher(tmp_path / "bin", ALL_WELL)
    eco("measure", "-o", out, "--", start.path)
    before = out.read_text()
    result = eco("measure", "-o", out, "--", start.path)
    assert start.options == ["measure", "--profile", "-"]
    assert json.loads(start.called()["stdin"]) == document()
    assert "contains these hosts already" in result.stdout
    assert out.read_text() == before
    eco("measure", "-o", out, "--again", "--", start.path)
    assert start.options == ["measure"]


def test_json(tmp_path: Path) -> None:
    start = launcher(tmp_path / "bin", ALL_WELL)
    result = eco("measure", "--json", "--", start.path)
    assert result.stderr == ""
    summary = json.loads(result.stdout)
    assert [subnet["hosts"] for subnet in summary["subnets"]] == [
        ["n0", "n1", "n2"],
        ["n3", "n4", "n5"],
        ["n6", "n7"],
    ]
    assert summary["measured"] is True
    assert len(summary["files"]) == 1


def test_never_over_what_is_no_profile(tmp_path: Path) -> None:
    start = launcher(tmp_path / "bin", ALL_WELL)
    out = tmp_path / "thesis.tex"
    out.write_text("years of work")
    result = eco("measure", "-o", out, "--", start.path)
    assert result.returncode == 2
    assert "is not an ECO profile; name another file" in complaint(result)
    assert out.read_text() == "years of work"
    out.write_text(json.dumps(document())[:300])
    result = eco("measure", "-o", out, "--", start.path)
    assert result.returncode == 0
    assert "not a complete JSON document; it is replaced" in result.stderr
    assert json.loads(out.read_text()) == document()


FAILURES: list[tuple[dict[str, Any], str, int]] = [
    (
        {"events": [], "code": 1, "error": "-----\nnot enough slots\n-----\n"},
        "failed with exit code 1: not enough slots",
        4,
    ),
    ({"events": [], "code": 0}, "failed with no result, as if its ranks had not run", 4),
    (
        {"events": [progress(0.2)], "code": 77, "error": "eco: rank 3 is lost\nmpirun: bye\n"},
        "failed with exit code 77: rank 3 is lost",
        4,
    ),
    (
        {"events": [{"event": "error", "message": "only one host", "code": 3}], "code": 3},
        "only one host",
        3,
    ),
    (
        {"events": [{"event": "error", "message": "odd", "code": 99}], "code": 1},
        "odd",
        4,
    ),
    ({"events": [DONE]}, "the probe ended without a profile", 4),
    ({"events": coded(PROFILE)[:40]}, "was damaged on its way", 4),
    (
        {"events": [{"event": "profile", "profile": {"eco_profile": 7}}, DONE]},
        "the probe's profile: is of profile version 7",
        3,
    ),
    ({"events": [{"event": "profile"}, DONE]}, "reported an invalid profile", 4),
]


@pytest.mark.parametrize(("how", "why", "code"), FAILURES, ids=[why for _, why, _ in FAILURES])
def test_failures(tmp_path: Path, store: Path, how: dict[str, Any], why: str, code: int) -> None:
    start = launcher(tmp_path / "bin", **how)
    out = tmp_path / "net.json"
    result = eco("measure", "-o", out, "--", start.path)
    assert result.returncode == code
    assert why in complaint(result)
    assert not out.exists()
    assert not store.exists()


def test_lines_of_the_launcher_pass(tmp_path: Path) -> None:
    lines = "[n0] hello\n[1,0]<stdout>:" + coded(PROFILE, DONE)
    start = launcher(tmp_path / "bin", lines, error="warning: slow\n")
    result = eco("measure", "--json", "--", start.path)
    assert result.returncode == 0
    assert set(result.stderr.splitlines()) == {"[n0] hello", "warning: slow"}
    json.loads(result.stdout)


@pytest.mark.parametrize(
    ("words", "why", "code"),
    [
        ([], "the MPI launcher is missing", 2),
        (["--"], "the MPI launcher is missing", 2),
        (["--", "no-such-mpirun", "-n", "8"], "no launcher 'no-such-mpirun' here or on PATH", 4),
        (["--mpi", "lam", "--", "true"], "--mpi must be openmpi, mpich or abi, not 'lam'", 2),
        (["--sizes", "1,x", "--", "true"], "--sizes '1,x': must be message sizes", 2),
        (["--sizes", "0", "--", "true"], "--sizes '0': must be message sizes", 2),
        (["--repeats", "0", "--", "true"], "--repeats 0: must be above 0", 2),
        (["--tolerance", "nan", "--", "true"], "--tolerance nan: must be between 0", 2),
        (["--tolerance", "much", "--", "true"], "invalid value for '--tolerance'", 2),
        (["-o", "/no/such/folder/x", "--", "true"], "there is no folder /no/such/folder", 2),
        (["-o", "/", "--", "true"], "/ is a folder", 2),
        (["--budget", "0", "--", "true"], "--budget 0: must be a time in seconds, from 1", 2),
        (["--budget", "-3", "--", "true"], "--budget -3: must be a time in seconds", 2),
        (["--budget", "0.2", "--", "true"], "from 1 to less than a day", 2),
        (["--budget", "86400", "--", "true"], "less than a day (86400)", 2),
        (["--budget", "nan", "--", "true"], "--budget nan: must be a time in seconds", 2),
        (["--round-trip", "3", "--", "true"], "no such option: --round-trip", 2),
    ],
)
def test_usage(words: list[str], why: str, code: int) -> None:
    result = eco("measure", *words)
    assert result.returncode == code
    assert why in complaint(result)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_ended_from_outside(tmp_path: Path, number: signal.Signals) -> None:
    start = launcher(tmp_path / "bin", [progress(0.1)], pause=30)
    out = tmp_path / "net.json"
    assert measure_ended_by(number, start, out).returncode == 128 + number
    assert not out.exists()
    assert _gone(start.called()["pid"])


def _gone(process: int) -> bool:
    for _ in range(50):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def test_tune(tmp_path: Path, store: Path) -> None:
    out = tmp_path / "net.json"
    eco("measure", "-o", out, "--", launcher(tmp_path / "bin", ALL_WELL).path)
    after = document() | {"tuning": [tuned(), tuned("gather", 16, "native")]}
    start = launcher(tmp_path / "tune", [{"event": "profile", "profile": after}, DONE])
    options = ["--operations", "bcast,gather", "--sizes", "16"]
    result = eco("tune", out, *options, "--per-cell", "5", "--", start.path)
    assert result.returncode == 0, result.stderr
    assert start.options == ["tune", "--profile", "-", *options, "--budget", "5"]
    assert json.loads(start.called()["stdin"]) == document()
    assert json.loads(out.read_text()) == after
    assert [json.loads(path.read_text()) for path in store.iterdir()] == [after]
    assert "2 choices, 1 of them ECO's; native over ECO, geometric mean: 1.22" in result.stdout
    again = json.loads(eco("tune", out, "--json", "--", start.path).stdout)
    assert again["changed"] == 0
    assert len(again["tuning"]) == 2
    eco("tune", out, "--form", "nonblocking", "--", start.path)
    assert start.options == ["tune", "--profile", "-", "--form", "nonblocking"]


def test_tune_in_a_time_for_everything(tmp_path: Path) -> None:
    out = tmp_path / "net.json"
    out.write_text(json.dumps(document()))
    sure = tuned() | {"predicted": True}
    after = document() | {"tuning": [sure]}
    chosen = {"event": "chosen", "timed": 0, "predicted": 1, "open": 0}
    start = launcher(tmp_path / "tune", [chosen, {"event": "profile", "profile": after}, DONE])
    for word in ("--budget", "--within"):
        result = eco("tune", out, word, "30", "--", start.path)
        assert result.returncode == 0, result.stderr
        assert start.options == ["tune", "--profile", "-", "--within", "30"]
        assert "0 choices timed against the library, 1 certain by prediction\n" in result.stdout
        assert json.loads(out.read_text()) == after
    eco("tune", out, "--per-cell", "0.5", "--", start.path)
    assert start.options == ["tune", "--profile", "-", "--budget", "0.5"]
    for words, why in (
        (["--budget", "30", "--per-cell", "2"], "--per-cell and --budget exclude each other"),
        (["--per-cell", "0"], "--per-cell 0: must be between 0"),
        (["--budget", "0"], "--budget 0: must be a time in seconds"),
        (["--budget", "30", "--form", "nonblocking"], "--form nonblocking and --budget exclude"),
    ):
        result = eco("tune", out, *words, "--", start.path)
        assert result.returncode == 2
        assert why in complaint(result)


def test_tune_leaves_the_profile_when_it_fails(tmp_path: Path) -> None:
    out = tmp_path / "net.json"
    out.write_text(json.dumps(document()))
    others = document([0, 0])
    for events, code in (
        ([progress(0.5)], 1),
        ([{"event": "profile", "profile": others}, DONE], 0),
    ):
        start = launcher(tmp_path / "tune", events, code=code)
        assert eco("tune", out, "--", start.path).returncode == 4
        assert json.loads(out.read_text()) == document()
    result = eco("tune", out, "--operations", "bcst", "--", start.path)
    assert result.returncode == 2
    assert "'bcst' is an unknown collective; choose from bcast, barrier" in complaint(result)
    assert eco("tune", tmp_path / "absent", "--", start.path).returncode == 3


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["measure", "-o", "x.json"], "eco measure -o x.json -- mpirun -n 2"),
        (["tune", "net.json"], "eco tune net.json -- mpirun -n 2"),
        (["bench", "--json"], "eco bench --json -- mpirun -n 2"),
        (["doctor"], "eco doctor -- mpirun -n 2"),
    ],
)
def test_a_launcher_without_dashes(words: list[str], line: str) -> None:
    """What is no option of ECO's is the launcher's."""
    result = eco(*words, "mpirun", "-n", "2")
    assert result.returncode == 2
    said = complaint(result)
    assert "no such option: -n" in said and f"come after --: {line}; see eco " in said
    assert "--" not in complaint(eco(*words, "-n", "2")).partition("; see")[0]


def test_a_program_of_the_lab_without_dashes() -> None:
    said = complaint(eco("lab", "run", "three-segments", "/bin/true", "--atoms", "4"))
    assert "after --: eco lab run three-segments -- /bin/true --atoms 4; see eco lab run" in said


def test_a_program_where_none_is_wanted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    start = launcher(tmp_path / "bin", [PROFILE, DONE])
    mpicc = PROJECT / ".deps" / "mpich" / "bin" / "mpicc"
    (tmp_path / "md.c").write_text("#include <mpi.h>\nint main() { return MPI_Finalize(); }\n")
    subprocess.run([mpicc, tmp_path / "md.c", "-o", tmp_path / "md"], check=True)
    for verb in (["measure"], ["doctor"], ["bench"]):
        result = eco(*verb, "--", start.path, "-n", "2", tmp_path / "md", "--atoms", "5")
        assert result.returncode == 2
        assert f"{tmp_path}/md is an MPI program, but ECO starts" in complaint(result)
        assert complaint(result).endswith(f"as in -- {start.path} -n 2")
    assert not (tmp_path / "bin" / "called.json").exists()
    # Of another file it is not known whether it starts what follows, as numactl does.
    wrapper = tmp_path / "wrapper"
    wrapper.write_text("#!/bin/sh\n")
    wrapper.chmod(0o755)
    assert eco("measure", "--", start.path, "-n", "2", wrapper).returncode == 0
    usage = "usage: wrapper FILE\n" + "-" * 70 + "\nprterun detected that one or more processes "
    usage += "exited with non-zero status,\nthus causing the job to be terminated.\n\n"
    usage += "   Process name: [prterun-n0-1@1,0]\n   Exit code:    2\n" + "-" * 70 + "\n"
    failing = launcher(tmp_path / "bad", [], code=2, error=usage)
    said = complaint(eco("measure", "--", failing.path, "-n", "2", wrapper))
    assert "failed with exit code 2: usage: wrapper FILE; ECO starts a program of its own" in said
    assert f"if {wrapper} is yours" in said
    assert "ECO starts" not in complaint(eco("measure", "--", failing.path, "-n", "2"))
