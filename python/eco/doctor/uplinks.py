# SPDX-License-Identifier: BSD-3-Clause
"""`eco doctor --uplinks`: whether uplinks carry what a profile says, in seconds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eco import contact, probe, quantities, structure
from eco import profile as profiles
from eco.doctor import kept
from eco.doctor.finding import Finding
from eco.engine import engine
from eco.errors import EcoError, ExitCode
from eco.launcher import Launcher
from eco.profile import Profile
from eco.zipped import zipped


@dataclass(frozen=True)
class Uplink:
    """Of one cluster; bytes/s on the wire, None: only the hosts' ports limit that way."""

    hosts: tuple[str, ...]
    profile: kept.Ways
    now: kept.Ways

    def document(self) -> dict[str, Any]:
        """As --json has it."""
        then, now = self.profile, self.now
        return {
            "hosts": list(self.hosts),
            "profile": {"out": then[0], "in": then[1]},
            "now": {"out": now[0], "in": now[1]},
        }

    def __str__(self) -> str:
        said = [
            f"{quantities.rate(now)} {way} (profile: {quantities.rate(then)})"
            for way, then, now in zipped(("out", "in"), self.profile, self.now)
            if then is not None and now is not None
        ]
        return f"{quantities.names(self.hosts)}: uplink {', '.join(said)}"


def measure(
    launcher: Launcher, path: Path, interfaces: str | None, show: Any, say: probe.Say
) -> list[Uplink]:
    """All of the profile's, by streams of all its hosts."""
    known = profiles.read(path)
    if not kept.shared_uplinks(known):
        raise EcoError(
            f"{path} has no uplink that streams of many hosts found, so there is none to check: "
            "'eco doctor' without --uplinks looks for them",
            ExitCode.BAD_INPUT,
        )
    found: list[Uplink] = []

    def take_event(event: dict[str, Any]) -> None:
        if event.get("event") == "progress":
            show(event)
        elif event.get("event") == "uplinks":
            found.extend(_read(known, event))

    text = profiles.to_json(known)
    contact.run(launcher, "uplinks", ["--profile", "-"], take_event, text, say, interfaces)
    return found


def _read(known: Profile, event: dict[str, Any]) -> Iterator[Uplink]:
    for each in event["uplinks"]:
        shared = structure.medium(known, each["hosts"])
        assert shared
        then = (shared.uplink or None, shared.into or None)
        now = (engine().on_wire(each["out"]), engine().on_wire(each["in"]))
        yield Uplink(
            tuple(known.hosts[host] for host in each["hosts"]),
            then,
            (now[0] if then[0] else None, now[1] if then[1] else None),
        )


def check(path: Path, found: list[Uplink]) -> list[Finding]:
    """Those that carry more or less than the profile says."""
    pairs = {frozenset(each.hosts): (each.profile, each.now) for each in found}
    return list(kept.changed_uplinks(path, pairs))
