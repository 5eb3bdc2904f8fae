# SPDX-License-Identifier: BSD-3-Clause
"""What the scripts that run a paper's figures over the lab share: calls of eco, which figures were
asked for, and how they are shown."""

import argparse
import base64
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]
ECO = PROJECT / "build" / "release" / "bin" / "eco"
OUT = PROJECT / "build" / "papers"
# Of a probe that nothing writes around (docs/formats.md, "Events of eco probe").
_LINE = re.compile(r"^@eco\.[\w-]+\.[rn]\d+\.\d+(z?)\.([\w-]*)\.[\w-]+\.$", re.M | re.A)


def eco(*words: object) -> str:
    """Its standard output; where it fails the script ends with its last line."""
    done = subprocess.run([ECO, *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()] or ["no output"]
        script = Path(sys.argv[0]).name
        sys.exit(f"{script}: eco {words[0]} failed (code {done.returncode}): {lines[-1]}")
    return done.stdout


def probe(words: list[str], profile: Path) -> list[dict[str, Any]]:
    """What a probe reports that reads the profile; where it fails the script ends."""
    with profile.open() as stdin:
        done = subprocess.run(words, stdin=stdin, capture_output=True, text=True)
    events, data = [], ""
    for last, part in _LINE.findall(done.stdout):
        data += part
        if last:
            events.append(json.loads(base64.urlsafe_b64decode(data + "=" * (-len(data) % 4))))
            data = ""
    wrong = [event["message"] for event in events if event["event"] == "error"]
    if wrong or done.returncode:
        said = [line for line in done.stderr.splitlines() if line.strip()] or ["no output"]
        sys.exit(f"{Path(sys.argv[0]).name}: the probe failed: {[*said[-1:], *wrong][-1]}")
    return events


def add_options(parser: argparse.ArgumentParser) -> None:
    """Those that every such script has."""
    parser.add_argument("--repeats", type=int)
    parser.add_argument("--short", action="store_true", help="one figure, few hosts, seconds")
    parser.add_argument("--again", action="store_true", help="measure the networks again")
    parser.add_argument("--plot", type=Path, metavar="FILE")
    parser.add_argument("--json", action="store_true")


def show(
    figures: Iterable[dict[str, Any]],
    given: argparse.Namespace,
    text: Callable[[dict[str, Any], argparse.Namespace], str],
    draw: Callable[[Any, dict[str, Any]], None],
) -> None:
    """Each as text when it is there, or all as JSON; and a picture of all side by side, where draw
    fills the axes of one."""
    results = []
    for found in figures:
        results.append(found)
        if not given.json:
            print(text(found, given), flush=True)
    if given.json:
        print(json.dumps(results))
    if given.plot:
        _plot(results, given.plot, draw)


def _plot(
    results: list[dict[str, Any]], path: Path, draw: Callable[[Any, dict[str, Any]], None]
) -> None:
    from matplotlib.figure import Figure

    picture = Figure(figsize=(5 * len(results), 4))
    for place, found in enumerate(results, start=1):
        axes = picture.add_subplot(1, len(results), place)
        draw(axes, found)
        axes.legend()
    picture.tight_layout()
    picture.savefig(path)
