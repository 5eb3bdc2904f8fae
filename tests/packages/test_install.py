# SPDX-License-Identifier: BSD-3-Clause
"""What `cmake --install` places: it works from where it is put, by itself, on few libraries."""

import re
import shutil
import sys
from pathlib import Path

import pytest
from package_harness import BUILD, PROFILE, ROOT, needed, needs_build, run

pytestmark = needs_build
MOST_BYTES = 12e6


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installation that was made for /opt/eco, then moved to where no build knows of."""
    stage = tmp_path_factory.mktemp("stage")
    run("cmake", "--install", BUILD, "--prefix", "/opt/eco", "--strip", env={"DESTDIR": str(stage)})
    moved = tmp_path_factory.mktemp("moved") / "eco"
    (stage / "opt/eco").rename(moved)
    # What `make install` adds; a distribution has these packages in its own Python.
    (moved / "lib/eco/venv/bin").mkdir(parents=True)
    python = moved / "lib/eco/venv/bin/python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    return moved


def test_the_command_finds_its_parts_by_its_own_place(tree: Path) -> None:
    eco = tree / "bin/eco"
    told = run(eco, "plan", PROFILE, "bcast", "--bytes", "16000")
    assert "bcast of 16,000 B" in told.stdout
    where = run(eco, "exec", "--mpi", "openmpi", "sh", "-c", "echo $LD_PRELOAD").stdout.strip()
    assert Path(where.split(":")[-1]) == tree / "lib/eco/libeco-openmpi.so"


def test_its_own_python_files_are_what_runs(tree: Path) -> None:
    (tree / "lib/eco/python/eco/errors.py").rename(tree / "errors.py")
    try:
        assert str(tree) in run(tree / "bin/eco", "show", PROFILE, code=1).stderr
    finally:
        (tree / "errors.py").rename(tree / "lib/eco/python/eco/errors.py")


def test_no_text_names_the_build(tree: Path) -> None:
    """In compiled files the name of a source may be in the message of a failed check."""
    for file in filter(Path.is_file, tree.rglob("*")):
        content = file.read_bytes()
        if "venv" not in file.parts and not content.startswith(b"\x7fELF"):
            assert str(ROOT).encode() not in content, file


def test_it_is_linked_with_the_c_library_alone(tree: Path) -> None:
    own = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
    compiled = [tree / "bin/eco", *(f for f in (tree / "lib/eco").iterdir() if f.is_file())]
    assert len(compiled) >= 9
    for file in compiled:
        assert needed(file) <= own, file


def test_it_is_small(tree: Path) -> None:
    """Without Python packages: 12 MB were asked for. `pytest -s` prints what takes them."""
    sizes = {
        file.relative_to(tree): file.stat().st_size
        for file in tree.rglob("*")
        if file.is_file() and "venv" not in file.parts and "__pycache__" not in file.parts
    }
    for file, size in sorted(sizes.items(), key=lambda entry: -entry[1])[:12]:
        print(f"{size / 1e6:6.2f} MB {file}")
    print(f"{sum(sizes.values()) / 1e6:6.2f} MB in all")
    assert sum(sizes.values()) < MOST_BYTES


def test_without_python_what_ranks_need_still_runs(tree: Path, tmp_path: Path) -> None:
    alone = tmp_path / "eco"
    stage = {"DESTDIR": str(tmp_path)}
    run("cmake", "--install", BUILD, "--prefix", "/eco", "--component", "runtime", env=stage)
    assert {f.name for f in alone.iterdir()} == {"bin", "lib"}
    empty = {"PATH": str(tmp_path)}
    assert run(alone / "bin/eco", "exec", "--mpi", "mpich", "/bin/true", env=empty).returncode == 0
    refused = run(alone / "bin/eco", "show", PROFILE, code=5, env=empty)
    assert "no python3" in refused.stderr and refused.stderr.count("\n") == 1


def test_each_command_has_a_man_page_that_says_what_help_says(tree: Path) -> None:
    pages = {file.stem for file in (tree / "share/man/man1").iterdir()}
    verbs = set(re.findall(r"^[│ ] +([a-z]+) ", run(tree / "bin/eco", "--help").stdout, re.M))
    assert len(verbs) >= 10
    assert {"eco", "eco-lab-run"} | {f"eco-{verb}" for verb in verbs} <= pages
    for page in ("eco", "eco-measure", "eco-exec"):
        file = tree / f"share/man/man1/{page}.1"
        done = run("man", "--warnings", "-l", file, env={"MANWIDTH": "200", "LC_ALL": "C.UTF-8"})
        assert done.stderr == ""
        said = run(tree / "bin/eco", *page.split("-")[1:], "--help", env={"COLUMNS": "200"}).stdout
        for option in re.findall(r"(?:^|[ (])(--[a-z][a-z-]+)", said):
            assert option in done.stdout, (page, option)


def completed(tree: Path, line: str) -> list[str]:
    """What bash offers after this line, as its own completion function finds it."""
    words = line.split(" ")
    script = (
        f"source {tree}/share/bash-completion/completions/eco; PATH={tree}/bin:$PATH; "
        f"COMP_WORDS=({' '.join(words[:-1])} '{words[-1]}'); COMP_CWORD={len(words) - 1}; "
        '$(complete -p eco | sed -E "s/.*-F ([^ ]+).*/\\1/") eco; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    return run("bash", "--norc", "-c", script).stdout.split()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("eco mea", ["measure"]),
        ("eco measure --bud", ["--budget"]),
        ("eco lab ru", ["run"]),
        ("eco exec --pro", ["--profile"]),
        ("eco exec --mpi ", ["openmpi", "mpich", "abi"]),
    ],
)
def test_bash_completes(tree: Path, line: str, offered: list[str]) -> None:
    assert completed(tree, line) == offered


def test_each_shell_has_its_completion(tree: Path) -> None:
    """zsh and fish ask the command in the way that their scripts do."""
    line = {"_ECO_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": "eco measure --bud"}
    assert '"--budget"' in run(tree / "bin/eco", env=line).stdout
    line = {"_ECO_COMPLETE": "complete_fish", "_TYPER_COMPLETE_ARGS": "eco measure --bud"}
    line |= {"_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    assert "--budget" in run(tree / "bin/eco", env=line).stdout
    assert "#compdef eco" in (tree / "share/zsh/site-functions/_eco").read_text()
    assert "--command eco" in (tree / "share/fish/vendor_completions.d/eco.fish").read_text()


def test_programs_find_the_topology_module(tree: Path) -> None:
    where = {"PYTHONPATH": str(tree / "share/eco")}
    run("/usr/bin/python3", "-c", "import eco_topology; eco_topology.clusters", env=where)


def test_the_modulefile_sets_the_root_and_preloads_nothing(tree: Path) -> None:
    modules = next(Path("/usr/lib").rglob("modulecmd.tcl"), None)
    if modules is None:
        pytest.skip("environment-modules is not installed")
    folder = {"MODULEPATH": str(tree / "share/modulefiles")}
    done = run("tclsh", modules, "sh", "load", "eco", env=folder)
    assert f"ECO_ROOT={tree};" in done.stdout and f"PATH={tree}/bin:" in done.stdout
    assert "LD_PRELOAD" not in done.stdout and done.stderr == ""
    assert "eco exec" in run("tclsh", modules, "sh", "help", "eco", env=folder).stderr


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (["-DECO_RAILS=ON"], "ECO_RAILS needs rdma/fabric.h: install libfabric's headers"),
        (["-DECO_HWLOC=ON"], "ECO_HWLOC needs hwloc.h: install hwloc's headers"),
        (["-DECO_OPENMPI_INCLUDE=", "-DECO_MPICH_INCLUDE="], "No mpi.h found"),
        (["-DECO_PYTHON=/bin/false"], "/bin/false has no nanobind"),
    ],
)
def test_what_is_missing_is_named(wrong: list[str], said: str, tmp_path: Path) -> None:
    """Where the site's folders of headers are not looked at."""
    hidden = ["-DCMAKE_FIND_ROOT_PATH=/nowhere", "-DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY"]
    off = ["-DECO_RAILS=OFF", "-DECO_HWLOC=OFF", "-DECO_BUILD_TESTS=OFF"]
    mpi = [f"-DECO_OPENMPI_INCLUDE={ROOT}/.deps/openmpi/include"]
    done = run(
        "cmake", "-G", "Ninja", "-S", ROOT, "-B", tmp_path, *hidden, *off, *mpi, *wrong, code=1
    )
    assert said in " ".join(done.stderr.split())
    assert done.stderr.count("CMake Error") == 1


def configured(folder: Path, *options: str) -> Path:
    run("cmake", "-G", "Ninja", "-S", ROOT, "-B", folder, *options)
    return folder


@pytest.mark.parametrize(
    "option",
    ["-DECO_BUILD_TESTS=OFF", "-DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON"],
    ids=["off", "bare"],
)
def test_it_configures_where_no_tests_are_built(option: str, tmp_path: Path) -> None:
    """As packages do, and `make demo` before anything that tests need is there."""
    configured(tmp_path, option, *headers("openmpi", "mpich"))


def headers(*libraries: str) -> list[str]:
    """Options that name the headers of these MPI libraries, and say that there are no others."""
    found = {name: f"{ROOT}/.deps/{name}/include" for name in libraries}
    return [f"-DECO_{name.upper()}_INCLUDE={found.get(name, '')}" for name in ("openmpi", "mpich")]


def of_one_library(library: str, folder: Path) -> list[str]:
    """Of MPICH, such headers as most have: without the standard ABI's."""
    if library == "openmpi":
        return headers("openmpi")
    (folder / "include").mkdir()
    shutil.copy(ROOT / ".deps/mpich/include/mpi.h", folder / "include")
    shutil.copy(ROOT / ".deps/mpich/include/mpi_proto.h", folder / "include")
    return [f"-DECO_MPICH_INCLUDE={folder}/include", "-DECO_OPENMPI_INCLUDE="]


@pytest.mark.full
@pytest.mark.parametrize(
    ("library", "tests"),
    [
        ("openmpi", "ON"),
        ("mpich", "OFF"),
        pytest.param("openmpi", "OFF", marks=pytest.mark.long),
        pytest.param("mpich", "ON", marks=pytest.mark.long),
    ],
)
def test_one_mpi_library_is_enough_to_configure(library: str, tests: str, tmp_path: Path) -> None:
    """As a site or a recipe has it; everything else that can be built is still there."""
    options = [*of_one_library(library, tmp_path), f"-DECO_BUILD_TESTS={tests}"]
    build = configured(tmp_path / "build", *options)
    run("ninja", "-C", build, "-n", "all", "install-parts")  # fails if no rule makes one of them
    files = run("ninja", "-C", build, "-t", "targets", "all").stdout.splitlines()
    made = {Path(line.split(":")[0]).name for line in files}
    families = ("openmpi", "mpich", "abi")
    assert [name for name in families if f"libeco-{name}.so" in made] == [library]
    assert [name for name in families if f"eco-probe-{name}" in made] == [library]
    measured = [name for name in families if f"calls-{name}" in made]  # bench/
    assert measured == ([library] if tests == "ON" else [])
    assert {"eco", "eco-lab-relay", "install-parts"} <= made
    assert ("demo" in made) == (library == "openmpi")


@pytest.mark.long
@pytest.mark.timeout(900)
def test_one_mpi_library_is_enough(tmp_path: Path) -> None:
    """What is built and installed then is that library's object."""
    library = "mpich"
    options = [*of_one_library(library, tmp_path), "-DECO_BUILD_TESTS=OFF"]
    options += ["-DECO_PYTHON_BINDINGS=OFF", "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_BUILD_TYPE=Release"]
    build = configured(tmp_path / "build", *options)
    run("cmake", "--build", build, timeout=800)
    run("cmake", "--install", build, "--prefix", tmp_path / "eco", "--component", "runtime")
    objects = (tmp_path / "eco/lib/eco").glob("libeco-*.so")
    assert [file.name for file in objects] == [f"libeco-{library}.so"]
    eco = tmp_path / "eco/bin/eco"
    where = run(eco, "exec", "--mpi", library, "sh", "-c", "echo $LD_PRELOAD").stdout.strip()
    assert Path(where.split(":")[-1]).name == f"libeco-{library}.so"
