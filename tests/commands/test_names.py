# SPDX-License-Identifier: BSD-3-Clause
"""scripts/names.py: what it refuses, on sources of the test's own."""

import importlib.util
from pathlib import Path

from eco.lab.mpi import PROJECT


def _faults(folder: Path, **files: str) -> list[str]:
    """What it prints of sources with these names (`_` for `/`, then `.h`) and texts."""
    spec = importlib.util.spec_from_file_location("names", PROJECT / "scripts/names.py")
    assert spec and spec.loader
    names = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(names)
    names.SOURCES = folder
    for name, text in files.items():
        path = folder / (name.replace("_", "/") + ".h")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return list(names.faults())


def test_it_accepts_what_is_clear(tmp_path: Path) -> None:
    nested = "struct Trip {\n    struct Step {};\n};\n"
    user = f'#include "eco/one/a.h"\n{nested.replace("Trip", "Way")}'
    assert _faults(tmp_path, one_a=nested, two_b=user) == []


def test_it_refuses_two_of_one_name(tmp_path: Path) -> None:
    text = "struct Step {};\n"
    assert _faults(tmp_path, one_a=text, two_a="", two_b="enum class Step : char { on };\n") == [
        "two/a.h: a.h is in one/a.h as well: rename it",
        "two/b.h: Step is in one/a.h as well: rename it",
    ]


def test_it_refuses_folders_in_a_circle(tmp_path: Path) -> None:
    found = _faults(tmp_path, one_a='#include "eco/two/b.h"\n', two_b='#include "eco/one/a.h"\n')
    assert len(found) == 1
    assert found[0].startswith("folders include each other: ")
