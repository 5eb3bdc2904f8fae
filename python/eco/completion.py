# SPDX-License-Identifier: BSD-3-Clause
"""Completion in shells: Typer's scripts start `eco` with the line so far in the environment.

`words` is that line; `exec_options` stands for `eco exec`, which is native code.
"""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from typer.completion import (  # type: ignore[attr-defined]
    completion_init,
    get_completion_script,
)

VARIABLE = "_ECO_COMPLETE"
SHELLS = ("bash", "zsh", "fish")


def words(environment: Mapping[str, str]) -> list[str]:
    """What follows `eco` on the line that a shell completes; empty where none asks."""
    if VARIABLE not in environment:
        return []
    completion_init()
    line = environment.get("COMP_WORDS") or environment.get("_TYPER_COMPLETE_ARGS") or ""
    try:
        return shlex.split(line)[1:]
    except ValueError:  # a quote that is still open
        return line.split()[1:]


def script(shell: str) -> str:
    """What a shell of SHELLS reads at its start."""
    return str(get_completion_script(prog_name="eco", complete_var=VARIABLE, shell=shell))


def _abis() -> list[str]:
    return ["openmpi", "mpich", "abi"]


def exec_options(
    context: typer.Context,
    program: Annotated[Optional[list[str]], typer.Argument()] = None,
    profile: Annotated[Optional[Path], typer.Option("--profile", "--topology")] = None,
    mpi: Annotated[Optional[str], typer.Option(autocompletion=_abis)] = None,
    verbose: Annotated[bool, typer.Option("--verbose")] = False,
) -> Any:
    """The options of `eco exec`, for completion only."""
