# SPDX-License-Identifier: BSD-3-Clause
"""names.py: finds what would make a reader look in the wrong place.

Two headers, or two public types, of one name; and folders that include each other's headers, which
the linker does not see. A nested type, or one of an unnamed namespace, may have any name.
"""

import re
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src/eco"
TYPE = re.compile(
    r"^(?:struct|class|enum class|enum|using) (\w+)(?: final)?(?: : [^{;]+)? ?[{=]", re.MULTILINE
)
INCLUDE = re.compile(r'^#include "eco/(\w+)/', re.MULTILINE)


def repeated(things: list[tuple[str, str]]) -> Iterator[str]:
    """A sentence for each name that two files have."""
    owner: dict[str, str] = {}
    for name, place in sorted(things):
        first = owner.setdefault(name, place)
        if first != place:
            yield f"{place}: {name} is in {first} as well: rename it"


def circles(sources: list[Path]) -> Iterator[str]:
    """A sentence for folders that include each other."""
    includes: dict[str, set[str]] = {}
    for source in sources:
        own = source.parent.name
        found = set(INCLUDE.findall(source.read_text())) - {own}
        includes.setdefault(own, set()).update(found)
    try:
        TopologicalSorter(includes).prepare()
    except CycleError as error:
        yield f"folders include each other: {' includes '.join(reversed(error.args[1]))}"


def faults() -> Iterator[str]:
    """All sentences about the sources."""
    headers = sorted(SOURCES.glob("*/*.h"))
    named = {header: str(header.relative_to(SOURCES)) for header in headers}
    types = [(name, named[h]) for h in headers for name in TYPE.findall(h.read_text())]
    own = [each for each in SOURCES.glob("*/*.*") if not each.stem.endswith(("_test", "_for_test"))]
    yield from repeated([(header.name, named[header]) for header in headers])
    yield from repeated(types)
    yield from circles([each for each in own if each.suffix in (".h", ".cpp")])


def main() -> int:
    found = list(faults())
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
