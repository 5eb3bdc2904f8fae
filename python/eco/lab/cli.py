"""`eco lab`: emulated networks on this machine."""

from typing import Annotated

import typer

from eco.lab import load as scenarios
from eco.lab.run import Options, run as run_program

app = typer.Typer(no_args_is_help=True, add_completion=False, help=__doc__)


@app.command(context_settings={"ignore_unknown_options": False})
def run(
    scenario: str,
    program: Annotated[list[str], typer.Argument()],
    mpi: str | None = None,
    hosts: int | None = None,
    ranks_per_host: int = 1,
    np: int | None = None,
    order: str = "block",
    native: bool = False,
    topology: str | None = None,
    scale: float = 1.0,
) -> None:
    s = scenarios.load(scenario).scaled(scale)
    if hosts: s = s.with_hosts(hosts)
    raise typer.Exit(run_program(s, program, Options(mpi, ranks_per_host, np, order, native, topology)))

@app.command()
def show(scenario: str) -> None: pass
