# SPDX-License-Identifier: BSD-3-Clause
"""`python -m eco.lab`: the lab alone, without the rest of the `eco` command."""

import sys

from eco.errors import EcoError
from eco.lab.cli import app

if __name__ == "__main__":
    try:
        app(prog_name="eco lab")
    except EcoError as error:
        print(f"eco: {error.message}", file=sys.stderr)
        sys.exit(int(error.code))
