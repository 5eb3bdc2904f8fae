# SPDX-License-Identifier: BSD-3-Clause
"""tidy.py BUILD_FOLDER: clang-tidy over the project's sources, one per processor at a time.

A file that passed is skipped until it, a project header it includes, or .clang-tidy changes.
"""

import functools
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TIDY = ROOT / ".venv/bin/clang-tidy"
INCLUDE = re.compile(r'^#include "(eco/.+)"', re.MULTILINE)


def database(preset: str, folder: Path) -> list[dict[str, str]]:
    """Compile commands, one per source: the build itself may compile several files as one."""
    words = ["cmake", "--preset", preset, "-B", str(folder), "-DCMAKE_UNITY_BUILD=OFF"]
    subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    entries: list[dict[str, str]] = json.loads((folder / "compile_commands.json").read_text())
    return entries


@functools.cache
def included(file: Path) -> frozenset[Path]:
    """The project's own headers that a file needs, itself among them."""
    found, due = {file}, [file]
    while due:
        for name in INCLUDE.findall(due.pop().read_text()):
            header = ROOT / "src" / name
            if header.is_file() and header not in found:
                found.add(header)
                due.append(header)
    return frozenset(found)


def key(files: Iterable[Path]) -> str:
    digest = hashlib.sha256((ROOT / ".clang-tidy").read_bytes())
    for file in sorted(files):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def main() -> int:
    build = (ROOT / sys.argv[1]).resolve()
    stamps = build / "tidy"
    stamps.mkdir(exist_ok=True)
    due: dict[Path, str] = {}
    entries = {entry["file"]: entry for entry in database(build.name, stamps / "plain")}
    # Sources are C++ under src/; one that is built for several MPI interfaces is checked for one.
    (stamps / "compile_commands.json").write_text(json.dumps(list(entries.values())))
    for entry in entries.values():
        source = Path(entry["file"])
        if source.suffix != ".cpp" or not source.is_relative_to(ROOT / "src"):
            continue
        if source.stem.endswith("_test"):  # GoogleTest's macros take longest and tell least
            continue
        wanted = key(included(source))
        if not (stamps / wanted).exists():
            due[source] = wanted

    def check(item: tuple[Path, str]) -> bool:
        source, wanted = item
        run = subprocess.run(
            [TIDY, "--quiet", "--extra-arg=-Wno-deprecated-declarations", "-p", stamps, source],
            capture_output=True,
            text=True,
            cwd=ROOT,
        )
        if run.returncode == 0:
            (stamps / wanted).touch()
            return True
        print(run.stdout, run.stderr, sep="\n", flush=True)
        return False

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        passed = list(pool.map(check, due.items()))
    return 0 if all(passed) else 1


sys.exit(main())
