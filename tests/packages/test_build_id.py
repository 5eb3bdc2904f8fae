# SPDX-License-Identifier: BSD-3-Clause
"""The name of a build differs wherever ranks of two builds could decide differently."""

import os
import re
import shutil
import time
from pathlib import Path

from package_harness import ROOT, needs_build, run

pytestmark = needs_build


def configured(source: Path, build: Path, *options: str) -> str:
    """The name of such a build."""
    mpi = [f"-DECO_OPENMPI_INCLUDE={ROOT}/.deps/openmpi/include", "-DECO_MPICH_INCLUDE="]
    off = ["-DECO_BUILD_TESTS=OFF", "-DECO_PYTHON_BINDINGS=OFF"]
    run("cmake", "-G", "Ninja", "-S", source, "-B", build, *mpi, *off, *options)
    return built(build)


def built(build: Path) -> str:
    run("ninja", "-C", build, "src/eco/job/build_id.cpp")
    text = (build / "src/eco/job/build_id.cpp").read_text()
    found = re.search(r'"eco-build \S+ [0-9a-f]{16}"', text)
    assert found, text
    return found[0]


def test_flags_that_change_results_change_the_name(tmp_path: Path) -> None:
    def name(flags: str, kind: str = "Release", of_kind: str = "-O2") -> str:
        kind_flags = f"-DCMAKE_CXX_FLAGS_{kind.upper()}={of_kind}"
        options = [f"-DCMAKE_CXX_FLAGS={flags}", f"-DCMAKE_BUILD_TYPE={kind}", kind_flags]
        return configured(ROOT, tmp_path, *options)

    usual = name("")
    others = {name("-ffast-math"), name("", of_kind="-Ofast"), name("", "Debug", "-O0")}
    assert len(others) == 3 and usual not in others
    harmless = (
        "-g -Wall -pipe -ffile-prefix-map=/build/eco=. -fstack-protector-strong -fcf-protection"
    )
    assert name(harmless) == usual
    assert name("-Wdate-time -D_FORTIFY_SOURCE=2") == usual


def test_sources_that_ranks_decide_by_change_the_name(tmp_path: Path) -> None:
    """Among them the forms of what ranks exchange while they measure."""
    source = tmp_path / "eco"
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns("build", ".*", "__pycache__"))
    names = [configured(source, tmp_path / "build")]
    for file in ("job/share.cpp", "measure/experiment.h", "survey/survey.h"):
        path = source / "src/eco" / file
        path.write_text(path.read_text() + "// changed\n")
        later = time.time() + 2  # the file system's clock has steps
        os.utime(path, (later, later))
        names.append(built(tmp_path / "build"))
    assert len(set(names)) == len(names), names
