"""tidy.py BUILD_FOLDER: clang-tidy over the project's sources, one per processor at a time.

A file that passed is skipped until it, a project header it includes, or .clang-tidy changes.
"""

import hashlib
import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TIDY = ROOT / ".venv/bin/clang-tidy"


def included(build: Path) -> dict[str, list[Path]]:
    """The project's own headers behind every object file, as the last build recorded them."""
    listing = subprocess.run(
        ["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True
    ).stdout
    headers: dict[str, list[Path]] = {}
    current: list[Path] = []
    for line in listing.splitlines():
        if line and not line.startswith((" ", "ninja:")):
            current = headers.setdefault(line.split(":")[0], [])
        elif line.strip():
            path = (build / line.strip()).resolve()
            if path.is_relative_to(ROOT / "src"):
                current.append(path)
    return headers


def key(files: list[Path]) -> str:
    digest = hashlib.sha256((ROOT / ".clang-tidy").read_bytes())
    for file in sorted(set(files)):
        digest.update(file.read_bytes() if file.exists() else b"")
    return digest.hexdigest()


def main() -> int:
    build = (ROOT / sys.argv[1]).resolve()
    stamps = build / "tidy"
    stamps.mkdir(exist_ok=True)
    headers = included(build)
    every_header = list(ROOT.glob("src/**/*.h"))
    due: dict[Path, str] = {}
    entries = {
        entry["file"]: entry for entry in json.loads((build / "compile_commands.json").read_text())
    }
    # Sources are C++ under src/; one that is built for several MPI interfaces is checked for one.
    (stamps / "compile_commands.json").write_text(json.dumps(list(entries.values())))
    for entry in entries.values():
        source = Path(entry["file"])
        if source.suffix != ".cpp" or not source.is_relative_to(ROOT / "src"):
            continue
        if source.stem.endswith("_test"):  # GoogleTest's macros take longest and tell least
            continue
        words = shlex.split(entry["command"])
        target = words[words.index("-o") + 1]
        wanted = key([source, *headers.get(target, every_header)])
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
