# SPDX-License-Identifier: BSD-3-Clause
"""`python -I PREFIX/lib/eco/python`: the `eco` command of an installation that no virtual
environment holds. Python puts this folder first where it looks for modules."""

import sys

from eco.cli import main

sys.exit(main())
