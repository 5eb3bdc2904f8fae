# SPDX-License-Identifier: BSD-3-Clause
"""What the tests here share: a launcher that prints prepared lines, small profiles, the command."""

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from coded_lines import coded

from eco import cli

PROJECT = Path(__file__).resolve().parents[2]
ECO = PROJECT / "build" / "release" / "bin" / "eco"

# Stands for the launcher only: what the probe would report comes from the file beside it.
_LAUNCHER = """#!{python} -IS
import json, os, sys, time
from pathlib import Path
here = Path(__file__).parent
if sys.argv[1:] == ["--version"]:
    print({version!r})
    sys.exit(0)
here.joinpath("called.json").write_text(json.dumps(
    {{"words": sys.argv[1:], "stdin": sys.stdin.read(), "pid": os.getpid()}}))
print({error!r}, file=sys.stderr, end="", flush=True)
for line in here.joinpath("lines").read_text().splitlines():
    print(line, flush=True)
time.sleep({pause})
sys.exit({code})
"""


@dataclass(frozen=True)
class Launcher:
    """A launcher that was prepared, and how it was called."""

    path: Path

    def called(self) -> dict[str, Any]:
        found = json.loads((self.path.parent / "called.json").read_text())
        assert isinstance(found, dict)
        return found

    @property
    def options(self) -> list[str]:
        """The words after `eco probe`, but for when it was launched."""
        words = list(self.called()["words"])
        given = words[words.index("probe") + 1 :]
        assert given[-2] == "--launched" and 0 <= time.time() - float(given[-1]) < 600
        return given[:-2]


def launcher(
    folder: Path,
    events: list[dict[str, Any]] | str,
    *,
    code: int = 0,
    error: str = "",
    version: str = "",
    pause: float = 0,
    name: str = "mpirun",
) -> Launcher:
    folder.mkdir(parents=True, exist_ok=True)
    if isinstance(events, list):
        events = coded(*events)
    (folder / "lines").write_text(events)
    path = folder / name
    path.write_text(
        _LAUNCHER.format(
            python=sys.executable, version=version, error=error, pause=pause, code=code
        )
    )
    path.chmod(0o755)
    return Launcher(path)


@dataclass(frozen=True)
class Outcome:
    """What a user would have seen."""

    returncode: int
    stdout: str
    stderr: str


def eco(*words: str | Path | int, **variables: str) -> Outcome:
    """The command, as a user gives it, without the second that starting Python takes."""
    out, error = io.StringIO(), io.StringIO()
    with (
        mock.patch.dict(os.environ, {"COLUMNS": "100", "ECO_BIN": str(ECO), **variables}),
        mock.patch.object(sys, "argv", ["eco", *map(str, words)]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(error),
    ):
        code = cli.main()
    return Outcome(code, out.getvalue(), error.getvalue())


def complaint(result: Outcome) -> str:
    """The one sentence; fails if there is a traceback or none."""
    assert "Traceback" not in result.stderr, result.stderr
    found = [line for line in result.stderr.splitlines() if line.startswith("eco: ")]
    assert found, result.stderr
    return found[-1]


def document(
    subnets: list[int] | None = None, inside: float = 3e-4, across: float = 6e-4
) -> dict[str, Any]:
    """A profile of hosts in subnets, twice as dear between them."""
    subnets = subnets if subnets is not None else [0, 0, 0, 1, 1, 1, 2, 2]
    hosts = range(len(subnets))
    sizes = [1, 1024, 16384]

    def times(size: int) -> list[list[float]]:
        factor = 1 + size / 400
        return [
            [
                0.0 if a == b else factor * (inside if subnets[a] == subnets[b] else across)
                for b in hosts
            ]
            for a in hosts
        ]

    return {
        "eco_profile": 1,
        "created": "2026-01-02T03:04:05Z",
        "mpi": {"family": "openmpi", "version": "Open MPI v5.0.11, package: x"},
        "hosts": [f"n{host}" for host in hosts],
        "parameters": {
            "sizes": sizes,
            "round_trips": 5,
            "repeats": 3,
            "partition_bytes": 1024,
            "tolerance": 0.2,
        },
        "minimum": [times(size) for size in sizes],
        "spread": [[[0.0 for _ in hosts] for _ in hosts] for _ in sizes],
        "levels": [subnets],
        "ring": list(hosts),
        "tuning": [],
    }


def model(subnets: list[int] | None = None) -> dict[str, Any]:
    """For `document`: a bus, then switches, of which the first has an uplink."""
    subnets = subnets if subnets is not None else [0, 0, 0, 1, 1, 1, 2, 2]
    hosts = range(len(subnets))
    return {
        "send": [[1e-5, 1e-9] for _ in hosts],
        "receive": [[3e-5, 2e-9] for _ in hosts],
        "transfer": {
            key: [[0.0 if a == b else value for b in hosts] for a in hosts]
            for key, value in (("fixed", 2e-4), ("per_byte", 8e-7))
        },
        "error": 0.0625,
        "media": [
            {
                "level": 0,
                "cluster": number,
                "kind": "switch" if number else "bus",
                "rate": 1.25e6,
                "uplink": 5e5 if number == 1 else None,
            }
            for number in sorted(set(subnets))
            if subnets.count(number) > 1
        ],
    }


def buses(count: int) -> dict[str, Any]:
    """A model of three 10 Mbit/s buses, which carry 1.17 MB/s of messages."""
    hosts = 8
    table = [[0.0] * hosts for _ in range(hosts)]
    return {
        "send": [[7e-6, 1e-10]] * hosts,
        "receive": [[7e-6, 1e-10]] * hosts,
        "transfer": {"fixed": table, "per_byte": table},
        "error": 0.05,
        "media": [
            {"level": 0, "cluster": bus, "kind": "bus", "rate": 1.17e6, "uplink": None}
            for bus in range(count)
        ],
    }


def tuned(operation: str = "bcast", count: int = 16, choice: str = "tree:top=star") -> Any:
    return {
        "mpi": "openmpi 5.0.11",
        "operation": operation,
        "layout": "near",
        "bytes": count,
        "choice": choice,
        "native": 0.003,
        "eco": 0.002,
        "noise": 0.01,
        "ranks_per_host": 1,
        "predicted": False,
    }


def result(operation: str, count: int, **medians: float) -> dict[str, Any]:
    return {
        "event": "result",
        "operation": operation,
        "bytes": count,
        "layout": "near",
        "ranks": 8,
        "patterns": [
            {
                "pattern": name.replace("_", "-"),
                "choice": "tree:top=star,inner=star" if name == "eco" else name.partition("_")[0],
                "median": median,
                "minimum": 0.9 * median,
                "mean": median,
                "deviation": 0.05 * median,
                "q1": 0.95 * median,
                "q3": 1.05 * median,
                "samples": [median, 0.9 * median],
            }
            for name, median in medians.items()
        ],
    }


DONE = {"event": "done"}


def progress(done: float, left: float = 1.0) -> dict[str, Any]:
    return {"event": "progress", "done": done, "left": left, "what": "n0 – n1"}


def rails(hosts: int = 8) -> dict[str, Any]:
    """Two rails, the slower of which the last host lacks, and a bridge."""

    def table(value: float, members: int) -> list[list[float]]:
        return [
            [value if a != b and max(a, b) < members else 0.0 for b in range(hosts)]
            for a in range(hosts)
        ]

    found = [
        {
            "network": f"10.{9 + number}.0.0/16",
            "cards": [f"eth{number}"] * members + [None] * (hosts - members),
            "latency": table(1e-4, members),
            "bandwidth": table(rate, members),
        }
        for number, (members, rate) in enumerate(((hosts, 12e6), (hosts - 1, 3e6)))
    ]
    left_out = [{"host": f"n{h}", "card": "docker0", "why": "a bridge"} for h in (0, 1)]
    return {"provider": "tcp", "rails": found, "left_out": left_out, "longest_short": 2048}


def measure_ended_by(
    number: signal.Signals, start: Launcher, out: Path
) -> "subprocess.CompletedProcess[bytes]":
    """`eco measure` that gets a signal once it has shown its first progress, 10 %."""
    command = [sys.executable, "-m", "eco", "measure", "-o", str(out), "--", str(start.path)]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"ECO_BIN": "x"},
        # A shell's background job, as a test may be, ignores Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        assert process.stderr
        assert b"10%" in process.stderr.readline()
        process.send_signal(number)
        output, error = process.communicate(timeout=10)
    assert b"Traceback" not in error
    return subprocess.CompletedProcess(command, process.returncode, output, error)


COLLECTIVES = (
    *("bcast", "barrier", "scatter", "scatterv", "gather", "gatherv", "allgather", "allgatherv"),
    *("alltoall", "alltoallv", "alltoallw", "reduce", "allreduce", "scan", "exscan"),
    *("reduce_scatter", "reduce_scatter_block"),
)
LONG_CHOICE = "tree:top=star/postal3,inner=chain,segments=24,window=2,rotate=groups,rails=2"


def check_80_columns(text: str) -> None:
    wide = [line for line in text.splitlines() if len(line.rstrip()) > 80]
    assert not wide, wide
    assert "…" not in text
