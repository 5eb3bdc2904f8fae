# SPDX-License-Identifier: BSD-3-Clause
"""What --help prints: whole sentences, their defaults included."""

import re
import subprocess

import pytest
from cockpit_harness import ECO

VERBS = [
    ["measure"],
    ["tune"],
    ["bench"],
    ["learn"],
    ["simulate"],
    ["multicast"],
    ["export"],
    ["lab", "run"],
]


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_defaults_are_shown(verb: list[str]) -> None:
    """Square brackets in a help text are markup, and vanish with what is in them."""
    run = subprocess.run([ECO, *verb, "--help"], capture_output=True, text=True, check=True)
    assert "(default:" in " ".join(re.sub("│", " ", run.stdout).split())
    assert not re.search(r"\w \.\s", run.stdout)
