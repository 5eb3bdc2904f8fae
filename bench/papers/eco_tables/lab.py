# SPDX-License-Identifier: BSD-3-Clause
"""Runs over the lab, by the `eco` command alone: what a user could type."""

import json
import os
import platform
import shlex
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[3]
ECO = PROJECT / "build" / "release" / "bin" / "eco"
OUT = PROJECT / "build" / "papers"
_NOT_OURS = {"ECO_CHOICE", "ECO_PROFILE", "ECO_DISABLE", "ECO_VERBOSE", "ECO_KEEP_ORDER"}


class Failure(Exception):
    """A run that gave no figures; one sentence."""


@dataclass
class Lab:
    """One MPI library in the lab; remembers the commands that gave the figures."""

    mpi: str
    repeats: int | None
    again: bool = False  # measure networks again
    stored: dict[str, Path] = field(default_factory=dict)  # profiles that need no measuring
    commands: list[str] = field(default_factory=list)

    def profile(self, scenario: str) -> Path:
        """Measured and tuned once; later runs use the same."""
        if scenario in self.stored:
            return self.stored[scenario]
        path = OUT / f"{scenario}-{self.mpi}.json"
        if self.again or not path.exists():
            OUT.mkdir(parents=True, exist_ok=True)
            say(f"measuring {scenario} once; kept in {path.relative_to(PROJECT)}")
            words = ["measure", "-o", str(path), "--again", "--", *self._launcher(scenario)]
            self._run(words)
            self.again = False
        return path

    def bench(
        self, scenario: str, operation: str, count: int, patterns: list[str]
    ) -> dict[str, dict[str, Any]]:
        """Patterns interleaved in one run; each one's figures."""
        words = ["bench", "--topology", str(self.profile(scenario)), "--operations", operation]
        words += ["--sizes", str(count), "--patterns", ",".join(patterns), "--json"]
        words += ["--repeats", str(self.repeats)] if self.repeats else []
        found = json.loads(self._run([*words, "--", *self._launcher(scenario)]))
        return {each["pattern"]: each for each in found["results"][0]["patterns"]}

    def application(
        self, scenario: str, patterns: dict[str, str], options: list[str]
    ) -> dict[str, dict[str, Any]]:
        """Molecular dynamics under each pattern (its name -> ECO_CHOICE), in turn, repeatedly."""
        program = self._build()
        profile = self.profile(scenario)
        times: dict[str, list[float]] = {name: [] for name in patterns}
        energies: list[float] = []
        for turn in range(self.repeats or 3):
            for name, choice in patterns.items():
                say(f"{scenario}, {name}, {turn + 1} of {self.repeats or 3}")
                words = ["lab", "run", scenario, "--mpi", self.mpi]
                words += ["--native"] if choice == "native" else ["--topology", str(profile)]
                words += ["--", str(program), *options, "--json"]
                forced = {} if choice in ("native", "auto") else {"ECO_CHOICE": choice}
                output = self._run(words, forced, keep=turn == 0)
                line = next(line for line in output.splitlines() if line.startswith("{"))
                found = json.loads(line)
                times[name].append(float(found["communication_s"]))
                energies.append(float(found["energy"]))
        if max(energies) - min(energies) > 1e-8 * abs(energies[0]):
            raise Failure("the runs differ in energy: some pattern gave a wrong result")
        return {name: _figures(found) for name, found in times.items()}

    def _launcher(self, scenario: str) -> list[str]:
        return [str(ECO), "lab", "run", scenario, "--mpi", self.mpi, "--native", "--"]

    def _build(self) -> Path:
        folder = OUT / self.mpi
        compiler = PROJECT / ".deps" / self.mpi / "bin" / "mpicc"
        make = ["make", "--silent", "-C", str(PROJECT / "examples"), f"MPICC={compiler}"]
        done = subprocess.run([*make, f"BUILD={folder}"], capture_output=True, text=True)
        if done.returncode:
            raise Failure(f"the example was not built: {done.stderr.strip()[-300:]}")
        return folder / "md"

    def _run(
        self, words: list[str], variables: dict[str, str] | None = None, keep: bool = True
    ) -> str:
        variables = variables or {}
        if keep:
            shown = [f"{name}={value}" for name, value in variables.items()]
            self.commands.append(shlex.join([*shown, "eco", *words]).replace(f"{PROJECT}/", ""))
        # What the user's shell says about ECO is not what is compared.
        env = {name: value for name, value in os.environ.items() if name not in _NOT_OURS}
        done = subprocess.run(
            [str(ECO), *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            env=env | variables,
            timeout=1800,
        )
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if line.strip()] or ["no output"]
            raise Failure(f"eco {words[0]} failed (code {done.returncode}): {lines[-1]}")
        return done.stdout


def _figures(seconds: list[float]) -> dict[str, Any]:
    return {
        "median": statistics.median(seconds),
        "minimum": min(seconds),
        "mean": statistics.fmean(seconds),
        "deviation": statistics.stdev(seconds) if len(seconds) > 1 else 0.0,
        "samples": seconds,
    }


def say(line: str) -> None:
    print(f"# {line}", file=sys.stderr, flush=True)


def host_facts(mpi: str) -> dict[str, Any]:
    """What the figures depend on besides the commands."""
    model = "unknown"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    launcher = PROJECT / ".deps" / mpi / "bin" / ("mpirun" if mpi == "openmpi" else "mpichversion")
    words = [str(launcher)] + (["--version"] if mpi == "openmpi" else [])
    version = subprocess.run(words, capture_output=True, text=True).stdout.splitlines()
    git = ["git", "-C", str(PROJECT), "describe", "--always", "--dirty"]
    commit = subprocess.run(git, capture_output=True, text=True).stdout.strip()
    return {
        "processor": model,
        "processors": os.cpu_count(),
        "kernel": platform.release(),
        "mpi": " ".join(version[0].split()) if version else mpi,
        "eco": commit or "unknown",
    }
