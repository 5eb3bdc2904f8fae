# SPDX-License-Identifier: BSD-3-Clause
"""Runs `eco probe` under the user's launcher and hands over what its rank 0 reports."""

from __future__ import annotations

import contextlib
import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, Any

from eco.errors import EcoError, ExitCode
from eco.launcher import Launcher, programs
from eco.line_code import Event, EventReader
from eco.output_reader import OutputReader, when_ended
from eco.zipped import zipped

TakeHost = Callable[[str, Any], None]  # a kind, and what it is about (docs/formats.md)
Say = Callable[[str], None]
Patience = Callable[[], float]  # seconds; asked again while the time passes

# What ssh and launchers say of a host or program that they cannot reach.
_CAUSE = re.compile(
    r"resolve|not known|not found|refused|unreachable|denied|timed out|no such file", re.IGNORECASE
)
# What launchers say of every program that ends with a code.
_NO_CAUSE = re.compile(
    r"exit code\b|process name:|non-zero status|thus causing|bad termination|cleaning up remaining"
    r"|running at |cleanup messages|primary +job +terminated|mpirun noticed|exit codes?:",
    re.IGNORECASE,
)
_PATIENCE = (1.0, 5.0)  # seconds, until SIGTERM and from there until SIGKILL


class SilentError(EcoError):
    """The launcher printed nothing for longer than it might, and was ended."""


def say_on_stderr(line: str) -> None:
    """How the launcher's own lines are passed on if no progress bar is in their way."""
    print(line, file=sys.stderr, flush=True)


def run(
    launcher: Launcher,
    verb: str,
    options: Sequence[str],
    take_event: Callable[[Event], None],
    text: str | None = None,
    say: Say = say_on_stderr,
    patience: Patience | None = None,
    settings: Mapping[str, str] | None = None,
    take_host: TakeHost | None = None,
) -> None:
    """Gives each event of one run to `take_event`, and what its ranks tell of their hosts to
    `take_host`; raises if the run fails. `text` is its stdin.

    However this ends (an exception in `take_event`, Ctrl-C), the launcher has ended before; also if
    it prints nothing for as long as `patience` says. `settings`: variables beside the user's own.
    The probe is told when its launch began, as that counts for its budget.
    """
    words = launcher.command(verb, [*options, "--launched", f"{time.time():.3f}"])
    with contextlib.ExitStack() as stack:
        stack.enter_context(_signals_as_exceptions())
        process = _start(launcher, words, text, settings or {}, stack)
        stack.callback(_end, process)
        tail: deque[str] = deque(maxlen=50)
        assert process.stdout and process.stderr
        lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()  # None: that was all
        output = OutputReader(process.stdout, lines.put)
        watch = _Watch(process, patience)

        def take_error(line: str) -> None:
            # What a launcher says of being ended says nothing of the network.
            if watch.ended_after is None:
                _pass_on(line, tail, say)

        errors = OutputReader(process.stderr, take_error)
        when_ended(process, (output, errors), lambda: lines.put(None))
        done = heard = False
        reader = EventReader()
        stack.enter_context(watch)
        for line in iter(lines.get, None):
            watch.note()
            events = reader.take(line)
            if events is None and line.strip():
                say(line)
            for event in events or ():
                heard = True
                if event.get("event") == "error":
                    raise _reported(event)
                if event.get("event") == "done":
                    done = True
                elif event.get("event") == "host":
                    _tell(event, take_host)
                else:
                    take_event(event)
        code = process.wait()
        if watch.ended_after is not None and not done:
            raise SilentError(
                f"the probe printed nothing for {watch.ended_after:.0f} s, so it was ended",
                ExitCode.LAUNCH,
            )
        if not done:
            raise (reader.damage() if code == 0 else None) or _failed(launcher, code, tail, heard)
        if code != 0:
            say(f"eco: {launcher.words[0]} ended with code {code} after the probe was done")


class _Watch:
    """Ends a process that has been silent for too long, from a thread of its own."""

    def __init__(self, process: subprocess.Popen[bytes], patience: Patience | None) -> None:
        self._process, self._patience = process, patience
        self._heard = time.monotonic()
        self._over = threading.Event()
        self.ended_after: float | None = None  # seconds of silence

    def note(self) -> None:
        self._heard = time.monotonic()

    def __enter__(self) -> _Watch:
        if self._patience is not None:
            threading.Thread(target=self._run, args=(self._patience,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()

    def _run(self, patience: Patience) -> None:
        while (left := self._heard + (most := patience()) - time.monotonic()) > 0:
            if self._over.wait(min(left, 1.0)):
                return
        self.ended_after = most
        _end(self._process, at_once=True)


def _start(
    launcher: Launcher,
    command: list[str],
    text: str | None,
    settings: Mapping[str, str],
    stack: contextlib.ExitStack,
) -> subprocess.Popen[bytes]:
    source: int | IO[str] = subprocess.DEVNULL
    if text is not None:
        # A file, not a pipe: nobody has to feed it while the events are read.
        file = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115
        source = stack.enter_context(file)
        file.write(text.rstrip("\n") + "\n\n")  # an empty line ends what the probe reads
        file.flush()
        file.seek(0)
    try:
        return subprocess.Popen(
            command,
            stdin=source,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env={**os.environ, **settings},
        )
    except OSError as error:
        raise EcoError(
            f"the launcher {launcher.words[0]} cannot be started: {error.strerror}",
            ExitCode.LAUNCH,
        ) from None


def _tell(event: Event, take_host: TakeHost | None) -> None:
    if take_host is None:
        return
    # What is wrong is left out: what else is told must do.
    with contextlib.suppress(
        EcoError, ValueError, RecursionError, LookupError, TypeError, AttributeError
    ):
        ((kind, about),) = ((key, event[key]) for key in event if key != "event")
        take_host(kind, about)


def _pass_on(line: str, tail: deque[str], say: Say) -> None:
    tail.append(line)
    with contextlib.suppress(Exception):
        say(line)


def _reported(event: Event) -> EcoError:
    try:
        code = ExitCode(event.get("code", ExitCode.LAUNCH))
    except ValueError:
        code = ExitCode.LAUNCH
    return EcoError(str(event.get("message", "the probe failed")), code)


def _failed(launcher: Launcher, code: int, tail: deque[str], heard: bool) -> EcoError:
    name = launcher.words[0]
    how = f"exit code {code}" if code >= 0 else f"signal {_signal_name(-code)}"
    if code == 0:
        how = "no result, as if its ranks had not run"
    last = _telling_line(tail)
    sentence = f"{name} failed with {how}" + (f": {last}" if last else "")
    if not heard and (own := programs(launcher.words)):
        sentence += (
            f"; ECO starts a program of its own through the launcher: if {own[-1]} is yours, end "
            "the line before it"
        )
    return EcoError(sentence, ExitCode.LAUNCH)


def _telling_line(tail: deque[str]) -> str:
    """The project's own complaint; else a line that names a cause; else the last with words."""
    lines = [line.strip() for line in tail if any(sign.isalpha() for sign in line)]
    lines = [line for line in lines if not _NO_CAUSE.search(line)]
    own = [line.partition("eco: ")[2] for line in lines if "eco: " in line]
    causes = [line for line in lines if _CAUSE.search(line)]
    return (own[-1:] or causes[:1] or lines[-1:] or [""])[0]


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _end(process: subprocess.Popen[bytes], at_once: bool = False) -> None:
    """A launcher that still runs: Ctrl-C in a terminal has reached it too, so let it end first."""
    if process.poll() is not None:
        return
    patience_until = (0.0, _PATIENCE[1]) if at_once else _PATIENCE
    for patience, end in zipped(patience_until, (process.terminate, process.kill)):
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patience)
            return
        end()
    process.wait()


@contextlib.contextmanager
def _signals_as_exceptions() -> Iterator[None]:
    """SIGTERM and SIGHUP end the launcher too, before they end us."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def leave(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    before = {number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, action in before.items():
            signal.signal(number, action)
