# SPDX-License-Identifier: BSD-3-Clause
"""`eco export`: writes the measured network in another program's format."""

import json
from pathlib import Path
from typing import Annotated, Optional

import typer

from eco import profile as profiles
from eco import store
from eco.errors import EcoError, ExitCode
from eco.export import network as networks
from eco.export import order
from eco.export.document import Document
from eco.export.formats import FORMATS, Format
from eco.export.network import Network
from eco.options import Json
from eco.probe import say_on_stderr
from eco.streams import printable

_TABLE = "\n\n".join(f"{each.name}: {each.title}" for each in FORMATS)

File = Annotated[
    Path, typer.Argument(metavar="FILE", readable=False, help="A profile of `eco measure`.")
]


def command(
    file: File,
    kind: Annotated[str, typer.Option("--format", "-f", metavar="F", help="One of these formats.")],
    out: Annotated[
        Optional[Path],
        typer.Option(
            "-o", "--output", metavar="FILE", help="The file to write (default: standard output)."
        ),
    ] = None,
    hosts: Annotated[
        Optional[str],
        typer.Option(metavar="A,B,…", help="Only these hosts, for example those of a job."),
    ] = None,
    names: Annotated[
        Optional[str],
        typer.Option(
            metavar="short|full|FILE",
            help="Host names: without their domain, as measured, or as a file of lines "
            "'MEASURED-NAME NAME' gives them (default: short for Slurm, else full).",
        ),
    ] = None,
    ranks_per_host: Annotated[
        Optional[int],
        typer.Option(
            metavar="K", help="For formats with an order: ranks on each host (default: 1)."
        ),
    ] = None,
    graph: Annotated[
        Optional[Path],
        typer.Option(
            metavar="FILE",
            help="For formats with an order: place ranks that exchange messages near each other; "
            "lines 'RANK RANK WEIGHT'. Without it ranks follow the ring.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write the measured network in the format of another program.

    eco export cluster.json --format slurm-conf -o topology.conf
    """
    form = _format(kind)
    if not form.by_rank and (graph is not None or ranks_per_host is not None):
        option = "--graph" if graph is not None else "--ranks-per-host"
        raise EcoError(f"{option}: --format {form.name} has no ranks", ExitCode.USAGE)
    if out is not None:
        store.check_writable(out)
    profile = profiles.read(file)
    wanted = None if hosts is None else [word.strip() for word in hosts.split(",") if word.strip()]
    if wanted is not None and not wanted:
        raise EcoError("--hosts names no host", ExitCode.USAGE)
    chosen = networks.select(profile, wanted)
    ranks = order.by_ring(chosen, ranks_per_host or 1 if ranks_per_host is None else ranks_per_host)
    if graph is not None:
        ranks = order.by_graph(profiles.to_json(profile), ranks, graph)
    named = networks.rename(profile, chosen, names or form.names)
    document = form.write(Network(profile, named, ranks))
    for sentence in document.cannot:
        say_on_stderr(f"eco: {form.name} cannot express {sentence}")
    if out is not None:
        store.write(out, document.text)
    if as_json:
        print(json.dumps(_report(form, document, out)))
    elif out is None:
        print(document.text, end="")
    else:
        print(f"wrote {printable(out)}; {document.use}")


def _format(name: str) -> Format:
    for each in FORMATS:
        if each.name == name:
            return each
    known = ", ".join(each.name for each in FORMATS)
    raise EcoError(f"--format {name!r}: must be one of {known}", ExitCode.USAGE)


def _report(form: Format, document: Document, out: Optional[Path]) -> dict[str, object]:
    return {
        "format": form.name,
        "file": None if out is None else printable(out),
        "text": document.text,
        "cannot": list(document.cannot),
        "use": document.use,
    }


command.__doc__ = f"{command.__doc__}\n    Formats:\n\n" + "\n\n".join(
    f"    {line}" for line in _TABLE.split("\n\n")
)
