# SPDX-License-Identifier: BSD-3-Clause
"""`python -m eco`: what the native launcher starts for everything that is not `exec` or `probe`."""

import sys

from eco.cli import main

sys.exit(main())
