# SPDX-License-Identifier: BSD-3-Clause
"""private_packages.py FOLDER NAME…: copies installed Python packages, with all they need.

For packages of distributions whose own versions are too old: FOLDER is on ECO's path alone.
"""

import re
import shutil
import sys
from importlib import metadata
from pathlib import Path


def closure(names: list[str]) -> dict[str, metadata.Distribution]:
    """These distributions and those that they need without extras."""
    found: dict[str, metadata.Distribution] = {}
    while names:
        name = names.pop().lower().replace("_", "-")
        if name in found:
            continue
        found[name] = metadata.distribution(name)
        for need in found[name].requires or []:
            condition = need.partition(";")[2]
            if not re.search(r"extra *==|python_version *<|sys_platform *==|Windows", condition):
                names.append(re.split(r"[^A-Za-z0-9._-]", need, maxsplit=1)[0])
    return found


def copy(distribution: metadata.Distribution, folder: Path) -> None:
    for file in distribution.files or []:
        if ".." in file.parts or "__pycache__" in file.parts:
            continue  # commands, and what Python compiles again
        target = folder / file
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(str(distribution.locate_file(file)), target)
        target.chmod(0o644)


if __name__ == "__main__":
    for each in closure(sys.argv[2:]).values():
        copy(each, Path(sys.argv[1]))
