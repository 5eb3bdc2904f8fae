# SPDX-License-Identifier: BSD-3-Clause
"""unity.py: finds private names that would meet where several files are compiled as one.

The compiler refuses most of these, but not two private functions of one name that take different
things: a call could quietly go to the other file's. CMakeLists.txt names the files that are
compiled alone.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src/eco"
PRIVATE = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)
# At the left edge: a function's name before its parameters, or a type's or constant's.
NAMES = re.compile(
    r"^(?!return\b)\w[\w:<>,&*\[\] ]*[ &*>](\w+)\(|"
    r"^(?:struct|class|enum|constexpr [\w:<>]+|const [\w:<>]+)\s+(\w+)",
    re.MULTILINE,
)
STATIC = re.compile(r"^static [\w:<>,&* ]+?(\w+)(?:\(|\{|\[| =|;)", re.MULTILINE)


def private_names(text: str) -> set[str]:
    """What a source defines for itself alone."""
    found = set(STATIC.findall(text))
    for block in PRIVATE.findall(text):
        found |= {function or other for function, other in NAMES.findall(block)}
    return found


def left_alone() -> set[str]:
    """What CMakeLists.txt keeps out of such files."""
    _, _, rest = (ROOT / "CMakeLists.txt").read_text().partition("foreach(source ")
    return set(re.findall(r"\w+/\w+\.cpp", rest.partition(")")[0]))


def main() -> int:
    alone = left_alone()
    owner: dict[tuple[str, bool, str], str] = {}
    faults = 0  # files of two folders never meet, nor do tests and sources
    for source in sorted(SOURCES.glob("*/*.cpp")):
        name = str(source.relative_to(SOURCES))
        text = source.read_text()
        if name in alone:
            continue
        tests = source.stem.endswith("_test")
        for private in sorted(private_names(text)):
            first = owner.setdefault((source.parent.name, tests, private), name)
            if first != name:
                print(f"{name}: {private} is {first}'s as well: rename it")
                faults += 1
    return 1 if faults else 0


sys.exit(main())
