# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of benches share."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]


def bench(script: str, *words: object) -> Any:
    """What it says in its short form, as JSON."""
    command = [sys.executable, PROJECT / "bench" / script, *words]
    border = command.index("--") if "--" in command else len(command)
    command[border:border] = ["--short", "--json"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return json.loads(done.stdout)
