# SPDX-License-Identifier: BSD-3-Clause
"""Runs a shell script on the first host of a scenario, with services on all hosts.

`inside.py SCENARIO SCRIPT REQUEST`; REQUEST is JSON: "services" (slurm, ssh), "topology" (the file
with topology.conf), "logs", "processors" per host, "scale", "family" (whose settings for the
emulated network the script gets, as a site's administrator would have made them).
"""

import json
import os
import shutil
import sys
from pathlib import Path

import services
from eco.errors import EcoError
from eco.lab.load import load

from eco.lab import build, launch, mpi, quirks, sandbox


def main() -> None:
    scenario_name, script, text = sys.argv[1:]
    request = json.loads(text)
    scenario = load(scenario_name).scaled(request.get("scale", 1))
    installation = mpi.choose(None, "", request["family"])
    placement = launch.place(scenario.hosts, 1, None, "block")
    env = launch.environment(installation, placement, os.environ, None)
    with_quirks = launch.environment(installation, placement, os.environ, quirks.library())
    wanted = request["services"]
    env["HYDRA_IFACE"] = "eth0"
    # Launchers find ssh or Slurm themselves, not the lab's remote shell.
    for name in ("PRTE_MCA_plm_ssh_agent", "OMPI_MCA_plm_rsh_agent"):
        env.pop(name, None)

    def prepare() -> None:
        build.private_mounts()
        build.build(scenario)
        launch.write_files(placement)
        os.environ.clear()
        os.environ.update(env)
        os.environ["LAB_HOSTS"] = " ".join(scenario.hosts)
        topology = request.get("topology")
        if "slurm" in wanted:
            written = Path(topology).read_text() if topology else None
            services.start_slurm(
                scenario.hosts, Path(request["logs"]), written, request.get("processors", 1)
            )
        if "ssh" in wanted:
            services.start_ssh(scenario.hosts, Path(request["logs"]))
        # Launchers need it where processors are few, daemons do not.
        for name in ("LD_PRELOAD", "ECO_LAB_PRELOAD_BEFORE"):
            os.environ[name] = with_quirks.get(name, "")

    def enter() -> None:
        build.enter_host(scenario.hosts[0])

    shell = shutil.which("bash") or "/bin/sh"
    sys.exit(sandbox.run(prepare, enter, [shell, "-eu", script], interactive=False))


if __name__ == "__main__":
    try:
        main()
    except EcoError as error:
        sys.exit(str(error))
