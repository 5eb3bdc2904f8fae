# SPDX-License-Identifier: BSD-3-Clause
"""`eco doctor`: asks and measures all hosts through the user's launcher, and says what is wrong."""

import contextlib
import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from eco import contact, launch_size, measure, options, probe, reach, store
from eco import launcher as launchers
from eco import profile as profiles
from eco.doctor import (
    again,
    alone,
    collectives,
    facts,
    hosts,
    idle,
    interfaces,
    kept,
    links,
    network,
    uplinks,
)
from eco.doctor.facts import MARK, Counters, Host
from eco.doctor.finding import Finding, Severity, exit_code
from eco.doctor.links import Way
from eco.errors import EcoError, ExitCode
from eco.launcher import Launcher
from eco.profile import Profile
from eco.progress import progress

_ASKED = ("--no-tune", "--facts", "--collectives")
# Seconds without a word, after which the probe is ended: a message that does not get through is
# sent forever. Many ranks take longer to start and to connect, above all where they share
# processors.
_UNKNOWN, _LEAST, _PER_RANK, _MOST = 40.0, 26.0, 0.75, 300.0

Kept = Annotated[
    Optional[Path],
    options.profile("The profile to compare with (default: the stored one of these hosts)."),
]


def command(
    words: options.Words = None,
    topology: Kept = None,
    as_json: options.Json = False,
    mpi: options.Mpi = None,
    interfaces: options.Interfaces = None,
    only_uplinks: Annotated[
        bool,
        typer.Option(
            "--uplinks",
            help="Check only whether the uplinks of the profile (default: ECO_PROFILE, or the "
            "newest of your own) carry what it says; takes seconds.",
        ),
    ] = False,
) -> None:
    """Say what is wrong with these hosts and their network, and what to do.

    Starts a probe on all hosts, compares builds, libraries, interfaces and
    settings, and measures the network briefly. It changes and stores nothing.

    eco doctor -- mpirun -n 8 --hostfile hosts

    Exit code: 0 if nothing was found, or notes only; 10 for a warning (jobs are
    slow); 11 for an error (jobs hang, fail, or run without ECO); 2 to 5 if the check itself failed.
    """
    launcher = launchers.understand(words, mpi)
    if only_uplinks:
        _check_uplinks(launcher, topology or store.usual(), interfaces, as_json)
        return
    if topology is not None:
        profiles.read(topology)
    seen = _Seen()
    with progress("looking", quiet=as_json) as (show, say):
        named = [] if interfaces in (None, contact.AUTO) else contact.words(str(interfaces))
        failure = _ask(launcher, seen, show, say, named)
        if failure is not None and not named and not hosts.builds_differ(seen.hosts):
            failure = _ask_again(launcher, seen, show, say) or failure
    findings = list(alone.check(seen.ranks))
    if not findings:
        findings = ([failure] if failure else []) + _all(launcher, seen, topology)
    findings.sort(key=lambda each: -each.severity)
    _print(findings, seen, as_json)
    if code := exit_code(findings):
        raise typer.Exit(code)


def _check_uplinks(
    launcher: Launcher, path: Path, interfaces: Optional[str], as_json: bool
) -> None:
    with progress("looking", quiet=as_json) as (show, say):
        found = uplinks.measure(launcher, path, interfaces, show, say)
    findings = uplinks.check(path, found)
    code = exit_code(findings)
    if as_json:
        document = {
            "profile": str(path),
            "uplinks": [each.document() for each in found],
            "findings": [each.document() for each in findings],
            "exit_code": code,
        }
        print(json.dumps(document))
    else:
        for uplink in found:
            print(uplink)
        for each in findings:
            print(f"{each.severity.name.lower()}: {each.sentence}")
    if code:
        raise typer.Exit(code)


class _Seen:
    """What the probe reported."""

    def __init__(self) -> None:
        self.mark = secrets.token_hex(8)
        self.ranks: list[Host] = []
        self.contact = contact.Seen()  # the same before MPI_Init, which may not have returned
        self.shares_again: dict[str, float] = {}  # of a processor, by host, at the second look
        self.timed_again = again.SecondLook({})
        self.counters: dict[str, Counters] = {}  # by host, when measuring ended
        self.ways: list[Way] = []
        self.collectives: collectives.Times = {}
        self.profile: Optional[Profile] = None

    @property
    def hosts(self) -> list[Host]:
        return facts.once(self.ranks) or self.contact.hosts

    def take_event(self, event: dict[str, Any]) -> None:
        """An event of rank 0's."""
        if self.contact.take_event(event):
            return
        if event.get("event") == "collectives":
            self.collectives = collectives.read(event)
        elif event.get("event") == "again":
            self.timed_again = again.read(event)
        elif event.get("event") == "profile":
            self.profile = measure.received(event)

    def take_host(self, kind: str, about: Any) -> None:
        """What some rank tells of its host."""
        if kind == "facts":
            self.ranks.append(facts.read(about))
        elif kind == "link":
            self.ways.append(links.read(about))
        elif kind == "counters":
            if counted := facts.counters(about.get("tcp")):
                self.counters[str(about["host"])] = counted
            if (share := about.get("processor_share")) is not None:
                self.shares_again[str(about["host"])] = float(share)
        else:
            self.contact.take_host(kind, about)


def _ask(
    launcher: Launcher, seen: _Seen, show: Any, say: probe.Say, chosen: Sequence[str] = ()
) -> Optional[Finding]:
    """What ended the measurement early, if hosts had told something before."""

    def take_event(event: dict[str, Any]) -> None:
        if event.get("event") == "progress":
            show(event)
            return
        seen.take_event(event)
        # The rest takes longer than anybody waits to hear of this.
        if event.get("event") == "networks" and (
            bad := reach.advice(seen.hosts, seen.contact.reach, False)
        ):
            say(f"eco: {bad.what} {bad.line[0].upper()}{bad.line[1:]}")

    named = launch_size.ranks_named(launcher)
    asked = [*_ASKED, *(["--interfaces", ",".join(chosen)] if chosen else [])]

    def patience() -> float:
        most = _patience(seen.ranks[0].ranks if seen.ranks else named)
        # Where the library may take another network, that is tried soon.
        hurried = not chosen and reach.may_choose(seen.hosts)
        if not hurried or seen.contact.contact:
            return most
        return min(most, seen.contact.patience(named, hurried))

    try:
        with _environment({MARK: seen.mark}):
            probe.run(
                launcher,
                "measure",
                asked,
                take_event,
                None,
                say,
                patience,
                take_host=seen.take_host,
            )
    except EcoError as error:
        if not seen.hosts:
            raise
        return Finding(
            "not-measured",
            Severity.ERROR,
            tuple(host.name for host in seen.hosts),
            f"the network could not be measured completely: {error.message}",
            "measured",
            "",
            "see the other findings, and what the launcher printed",
        )
    if not seen.ranks or seen.profile is None:
        missing = "a profile" if seen.ranks else "a report of its hosts"
        raise EcoError(f"the probe ended without {missing}", ExitCode.LAUNCH)
    return None


def _patience(ranks: Optional[int]) -> float:
    return _UNKNOWN if ranks is None else min(_LEAST + _PER_RANK * ranks, _MOST)


@contextlib.contextmanager
def _environment(settings: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _ask_again(launcher: Launcher, seen: _Seen, show: Any, say: probe.Say) -> Optional[Finding]:
    """Where the library may use several networks, it may hang over one that joins nothing: what
    ends that, and in `seen` what is known then."""
    if not reach.may_choose(seen.hosts):
        return None
    if not seen.contact.contact:
        seen.contact.reach += contact.look(launcher, seen.contact)
    found = seen.contact.reach
    if bad := reach.advice(seen.hosts, found, False):
        say(f"eco: {bad.what}")
    for one in reach.sound(seen.hosts, found)[:2]:
        then = _Seen()
        say(f"eco: measuring failed; once more in {one} alone")
        failure = _ask(launcher, then, show, say, [str(one)])
        if failure is None:
            # What was tried is no setting of the user's.
            own = {host.name: host.environment for host in seen.hosts}
            then.ranks = seen.ranks or [
                replace(each, environment=own.get(each.name, {MARK: seen.mark}))
                for each in then.ranks
            ]
            then.mark = seen.mark
            then.contact.reach += found
            vars(seen).update(vars(then))
            return Finding(
                "several-networks",
                Severity.ERROR,
                tuple(host.name for host in seen.hosts),
                "measuring fails with the MPI library's present settings, but not if the library "
                f"uses {one} alone",
                "measured",
                "jobs hang or fail when they connect",
                interfaces.only([one], seen.hosts),
            )
    return None


def _all(launcher: Launcher, seen: _Seen, topology: Optional[Path]) -> list[Finding]:
    known, profile = seen.hosts, seen.profile
    found = list(hosts.check(known, seen.mark, seen.shares_again))
    found += interfaces.check(known, profile)
    found += links.check(known, seen.ways, seen.contact.reach.cuts)
    if profile is None:
        return found
    # Packets tell more exactly what is lost: TCP also loses some wherever it fills a link.
    reached = {name for way in seen.ways if way.arrived for name in (way.source, way.target)}
    counters = {name: each for name, each in seen.counters.items() if name not in reached}
    # What a busy host takes in slowly looks like a link that is slower one way.
    busy = {name for each in found if each.check == "busy-host" for name in each.where}
    found += [
        each
        for each in network.check(profile, known, counters, seen.timed_again)
        if each.check != "asymmetric-link" or not busy & set(each.where)
    ]
    found += idle.check(profile, known)
    # A lost packet stops whichever collective it hits for many times what it takes.
    if not any(each.check == "losses" for each in found):
        found += collectives.check(
            seen.collectives, len(seen.ranks), known[0].mpi, hosts.are_busy(known)
        )
    path = kept.find(topology, profile.hosts, launcher.is_lab)
    found += kept.check(path, profile, launcher.is_lab)
    return found


def _print(findings: Sequence[Finding], seen: _Seen, as_json: bool) -> None:
    names = [host.name for host in seen.hosts]
    if as_json:
        print(
            json.dumps(
                {
                    "hosts": names,
                    "findings": [each.document() for each in findings],
                    "exit_code": exit_code(findings),
                }
            )
        )
        return
    for each in findings:
        print(f"{each.severity.name.lower()}: {each.sentence}")
    if not findings:
        print(f"{len(names)} hosts: eco doctor found nothing wrong")
