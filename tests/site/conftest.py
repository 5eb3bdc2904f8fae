# SPDX-License-Identifier: BSD-3-Clause
"""The harnesses of the lab and of MPI programs serve the tests here too."""

import sys
from pathlib import Path

for name in ("lab", "mpi"):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / name))
