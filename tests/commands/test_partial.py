# SPDX-License-Identifier: BSD-3-Clause
"""`eco measure` that is cut short: what is kept, what the next run takes up, what it ignores."""

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from coded_lines import coded
from commands_harness import (
    DONE,
    complaint,
    document,
    eco,
    launcher,
    measure_ended_by,
    progress,
    tuned,
)
from eco.launcher import understand

pytestmark = pytest.mark.usefixtures("store")
PROFILE = {"event": "profile", "profile": document()}
HEAD = {
    "eco_partial": 1,
    "mpi": "openmpi Open MPI v5",
    "hosts": ["n0", "n1", "n2"],
    "sizes": [1, 1024],
    "partition_bytes": 1024,
    "tolerance": 0.2,
}


def kept(*pairs: list[Any]) -> dict[str, Any]:
    return {"event": "kept", **HEAD, "pairs": list(pairs)}


# The second event says more of the first's pair 0, 1 and adds others.
FIRST = kept([0, 1, 1e-3, 2e-3, 5, 1], [])
SECOND = kept([0, 2, 3e-3, 3e-3, 1, 1], [0, 1, 4e-3, 5e-3, 5, 1])
AGAIN = kept([0, 1, 9e-4, 2e-3, 10, 2], [])
PARTIAL = {
    **HEAD,
    "pairs": [
        [0, 1, 9e-4, 2e-3, 10, 2, 0, 2, 3e-3, 3e-3, 1, 1],
        [0, 1, 4e-3, 5e-3, 5, 1],
    ],
}
CUT_SHORT = [FIRST, SECOND, AGAIN]


def test_a_failed_run_keeps_what_it_timed(tmp_path: Path) -> None:
    out, partial = tmp_path / "net.json", tmp_path / "net.json.partial"
    failing = launcher(tmp_path / "bin", CUT_SHORT, code=9, error="eco: rank 2 is lost\n")
    result = eco("measure", "-o", out, "--", failing.path)
    assert result.returncode == 4
    lines = result.stderr.splitlines()
    assert lines[-2].endswith("failed with exit code 9: rank 2 is lost")
    assert lines[-1] == (
        f"eco: the times of 2 pairs of hosts are kept in {partial}; the same command continues "
        "from there, also without a host that failed"
    )
    assert json.loads(partial.read_text()) == PARTIAL
    assert not out.exists()

    going_on = {"event": "continuing", "timed": 2, "pairs": 28}
    start = launcher(tmp_path / "again", [going_on, progress(0.5), PROFILE, DONE])
    result = eco("measure", "-o", out, "--", start.path)
    assert result.returncode == 0, result.stderr
    assert start.options == ["measure", "--partial", "-"]
    assert json.loads(start.called()["stdin"]) == PARTIAL
    # One line, and the empty one that ends the input.
    assert start.called()["stdin"].split("\n")[1:] == ["", ""]
    assert "continuing: 2 of 28 pairs were timed before" in result.stderr
    assert json.loads(out.read_text()) == document()
    assert not partial.exists()


NETWORK = {"event": "network", "profile": document()}


def test_a_run_that_fails_while_it_chooses_keeps_the_network(tmp_path: Path, store: Path) -> None:
    out, partial = tmp_path / "net.json", tmp_path / "net.json.partial"
    failing = launcher(
        tmp_path / "bin", [*CUT_SHORT, NETWORK], code=9, error="eco: rank 2 is lost\n"
    )
    result = eco("measure", "-o", out, "--", failing.path)
    assert result.returncode == 4
    failed, kept_in = result.stderr.splitlines()[-2:]
    assert failed.endswith("failed with exit code 9: rank 2 is lost")
    assert kept_in == (
        f"eco: the network was measured and is in {out}, without choices; eco tune {out} --budget "
        f"60 -- LAUNCHER makes them; if a host has failed, remove {out}: then the same command "
        f"continues from {partial} without it"
    )
    assert json.loads(out.read_text()) == document()
    assert json.loads(partial.read_text()) == PARTIAL
    # The same command: nothing is measured again, the choices are made.
    after = document() | {"tuning": [tuned()]}
    chosen = {"event": "chosen", "timed": 1, "predicted": 0, "open": 0, "network": 1.0}
    start = launcher(tmp_path / "again", [chosen, {"event": "profile", "profile": after}, DONE])
    result = eco("measure", "-o", out, "--", start.path)
    assert result.returncode == 0, result.stderr
    assert start.options == ["measure", "--profile", "-", "--partial", "-"]
    assert json.loads(start.called()["stdin"].partition("\n")[2]) == document()
    assert "1 choices timed against the library" in result.stdout
    assert json.loads(out.read_text()) == after
    assert not partial.exists()
    # What has choices is not replaced by what has none.
    result = eco("measure", "-o", out, "--again", "--", failing.path)
    assert result.returncode == 4
    assert f"eco: {out} stays as it was" in result.stderr
    assert json.loads(out.read_text()) == after
    assert json.loads(partial.read_text()) == PARTIAL


def test_the_network_without_a_file_is_in_the_store(tmp_path: Path, store: Path) -> None:
    failing = launcher(tmp_path / "bin", [NETWORK], code=9)
    result = eco("measure", "--", failing.path)
    assert result.returncode == 4
    (kept_in,) = store.iterdir()
    assert json.loads(kept_in.read_text()) == document()
    assert complaint(result) == (
        f"eco: the network was measured and is in {kept_in}, without choices; eco tune {kept_in} "
        "--budget 60 -- LAUNCHER makes them"
    )
    # The same command reads no profile: there is nothing to remove.
    kept_in.unlink()
    failing = launcher(tmp_path / "bin", [*CUT_SHORT, NETWORK], code=9)
    last = complaint(eco("measure", "--", failing.path))
    (partial,) = store.glob("measuring-*.partial")
    assert last.endswith(
        f"makes them; if a host has failed, the same command continues from {partial} without it"
    )


@pytest.mark.parametrize("with_file", [True, False])
def test_a_host_that_dies_when_all_is_done_takes_nothing_with_it(
    tmp_path: Path, store: Path, with_file: bool
) -> None:
    done = {"event": "profile", "profile": document() | {"tuning": [tuned()]}}
    failing = launcher(tmp_path / "bin", [*CUT_SHORT, NETWORK, done], code=9, error="eco: lost\n")
    out = tmp_path / "net.json"
    result = eco("measure", *(["-o", out] if with_file else []), "--", failing.path)
    assert result.returncode == 4
    path = out if with_file else next(store.glob("*.json"))
    failed, kept_in = result.stderr.splitlines()[-2:]
    assert failed.endswith("failed with exit code 9: lost")
    assert kept_in == f"eco: all was measured before that, and is in {path}"
    assert json.loads(path.read_text()) == done["profile"]
    assert not list(path.parent.glob("*.partial"))


def test_predictions_are_not_replaced_by_a_network_without_choices(tmp_path: Path) -> None:
    out = tmp_path / "net.json"
    predicted = document() | {"tuning": [tuned() | {"mpi": "any", "predicted": True}]}
    out.write_text(json.dumps(predicted))
    failing = launcher(tmp_path / "bin", [NETWORK], code=9)
    for more in ([], ["--again"]):
        result = eco("measure", "-o", out, *more, "--", failing.path)
        assert result.returncode == 4
        assert complaint(result) == f"eco: {out} stays as it was"
        assert json.loads(out.read_text()) == predicted


def test_beside_a_profile(tmp_path: Path) -> None:
    """New hosts are added to known ones: a line, then the profile."""
    out, partial = tmp_path / "net.json", tmp_path / "net.json.partial"
    out.write_text(json.dumps(document()))
    partial.write_text(json.dumps(PARTIAL))
    start = launcher(tmp_path / "bin", [PROFILE, DONE])
    assert eco("measure", "-o", out, "--", start.path).returncode == 0
    assert start.options == ["measure", "--profile", "-", "--partial", "-"]
    first, _, rest = start.called()["stdin"].partition("\n")
    assert (json.loads(first), json.loads(rest)) == (PARTIAL, document())


def test_a_run_that_ends_before_anything_leaves_the_file(tmp_path: Path) -> None:
    out, partial = tmp_path / "net.json", tmp_path / "net.json.partial"
    partial.write_text(json.dumps(PARTIAL))
    result = eco("measure", "-o", out, "--", launcher(tmp_path / "bin", [], code=1).path)
    assert result.returncode == 4
    assert "are kept" not in result.stderr
    assert json.loads(partial.read_text()) == PARTIAL


def test_again_removes_it(tmp_path: Path) -> None:
    out, partial = tmp_path / "net.json", tmp_path / "net.json.partial"
    partial.write_text(json.dumps(PARTIAL))
    start = launcher(tmp_path / "bin", [], code=1)
    eco("measure", "--again", "-o", out, "--", start.path)
    assert start.options == ["measure"]
    assert not partial.exists()


@pytest.mark.parametrize(
    "text",
    [json.dumps(PARTIAL)[:40], "", "{}", "[1]", "7", '{"eco_partial": 2}', "[" * 100_000, "\udcff"],
)
def test_what_is_no_partial_measurement_is_left_as_it_is(tmp_path: Path, text: str) -> None:
    out, partial = tmp_path / "net.json", tmp_path / "net.json.partial"
    partial.write_bytes(text.encode("utf-8", "surrogateescape"))
    start = launcher(tmp_path / "bin", [PROFILE, DONE])
    result = eco("measure", "-o", out, "--", start.path)
    assert result.returncode == 0
    assert complaint(result) == (
        f"eco: {partial} is not a partial measurement: it is left as it is, and nothing is kept "
        "if this measurement fails"
    )
    assert start.options == ["measure"]
    failing = launcher(tmp_path / "again", CUT_SHORT, code=9)
    assert eco("measure", "--again", "-o", out, "--", failing.path).returncode == 4
    assert partial.read_bytes() == text.encode("utf-8", "surrogateescape")


def test_what_the_probe_does_not_take_up(tmp_path: Path) -> None:
    out, partial = tmp_path / "net.json", tmp_path / "net.json.partial"
    partial.write_text(json.dumps(PARTIAL))
    why = "the partial measurement: is of other message sizes; measure again with 'eco measure'"
    events = [{"event": "not_continued", "why": why}, PROFILE, DONE]
    result = eco("measure", "-o", out, "--", launcher(tmp_path / "bin", events).path)
    assert result.returncode == 0
    assert complaint(result) == (
        f"eco: {partial}: the partial measurement: is of other message sizes; all is measured again"
    )
    assert not partial.exists()


def test_two_failed_runs_keep_what_both_timed(tmp_path: Path) -> None:
    """The second without a host of the first, and with a new one."""
    out, partial = tmp_path / "net.json", tmp_path / "net.json.partial"
    partial.write_text(json.dumps(PARTIAL))
    head = HEAD | {"hosts": ["n0", "n3", "n2"]}
    event = {"event": "kept", **head, "pairs": [[0, 2, 7e-3, 7e-3, 1, 1], [0, 1, 8e-3, 8e-3, 1, 1]]}
    failing = launcher(tmp_path / "bin", [event], code=9)
    result = eco("measure", "-o", out, "--", failing.path)
    assert "the times of 3 pairs of hosts are kept" in result.stderr
    kept_now = json.loads(partial.read_text())
    assert kept_now["hosts"] == ["n0", "n3", "n2", "n1"]
    assert kept_now["pairs"] == [
        [0, 3, 9e-4, 2e-3, 10, 2, 0, 2, 7e-3, 7e-3, 1, 1],
        [0, 3, 4e-3, 5e-3, 5, 1, 0, 1, 8e-3, 8e-3, 1, 1],
    ]


def test_a_run_of_another_kind_does_not_overwrite_more(tmp_path: Path) -> None:
    out, partial = tmp_path / "net.json", tmp_path / "net.json.partial"
    partial.write_text(json.dumps(PARTIAL))
    event = {"event": "kept", **HEAD, "tolerance": 0.5, "pairs": [[0, 1, 1.0, 1.0, 1, 1], []]}
    failing = launcher(tmp_path / "bin", [event], code=9)
    assert eco("measure", "-o", out, "--", failing.path).returncode == 4
    assert json.loads(partial.read_text()) == PARTIAL


def test_hosts_that_were_not_measured_stay_kept(tmp_path: Path) -> None:
    out, partial = tmp_path / "net.json", tmp_path / "net.json.partial"
    partial.write_text(json.dumps(PARTIAL | {"hosts": ["n0", "n1", "elsewhere"]}))
    start = launcher(tmp_path / "bin", [PROFILE, DONE])
    assert eco("measure", "-o", out, "--", start.path).returncode == 0
    assert partial.exists()


def test_an_old_one_is_not_taken_up(tmp_path: Path) -> None:
    out, partial = tmp_path / "net.json", tmp_path / "net.json.partial"
    partial.write_text(json.dumps(PARTIAL))
    os.utime(partial, (0, 0))
    start = launcher(tmp_path / "bin", [PROFILE, DONE])
    result = eco("measure", "-o", out, "--", start.path)
    assert complaint(result) == f"eco: {partial} is more than a day old; all is measured again"
    assert start.options == ["measure"]


def test_without_a_file_it_is_in_the_store(tmp_path: Path, store: Path) -> None:
    failing = launcher(tmp_path / "bin", CUT_SHORT, code=9)
    assert eco("measure", "--", failing.path).returncode == 4
    (partial,) = store.glob("measuring-*.partial")
    assert json.loads(partial.read_text()) == PARTIAL
    other = launcher(tmp_path / "other", [PROFILE, DONE])
    assert eco("measure", "--", other.path).returncode == 0
    assert other.options == ["measure"]
    assert partial.exists()
    start = launcher(tmp_path / "bin", [PROFILE, DONE])
    assert eco("measure", "--", start.path).returncode == 0
    assert start.options == ["measure", "--partial", "-"]
    assert [path.suffix for path in store.iterdir()] == [".json"]


def test_emulated_hosts_are_kept_beside_a_file_only(
    tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Launched by `eco lab run`, or in the lab's shell."""
    there = launcher(tmp_path / "bin", [PROFILE, DONE], name="eco")
    inside = launcher(tmp_path / "shell", [PROFILE, DONE])
    for words in ((there.path, "lab", "run", "net"), (inside.path, "-n", "2")):
        result = eco("measure", "--", *words)
        assert (result.returncode, "name a file" in complaint(result)) == (2, True)
        out = tmp_path / "net.json"
        assert eco("measure", "-o", out, "--again", "--", *words).returncode == 0
        assert not store.exists()
        monkeypatch.setenv("ECO_LAB_HOSTFILE", "/run/eco-lab/hosts-of-ranks")


def test_a_full_disk_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "full")

    monkeypatch.setattr("eco.store.os.fsync", full)
    failing = launcher(tmp_path / "bin", CUT_SHORT, code=9)
    result = eco("measure", "-o", tmp_path / "net.json", "--", failing.path)
    assert result.returncode == 4
    assert "what was measured is lost: " in complaint(result)
    assert "cannot be written: full" in complaint(result)


def left_behind(folder: Path, events: list[Any]) -> Path:
    """A launcher that ends, while what it started still has its output open."""
    inner = launcher(folder, events, code=3)
    path = folder / "start"
    path.write_text(
        f'#!/bin/sh\nsleep 600 &\necho $! >{folder}/pid\n{inner.path} "$@"\ncode=$?\n'
        "printf 'all of it'\nprintf 'eco: no way to n1' >&2\nexit $code\n"
    )
    path.chmod(0o755)
    return path


def test_the_launcher_ends_but_not_its_output(tmp_path: Path) -> None:
    out, partial = tmp_path / "net.json", tmp_path / "net.json.partial"
    start = left_behind(tmp_path / "bin", CUT_SHORT)
    began = time.monotonic()
    result = eco("measure", "-o", out, "--", start)
    took = time.monotonic() - began
    os.kill(int((tmp_path / "bin" / "pid").read_text()), signal.SIGKILL)
    assert took < 60, "the process that has its output lives for ten minutes"
    assert result.returncode == 4
    assert "start failed with exit code 3: no way to n1\n" in result.stderr
    assert "all of it" in result.stderr  # though its line has no end
    assert json.loads(partial.read_text()) == PARTIAL


def test_what_says_its_version_and_leaves_a_process_behind(tmp_path: Path) -> None:
    """Its output is not waited for: that process has it."""
    start = tmp_path / "mpirun"
    start.write_text(
        f"#!/bin/sh\nsleep 600 &\necho $! >{tmp_path}/pid\necho 'mpirun (Open MPI) 5.0.11'\n"
    )
    start.chmod(0o755)
    found = understand([str(start)], None)
    behind = int((tmp_path / "pid").read_text())
    os.kill(behind, 0)  # it lives
    os.kill(behind, signal.SIGKILL)
    assert found.family == "openmpi"


def test_long_lines_and_other_ends_of_lines(tmp_path: Path) -> None:
    """Not as the pipe cuts them."""
    text = f"ä{'ü' * 200_000}\r\n10 %\r20 %\n\n" + coded(PROFILE, DONE).replace("\n", "\r\n")
    inner = launcher(tmp_path / "bin", [])
    (tmp_path / "bin" / "text").write_bytes(text.encode() + b"\xff")
    inner.path.write_text(f"#!/bin/sh\nexec cat {tmp_path}/bin/text\n")
    result = eco("measure", "--", inner.path)
    assert result.returncode == 0, result.stderr
    lines = result.stderr.splitlines()
    assert lines == [f"ä{'ü' * 200_000}", "10 %", "20 %", "\ufffd"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ended_from_outside(tmp_path: Path, number: signal.Signals) -> None:
    start = launcher(tmp_path / "bin", [*CUT_SHORT, progress(0.1)], pause=30)
    out, partial = tmp_path / "net.json", tmp_path / "net.json.partial"
    result = measure_ended_by(number, start, out)
    assert result.returncode == 128 + number
    assert b"are kept in" in result.stderr
    assert json.loads(partial.read_text()) == PARTIAL
