# SPDX-License-Identifier: BSD-3-Clause
"""Builds a wired scenario inside the lab's own namespaces. Runs as the lab's first process."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from eco.errors import EcoError, ExitCode
from eco.lab import kernel, relay
from eco.lab.scenario import Scenario
from eco.lab.wiring import difference, launch_address, wire
from eco.zipped import zipped

STATE = Path("/run/eco-lab")
NETNS = Path("/run/netns")
UTSNS = Path("/run/utsns")
_OWN = NETNS / "eco-lab"


def private_mounts() -> None:
    """Private /proc, /run, /dev/shm and temporary files, gone with the mount namespace."""
    kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    try:
        kernel.mount("proc", "/proc", "proc")
    except PermissionError:
        pass  # in some containers; the outer /proc serves, it only shows more
    kernel.mount("tmpfs", "/run", "tmpfs", data="mode=0755")
    if Path("/dev/shm").is_dir():
        kernel.mount("tmpfs", "/dev/shm", "tmpfs", data="mode=1777")
    for folder in (STATE, STATE / "tmp", NETNS, UTSNS):
        folder.mkdir()
    (STATE / "tmp").chmod(0o1777)


def build(scenario: Scenario, states: Sequence[Scenario] = ()) -> IO[bytes] | None:
    """Make all hosts, bridges and wires, such that `change` can bring them to any of `states`;
    what `change` needs for that."""
    wiring = wire(scenario, states)
    _bind("net", _OWN)
    for host in scenario.hosts:
        kernel.unshare(kernel.CLONE_NEWNET | kernel.CLONE_NEWUTS)
        kernel.set_host_name(host)
        _bind("net", NETNS / host)
        _bind("uts", UTSNS / host)
    _enter_own()
    _settings()
    _batch("ip", wiring.links)
    _batch("ip", wiring.routers)
    if scenario.ipv6:
        _query_listeners(scenario)
    for card in wiring.cards:
        kernel.offloads_off(card)
    _batch("tc", wiring.shaping)
    for host, links, shaping in zipped(scenario.hosts, wiring.host_links, wiring.host_shaping):
        kernel.enter(str(NETNS / host), kernel.CLONE_NEWNET)
        _settings(len(scenario.cards(host)) if scenario.ipv6 else 0)
        _batch("ip", links)
        for n in range(len(scenario.cards(host))):
            kernel.offloads_off(f"eth{n}")
        _batch("tc", shaping)
        _congestion_control()
    _enter_own()
    _host_names(scenario)
    return relay.start(wiring.relays) if wiring.relays else None


def change(
    before: Scenario, after: Scenario, states: Sequence[Scenario], control: IO[bytes] | None
) -> None:
    """Bring the standing network from one of the `states` it was built for to another."""
    steps = difference(wire(before, states), wire(after, states))
    _batch("ip", steps.routers)
    _batch("tc", steps.shaping)
    if control is not None:
        relay.change(control, steps.relays)
    for host, shaping in zipped(before.hosts, steps.host_shaping):
        if shaping:
            kernel.enter(str(NETNS / host), kernel.CLONE_NEWNET)
            _batch("tc", shaping)
    _enter_own()


def enter_host(host: str) -> None:
    """Become a process of `host`."""
    kernel.enter(str(NETNS / host), kernel.CLONE_NEWNET)
    kernel.enter(str(UTSNS / host), kernel.CLONE_NEWUTS)


def _enter_own() -> None:
    kernel.enter(str(_OWN), kernel.CLONE_NEWNET)


def _bind(kind: str, path: Path) -> None:
    path.touch()
    kernel.mount(f"/proc/self/ns/{kind}", str(path), None, kernel.MS_BIND)


def _settings(cards: int = 0) -> None:
    """No IPv6, but for so many NICs."""
    # Neighbour and router queries of IPv6 would take their share of a slow bus.
    for scope in ("default", "all", "lo"):
        setting = Path(f"/proc/sys/net/ipv6/conf/{scope}/disable_ipv6")
        if setting.exists():
            setting.write_text("1", encoding="ascii")
    for n in range(cards):
        _allow_ipv6(f"eth{n}")


def _allow_ipv6(card: str) -> None:
    """Without the queries of neighbours and routers."""
    own = Path(f"/proc/sys/net/ipv6/conf/{card}")
    if not own.is_dir():
        raise EcoError("this machine's kernel has no IPv6", ExitCode.ENVIRONMENT)
    for name in ("accept_dad", "accept_ra", "router_solicitations", "disable_ipv6"):
        (own / name).write_text("0", encoding="ascii")


def _query_listeners(scenario: Scenario) -> None:
    """A switch that snoops needs an address of its own to query who listens by IPv6."""
    snooping = [f"br{n}" for n, network in enumerate(scenario.networks) if network.snooping]
    for bridge in snooping:
        _allow_ipv6(bridge)
    for begins in (0, 1):
        _batch("ip", [f"link set {each} type bridge mcast_querier {begins}" for each in snooping])


def _congestion_control() -> None:
    """Cubic where we may; the machine's default may be one that ignores losses."""
    setting = Path("/proc/sys/net/ipv4/tcp_congestion_control")
    for name in ("cubic", "reno"):
        try:
            setting.write_text(name, encoding="ascii")
            return
        except OSError:
            continue


def _batch(tool: str, lines: list[str]) -> None:
    if not lines:
        return
    try:
        done = subprocess.run(
            [tool, "-batch", "-"], input="\n".join(lines) + "\n", text=True, capture_output=True
        )
    except FileNotFoundError:
        raise EcoError(
            f"the tool {tool!r} is missing; install the package iproute2", ExitCode.ENVIRONMENT
        ) from None
    if done.returncode != 0:
        detail = " ".join(done.stderr.split())
        raise EcoError(f"the lab's network: {tool} refused: {detail}", ExitCode.ENVIRONMENT)


def _host_names(scenario: Scenario) -> None:
    lines = ["127.0.0.1 localhost"]
    lines += [f"{launch_address(i, scenario.ipv6)} {host}" for i, host in enumerate(scenario.hosts)]
    names = STATE / "hosts"
    names.write_text("\n".join(lines) + "\n", encoding="ascii")
    if Path("/etc/hosts").is_file():
        kernel.mount(str(names), "/etc/hosts", None, kernel.MS_BIND)
