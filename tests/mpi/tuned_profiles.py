# SPDX-License-Identifier: BSD-3-Clause
"""Profiles of the tests with entries of tuning, as if `eco tune` had timed them."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mpi_harness import Mpi


def timed_entry(
    mpi: Mpi, operation: str, count: int, choice: str, native: float, eco: float, **others: Any
) -> dict[str, Any]:
    """Of `count` bytes. `native` and `eco` in seconds; `others` replace what is usual here."""
    return {
        "mpi": mpi.in_profiles,
        "operation": operation,
        "layout": "near",
        "bytes": count,
        "choice": choice,
        "native": native,
        "eco": eco,
        "noise": 0.01,
        "predicted": False,
        "ranks_per_host": 1,
        **others,
    }


def write_tuning(profile: Path, entries: Iterable[dict[str, Any]]) -> None:
    """Replaces all entries of tuning in the file."""
    document = json.loads(profile.read_text())
    document["tuning"] = list(entries)
    profile.write_text(json.dumps(document))
