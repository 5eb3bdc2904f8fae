# SPDX-License-Identifier: BSD-3-Clause
"""The `eco` command on Python 3.9, the oldest that packages promise. `make lint` looks at what the
sources use of the language and of its library; here they run, with the packages that 3.9 gets.
test_wheel.py has the wheel for 3.9, with its engine."""

import ast
import importlib
import re
from pathlib import Path

import pytest
from eco.cli import VERBS
from package_harness import PROFILE, ROOT, install, python_of, run

IMPORT_ALL = """
import importlib, pkgutil, eco
for module in pkgutil.walk_packages(eco.__path__, "eco."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
"""


def test_packages_name_the_oldest_that_lint_looks_at() -> None:
    settings = (ROOT / "pyproject.toml").read_text()
    (named,) = re.findall(r'^requires-python = ">=([\d.]+)"', settings, re.M)
    (syntax,) = re.findall(r'^target-version = "py(\d)(\d+)"', settings, re.M)
    (library,) = re.findall(r"--target=([\d.]+)-", (ROOT / "scripts/lint.sh").read_text())
    assert named == ".".join(syntax) == library


def test_typer_sees_what_options_are() -> None:
    """Of annotations kept as texts, Typer on Python 3.9 sees the types alone: options without their
    names and helps. So modules with commands use `Optional`, not the import that keeps texts."""
    commands = [verb.module for verb in VERBS if verb.module] + ["eco.completion"]
    for module in map(importlib.import_module, commands):
        assert module.__file__ and not hasattr(module, "annotations"), module.__name__


def unions_at_run_time(source: str) -> list[int]:
    """Lines where `tuple[X | None]` is computed, not only an annotation kept as text: Python 3.9
    has no such union, and neither ruff nor vermin sees it."""
    return [
        node.lineno
        for statement in ast.walk(ast.parse(source))
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value
        for part in ast.walk(statement.value)
        if isinstance(part, ast.Subscript)
        for node in ast.walk(part.slice)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr)
    ]


def test_no_union_is_computed() -> None:
    assert unions_at_run_time("Ways = tuple[float | None, float]") == [1]
    assert unions_at_run_time("ways: tuple[float | None, float] = (None, 1)") == []
    for file in sorted((ROOT / "python/eco").rglob("*.py")):
        assert unions_at_run_time(file.read_text()) == [], file


@pytest.mark.long
@pytest.mark.timeout(900)
def test_all_modules_and_what_needs_no_engine(tmp_path: Path) -> None:
    """With packages from the index."""
    oldest = python_of("3.9")
    if oldest is None:
        pytest.skip("this machine has no Python 3.9")
    run(oldest, "-m", "venv", tmp_path / "venv")
    own = tmp_path / "venv/bin/python"
    install(own, "typer>=0.16", "rich>=13", "PyYAML>=6", "matplotlib")
    here = {"PYTHONPATH": str(ROOT / "python")}
    run(own, "-c", IMPORT_ALL, env=here)
    run(own, "-c", "import eco_topology", env={"PYTHONPATH": str(ROOT / "include")})
    assert "three-segments" in run(own, "-m", "eco", "lab", "list", env=here).stdout
    for verb in ("measure", "tune", "bench", "doctor", "export", "lab"):
        assert "Usage: eco" in run(own, "-m", "eco", verb, "--help", env=here).stdout
    wrong = run(own, "-m", "eco", "measure", "--budget", "soon", "--", "mpirun", code=2, env=here)
    assert wrong.stderr.count("\n") == 1 and "--budget" in wrong.stderr
    # The engine is built for another Python, which is said.
    run(own, "-m", "eco", "plan", PROFILE, "bcast", "--bytes", "16", code=5, env=here)
