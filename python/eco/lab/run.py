"""Runs a program over a scenario."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from eco.errors import EcoError, ExitCode
from eco.lab import build, launch, mpi, sandbox
from eco.lab.program import Family, inspect
from eco.lab.scenario import Scenario


@dataclass(frozen=True)
class Options:
    """What the user chose about a run."""

    mpi: Family | None = None
    ranks_per_host: int = 1
    ranks: int | None = None
    order: str = "block"
    native: bool = False
    topology: str | None = None


def run(scenario: Scenario, words: Sequence[str], options: Options) -> int:
    """Start `words` on the hosts of `scenario`; the program's exit code."""
    placement = launch.place(
        scenario.hosts, options.ranks_per_host, options.ranks, options.order
    )
    program = inspect(words[0], os.environ.get("PATH", os.defpath))
    installation = mpi.choose(program, words[0], options.mpi)
    env = launch.environment(installation, placement, os.environ)
    command = launch.command(installation, placement, words)

    def prepare() -> None:
        build.private_mounts()
        build.build(scenario)
        launch.write_files(installation, placement)
        os.environ.clear()
        os.environ.update(env)

    return sandbox.run(prepare, lambda: build.enter_host(placement.first), command, False)
