# SPDX-License-Identifier: BSD-3-Clause
"""spdx.py [--check] [FILE…]: writes the licence line at the head of each source file.

--check changes nothing: it names the files without the line and fails. Without FILE: all files
that git tracks, and new ones that it does not ignore.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINE = "SPDX-License-Identifier: BSD-3-Clause"
COMMENTS = {
    **dict.fromkeys((".cpp", ".h", ".hpp", ".c", ".S", ".def"), "// {}"),
    **dict.fromkeys((".py", ".pyi", ".sh", ".cmake", ".mk", ".yaml", ".yml"), "# {}"),
    **dict.fromkeys((".f90", ".F90"), "! {}"),
    **dict.fromkeys((".map", ".css"), "/* {} */"),
    ".js": "// {}",
}
NAMES = {"CMakeLists.txt": "# {}", "Makefile": "# {}", "run": "# {}", "page.html": "<!-- {} -->"}


def comment_of(file: Path) -> str | None:
    """The line as this file writes it; None if the file carries none."""
    form = NAMES.get(file.name) or COMMENTS.get(file.suffix)
    if file.suffix == ".h" and file.is_relative_to(ROOT / "include"):
        form = "/* {} */"  # read by C compilers that know no other comment
    return form and form.format(LINE)


def has_line(text: str) -> bool:
    return any(LINE in line for line in text.splitlines()[:2])


def with_line(text: str, comment: str) -> str:
    """First in the file, or below a `#!` line."""
    first, newline, rest = text.partition("\n")
    if first.startswith("#!"):
        return f"{first}{newline}{comment}\n{rest}"
    return f"{comment}\n{text}"


def sources() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return [ROOT / name for name in listed.split("\0") if name]


def main(arguments: list[str]) -> int:
    check = "--check" in arguments
    named = [Path(word).resolve() for word in arguments if word != "--check"]
    missing = 0
    for file in named or sources():
        comment = comment_of(file)
        if not comment or not file.is_file() or has_line(text := file.read_text()):
            continue
        missing += 1
        if check:
            print(f"{file.relative_to(ROOT)}: no line {comment!r} (scripts/spdx.py writes it)")
        else:
            file.write_text(with_line(text, comment))
    return 1 if check and missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
