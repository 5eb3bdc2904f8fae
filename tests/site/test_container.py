# SPDX-License-Identifier: BSD-3-Clause
"""MPI programs in containers use ECO from outside: the lines of docs/sites.md, with podman on the
lab's hosts."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from containers import install, line, make_image, prepared, remove_cgroups, with_words
from lab_harness import needs_lab
from mpi_harness import MPICH5, OPENMPI5, Mpi, Run, built, patient, same_results
from site_harness import PROFILE, needs, on_site
from tuned_profiles import timed_entry, write_tuning

pytestmark = [
    *needs_lab,
    needs("podman", "crun"),
    pytest.mark.skipif(os.geteuid() != 0, reason="podman in the lab needs root"),
]
PROGRAMS = ("conformance", "learns")
OPERATIONS = ["bcast", "allreduce"]
COMPARED = f"--light --sections {','.join(OPERATIONS)}"
STORE = ".local/share/eco/profiles"
PLANS = "export ECO_VERBOSE=2 ECO_CHOICE=eco\n"
# ECO as it would be if it had been built with a later C library.
LATER = 'eco="$eco -v /opt/later:/opt/later:ro"\n'
# The lab's links are faster here than those of the profile, so that the test takes less time.
SCALED = "export ECO_NETWORK_CHECK=off\n"
# A site's profile, in a folder that only root can write.
ROOTS = (
    f"mkdir /opt/site\nmv $HOME/{STORE}/net.json /opt/site/roots.json\n"
    'eco="$eco -v /opt/site:/opt/site:ro"\nexport ECO_PROFILE_PATH=/opt/site\n'
)


def one_line(run: Run) -> str:
    """All that ECO says."""
    (said,) = [line for line in run.err.splitlines() if "eco: " in line]
    return said


class Site:
    """Hosts with podman, an image and ECO; runs are gathered, and made in one lab."""

    def __init__(self, mpi: Mpi, folder: Path) -> None:
        self.mpi, self.folder = mpi, folder
        self.programs = {name: built(mpi, name) for name in PROGRAMS}
        self.image = make_image(folder, mpi.family, [*self.programs.values()])
        install(folder)
        # What was timed is checked in any case: jobs learn something, whatever their times are.
        shutil.copy(PROFILE, folder / "net.json")
        sure = timed_entry(mpi, "bcast", 16384, "chain", native=0.2, eco=0.1)
        write_tuning(folder / "net.json", [sure])
        # Ranks that wait leave the few processors to others, in containers too.
        self.idle = patient(mpi).get("LD_PRELOAD", "")
        self.script = (
            prepared(folder, mpi.family, self.image, self.idle)
            + f"cp {folder / 'net.json'} $HOME/{STORE}/net.json\n"
            + 'run() { local name=$1; shift; "$@" >$name.out 2>$name.err && code=0 || code=$?;'
            + " echo $code >$name.code; }\n"
        )

    def add(self, name: str, command: str, settings: str = "") -> None:
        self.script += f"one() (\n{settings}{command}\n)\nrun {name} one\n"

    def line(self, word: str, program: str, ranks: int = 2) -> str:
        """A line of the page, by its launcher and this word."""
        return self.here(line(Path(self.mpi.launcher).name, "podman", word), program, ranks)

    def here(self, text: str, program: str, ranks: int) -> str:
        return with_words(
            text, {"IMAGE": str(self.image), "./program": f"./{program}", "-n 8": f"-n {ranks}"}
        )

    def run(self, *services: str) -> dict[str, Run]:
        try:
            done = on_site(
                self.script, self.folder, family=self.mpi.family, scale=100, services=services
            )
        finally:
            remove_cgroups()
        assert done.returncode == 0, done.stdout + done.stderr
        return {
            path.stem: Run(
                int(path.read_text()),
                path.with_suffix(".out").read_text(),
                path.with_suffix(".err").read_text(),
            )
            for path in self.folder.glob("*.code")
        }


def on_host(site: Site) -> str:
    """The program outside a container."""
    hosts = "--hostfile hosts" if site.mpi.family == "openmpi" else "-f hosts"
    return f"{site.mpi.launcher} -n 8 {hosts} {site.programs['conformance']} {COMPARED}"


def test_openmpi(tmp_path: Path) -> None:
    site = Site(OPENMPI5, tmp_path)
    site.add("native", on_host(site))
    inside = site.line("exec", f"conformance {COMPARED}", ranks=8)
    site.add("inside", inside, PLANS)
    # The object in the environment, as the runtime hands it in.
    plain = site.line("--env", f"conformance {COMPARED}", ranks=8)
    site.add("variable", with_words(plain, {"LD_PRELOAD=": f"LD_PRELOAD={site.idle}:"}), PLANS)
    runs = site.run()
    same_results(runs["native"], runs["inside"], OPERATIONS)
    same_results(runs["native"], runs["variable"], OPERATIONS)


def test_mpich(tmp_path: Path) -> None:
    site = Site(MPICH5, tmp_path)
    site.add("native", on_host(site))
    site.add("inside", site.line("exec", f"conformance {COMPARED}", ranks=8), PLANS)
    short = site.line("exec", "conformance --light --sections bcast")
    # podman makes up a host name where it does not see that the network is the host's.
    site.add("unknown", short, 'options="${options/=host/=ns:/proc/self/ns/net}"\n')
    site.add("older", short.replace("/opt/eco/bin", "/opt/later/bin"), LATER)
    learns = site.line("exec", "learns 40", ranks=8)
    site.add("nowhere", learns, SCALED + 'eco="$eco:ro"\n')
    site.add("learned", learns, SCALED + ROOTS)
    runs = site.run()

    same_results(runs["native"], runs["inside"], OPERATIONS)
    for name in ("unknown", "older"):
        assert runs[name].code == 0 and "all ok" in runs[name].out, runs[name].err
    said = one_line(runs["unknown"])
    assert (
        "falls back to native" in said
        and "looks like a container's" in said
        and "--uts=host" in said
    )
    said = one_line(runs["older"])
    assert "runs without ECO: the C library here is too old" in said, said

    for name in ("learned", "nowhere"):
        assert runs[name].code == 0 and "all ok" in runs[name].out, runs[name].err
    (file,) = (tmp_path / "home" / STORE).glob("roots.json.*.learned")
    kept = json.loads(file.read_text())
    assert kept["classes"], kept
    assert runs["learned"].err == ""
    assert "what was learned is not stored" in one_line(runs["nowhere"])


@pytest.mark.long
@needs("slurmctld", "slurmd", "srun")
def test_slurm(tmp_path: Path) -> None:
    site = Site(MPICH5, tmp_path)
    site.add("native", on_host(site))
    text = line("srun", "--preserve-fds=1")
    site.add("inside", site.here(text, f"conformance {COMPARED}", 8), PLANS)
    runs = site.run("slurm")
    same_results(runs["native"], runs["inside"], OPERATIONS)


@pytest.mark.long
def test_measures_the_images_library(tmp_path: Path) -> None:
    site = Site(MPICH5, tmp_path)
    eco = f"ECO_BIN=/opt/eco/bin/eco {sys.executable} -m eco measure --no-tune -o net.json"
    text = line("measure", "podman")
    site.add("measured", with_words(text, {"IMAGE": str(site.image), "eco measure": eco}))
    run = site.run()["measured"]
    assert run.code == 0, run.err
    assert len(json.loads((tmp_path / "net.json").read_text())["hosts"]) == 8
