# SPDX-License-Identifier: BSD-3-Clause
"""scripts/include_order.py: what it finds, in a folder of the test's own."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from eco.lab.mpi import PROJECT


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "include_order", PROJECT / "scripts/include_order.py"
    )
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _folder(path: Path, includes: dict[str, list[str]]) -> Path:
    folder = path / "room"
    folder.mkdir()
    for name, others in includes.items():
        lines = [f'#include "eco/room/{other}.h"\n' for other in others]
        (folder / name).write_text("".join(lines) + '#include "eco/base/units.h"\n')
    return folder


def test_a_circle_of_three(script: ModuleType, tmp_path: Path) -> None:
    """One include is enough to break it, here that of a source."""
    files = {"a.h": ["b"], "b.h": ["c"], "c.h": [], "c.cpp": ["c", "a"], "d.cpp": ["a", "b"]}
    (edge,) = script.back_edges(script.edges_of(_folder(tmp_path, files)))
    assert edge in {("a", "b"), ("b", "c"), ("c", "a")}


def test_one_direction(script: ModuleType, tmp_path: Path) -> None:
    """Tests may include all."""
    files = {"a.h": ["b", "c"], "b.h": ["c"], "c.h": [], "c.cpp": ["c"], "c_test.cpp": ["c", "a"]}
    assert script.back_edges(script.edges_of(_folder(tmp_path, files))) == []
