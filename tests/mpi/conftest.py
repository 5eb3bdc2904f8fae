# SPDX-License-Identifier: BSD-3-Clause
import json
import socket
from pathlib import Path

import pytest
from mpi_harness import PROFILE


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """Of this host alone."""
    whole = json.loads(PROFILE.read_text())
    whole["hosts"] = [socket.gethostname(), "elsewhere"]
    whole["minimum"] = [[[0.0, 0.001], [0.001, 0.0]] for _ in whole["minimum"]]
    whole["spread"] = [[[0.0, 0.0], [0.0, 0.0]] for _ in whole["spread"]]
    whole["levels"] = [[0, 0]]
    whole["ring"] = [0, 1]
    place = tmp_path / "here.json"
    place.write_text(json.dumps(whole))
    return place
