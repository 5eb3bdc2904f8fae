# SPDX-License-Identifier: BSD-3-Clause
"""The lab's harness serves the tests here too."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lab"))
