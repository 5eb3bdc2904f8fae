# SPDX-License-Identifier: BSD-3-Clause
"""Checks of a kept profile: whether it has these hosts, and whether the network is as it was."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Optional

from eco import profile as profiles
from eco import quantities, store, structure
from eco.doctor.finding import Finding, Severity
from eco.errors import EcoError
from eco.profile import Profile
from eco.zipped import zipped

# How much times may differ before measuring again is worth it: its own repeats differ less.
_CHANGED = 1.6
# Uplinks were measured within 12 % of what they carry (docs/figures.md, Shared capacity).
_UPLINK_CHANGED = 1.25

Ways = tuple[Optional[float], Optional[float]]  # out, in; None: only the hosts' ports limit it
_NONE: Ways = (None, None)


def find(named: Path | None, hosts: tuple[str, ...], is_lab: bool) -> Path | None:
    """The profile that programs on these hosts would use; emulated hosts have none stored."""
    if named is not None or is_lab:
        return named
    for path in store.newest_first():
        try:
            if hosts[0] in profiles.read(path).hosts:
                return path
        except EcoError:
            continue
    return None


def check(path: Path | None, measured: Profile, is_lab: bool) -> Iterator[Finding]:
    """All of them."""
    if path is None:
        if not is_lab:
            yield Finding(
                "no-profile",
                Severity.NOTE,
                (store.folder().as_posix(),),
                "your own folder has no profile of these hosts: programs run without ECO, unless "
                "another folder has one",
                "read",
                "",
                "measure once: eco measure -- and the same launcher line",
            )
        return
    known = profiles.read(path)
    missing = tuple(host for host in measured.hosts if host not in known.hosts)
    if missing:
        yield Finding(
            "other-hosts",
            Severity.ERROR,
            missing,
            f"not in the profile {path}, so collectives with ranks there run without ECO",
            "read",
            "",
            f"measure them too: eco measure -o {path} -- and the same launcher line",
        )
    yield from _changed(path, known, measured)
    common = {*known.hosts} & {*measured.hosts}
    now, then = shared_uplinks(measured), shared_uplinks(known)
    # Hosts that only one of them has may be why a cluster is another.
    yield from changed_uplinks(
        path,
        {
            hosts: (then.get(hosts, _NONE), now.get(hosts, _NONE))
            for hosts in dict.fromkeys([*then, *now])
            if hosts <= common
        },
    )


def changed_uplinks(
    path: Path, pairs: Mapping[frozenset[str], tuple[Ways, Ways]]
) -> Iterator[Finding]:
    """Where hosts share something else than before, or nothing. pairs: by hosts, then and now."""
    for hosts, (before, after) in pairs.items():
        ways = {
            way: f"{_carried(was)} in the profile, now {_carried(carries)}"
            for way, was, carries in zipped(("out", "in"), before, after)
            if _differ(was, carries)
        }
        if len(ways) == 2 and ways["out"] == ways["in"]:
            ways = {"each way": ways["out"]}
        if ways:
            own = tuple(sorted(hosts, key=quantities.natural))
            said = "; ".join(f"{way}: {rates}" for way, rates in ways.items())
            yield Finding(
                "uplink",
                Severity.WARNING,
                own,
                f"what their uplink carries differs from the profile {path}: {said}",
                "measured",
                "schedules were chosen for another network",
                _again(path),
            )


def _again(path: Path) -> str:
    return (
        f"find out what changed, or measure again: eco measure --again -o {path} -- and the same "
        "launcher line"
    )


def _changed(path: Path, known: Profile, measured: Profile) -> Iterator[Finding]:
    place = {host: at for at, host in enumerate(known.hosts)}
    common = [host for host in measured.hosts if host in place]
    now = measured.partition_cost
    if known.partition_bytes != measured.partition_bytes:
        return
    then = known.partition_cost
    at = {host: n for n, host in enumerate(measured.hosts)}
    ratios = {
        (a, b): now[at[a]][at[b]] / then[place[a]][place[b]]
        for n, a in enumerate(common)
        for b in common[n + 1 :]
        if then[place[a]][place[b]] > 0
    }
    changed = {pair: r for pair, r in ratios.items() if not 1 / _CHANGED < r < _CHANGED}
    if not changed:
        return
    worst = max(changed, key=lambda pair: max(changed[pair], 1 / changed[pair]))
    hosts = tuple(host for host in common if any(host in pair for pair in changed))
    ratio = statistics.median(changed.values())
    how = f"{ratio:.2f} times as long"
    yield Finding(
        "changed",
        Severity.WARNING,
        hosts,
        f"{len(changed)} of {len(ratios)} pairs of hosts differ from the profile {path}, most of "
        f"all {worst[0]}–{worst[1]}",
        "measured",
        f"messages of {measured.partition_bytes} B now take {how}",
        _again(path),
    )


def shared_uplinks(profile: Profile) -> dict[frozenset[str], Ways]:
    """Of each cluster that streams found: bytes/s on the wire out of it and into it."""
    found: dict[frozenset[str], Ways] = {}
    for each in profile.model.media if profile.model else ():
        level = profile.levels[each.level]
        own = [host for host, cluster in enumerate(level) if cluster == each.cluster]
        shared = structure.medium(profile, own)
        if shared and shared.found_by == "capacity" and (shared.uplink or shared.into):
            found[frozenset(profile.hosts[host] for host in own)] = (
                shared.uplink or None,
                shared.into or None,
            )
    return found


def _differ(was: float | None, carries: float | None) -> bool:
    if was is None or carries is None:
        return was is not carries
    return not was / _UPLINK_CHANGED < carries < was * _UPLINK_CHANGED


def _carried(rate: float | None) -> str:
    return "nothing that hosts share" if rate is None else quantities.rate(rate)
