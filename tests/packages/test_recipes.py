# SPDX-License-Identifier: BSD-3-Clause
"""The recipes for Spack and EasyBuild name options and files that there are."""

import ast
import re
from pathlib import Path
from typing import Any

import pytest
from package_harness import BUILD, ROOT, needs_build, run

SPACK = ROOT / "packaging/spack/package.py"
(EASYBUILD,) = (ROOT / "packaging/easybuild").glob("*.eb")
OPTIONS = (ROOT / "cmake/options.cmake").read_text()


def easyconfig() -> dict[str, Any]:
    """An easyconfig is Python that sets variables."""
    found: dict[str, Any] = {}
    exec(compile(EASYBUILD.read_text(), EASYBUILD.name, "exec"), found)
    return found


@pytest.mark.parametrize("recipe", [SPACK, EASYBUILD], ids=lambda file: file.suffix)
def test_the_options_are_those_of_cmake(recipe: Path) -> None:
    ast.parse(recipe.read_text())
    used = set(re.findall(r"ECO_[A-Z_]+", recipe.read_text())) - {"ECO_ROOT"}
    assert len(used) >= 3
    for option in used:
        assert re.search(rf"(option|find_[a-z]+|eco_feature)\({option} ", OPTIONS), option


@pytest.mark.parametrize("recipe", [SPACK, EASYBUILD], ids=lambda file: file.suffix)
def test_nothing_is_preloaded_into_a_shell(recipe: Path) -> None:
    assert not re.search(r"(set|append|prepend)[a-z_]*\(.LD_PRELOAD", recipe.read_text())
    assert not any("LD_PRELOAD" in name for name in easyconfig()["modextravars"])


def test_the_version_is_that_of_the_project() -> None:
    text = (ROOT / "CMakeLists.txt").read_text()
    (version,) = re.findall(r"project\(eco VERSION ([0-9.]+)", text)
    assert easyconfig()["version"] == version
    assert EASYBUILD.name.startswith(f"ECO-{version}-")


@needs_build
def test_what_easybuild_checks_is_installed(tmp_path: Path) -> None:
    run("cmake", "--install", BUILD, "--prefix", tmp_path)
    paths = easyconfig()["sanity_check_paths"]
    assert all((tmp_path / file).is_file() for file in paths["files"])
    assert all((tmp_path / folder).is_dir() for folder in paths["dirs"])
