# SPDX-License-Identifier: BSD-3-Clause
"""Every command that a document names exists, with the options that are named."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from commands_harness import PROJECT
from eco.cli import VERBS, build_app

FOLDERS = ("*.md", "examples/*.md", "docs/**/*.md")
PAGES = sorted(
    page for where in FOLDERS for page in PROJECT.glob(where) if page.name != "CHANGELOG.md"
)
# `eco exec` and `eco probe` are native code.
NATIVE = {"exec": {"--profile", "--topology", "--mpi", "--verbose", "--help"}, "probe": {"--mpi"}}
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]+")


def named() -> list[tuple[str, str]]:
    """Page and command: what a reader copies, from code spans and indented or fenced lines."""
    found = []
    for page in PAGES:
        for line in page.read_text().splitlines():
            spans = re.findall(r"`([^`]+)`", line)
            for code in spans if "`" in line else [line.strip().removeprefix("$ ")]:
                # The words after -- are another program's, those after # the page's.
                found.append((str(page.relative_to(PROJECT)), code.split("  #")[0]))
    return found


def commands(start: str) -> list[tuple[str, str]]:
    """What follows such a start, wherever in a line a command may begin."""
    begins = re.compile(rf"(?:^|[;&|] |-- |\) |env \S+ ){start}")
    return [
        (page, code[found.end() :])
        for page, code in named()
        if (found := begins.search(code)) is not None
    ]


def options_of(words: list[str]) -> tuple[list[str], set[str]] | None:
    """The verb, with the verb below it, and its options; none if there is no such verb."""
    if words[0] in NATIVE:
        return words[:1], NATIVE[words[0]]
    if words[0] not in {verb.name for verb in VERBS}:
        return None
    command: Any = typer.main.get_command(build_app([words[0]]))
    taken: list[str] = []
    while hasattr(command, "commands"):
        if len(taken) == len(words) or words[len(taken)] not in command.commands:
            return (taken, {"--help"}) if taken else None
        command = command.commands[words[len(taken)]]
        taken.append(words[len(taken)])
    names = {name for each in command.params for name in [*each.opts, *each.secondary_opts]}
    return taken, names | {"--help"}


def test_the_list_of_commands_is_that_of_help() -> None:
    page = (PROJECT / "docs/reference/commands.md").read_text()
    listed = re.findall(r"^\| `eco (\w+)` \| (.*) \|$", page, re.M)
    assert listed == [(verb.name, verb.summary) for verb in VERBS]


def test_verbs_and_their_options() -> None:
    seen = set()
    for page, rest in commands("eco "):
        words = rest.split(" -- ")[0].split()
        if not words or not re.fullmatch("[a-z]+", words[0]):
            continue
        found = options_of(words)
        assert found, f"{page}: there is no 'eco {words[0]}'"
        verb, options = found
        seen.add(verb[0])
        # The program of `eco exec` follows without --.
        own = rest.split(" -- ")[0].split("./")[0]
        for option in OPTION.findall(own):
            assert option in options, f"{page}: 'eco {' '.join(verb)}' has no {option}"
    assert seen >= {verb.name for verb in VERBS} - {"probe"}


def test_benches_and_their_options() -> None:
    """Their short forms run in tests/bench."""
    seen: dict[str, set[str]] = {}
    for page, rest in commands(r"bench/(?=\S+\.py)"):
        script, *more = rest.split(" -- ")[0].split()
        path = PROJECT / "bench" / script
        assert path.is_file(), f"{page}: there is no bench/{script}"
        seen.setdefault(script, set()).update(OPTION.findall(" ".join(more)))
    assert len(seen) > 5
    for script, options in seen.items():
        words = [sys.executable, PROJECT / "bench" / script, "--help"]
        shown = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        missing = options - set(OPTION.findall(shown))
        assert not missing, f"bench/{script} has no {missing}"


@pytest.mark.parametrize("start", ["make ", "scripts/", "build/release/bin/"])
def test_targets_scripts_and_programs(start: str) -> None:
    targets = re.findall(r"^([a-z-]+):", (PROJECT / "Makefile").read_text(), re.MULTILINE)
    # Benches are built when they are first needed, so what the build knows counts.
    known = subprocess.run(
        ["ninja", "-C", PROJECT / "build/release", "-t", "targets", "all"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    programs = set(re.findall(r"^bin/([\w-]+): ", known, re.MULTILINE))
    assert "eco" in programs
    found = commands(start)
    assert found
    for page, rest in found:
        name = rest.split()[0].rstrip(".,;:") if rest.split() else ""
        if start == "make ":
            exists = name in targets or name.startswith("-")
        elif start == "scripts/":
            exists = (PROJECT / start / name).exists()
        else:
            exists = name in programs
        assert exists, f"{page}: {start}{name}"


def test_the_pages_are_found() -> None:
    assert PROJECT / "README.md" in PAGES
    assert len(PAGES) > 40
    assert Path(PROJECT / "docs/figures.md") in PAGES


def test_index_of_decisions() -> None:
    folder = PROJECT / "docs/decisions"
    listed = re.findall(r"\]\((\d{4}-[\w-]+\.md)\)", (folder / "README.md").read_text())
    assert listed == sorted(page.name for page in folder.glob("[0-9]*.md"))
