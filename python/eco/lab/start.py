# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program, or a shell, over a scenario."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from eco.errors import EcoError, ExitCode
from eco.lab import build, change, events, launch, mpi, profile, quirks, sandbox, self_check
from eco.lab.load import load
from eco.lab.program import SHOWN, Family, inspect
from eco.lab.scenario import Scenario
from eco.lab.units import HIGHEST_RATE, LOWEST_RATE
from eco.lab.wiring import common_addresses

LAUNCHERS = build.STATE / "bin"
SETTINGS = build.STATE / "settings.json"


@dataclass(frozen=True)
class Options:
    """What the user chose about a run."""

    mpi: Family | None = None
    hosts: int | None = None
    ranks_per_host: int = 1
    np: int | None = None
    order: str = "block"
    native: bool = False
    topology: str | None = None
    scale: float = 1.0
    at: tuple[str, ...] = ()
    traffic: tuple[str, ...] = ()


def check_family(name: str | None) -> Family | None:
    """The MPI that a word on the command line names."""
    if name is None:
        return None
    for family in SHOWN:
        if family == name:
            return family
    raise EcoError(f"--mpi {name!r}: must be {' or '.join(SHOWN)}", ExitCode.USAGE)


def network(scenario: str, options: Options) -> Scenario:
    """The scenario's network with the chosen scale and number of hosts."""
    loaded = load(scenario)
    if not options.scale > 0:
        raise EcoError(f"--scale {options.scale:g}: must be above 0", ExitCode.USAGE)
    scaled = loaded.scaled(options.scale)
    rates = [n.rate for n in scaled.networks] + [x.rate for x in scaled.links if x.rate]
    if not all(LOWEST_RATE <= rate <= HIGHEST_RATE for rate in rates):
        raise EcoError(
            f"--scale {options.scale:g}: a rate of {scenario} leaves 10 kbit/s to 100 Gbit/s",
            ExitCode.USAGE,
        )
    count = options.hosts or scaled.default_hosts or len(scaled.hosts)
    try:
        return scaled.with_hosts(count)
    except ValueError as error:
        raise EcoError(str(error), ExitCode.USAGE) from None


def run(scenario: str, words: Sequence[str], options: Options) -> int:
    """Start the program `words` on the hosts of `scenario`; its exit code."""
    net = network(scenario, options)
    changes = change.plan(net, options.at, options.traffic)
    placement = _place(net, options)
    program = inspect(words[0], os.environ.get("PATH", os.defpath))
    installation = mpi.choose(program, words[0], options.mpi)
    before: list[str] = []
    # The launcher `eco` itself, as in `eco exec …` or `eco probe …`, knows what it wants.
    if not options.native and program.path.name != "eco":
        _refuse_early(net, placement, options)
        lab_words = measuring_words(scenario, installation.family, options)
        found = profile.obtain(net, installation, options.topology, lab_words)
        before = profile.words_before(found)
    preload = quirks.library()
    env = launch.environment(installation, placement, os.environ, preload)
    command = launch.command(installation, placement, preload, placement.first)

    fed = launch.has_input()

    def prepare() -> None:
        _prepare(net, placement, options, changes)
        if fed:
            launch.feed_rank_zero()
        os.environ.clear()
        os.environ.update(env)

    return sandbox.run(
        prepare,
        lambda: build.enter_host(placement.first),
        # By its path: on the hosts, the MPI's folder comes first on PATH.
        [*command, str(launch.RANK), *before, str(program.path), *words[1:]],
        interactive=False,
        outcome=launch.outcome,
    )


def shell(scenario: str, options: Options) -> int:
    """An interactive shell on the first host; `mpirun` there starts over all hosts."""
    net = network(scenario, options)
    placement = _place(net, options)
    preload = quirks.library()
    installation = mpi.choose(None, "", options.mpi)
    found: Path | None = None
    if not options.native:
        _refuse_early(net, placement, options)
        lab_words = measuring_words(scenario, installation.family, options)
        found = profile.obtain(net, installation, options.topology, lab_words)
    settings = {
        "hosts": placement.hosts,
        "all_hosts": placement.all_hosts,
        "interfaces": placement.interfaces,
        "addresses": placement.addresses,
        "ipv6": placement.ipv6,
        "mpi": options.mpi,
        "quirks": None if preload is None else str(preload),
        "profile": None if found is None else str(found),
    }
    starter = profile.own_command("eco.lab.mpirun")

    def prepare() -> None:
        _prepare(net, placement, options)
        SETTINGS.write_text(json.dumps(settings), encoding="utf-8")
        LAUNCHERS.mkdir()
        for name in ("mpirun", "mpiexec"):
            path = LAUNCHERS / name
            path.write_text(f'#!/bin/sh\nexec {_quoted(starter)} "$@"\n', encoding="utf-8")
            path.chmod(0o755)
        path_before = os.environ.get("PATH", os.defpath)
        os.environ["PATH"] = f"{LAUNCHERS}:{installation.prefix}/bin:{path_before}"
        os.environ["ECO_LAB_HOSTFILE"] = str(launch.HOST_FILE)
        os.environ["TMPDIR"] = str(build.STATE / "tmp")

    return sandbox.run(
        prepare,
        lambda: build.enter_host(placement.first),
        [os.environ.get("SHELL") or "/bin/sh"],
        interactive=True,
    )


def measuring_words(scenario: str, family: Family, options: Options) -> list[str]:
    """The lab's words that launch a measurement of the same network, one rank on each host."""
    words = ["run", scenario, "--mpi", family, "--native", "--scale", repr(options.scale)]
    if options.hosts is not None:
        words += ["--hosts", str(options.hosts)]
    return [*words, "--"]


def _place(net: Scenario, options: Options) -> launch.Placement:
    placed = launch.place(net.hosts, options.ranks_per_host, options.np, options.order)
    own = common_addresses(net)
    return replace(placed, interfaces=net.interfaces, addresses=own, ipv6=net.ipv6)


def _refuse_early(net: Scenario, placement: launch.Placement, options: Options) -> None:
    """Before such a network is measured, which would fail with another sentence."""
    if options.scale <= 1 and self_check.fast_network(net):
        sandbox.run(
            lambda: _prepare(net, placement, options),
            lambda: build.enter_host(placement.first),
            ["true"],
            interactive=False,
        )


def _prepare(
    net: Scenario,
    placement: launch.Placement,
    options: Options,
    changes: Sequence[change.Change] = (),
) -> None:
    build.private_mounts()
    control = build.build(net, [c.network for c in changes])
    self_check.refuse(net, options.scale)
    launch.write_files(placement)
    if changes:
        events.start(net, changes, control)


def _quoted(words: Sequence[str]) -> str:
    return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)


def as_arguments(options: Options) -> list[str]:
    """The options as words of the command line."""
    words: list[str] = []
    for name, value in asdict(options).items():
        if value is None or value is False:
            continue
        flag = "--" + name.replace("_", "-")
        if isinstance(value, tuple):
            words += [word for each in value for word in (flag, each)]
        else:
            words += [flag] if value is True else [flag, str(value)]
    return words
