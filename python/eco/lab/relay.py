# SPDX-License-Identifier: BSD-3-Clause
"""Delay, loss and the time that frames take on slow wires, by the native relay (src/eco/lab)."""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from eco.errors import EcoError, ExitCode

_PROJECT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class Pair:
    """Two interfaces to join: rates in bit/s (0: no time) towards each end; each way delay in
    seconds, the parts of the frames that are lost, that come late and that come twice, and how many
    consecutive frames a loss takes; how many times as long a multicast takes to the right, and the
    part of the multicasts that is lost to the left."""

    left: str
    right: str
    rate_to_right: float
    rate_to_left: float
    delay: float
    loss: float
    burst: int
    reorder: float
    duplicate: float
    multicast_times: int = 1
    multicast_loss: float = 0.0


def _binary() -> Path:
    own = Path(os.environ.get("ECO_BIN", _PROJECT / "build/release/bin/eco")).resolve().parent
    for folder in (own, own.parent / "lib/eco", _PROJECT / "build/release/bin"):
        if (folder / "eco-lab-relay").is_file():
            return folder / "eco-lab-relay"
    raise EcoError(
        f"eco-lab-relay is missing beside {own}; build ECO with make", ExitCode.ENVIRONMENT
    )


def start(pairs: Sequence[Pair]) -> IO[bytes]:
    """Start the relay over all pairs in this network namespace; once it is ready, what `change`
    takes."""
    process = subprocess.Popen([_binary()], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin and process.stdout
    process.stdin.write(_lines(pairs) + b"\n")
    process.stdin.flush()
    if process.stdout.readline() != b"ready\n":
        raise EcoError("eco-lab-relay did not start; see its message above", ExitCode.ENVIRONMENT)
    return process.stdin


def change(control: IO[bytes], pairs: Sequence[Pair]) -> None:
    """Give pairs that the relay has other rates, delays and losses, from the next frame on."""
    control.write(_lines(pairs))
    control.flush()


def _lines(pairs: Sequence[Pair]) -> bytes:
    return "".join(
        f"{p.left} {p.right} {p.rate_to_right:g} {p.rate_to_left:g} {p.delay:g} {p.loss:g} "
        f"{p.burst} {p.reorder:g} {p.duplicate:g} {p.multicast_times} {p.multicast_loss:g}\n"
        for p in pairs
    ).encode()
