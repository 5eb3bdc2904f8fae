# SPDX-License-Identifier: BSD-3-Clause
"""What --help prints: whole sentences, their defaults included."""

import os
import re
import subprocess

import pytest
from commands_harness import ECO

VERBS = [
    ["measure"],
    ["tune"],
    ["bench"],
    ["learn"],
    ["simulate"],
    ["export"],
    ["lab", "run"],
]


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_defaults_are_shown(verb: list[str]) -> None:
    """Square brackets in a help text are markup, and vanish with what is in them."""
    run = subprocess.run([ECO, *verb, "--help"], capture_output=True, text=True, check=True)
    assert "(default:" in " ".join(re.sub("│", " ", run.stdout).split())
    assert not re.search(r"\w \.\s", run.stdout)


@pytest.mark.parametrize("verb", [*VERBS, ["exec"], ["probe"]], ids=" ".join)
def test_no_word_is_cut_at_80_columns(verb: list[str]) -> None:
    run = subprocess.run(
        [ECO, *verb, "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "80"},
    )
    assert all(len(line) <= 80 for line in run.stdout.splitlines()), run.stdout
    assert not re.search(r"[a-z]… *│", run.stdout), run.stdout


@pytest.mark.parametrize("verb", ["show", "bench", "plan", "simulate", "report"])
def test_endings_of_pictures_are_those_that_are_taken(verb: str) -> None:
    """A page is drawn of a network alone."""
    shown = subprocess.run([ECO, verb, "--help"], capture_output=True, text=True, check=True)
    assert ".svg" in shown.stdout
    assert (".html" in shown.stdout) == (verb == "show")
