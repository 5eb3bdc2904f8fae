# SPDX-License-Identifier: BSD-3-Clause
"""Runs the probe so that it does not wait for ever where the MPI library uses addresses that join
nobody: says which these are, and with `--interfaces auto` starts again without them."""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from eco import launch_size, probe, reach
from eco.doctor import facts
from eco.doctor.facts import Host
from eco.errors import EcoError, ExitCode
from eco.launcher import Launcher
from eco.line_code import Event
from eco.reach import Advice, Reach

AUTO = "auto"


@dataclass(frozen=True)
class _Silence:
    """Seconds without a word after the last rank has started, until the first messages between
    ranks are missed. Many ranks take longer, above all where they share processors, and where the
    first one took long to start."""

    least: float
    per_rank: float
    most: float

    def of(self, ranks: int, until_first: float) -> float:
        """With so many of them. until_first: seconds from the launch to the first rank's start."""
        return min(max(self.least, 2 * until_first) + self.per_rank * ranks, self.most)


# The first costs a second launch if it was too short; after the second all ends.
_HURRIED, _USUAL = _Silence(3.5, 0.25, 40.0), _Silence(60.0, 0.75, 300.0)
_NO_RANK = 10.0  # seconds, until it is said that none has started
_SLOW_START = 10.0  # seconds from the launch to the first rank's start
# What two ranks exchange at once takes less on any network that a program could use.
_HOPELESS = 150.0
# Of a launch that only tries addresses (the probe's patience, and starting it).
_TRYING = 30.0
_PORTS = (20000, 30000)  # below those that systems give by themselves
_MOST_TEXT = 100_000  # bytes of one word of a command line


class Seen:
    """What hosts and rank 0 told until now."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._until_first = 0.0
        self.started: list[Host] = []  # before MPI_Init
        self.ranks: list[str] = []  # hosts by rank, once messages get through
        self.contact = False
        self.reach = Reach()

    @property
    def hosts(self) -> list[Host]:
        return facts.once(self.started)

    def take_host(self, kind: str, about: Any) -> None:
        """What a rank told of its host."""
        if kind == "start":
            if not self.started:
                self._until_first = time.monotonic() - self._began
            self.started.append(facts.read_start(about))
        elif kind == "reach":
            self.reach += reach.read(about)

    def take_event(self, event: dict[str, Any]) -> bool:
        """Whether the event was one of these."""
        if event.get("event") == "contact":
            self.contact = True
            self.ranks = [str(each) for each in event.get("hosts", ())]
        elif event.get("event") == "networks":
            self.reach += reach.read(event)
        else:
            return False
        return True

    def patience(self, named: int | None, hurried: bool) -> float:
        """Seconds of silence until the first messages are missed."""
        ranks = max(named or 0, len(self.started))
        # Launchers that wait in a queue, or start slowly, are not launched again and again.
        hurried = hurried and self._until_first < _SLOW_START
        return (_HURRIED if hurried else _USUAL).of(ranks, self._until_first)


class _Apart(Exception):
    """Messages do not get through; without some networks they may."""

    def __init__(self, advice: Advice) -> None:
        super().__init__(advice.what)
        self.advice = advice


class _Silent(EcoError):
    """The ranks have started, and no message got through."""

    def __init__(self) -> None:
        super().__init__(
            "no message of the MPI library gets through between the ranks; what the launcher "
            "printed may say why, and eco doctor -- LAUNCHER",
            ExitCode.LAUNCH,
        )


def run(
    launcher: Launcher,
    verb: str,
    options: Sequence[str],
    take_event: Callable[[Event], None],
    text: str | None = None,
    say: probe.Say = probe.say_on_stderr,
    wanted: str | None = None,
) -> list[str]:
    """As probe.run. wanted: `auto`, or the interfaces and networks to use. Returns those that were
    used, if not the library's own choice."""
    attempt = _Attempt(launcher, verb, options, take_event, text, say, wanted == AUTO)
    if wanted not in (None, AUTO):
        return attempt.run(words(str(wanted)), hurried=False)
    try:
        return attempt.run([], hurried=True)
    except _Silent:
        found = attempt.look(for_sure=wanted != AUTO)
    except _Apart as apart:
        found = apart.advice
    if found is None:
        say("eco: no message between the ranks yet, though their addresses connect; once more")
        try:
            return attempt.run([], hurried=False)
        except _Apart as apart:
            found = apart.advice
        except _Silent:
            found = attempt.look(for_sure=False)
            if found is None:
                raise
    if wanted != AUTO:
        raise EcoError(
            f"no message of the MPI library gets through. {found.what} Programs will hang as this "
            f"did: {found.line}. To measure with {found.names} alone: --interfaces auto",
            ExitCode.LAUNCH,
        )
    say(f"eco: {found.what} Again with {found.names} alone; for your programs, {found.line}")
    return attempt.run(words(found.names), hurried=False)


class _Attempt:
    """Launches of one command."""

    def __init__(
        self,
        launcher: Launcher,
        verb: str,
        options: Sequence[str],
        take_event: Callable[[Event], None],
        text: str | None,
        say: probe.Say,
        auto: bool,
    ) -> None:
        self._launcher, self._verb, self._options = launcher, verb, options
        self._take_event, self._text, self._say, self._auto = take_event, text, say, auto
        self._named = launch_size.ranks_named(launcher)
        self._over = False  # the launcher is being ended: what it says of that is of no use
        self.seen = Seen()

    def run(self, chosen: list[str], hurried: bool) -> list[str]:
        """One launch; returns `chosen`. hurried: ends soon where the first messages are missed, if
        something can be done about it."""
        self.seen = seen = Seen()
        self._over = False
        began, said = time.monotonic(), False

        def talk(line: str) -> None:
            if not self._over:
                self._say(line)

        def patience() -> float:
            nonlocal said
            if not seen.started and not said and time.monotonic() - began > _NO_RANK:
                said = True
                self._say(
                    f"eco: no rank has started after {_NO_RANK:.0f} s: {self._launcher.words[0]} "
                    "waits for its hosts, or cannot reach them"
                )
            if not seen.started or seen.contact:
                return float("inf")
            return seen.patience(self._named, hurried and reach.may_choose(seen.hosts))

        def take_event(event: Event) -> None:
            if seen.take_event(event):
                if event.get("event") == "networks":
                    self._note_networks(chosen)
            elif event.get("event") == "waiting":
                self._note_waiting(event, chosen)
            else:
                self._take_event(event)

        options = [*self._options, *(["--interfaces", ",".join(chosen)] if chosen else [])]
        try:
            probe.run(
                self._launcher,
                self._verb,
                options,
                take_event,
                self._text,
                talk,
                patience,
                take_host=seen.take_host,
            )
        except probe.SilentError:
            raise _Silent() from None
        except EcoError:
            # As MPICH fails in MPI_Init where the first interface leads nowhere.
            if hurried and seen.started and not seen.contact and reach.may_choose(seen.hosts):
                found = self.look(for_sure=False)
                if found is not None:
                    raise _Apart(found) from None
            raise
        return chosen

    def look(self, for_sure: bool) -> Advice | None:
        """A launch that only tries addresses: what to do if some join nobody; or else, if not only
        for_sure, if some do not join all hosts."""
        hosts, found = self.seen.hosts, look(self._launcher, self.seen)
        return reach.advice(hosts, found, False) or (
            None if for_sure else reach.advice(hosts, found, True)
        )

    def _note_networks(self, chosen: Sequence[str]) -> None:
        found = None if chosen else reach.advice(self.seen.hosts, self.seen.reach, False)
        if found is None:
            return
        if self._auto:
            self._over = True
            raise _Apart(found)
        self._say(
            f"eco: {found.what} The MPI library may use what does not join: "
            f"{found.line}; or measure with --interfaces auto"
        )

    def _note_waiting(self, event: Event, chosen: Sequence[str]) -> None:
        """Two ranks have exchanged no message for some time."""
        seconds = float(event["seconds"])
        one, two = (self._name(rank) for rank in event["ranks"])
        found = None if chosen else reach.advice(self.seen.hosts, self.seen.reach, False)
        if found is not None:
            self._over = True
            raise _Apart(found)
        # Networks that were chosen are in no setting that the hosts have told.
        cut = None if chosen else reach.missing(self.seen.hosts, self.seen.reach, one, two)
        why = (
            f"{cut.source} ({cut.own}) cannot connect to {cut.target} ({cut.theirs})"
            if cut
            else "their addresses connect"
        )
        words = f"{one} and {two} have exchanged no message for {seconds:.0f} s; {why}"
        if cut is not None or seconds >= _HOPELESS:
            raise EcoError(
                f"{words}: look at the cables, VLANs and firewalls between them; eco doctor -- "
                f"{' '.join(self._launcher.words)} checks them",
                ExitCode.LAUNCH,
            )
        self._say(f"eco: {words}")

    def _name(self, rank: Any) -> str:
        known = isinstance(rank, int) and 0 <= rank < len(self.seen.ranks)
        return self.seen.ranks[rank] if known else f"rank {rank}"


def look(launcher: Launcher, seen: Seen) -> Reach:
    """What plain sockets reach, by a launch that does not begin MPI; nothing if that fails."""
    hosts = ""
    for host in seen.hosts:
        addresses = [
            f"{each.address.ip}/{each.network.prefixlen}"
            for each in host.interfaces
            if not each.bridge and not each.down
        ]
        item = "+".join([f"{host.name}=0", *addresses])
        if len(hosts) + len(item) < _MOST_TEXT:
            hosts += ("," if hosts else "") + item
    options = ["--hosts", hosts, "--port", str(random.randrange(*_PORTS))]
    then = Seen()
    with contextlib.suppress(EcoError):
        probe.run(
            launcher,
            "reach",
            options,
            lambda _: None,
            None,
            lambda _: None,
            lambda: _TRYING,
            take_host=then.take_host,
        )
    return then.reach


def words(text: str) -> list[str]:
    """`--interfaces` that names some."""
    found = [word.strip() for word in text.split(",")]
    if not all(found) or any(word.startswith("-") for word in found):
        raise EcoError(
            f"--interfaces {text!r}: must be auto, or names and networks such as eth0,10.9.0.0/16",
            ExitCode.USAGE,
        )
    return found
