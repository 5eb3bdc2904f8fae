# SPDX-License-Identifier: BSD-3-Clause
"""manual.py ECO FOLDER: man pages (share/man/man1) and completion scripts for bash, zsh and fish.

Both come from what `--help` says: of verbs in Python from Typer's commands, of native ones from
what the file ECO prints. cmake/install.cmake runs this and places the files.
"""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer.main
from eco.cli import VERBS, build_app

from eco import completion

# Where each shell looks below share/, and the name that it expects there.
_SCRIPTS = {
    "bash": "bash-completion/completions/eco",
    "zsh": "zsh/site-functions/_eco",
    "fish": "fish/vendor_completions.d/eco.fish",
}


@dataclass
class Page:
    """One command as `--help` explains it."""

    words: list[str]  # eco, lab, run
    summary: str
    usage: str
    text: str = ""
    verbatim: bool = False  # the text is laid out already
    arguments: list[tuple[str, str]] = field(default_factory=list)
    options: list[tuple[str, str]] = field(default_factory=list)
    commands: list[tuple[str, str]] = field(default_factory=list)


def pages(eco: Path) -> Iterator[Page]:
    """The page of `eco`, and one for each verb and each command below a verb."""
    root = typer.main.get_command(build_app([verb.name for verb in VERBS]))
    for page in _walk(root, ["eco"], None):
        verb = page.words[1] if len(page.words) > 1 else ""
        if any(each.name == verb and not each.module for each in VERBS):
            told = subprocess.run([eco, verb, "--help"], capture_output=True, text=True, check=True)
            usage, _, text = told.stdout.partition("\n")
            page = Page(
                page.words, page.summary, usage.removeprefix("Usage: "), text.strip("\n"), True
            )
        yield page


def _walk(command: Any, words: list[str], parent: Any) -> Iterator[Page]:
    context = command.make_context(words[-1], [], parent=parent, resilient_parsing=True)
    page = Page(
        words,
        command.get_short_help_str(200).rstrip("."),
        " ".join([*words, *command.collect_usage_pieces(context)]),
        command.help or "",
    )
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record:
            kind = page.arguments if parameter.param_type_name == "argument" else page.options
            kind.append(record)
    below = getattr(command, "commands", {})
    page.commands = [
        (" ".join([*words, name]), one.get_short_help_str(200)) for name, one in below.items()
    ]
    yield page
    for name, one in below.items():
        yield from _walk(one, [*words, name], context)


def roff(page: Page, version: str) -> str:
    """The page in man's language."""
    name = "-".join(page.words)
    lines = [
        f'.TH "{name.upper()}" 1 "" "eco {version}" "ECO"',
        ".SH NAME",
        f"{_plain(name)} \\- {_plain(page.summary)}",
        ".SH SYNOPSIS",
        _plain(page.usage),
    ]
    if page.text:
        lines += [".SH DESCRIPTION"]
        if page.verbatim:
            lines += [".nf", *map(_plain, page.text.splitlines()), ".fi"]
        for paragraph in [] if page.verbatim else page.text.split("\n\n"):
            lines += [".PP", *(_plain(line.strip()) for line in paragraph.splitlines())]
    for title, entries in (
        ("ARGUMENTS", page.arguments),
        ("OPTIONS", page.options),
        ("COMMANDS", page.commands),
    ):
        if entries:
            lines += [f".SH {title}"]
        for term, text in entries:
            lines += [".TP", f"\\fB{_plain(term)}\\fR", _plain(text)]
    lines += [".SH SEE ALSO", _see_also(page)]
    return "\n".join(lines) + "\n"


def _see_also(page: Page) -> str:
    others = ["eco", *(f"eco-{verb.name}" for verb in VERBS)]
    return ", ".join(
        f"\\fB{_plain(name)}\\fR(1)" for name in others if name != "-".join(page.words)
    )


def _plain(text: str) -> str:
    """Text as it is, whatever signs are in it."""
    text = " ".join(text.split("\n")).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text[:1] in ".'" else text


def main(eco: Path, folder: Path) -> None:
    version = subprocess.run([eco, "--version"], capture_output=True, text=True, check=True)
    manual = folder / "man/man1"
    manual.mkdir(parents=True, exist_ok=True)
    for page in pages(eco):
        text = roff(page, version.stdout.split()[1])
        (manual / f"{'-'.join(page.words)}.1").write_text(text, encoding="utf-8")
    for shell, place in _SCRIPTS.items():
        file = folder / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(completion.script(shell) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), Path(sys.argv[2]))
