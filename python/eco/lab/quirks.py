# SPDX-License-Identifier: BSD-3-Clause
"""Finds quirks.c as a library, which lets many ranks share few processors: the installed one, or
one compiled once per version of the source."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

_SOURCE = Path(__file__).with_name("quirks.c")


def cache_folder() -> Path:
    """Where the lab keeps what it may make again."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "eco" / "lab"


def library() -> Path | None:
    """The preload object, or None if there is no compiler: then the lab is slower, not wrong."""
    installed = Path(os.environ.get("ECO_BIN") or "/").parent / "../lib/eco/libeco-lab-quirks.so"
    if installed.exists():
        return installed.resolve()
    text = _SOURCE.read_bytes()
    name = f"quirks-{os.uname().machine}-{hashlib.sha256(text).hexdigest()[:16]}.so"
    done = cache_folder() / name
    if done.exists():
        return done
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    try:
        done.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=done.parent) as folder:
            fresh = Path(folder) / name
            command = [compiler, "-O2", "-shared", "-fPIC", "-o", str(fresh), str(_SOURCE), "-ldl"]
            if subprocess.run(command, capture_output=True).returncode != 0:
                return None
            fresh.replace(done)
    except OSError:
        return None
    return done
