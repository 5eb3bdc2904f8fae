"""`eco lab`: emulated networks on this machine, to run MPI programs over."""

import json
from typing import Annotated

import typer

from eco.lab import draw, start
from eco.lab.load import load, shipped_names
from eco.lab.start import Options, check_family

app = typer.Typer(no_args_is_help=True, add_completion=False, help=__doc__)

ScenarioName = Annotated[
    str, typer.Argument(metavar="SCENARIO", help="A name from `eco lab list`, or a YAML file.")
]
Mpi = Annotated[
    str | None,
    typer.Option(
        metavar="openmpi|mpich", help="The MPI to launch with; else what the program needs."
    ),
]
Hosts = Annotated[
    int | None,
    typer.Option(min=1, help="Use only so many hosts, spread over the networks in proportion."),
]
RanksPerHost = Annotated[int, typer.Option(min=1, help="Ranks on each host.")]
Ranks = Annotated[
    int | None, typer.Option("--np", "-n", min=1, help="Ranks in all; else every host is full.")
]
Order = Annotated[
    str,
    typer.Option(
        metavar="block|round-robin|random:SEED", help="How ranks are laid over the hosts."
    ),
]
Native = Annotated[bool, typer.Option("--native", help="Without ECO.")]
Topology = Annotated[
    str | None,
    typer.Option(
        "--topology",
        "--profile",
        metavar="FILE",
        help="The network's profile; else measured once and kept.",
    ),
]
Scale = Annotated[float, typer.Option(help="Multiply every rate.")]
Json = Annotated[bool, typer.Option("--json", help="As JSON.")]


@app.command()
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
) -> None:
    """Run a program on all hosts of a scenario; ends with the program's exit code."""
    options = Options(check_family(mpi), hosts, ranks_per_host, np, order, native, topology, scale)
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
    """Open a shell on the first host; `mpirun ./program` there uses all hosts."""
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
