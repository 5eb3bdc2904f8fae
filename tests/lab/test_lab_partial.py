# SPDX-License-Identifier: BSD-3-Clause
"""A host dies while it is measured: what was timed is kept, and the next run goes on from there."""

import json
import os
import re
import shlex
import signal
import subprocess
import time
import uuid
from pathlib import Path

import pytest
from eco.lab.profile import own_command
from eco.line_code import Event, EventReader
from lab_harness import needs_lab

pytestmark = needs_lab


def command(out: Path, mpi: str, *options: str) -> list[str]:
    lab = [*own_command(), "lab", "run", "three-segments", "--native", "--mpi", mpi, *options, "--"]
    return [*own_command(), "measure", "--no-tune", "--repeats", "8", "-o", str(out), "--", *lab]


def events_of(text: str) -> list[Event]:
    """Of all lines that have an end."""
    reader = EventReader()
    lines = text.split("\n")[:-1]
    return [event for line in lines for event in reader.take(line) or []]


def kill_rank(rank: int, marker: str) -> None:
    """A probe's process, as the host's failing would end it."""
    variables = [f"{name}={rank}".encode() for name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK")]
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            found = path.read_bytes().split(b"\0")
            words = (path.parent / "cmdline").read_bytes()
        except OSError:
            continue
        ours = marker.encode() in found and any(variable in found for variable in variables)
        if ours and b"/eco-probe-" in words:
            os.kill(int(path.parent.name), signal.SIGKILL)
            return
    pytest.fail("no such rank")


@pytest.mark.parametrize(
    ("mpi", "options"),
    [
        pytest.param("openmpi", (), marks=pytest.mark.long),
        ("mpich", ("--hosts", "6")),
    ],
)
def test_goes_on_after_a_host_died(tmp_path: Path, mpi: str, options: tuple[str, ...]) -> None:
    out, partial = tmp_path / "net.json", tmp_path / "net.json.partial"
    marker = f"ECO_TEST_MARK={uuid.uuid4()}"
    name, value = marker.split("=")
    with subprocess.Popen(
        command(out, mpi),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, name: value},
    ) as first:
        assert first.stderr
        for line in first.stderr:
            if re.match(r"measuring: +[1-9]\d%", line):
                break
        kill_rank(7, marker)
        rest = first.stderr.read()
    assert first.returncode == 4, rest
    assert "are kept in" in rest
    assert not out.exists()
    kept = json.loads(partial.read_text())
    assert len(kept["hosts"]) == 8

    second = subprocess.run(
        command(out, mpi, *options),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert second.returncode == 0, second.stderr
    hosts = json.loads(out.read_text())["hosts"]
    pairs = len(hosts) * (len(hosts) - 1) // 2
    known = {
        tuple(figures[start : start + 2])
        for figures in kept["pairs"]
        for start in range(0, len(figures), 6)
        if {kept["hosts"][host] for host in figures[start : start + 2]} <= set(hosts)
    }
    assert known
    assert len(hosts) == (int(options[1]) if options else 8)
    assert f"continuing: {len(known)} of {pairs} pairs were timed before" in second.stderr
    # Times of a host that is not there now are kept for when it comes back.
    assert partial.exists() == bool(options)


@pytest.mark.long
def test_the_network_outlives_a_host_that_dies_while_choices_are_timed(tmp_path: Path) -> None:
    out = tmp_path / "net.json"
    lab = [*own_command(), "lab", "run", "three-segments", "--native", "--scale", "100"]
    lab += ["--mpi", "openmpi", "--"]
    marker = f"ECO_TEST_MARK={uuid.uuid4()}"
    name, value = marker.split("=")
    seen = tmp_path / "events"
    launcher = tmp_path / "launcher"
    # What the probe says passes through, and is seen here too.
    passed_on = f'{shlex.join(lab)} "$@" | tee {shlex.quote(str(seen))}'
    launcher.write_text(f"#!/bin/bash\n{passed_on}\nexit ${{PIPESTATUS[0]}}\n")
    launcher.chmod(0o755)
    with subprocess.Popen(
        [*own_command(), "measure", "--mpi", "openmpi", "-o", str(out), "--", str(launcher)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, name: value, "XDG_DATA_HOME": str(tmp_path)},
    ) as first:
        assert first.stderr
        while first.poll() is None and not (
            seen.exists()
            and any(
                str(event.get("what")).startswith(("timing ", "comparing "))
                for event in events_of(seen.read_text())
            )
        ):
            time.sleep(0.05)
        kill_rank(7, marker)
        rest = first.stderr.read()
    assert first.returncode == 4, rest
    assert f"the network was measured and is in {out}, without choices" in rest
    network = json.loads(out.read_text())
    assert network["model"] and not network["tuning"]

    command = [*own_command(), "measure", "--budget", "10", "--json", "-o", str(out), "--", *lab]
    second = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert second.returncode == 0, second.stderr
    summary = json.loads(second.stdout)
    assert summary["measured"] is False
    assert summary["chosen"]["timed"] > 0
    after = json.loads(out.read_text())
    assert after["minimum"] == network["minimum"]
    assert any(not entry["predicted"] for entry in after["tuning"])
