# SPDX-License-Identifier: BSD-3-Clause
"""Makes the changes of a run when their time has come, from a process of its own."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence
from typing import IO

from eco.errors import EcoError, ExitCode
from eco.lab import build, slow, traffic
from eco.lab.change import Change, Stream
from eco.lab.scenario import Scenario

_STARTED = "started"
_LONGEST_FAULT = 4096


def start(network: Scenario, changes: Sequence[Change], control: IO[bytes] | None) -> None:
    """Make the changes at 0 s; the others follow from a process that is forked here.

    Called by the lab's first process in the lab's own network namespace, with what `build.build`
    returned, right before the program starts.
    """
    done, report = os.pipe()
    if os.fork() == 0:
        os.close(done)
        try:
            _Clock(network, changes, control).run(report)
        except BaseException as error:  # must not run on in a forked copy
            print(f"eco: the lab's changes failed: {error!r}", file=sys.stderr, flush=True)
        os._exit(0)
    os.close(report)
    # Not to its end: what runs on the hosts holds the other end as well.
    fault = os.read(done, _LONGEST_FAULT).decode(errors="replace")
    os.close(done)
    if fault != _STARTED:
        why = fault or "the lab's changes could not be started"
        raise EcoError(why, ExitCode.ENVIRONMENT)


class _Clock:
    def __init__(
        self, network: Scenario, changes: Sequence[Change], control: IO[bytes] | None
    ) -> None:
        self.network, self.changes, self.control = network, changes, control
        self.states = [change.network for change in changes]
        self.slowed: dict[str, int] = {}
        self.streams: dict[tuple[str, str], list[int]] = {}

    def run(self, report: int) -> None:
        fault = ""
        first = [change for change in self.changes if change.at == 0]
        for change in first:
            fault = fault or self.make(change)
        os.write(report, (fault or _STARTED).encode()[:_LONGEST_FAULT])
        os.close(report)
        started = time.monotonic()
        for change in self.changes[len(first) :]:
            time.sleep(max(0.0, started + change.at - time.monotonic()))
            if fault := self.make(change):
                print(f"eco: {fault}", file=sys.stderr, flush=True)

    def make(self, change: Change) -> str:
        """Make a change and say so; else the reason why not."""
        try:
            if change.slow is not None:
                self.slow(*change.slow)
            elif change.stream is not None:
                self.stream(change.stream)
            else:
                build.change(self.network, change.network, self.states, self.control)
            self.network = change.network
        except (EcoError, OSError) as error:
            why = error.message if isinstance(error, EcoError) else str(error)
            return f"after {change.at:g} s: {change.said}: could not be done: {why}"
        print(f"eco: after {change.at:g} s: {change.said}", file=sys.stderr, flush=True)
        return ""

    def slow(self, host: str, factor: float) -> None:
        if host in self.slowed:
            _end([self.slowed.pop(host)])
            slow.release(host)
        if factor > 1:
            self.slowed[host] = slow.start(host, factor)

    def stream(self, stream: Stream) -> None:
        ends = (stream.source, stream.target)
        _end(self.streams.pop(ends, []))
        if stream.rate > 0:
            self.streams[ends] = traffic.start(self.network, stream)


def _end(processes: list[int]) -> None:
    for process in processes:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
