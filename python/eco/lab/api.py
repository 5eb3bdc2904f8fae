# SPDX-License-Identifier: BSD-3-Clause
"""The lab for tests and benches."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence

from eco.lab.profile import own_command
from eco.lab.start import Options, as_arguments


def run(
    scenario: str,
    program: Sequence[str],
    *,
    options: Options | None = None,
    capture: bool = True,
    stdin: str | None = None,
    timeout: float | None = None,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run `program` over `scenario` in a process of its own, as `eco lab run` does.

    `env` is added to the environment. After `timeout` seconds everything is ended, and
    subprocess.TimeoutExpired raised.
    """
    words = [*own_command("eco.lab"), "run", scenario, *as_arguments(options or Options())]
    with subprocess.Popen(
        [*words, "--", *program],
        stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
        stdout=subprocess.PIPE if capture else None,
        stderr=subprocess.PIPE if capture else None,
        text=True,
        env={**os.environ, **(env or {})},
    ) as process:
        try:
            out, error = process.communicate(stdin, timeout)
        except BaseException:
            process.kill()  # the lab goes with its front process
            process.wait()
            raise
    return subprocess.CompletedProcess(process.args, process.returncode, out, error)
