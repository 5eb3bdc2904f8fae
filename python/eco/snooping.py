# SPDX-License-Identifier: BSD-3-Clause
"""Whether switches copy multicasts to hosts that have not joined, in words (docs/mcast.md)."""

from __future__ import annotations

from eco import quantities, structure
from eco.profile import Profile


def _flooded(profile: Profile) -> dict[int, bool]:
    """Of each host whether switches near it copy multicasts to all, by the narrowest area that
    tells."""
    areas = profile.mcast.areas if profile.mcast else ()
    return {
        host: area.flooded
        for area in sorted(areas, key=lambda area: area.level)
        if area.flooded is not None
        for host in structure.area_hosts(profile, area)
    }


def describe(profile: Profile) -> str:
    """Who else gets multicasts, in one sentence; empty if it is not known."""
    known = _flooded(profile)
    if not known:
        return ""
    protocol = f"{_snooper(profile)} snooping"
    flooded = sorted(host for host, is_flooded in known.items() if is_flooded)
    told = flooded or sorted(known)
    names = quantities.names([profile.hosts[host] for host in told])
    where = "" if len(told) == len(profile.hosts) else f" near {names}"
    if not flooded:
        return f"Switches{where} copy multicasts only to hosts that have joined ({protocol})."
    return (
        f"Switches copy multicasts to all hosts{where} (no {protocol}): "
        "other hosts on them get this traffic while collectives run."
    )


def describe_mcast(profile: Profile) -> str:
    """As `structure.describe_mcast`, and whether others on these switches get them."""
    floods = f"; no {_snooper(profile)} snooping" if any(_flooded(profile).values()) else ""
    return structure.describe_mcast(profile) + floods


def _snooper(profile: Profile) -> str:
    """The protocol that switches listen to."""
    return "MLD" if profile.mcast and profile.mcast.family == "ipv6" else "IGMP"
