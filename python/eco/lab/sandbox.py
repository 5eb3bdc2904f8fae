# SPDX-License-Identifier: BSD-3-Clause
"""Runs something inside namespaces of its own and leaves nothing behind, however it ends.

The front process enters new namespaces and forks the lab's first process, which is process 1 of a
new PID namespace. The kernel kills that one when the front process dies, and with process 1 goes
everything in the namespace: programs, relays, network, mounts and temporary files.
"""

import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from eco.errors import EcoError, ExitCode
from eco.lab import kernel

_GRACE = 5.0
_STOP = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_SENT_BY_TERMINAL = 0x80  # siginfo's SI_KERNEL
_SPACES = (
    kernel.CLONE_NEWNS
    | kernel.CLONE_NEWUTS
    | kernel.CLONE_NEWNET
    | kernel.CLONE_NEWPID
    | kernel.CLONE_NEWIPC
)


def run(
    prepare: Callable[[], None],
    enter: Callable[[], None],
    words: list[str],
    interactive: bool,
    outcome: Callable[[int], int] = int,
) -> int:
    """Run `prepare` in new namespaces, then the command `words` after `enter`; its exit code.

    `outcome` may correct the exit code while the namespaces still stand. An interactive command
    (a shell) deals with Ctrl-C on its own.
    """
    _new_namespaces()
    watched = {signal.SIGCHLD, *_STOP}
    signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    report, reporter = os.pipe()
    first = os.fork()
    if first == 0:
        os.close(report)
        _first_process(prepare, enter, words, outcome, reporter, watched)
    os.close(reporter)
    return _wait(first, report, watched, interactive)


def _new_namespaces() -> None:
    user, group = os.geteuid(), os.getegid()
    try:
        if user == 0:
            kernel.unshare(_SPACES)
            return
        kernel.unshare(_SPACES | kernel.CLONE_NEWUSER)
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"0 {user} 1"),
            ("gid_map", f"0 {group} 1"),
        ):
            Path(f"/proc/self/{name}").write_text(text, encoding="ascii")
    except OSError as error:
        raise EcoError(
            "the lab needs user namespaces and this system forbids them "
            f"({error.strerror}); run as root, or set kernel.unprivileged_userns_clone=1 and "
            "user.max_user_namespaces above 0 (in a container: allow unshare)",
            ExitCode.ENVIRONMENT,
        ) from None


def _wait(first: int, report: int, watched: set[signal.Signals], interactive: bool) -> int:
    stopped_by = 0
    deadline = float("inf")
    while True:
        pid, status = os.waitpid(first, os.WNOHANG)
        if pid == first:
            break
        left = deadline - time.monotonic()
        if left <= 0:
            os.kill(first, signal.SIGKILL)
            deadline = float("inf")
            continue
        info = signal.sigtimedwait(watched, min(left, 3600.0))
        if info is None or info.si_signo == signal.SIGCHLD:
            continue
        if info.si_signo == signal.SIGINT and info.si_code == _SENT_BY_TERMINAL:
            # Ctrl-C reached the whole process group; the program is ending already.
            if interactive:
                continue
        else:
            os.kill(first, signal.SIGUSR1 if info.si_signo == signal.SIGINT else info.si_signo)
        stopped_by = info.si_signo
        deadline = min(deadline, time.monotonic() + _GRACE)
    _raise_reported(report)
    if stopped_by:
        return 128 + stopped_by
    return os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


def _raise_reported(report: int) -> None:
    """Raise the error which the first process met before the command was started, if any."""
    with os.fdopen(report, "rb") as pipe:
        ready, _, _ = select.select([pipe], (), (), 1.0)
        text = pipe.read() if ready else b""
    if text:
        fault = json.loads(text)
        raise EcoError(fault["message"], ExitCode(fault["code"]))


def _first_process(
    prepare: Callable[[], None],
    enter: Callable[[], None],
    words: list[str],
    outcome: Callable[[int], int],
    reporter: int,
    watched: set[signal.Signals],
) -> NoReturn:
    try:
        kernel.die_with_parent(signal.SIGKILL)
        # Until there is a command to end, an end of this process is the end of everything.
        for number in _STOP:
            signal.signal(number, lambda got, _: os._exit(128 + got))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, watched)
        prepare()
        command = _start(enter, words, reporter)
        os.close(reporter)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda got, _: _pass_on(command, got))
        # The terminal's Ctrl-C has reached the command already; the front's comes as SIGUSR1.
        signal.signal(signal.SIGINT, lambda *_: None)
        signal.signal(signal.SIGUSR1, lambda *_: _pass_on(command, signal.SIGINT))
        code = outcome(_reap_until(command))
    except EcoError as error:
        _report(reporter, error.message, error.code)
        code = int(error.code)
    except OSError as error:
        _report(reporter, f"the lab could not be set up: {error}", ExitCode.ENVIRONMENT)
        code = int(ExitCode.ENVIRONMENT)
    except BaseException as error:  # a fault of ours must not run on in a forked copy
        _report(reporter, f"the lab failed inside: {error!r}", ExitCode.ENVIRONMENT)
        code = int(ExitCode.ENVIRONMENT)
    os._exit(code)


def _start(enter: Callable[[], None], words: list[str], reporter: int) -> int:
    command = os.fork()
    if command != 0:
        return command
    try:
        for number in (*_STOP, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        enter()
        os.execvp(words[0], words)
    except OSError as error:
        _report(reporter, f"{words[0]} could not be started: {error}", ExitCode.LAUNCH)
    os._exit(int(ExitCode.LAUNCH))


def _report(reporter: int, message: str, code: ExitCode) -> None:
    try:
        os.write(reporter, json.dumps({"message": message, "code": int(code)}).encode())
    except OSError:
        print(f"eco: {message}", file=sys.stderr)


def _pass_on(command: int, number: int) -> None:
    try:
        os.kill(command, number)
    except ProcessLookupError:
        pass


def _reap_until(command: int) -> int:
    """Wait for orphans too, which process 1 inherits."""
    while True:
        pid, status = os.wait()
        if pid == command:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code
