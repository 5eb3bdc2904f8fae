# SPDX-License-Identifier: BSD-3-Clause
"""Hosts and links of a profile that are not as their like, in words."""

from __future__ import annotations

from eco import quantities
from eco.profile import Profile


def slow_hosts(profile: Profile) -> set[int]:
    """Those that take longer than their neighbours."""
    return {host for odd in profile.odd if odd.what == "slow" for host in odd.hosts}


def describe_odd(profile: Profile) -> list[str]:
    """A sentence for each host or link that is not as its like, and one for what was not tried."""
    lines = []
    for odd in profile.odd:
        names = [profile.hosts[host] for host in odd.hosts]
        if odd.what == "slow":
            lines.append(
                f"{names[0]} is slow: up to {odd.factor:.1f} times what its neighbours take"
            )
        else:
            lines.append(
                f"the rate from {names[0]} to {names[1]} is {odd.factor:.1f} times lower than back"
            )
    if profile.others_traffic:
        lines.append(f"others use this network too: {others_traffic(profile)} that is not ECO's")
    if profile.subnets_not_tried:
        subnets = len(set(profile.levels[-1]))
        lines.append(
            f"links of {profile.subnets_not_tried} of {subnets} subnets were not timed in both "
            "directions: there was no time"
        )
    return lines


_MOST_NAMED = 4


def others_traffic(profile: Profile) -> str:
    """Who sends and receives what is not ECO's, those with most first: `n0 sends 5 Mbit/s`."""
    found: list[tuple[float, str]] = []
    for each in profile.others_traffic:
        for rate, does in ((each.sent, "sends"), (each.received, "receives")):
            if rate >= max(each.sent, each.received) / 4:
                found.append((rate, f"{profile.hosts[each.host]} {does} {quantities.rate(rate)}"))
    found.sort(key=lambda entry: -entry[0])
    named = [text for _, text in found[:_MOST_NAMED]]
    more = f" and {len(found) - len(named)} more" if len(found) > len(named) else ""
    return f"{', '.join(named)}{more}"
