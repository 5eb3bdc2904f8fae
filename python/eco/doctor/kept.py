# SPDX-License-Identifier: BSD-3-Clause
"""Checks of a kept profile: whether it has these hosts, and whether the network is as it was."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from pathlib import Path

from eco import profile as profiles
from eco import store
from eco.doctor.finding import Finding, Severity
from eco.errors import EcoError
from eco.profile import Profile

# How much times may differ before measuring again is worth it: its own repeats differ less.
_CHANGED = 1.6


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
        f"find out what changed, or measure again: eco measure --again -o {path} -- and the same "
        "launcher line",
    )
