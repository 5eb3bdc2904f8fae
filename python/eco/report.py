# SPDX-License-Identifier: BSD-3-Clause
"""`eco report`: what a program's collectives took, from the file that ECO_REPORT named."""

from pathlib import Path
from typing import Annotated, Optional

import typer

from eco import store, text_files
from eco.engine import engine, errors
from eco.errors import EcoError, ExitCode
from eco.options import Json
from eco.streams import printable

File = Annotated[
    Path, typer.Argument(metavar="FILE", readable=False, help="What ECO_REPORT=FILE wrote.")
]
Plot = Annotated[
    Optional[Path],
    typer.Option("--plot", metavar="FILE", help="Also draw a picture: FILE.svg, .png or .pdf."),
]


def command(file: File, as_json: Json = False, plot: Plot = None) -> None:
    """Show how long a program's collectives took, and what ECO saved.

    The program writes the file at its end, if ECO_REPORT names one. With
    ECO_DISABLE=1 as well, all collectives are native, and the report says
    what ECO would save.

    ECO_REPORT=md.json mpirun -n 8 --hostfile hosts eco exec ./md
    eco report md.json
    """
    if plot is not None:
        store.check_picture(plot)
    origin = printable(file)
    try:
        text = text_files.read(file, "surrogateescape").encode("utf-8", "surrogateescape")
    except OSError as error:
        raise EcoError(f"{origin} cannot be read: {error.strerror}", ExitCode.BAD_INPUT) from None
    with errors():
        report = engine().parse_report(text, origin)
        if plot is not None:
            from eco import report_picture

            report_picture.draw(report, plot)
        print((report.json() if as_json else report.text()).rstrip())
