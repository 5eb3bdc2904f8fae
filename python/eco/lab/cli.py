# SPDX-License-Identifier: BSD-3-Clause
"""`eco lab`: emulated networks on this machine, to run MPI programs over."""

import json
from dataclasses import replace
from typing import Annotated, Any, Optional

import typer
from typer.core import TyperCommand

from eco.lab import draw, start
from eco.lab.load import load, shipped_names
from eco.lab.start import Options, check_family

app = typer.Typer(no_args_is_help=True, add_completion=False, help=__doc__)

ScenarioName = Annotated[
    str, typer.Argument(metavar="SCENARIO", help="A name from `eco lab list`, or a YAML file.")
]
Mpi = Annotated[
    Optional[str],
    typer.Option(
        metavar="openmpi|mpich", help="The MPI library (default: the one that the program needs)."
    ),
]
Hosts = Annotated[
    Optional[int],
    typer.Option(min=1, help="Use only this many hosts, in proportion from each network."),
]
RanksPerHost = Annotated[int, typer.Option(min=1, help="Ranks on each host.")]
Ranks = Annotated[
    Optional[int],
    typer.Option("--np", "-n", min=1, help="Total number of ranks (default: all hosts full)."),
]
Order = Annotated[
    str,
    typer.Option(
        metavar="ORDER",
        help="Order of the ranks over the hosts: block, round-robin or random:SEED.",
    ),
]
Native = Annotated[bool, typer.Option("--native", help="Run without ECO.")]
Topology = Annotated[
    Optional[str],
    typer.Option(
        "--topology",
        "--profile",
        metavar="FILE",
        help="The network's profile (default: measured once and stored).",
    ),
]
Scale = Annotated[float, typer.Option(help="Multiply every rate.")]
At = Annotated[
    Optional[list[str]],
    typer.Option(
        metavar="TIME WHAT",
        help="Change the network while the program runs: --at 5s 'link a-b rate=2mbit'; also "
        "'network a rate=…', 'host n0 slow=4', 'traffic n0-n1 rate=5mbit'. May be repeated.",
    ),
]
Traffic = Annotated[
    Optional[list[str]],
    typer.Option(
        metavar="HOST-HOST:RATE",
        help="Background traffic while the program runs: n0-n1:5mbit. May be repeated.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print as JSON.")]


class _TimedCommand(TyperCommand):
    """Takes `--at 5s 'link a-b …'`, an option of two words, which Typer has no form for."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        joined: list[str] = []
        words = iter(args[:end])
        for word in words:
            joined.append(word)
            if word == "--at" and (time := next(words, None)) is not None:
                joined.append(time if " " in time.strip() else f"{time} {next(words, '')}")
        return super().parse_args(ctx, joined + args[end:])


@app.command(cls=_TimedCommand)
def run(
    scenario: ScenarioName,
    program: Annotated[list[str], typer.Argument(metavar="-- PROGRAM [ARGS]...")],
    mpi: Mpi = None,
    hosts: Hosts = None,
    ranks_per_host: RanksPerHost = 1,
    np: Ranks = None,
    order: Order = "block",
    native: Native = False,
    topology: Topology = None,
    scale: Scale = 1.0,
    at: At = None,
    traffic: Traffic = None,
) -> None:
    """Run a program on all hosts of a scenario; returns the program's exit code."""
    options = Options(check_family(mpi), hosts, ranks_per_host, np, order, native, topology, scale)
    options = replace(options, at=tuple(at or ()), traffic=tuple(traffic or ()))
    raise typer.Exit(start.run(scenario, program, options))


@app.command()
def shell(
    scenario: ScenarioName,
    mpi: Mpi = None,
    hosts: Hosts = None,
    ranks_per_host: RanksPerHost = 1,
    np: Ranks = None,
    order: Order = "block",
    native: Native = False,
    topology: Topology = None,
    scale: Scale = 1.0,
) -> None:
    """Open a shell on the first host.

    `mpirun ./program` there starts the program on all hosts, with ECO and the
    network's profile (--native: without). Another profile: mpirun eco exec
    --profile FILE ./program.
    """
    options = Options(check_family(mpi), hosts, ranks_per_host, np, order, native, topology, scale)
    raise typer.Exit(start.shell(scenario, options))


@app.command("list")
def list_shipped(as_json: Json = False) -> None:
    """List the scenarios that come with ECO."""
    shipped = [load(name) for name in shipped_names()]
    if as_json:
        rows = [
            {"name": s.name, "description": s.description, "hosts": len(s.hosts)} for s in shipped
        ]
        print(json.dumps(rows, indent=2))
        return
    width = max(len(s.name) for s in shipped)
    for s in shipped:
        print(f"{s.name:<{width}}  {len(s.hosts):>2} hosts  {s.description}")


@app.command()
def show(scenario: ScenarioName, as_json: Json = False) -> None:
    """Draw a scenario's network."""
    loaded = load(scenario)
    if as_json:
        print(json.dumps(draw.values(loaded), indent=2))
    else:
        print(draw.tree(loaded))
