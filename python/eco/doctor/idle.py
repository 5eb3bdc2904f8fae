# SPDX-License-Identifier: BSD-3-Clause
"""A check of what TCP does between hosts far apart when a connection has rested."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from eco import quantities, structure
from eco.doctor.facts import Host
from eco.doctor.finding import Finding, Severity
from eco.profile import Profile

_SEGMENTS = 10  # that Linux sends at first
_HEADERS = 52  # of IPv4 and TCP in each packet, with a time stamp
_USUAL_MTU = 1500

_BYTES = 256_000  # of a long message
# It must take so many times as long to be worth a sentence, and so many seconds longer: connections
# rest for 0.2 s before this happens, beside which less is nothing.
_TIMES, _LONGER = 1.3, 0.010


@dataclass(frozen=True)
class _Way:
    """Between two hosts, and a long message there on a connection that has rested."""

    ends: tuple[str, str]
    round_trip: float
    rate: float
    window: float  # bytes at first

    @property
    def usual(self) -> float:
        """Seconds of the message if the window is large enough."""
        return self.round_trip / 2 + _BYTES / self.rate

    @property
    def longer(self) -> float:
        """For each window the sender waits until the first of its bytes is acknowledged; then the
        window is twice as large."""
        lost, window, left = 0.0, self.window, _BYTES - self.window
        while left > 0 and window < self.round_trip * self.rate:
            lost += self.round_trip - window / self.rate
            window *= 2
            left -= window
        return lost

    @property
    def matters(self) -> bool:
        return self.longer > _LONGER and self.usual + self.longer > _TIMES * self.usual


def check(profile: Profile, hosts: Sequence[Host]) -> Iterator[Finding]:
    """Whether long messages of programs that compute for a while begin slowly."""
    known = {host.name: host for host in hosts}
    ways, senders = [], set()
    for a, b in itertools.combinations(range(len(profile.hosts)), 2):
        ends = [known[name] for name in (profile.hosts[a], profile.hosts[b]) if name in known]
        forget = {host.name for host in ends if host.forgets_windows}
        rate = structure.bandwidth(profile, a, b) if forget and len(ends) == 2 else None
        if rate is None:
            continue
        names = (ends[0].name, ends[1].name)
        way = _Way(names, 2 * profile.minimum[0][a][b], rate, _first_window(ends))
        if way.matters:
            ways.append(way)
            senders |= forget
    if not ways:
        return
    worst = max(ways, key=lambda way: way.longer)
    yield Finding(
        "idle-connections",
        Severity.WARNING,
        tuple(host.name for host in hosts if host.name in senders),
        f"TCP begins with {worst.window / 1e3:.3g} kB per round trip again on a connection that "
        f"has rested (tcp_slow_start_after_idle is 1), where {'–'.join(worst.ends)} can have "
        f"{worst.round_trip * worst.rate / 1e3:.3g} kB under way "
        f"({quantities.seconds(worst.round_trip)}, {quantities.rate(worst.rate)})",
        "read",
        f"after 0.2 s of computing or more, a message of {_BYTES // 1000} kB takes "
        f"{quantities.seconds(worst.usual + worst.longer)} there instead of "
        f"{quantities.seconds(worst.usual)}",
        "sysctl -w net.ipv4.tcp_slow_start_after_idle=0 on all hosts (as root; it holds for IPv6 "
        "too); to keep it: the same setting in a file of /etc/sysctl.d",
    )


def _first_window(ends: Sequence[Host]) -> float:
    """Bytes: packets are as long as the NICs of both ends allow."""
    mtu = min(
        max((each.mtu for each in host.interfaces if each.mtu), default=_USUAL_MTU) for host in ends
    )
    return _SEGMENTS * float(mtu - _HEADERS)
