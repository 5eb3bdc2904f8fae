# SPDX-License-Identifier: BSD-3-Clause
"""The lab: emulated networks of several hosts on one machine.

`run("three-segments", ["./program"], options=Options(native=True))` from Python is what
`eco lab run three-segments --native -- ./program` is on the command line.
"""

from eco.lab.api import run
from eco.lab.start import Options

__all__ = ["Options", "run"]
