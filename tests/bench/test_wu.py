# SPDX-License-Identifier: BSD-3-Clause
"""bench/papers/wu.py: few draws, the same each time."""

import json
import subprocess
import sys
from typing import Any

import pytest
from bench_harness import PROJECT

WORDS = ("--draws", "1", "--lengths", "mixed", "--rate", "1e9", "--quiet")


def wu(*words: str) -> subprocess.CompletedProcess[str]:
    script = PROJECT / "bench/papers/wu.py"
    return subprocess.run([sys.executable, script, *words], capture_output=True, text=True)


@pytest.mark.long
def test_every_experiment_gives_its_figures() -> None:
    found = wu(*WORDS)
    assert found.returncode == 0, found.stderr
    for words in ("single broadcast", "all-to-all", "multiple multicast", "planning anew"):
        assert words in found.stdout
    assert "wrp over ecf: up to" in found.stdout


def test_the_same_seed_gives_the_same_figures() -> None:
    def completions(seed: str) -> list[Any]:
        words = (*WORDS, "--experiment", "multiple", "--json", "--seed", seed)
        cases = json.loads(wu(*words).stdout)
        return [
            {name: one["completion"] for name, one in case["planners"].items()} for case in cases
        ]

    assert completions("3") == completions("3") != completions("4")


@pytest.mark.parametrize("words", [("--draws", "0"), ("--reading", "odd")])
def test_usage(words: tuple[str, str]) -> None:
    found = wu(*words)
    assert found.returncode == 2
    assert words[1] in found.stderr
