# SPDX-License-Identifier: BSD-3-Clause
"""`eco doctor`: asks and measures all hosts through the user's launcher, and says what is wrong."""

import json
import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from eco import launcher as launchers
from eco import measure, options, probe
from eco import profile as profiles
from eco.doctor import alone, facts, hosts, interfaces, kept, network
from eco.doctor.facts import MARK, Host
from eco.doctor.finding import Finding, Severity, exit_code
from eco.errors import EcoError, ExitCode
from eco.launcher import Launcher
from eco.profile import Profile
from eco.progress import progress

Kept = Annotated[
    Path | None,
    typer.Option(
        "--topology",
        "--profile",
        metavar="FILE",
        readable=False,
        help="Does this profile still fit? (default: the stored one of these hosts)",
    ),
]


def command(
    words: options.Words = None,
    topology: Kept = None,
    as_json: options.Json = False,
    mpi: options.Mpi = None,
) -> None:
    """Say what is wrong with these hosts and their network, and what to do.

    Starts a probe on all hosts, asks them for builds, libraries, interfaces and
    settings, and measures briefly. Nothing is changed or stored.

    eco doctor -- mpirun -n 8 --hostfile hosts

    Exit code: 0 if nothing was found, or notes only; 10 if something costs time;
    11 if jobs hang, fail, or run without ECO; 2 to 5 if the check itself failed.
    """
    launcher = launchers.understand(words, mpi)
    if topology is not None:
        profiles.read(topology)
    seen = _Seen()
    with progress("looking", quiet=as_json) as (show, say):
        failure = _ask(launcher, seen, show, say)
    findings = list(alone.check(seen.facts)) if failure is None else [failure]
    if failure is not None or not findings:
        findings += _all(launcher, seen, topology)
    findings.sort(key=lambda each: -each.severity)
    _print(findings, seen, as_json)
    if code := exit_code(findings):
        raise typer.Exit(code)


class _Seen:
    """What the probe reported."""

    def __init__(self) -> None:
        self.mark = secrets.token_hex(8)
        self.facts: list[list[Host]] = []
        self.profile: Profile | None = None

    def hear(self, event: dict[str, Any]) -> None:
        if event.get("event") == "facts":
            self.facts.append(facts.read(event))
        elif event.get("event") == "profile":
            self.profile = measure.received(event)


def _ask(launcher: Launcher, seen: _Seen, show: Any, say: probe.Say) -> Finding | None:
    """What ended the measurement early, if hosts had told something before."""

    def hear(event: dict[str, Any]) -> None:
        if event.get("event") == "progress":
            show(event)
        else:
            seen.hear(event)

    os.environ[MARK] = seen.mark
    try:
        probe.run(launcher, "measure", ["--no-tune", "--facts"], hear, None, say)
    except EcoError as error:
        if not seen.facts:
            raise
        return Finding(
            "not-measured",
            Severity.ERROR,
            tuple(host.name for host in seen.facts[0]),
            f"the network could not be measured to the end: {error.message}",
            "measured",
            "",
            "see what else is found here, and what the launcher printed",
        )
    finally:
        del os.environ[MARK]
    if not seen.facts or seen.profile is None:
        raise EcoError("the probe ended without a profile", ExitCode.LAUNCH)
    return None


def _all(launcher: Launcher, seen: _Seen, topology: Path | None) -> list[Finding]:
    before, after = seen.facts[0], seen.facts[-1]
    profile = seen.profile
    found = list(hosts.check(before, seen.mark))
    found += interfaces.check(before, profile)
    if profile is None:
        return found
    found += network.check(profile, before, after)
    path = kept.find(topology, profile.hosts, launcher.is_lab)
    found += kept.check(path, profile, launcher.is_lab)
    return found


def _print(findings: Sequence[Finding], seen: _Seen, as_json: bool) -> None:
    names = [host.name for host in seen.facts[0]]
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
        print(f"{len(names)} hosts: nothing is wrong that eco doctor knows of")
