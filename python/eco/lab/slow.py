# SPDX-License-Identifier: BSD-3-Clause
"""A host that is slower: its processes are stopped and continued in turns of about a millisecond.

The kernel takes in what arrives meanwhile, as it would for a program that other work keeps from
the processor.
"""

import os
import signal
import time
from pathlib import Path
from typing import NoReturn

from eco.lab.build import NETNS

_TURN = 1e-3
_SEARCH = 0.05  # seconds: a program that starts is not fast for longer


def start(host: str, factor: float) -> int:
    """Let the processes of `host` run one part in `factor` of the time; the process that does it,
    to be killed and then followed by `release`."""
    child = os.fork()
    if child == 0:
        try:
            _hurry()
            _take_turns(host, factor)
        finally:
            os._exit(1)
    return child


def release(host: str) -> None:
    """Let the processes of `host` run again."""
    found = _processes(host, {})
    _send(found, signal.SIGCONT)
    for handle in found.values():
        os.close(handle)


def _take_turns(host: str, factor: float) -> NoReturn:
    known = _processes(host, {})
    searched = time.monotonic()
    ran = stopped = 0.0
    while True:
        # What one turn takes too long the next ones make good.
        begin = time.monotonic()
        time.sleep(max(_TURN, stopped / (factor - 1) - ran))
        _send(known, signal.SIGSTOP)
        halt = time.monotonic()
        ran += halt - begin
        if halt > searched + _SEARCH:
            known = _processes(host, known)
            searched = halt
        time.sleep(max(0.0, halt + (factor - 1) * ran - stopped - time.monotonic()))
        _send(known, signal.SIGCONT)
        stopped += time.monotonic() - halt


def _processes(host: str, known: dict[int, int]) -> dict[int, int]:
    """A handle of each process of `host`, by its number; those of `known` are kept or closed."""
    own = (NETNS / host).stat().st_ino
    found: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            if (folder / "ns/net").stat().st_ino != own:
                continue
            # /proc may be the machine's; the last number is the one in the lab.
            status = (folder / "status").read_text()
            number = int(status.partition("NSpid:")[2].partition("\n")[0].split()[-1])
            found[number] = known.pop(number) if number in known else os.pidfd_open(number)
        except (OSError, IndexError, ValueError):
            continue  # it has ended meanwhile
    for handle in known.values():
        os.close(handle)
    return found


def _send(processes: dict[int, int], number: signal.Signals) -> None:
    for handle in processes.values():
        try:
            signal.pidfd_send_signal(handle, number)
        except OSError:
            pass  # it has ended


def _hurry() -> None:
    # A late turn would make the host faster or slower than was asked for.
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except OSError:
        try:
            os.setpriority(os.PRIO_PROCESS, 0, -20)
        except OSError:
            pass
