# SPDX-License-Identifier: BSD-3-Clause
"""Checks of what hosts say of themselves: builds, libraries, interfaces, clocks, settings."""

import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from eco.doctor.facts import MARK, Host, Interface, IpNetwork
from eco.doctor.finding import Finding, Severity, listed

# Reading them takes a system call of a microsecond or more.
_SLOW_CLOCKS = ("hpet", "acpi_pm", "jiffies", "refined-jiffies")
# Of what a process gets on other hosts.
_LITTLE = 0.25
_SLOW_GOVERNORS = ("powersave", "conservative", "userspace")


def check(hosts: Sequence[Host], mark: str, again: Mapping[str, float]) -> Iterator[Finding]:
    """All of them. again: by host, the share of a processor that a process had at the second look,
    of hosts that had little at the first, and of some to compare with."""
    yield from _builds(hosts)
    yield from _libraries(hosts)
    yield from _environment(hosts, mark)
    yield from _clocks(hosts)
    yield from _governors(hosts)
    yield from _busy(hosts, again)
    yield from _mtu(hosts)
    yield from _speeds(hosts)


def _minority(hosts: Sequence[Host], of: Callable[[Host], str]) -> tuple[list[str], str, str]:
    """Hosts that differ from most, what they have, and what most have."""
    usual = Counter(of(host) for host in hosts).most_common(1)[0][0]
    others = [host for host in hosts if of(host) != usual]
    return [host.name for host in others], of(others[0]) if others else usual, usual


def builds_differ(hosts: Sequence[Host]) -> bool:
    """Then nothing is measured."""
    return len({host.build for host in hosts}) > 1


def _builds(hosts: Sequence[Host]) -> Iterator[Finding]:
    names, _, _ = _minority(hosts, lambda host: host.build)
    if names:
        yield Finding(
            "other-build",
            Severity.ERROR,
            tuple(names),
            "another build of ECO than on most hosts, so jobs with these hosts run without ECO",
            "read",
            "",
            "install the same ECO on all hosts, or once in a folder that all of them see",
        )


def _libraries(hosts: Sequence[Host]) -> Iterator[Finding]:
    names, own, usual = _minority(hosts, lambda host: host.mpi)
    if names:
        yield Finding(
            "other-mpi-library",
            Severity.ERROR,
            tuple(names),
            f"{own} is loaded, but {usual} on most hosts",
            "read",
            "",
            "install the same MPI library on all hosts, and compare PATH and LD_LIBRARY_PATH",
        )


def _environment(hosts: Sequence[Host], mark: str) -> Iterator[Finding]:
    names = [host.name for host in hosts if host.environment.get(MARK) != mark]
    if names:
        yield Finding(
            "environment",
            Severity.NOTE,
            tuple(names),
            "the launcher does not forward environment variables to these hosts",
            "measured",
            "",
            "give variables such as ECO_PROFILE to the launcher: -x ECO_PROFILE (Open MPI), "
            "-genvlist ECO_PROFILE (MPICH), --export=ALL (srun)",
        )


def _clocks(hosts: Sequence[Host]) -> Iterator[Finding]:
    names = [host.name for host in hosts if host.clock in _SLOW_CLOCKS]
    if names:
        clocks = listed(sorted({host.clock for host in hosts if host.clock in _SLOW_CLOCKS}))
        yield Finding(
            "slow-clock",
            Severity.WARNING,
            tuple(names),
            f"the kernel's clock is {clocks}, which is slow to read",
            "read",
            "about a microsecond whenever a program or library reads the time",
            "choose tsc (kernel parameter clocksource=tsc), or ask why the kernel left it: dmesg",
        )


def _governors(hosts: Sequence[Host]) -> Iterator[Finding]:
    names = [host.name for host in hosts if host.governor in _SLOW_GOVERNORS]
    if names:
        yield Finding(
            "governor",
            Severity.WARNING,
            tuple(names),
            "the processors' governor saves power, so they are slow when a message arrives",
            "likely",
            "",
            "cpupower frequency-set -g performance (as root)",
        )


def are_busy(hosts: Sequence[Host]) -> bool:
    """Whether most have more to do than processors, as where they are emulated on a busy machine:
    then times scatter."""
    loads = [host.load for host in hosts if host.load is not None]
    processors = statistics.median(host.processors for host in hosts)
    return bool(loads) and statistics.median(loads) > processors


def _busy(hosts: Sequence[Host], again: Mapping[str, float]) -> Iterator[Finding]:
    """Hosts whose processors do other work: a rank there makes all others wait. The share of a
    processor says so if it is little at both looks, the second without the other ranks' work. Loads
    say nothing where most hosts have more to do than processors, or share a machine."""
    shares = [host.share for host in hosts if host.share is not None]
    loads = [host.load for host in hosts if host.load is not None]
    usual = statistics.median(shares) if shares else 0.0
    idle = statistics.median(loads) if loads else 0.0
    all_busy = are_busy(hosts)
    on_machine = Counter(host.machine for host in hosts if host.machine)
    compared = [
        again[host.name]
        for host in hosts
        if host.name in again and host.share is not None and host.share >= usual
    ]
    enough = _LITTLE * statistics.median(compared) if compared else 0.0
    for host in hosts:
        alone = not all_busy and on_machine[host.machine] < 2
        more = host.load - idle if host.load is not None and alone else 0.0
        little = host.share is not None and host.share < _LITTLE * usual
        if host.share is not None and little and again.get(host.name, enough) < enough:
            what = f"a process that computes gets {100 * host.share:.0f} % of a processor there"
            cost = (
                f"it computes {usual / max(host.share, 0.01):.1f} times as long as on other hosts"
            )
        elif more > max(1.0, host.processors / 2):
            what = (
                f"{more:.0f} more processes than on other hosts run on its "
                f"{host.processors} processors"
            )
            cost = "a rank waits for a processor, and all others for that rank"
        else:
            continue
        yield Finding(
            "busy-host",
            Severity.WARNING,
            (host.name,),
            what,
            "measured",
            cost,
            "stop the other programs there (top), or leave this host out of the hostfile",
        )


def _by_network(
    hosts: Sequence[Host], tells: Callable[[Interface], bool]
) -> Iterator[tuple[IpNetwork, dict[str, Interface]]]:
    """IP networks, and by host the interface in each, of those that tell what is looked for."""
    networks = {each.network for host in hosts for each in host.interfaces if not each.bridge}
    for network in sorted(networks, key=str):
        yield (
            network,
            {
                host.name: each
                for host in hosts
                for each in host.interfaces
                if each.network == network and tells(each)
            },
        )


def _mtu(hosts: Sequence[Host]) -> Iterator[Finding]:
    """Of hosts in one IP network: longer frames than the receiver takes are dropped."""
    for network, interfaces in _by_network(hosts, lambda each: each.mtu is not None):
        found = {name: each.mtu for name, each in interfaces.items()}
        if len(set(found.values())) < 2:
            continue
        usual = Counter(found.values()).most_common(1)[0][0]
        others = [name for name, mtu in found.items() if mtu != usual]
        yield Finding(
            "mtu",
            Severity.ERROR,
            tuple(others),
            f"the MTU in {network} is {found[others[0]]}, but {usual} on most hosts",
            "read",
            "multicasts and UDP of full length are lost; long messages may stall",
            f"set one MTU on all hosts and switches: ip link set DEVICE mtu {usual} (as root)",
        )


def _speeds(hosts: Sequence[Host]) -> Iterator[Finding]:
    """NICs that run slower than those of most hosts in the same IP network."""
    for _, found in _by_network(hosts, lambda each: bool(each.megabits)):
        if len(found) < 3:
            continue
        speeds = {name: each.megabits or 0 for name, each in found.items()}
        usual = Counter(speeds.values()).most_common(1)[0][0]
        slow = [name for name, speed in speeds.items() if speed < usual]
        if not slow or 2 * len(slow) >= len(found):
            continue
        worst = min(slow, key=lambda name: speeds[name])
        yield Finding(
            "link-speed",
            Severity.WARNING,
            tuple(slow),
            f"{found[worst].name} runs at {speeds[worst]} Mbit/s, but at {usual} Mbit/s on most "
            "hosts",
            "read",
            f"long messages to and from it take {usual / speeds[worst]:.3g} times as long",
            f"look at its cable and the switch's port, and at what both agree on: ethtool "
            f"{found[worst].name}",
        )
