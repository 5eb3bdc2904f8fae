# SPDX-License-Identifier: BSD-3-Clause
"""Every bench builds from what CMake lists, and its short form gives all its figures."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bench_harness import PROJECT, bench

ECO = PROJECT / "build/release/bin/eco"
DATA = PROJECT / "tests/data"
SIMGRID = pytest.mark.skipif(
    shutil.which("smpirun") is None, reason="SimGrid is missing: apt install libsimgrid-dev"
)


@pytest.mark.full
def test_every_program_is_built() -> None:
    """Also those that no script here runs."""
    words = [PROJECT / "scripts/build.sh", "release", "benches"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-3000:]


def test_every_script_has_a_short_form() -> None:
    """And a test in this folder (wu.py: test_wu.py)."""
    here = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    for script in (PROJECT / "bench").rglob("*.py"):
        if '__name__ == "__main__"' in script.read_text() and script.name != "wu.py":
            name = str(script.relative_to(PROJECT / "bench"))
            assert f'bench("{name}"' in here, f"no test runs bench/{name}"


@pytest.mark.full
def test_survey() -> None:
    program = PROJECT / "build/release/bin/survey_bench"
    done = subprocess.run([program, "64", "4"], capture_output=True, text=True)
    assert "4 networks of 64 hosts: 4 as from all pairs" in done.stdout


@SIMGRID
@pytest.mark.full
def test_scale() -> None:
    for rows in bench("peers/scale.py")["results"].values():
        assert {row["operation"] for row in rows} == {"bcast", "scatter"}
        assert all(0.99 < row["eco"] / row["bound"] < 2 for row in rows)


@SIMGRID
def test_simulator_beside_simgrids() -> None:
    found = bench("peers/s4u.py")
    assert found["draws"] == 20
    assert found["most"] < 0.05


@pytest.mark.alone
def test_planning() -> None:
    found = bench("overhead/planning.py")
    assert set(found["64"]) == set(found["1024"]) >= {"bcast", "alltoall", "scan"}


@pytest.mark.full
@pytest.mark.parametrize("mpi", ["openmpi", pytest.param("mpich", marks=pytest.mark.long)])
def test_overhead(mpi: str) -> None:
    found = bench("overhead/overhead.py", "--mpi", mpi)["calls_ns"]
    assert set(found) == {"self", "world", "bcast", "allreduce", "barrier"}
    assert all(
        set(each) == {"native", "native-with-eco", "by-hand", "schedule"} for each in found.values()
    )


@pytest.mark.lab
def test_nonblocking() -> None:
    program = PROJECT / "build/release/bin/nonblocking-openmpi"
    launch = [ECO, "lab", "run", "three-segments", "--topology", DATA / "three-segments.json", "--"]
    words = [*launch, program, "1000", "2"]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    for name in ("bcast", "allreduce", "allgather", "reduce"):
        assert f"{name} " in done.stdout, done.stdout


@pytest.mark.lab
def test_programs(tmp_path: Path) -> None:
    shutil.copy(DATA / "three-segments.json", tmp_path)
    found = bench("programs/programs.py", "--programs", "lammps", "--profiles", tmp_path)
    assert found["missing"] == []
    (row,) = found["rows"]
    assert row["same"]
    assert row["native_wall"] > row["native"] > 0 < row["eco"]


def test_a_log_of_an_earlier_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some programs append to it: only what the run itself wrote counts."""
    sys.path.insert(0, str(PROJECT / "bench/programs"))
    import programs
    from known import PROGRAMS

    hpcc = PROGRAMS["hpcc"]
    rates = "".join(f"{name}=1.0\n" for name in hpcc.rates.values())

    def hpcc_runs(words: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        with (tmp_path / hpcc.log).open("a") as log:
            log.write(f"Success=1\n{rates}")
        return subprocess.CompletedProcess(words, 0, "", "")

    monkeypatch.setattr(programs.subprocess, "run", hpcc_runs)
    for _ in range(2):
        found = programs._run(hpcc, ("x", "1"), "native", tmp_path, tmp_path, False)
        assert found["results"] == [1.0]


def test_loads() -> None:
    (found,) = bench("peers/loads.py")["rows"]
    assert found["networks"] == 2
    assert 0.9 < found["median_time"] <= found["most_time"]
    assert found["most_load"] < 1.3


def test_programs_whose_results_differ() -> None:
    sys.path.insert(0, str(PROJECT / "bench/programs"))
    from programs import agree

    assert agree([1.0, -2.0], [1.0 + 1e-9, -2.0], 8)
    assert not agree([1.0, -2.0], [1.0 + 1e-7, -2.0], 8)
    assert not agree([1.0], [1.0, 2.0], 8)
    assert not agree([float("nan")], [float("nan")], 8)


@pytest.mark.lab
def test_start() -> None:
    assert bench("overhead/start.py")["init"]["native"] > 0


@pytest.mark.lab
@pytest.mark.long
def test_same_bits() -> None:
    found = bench("learning/same_bits.py", "three-segments", DATA / "three-segments-mcast.json")
    assert set(found) == {"2", "1000"}
    for of_length in found.values():
        assert set(of_length.values()) == {1}, found


@pytest.mark.lab
def test_learning(tmp_path: Path) -> None:
    profile = shutil.copy(DATA / "three-segments.json", tmp_path)
    (row,) = bench("learning/learning.py", profile, "three-segments")
    assert {mode for mode in row if row[mode] and mode != "call"} == {"native", "off", "on"}


@pytest.mark.lab
def test_saved() -> None:
    program = PROJECT / "build/release/bin/calls-openmpi"
    profile = ["--profile", DATA / "three-segments-measured.json"]
    found = bench("saved.py", "three-segments", *profile, "--", program, 5)
    assert found["native_s"] > 0 < found["eco_s"]
    claimed = found["claimed_s"]
    assert claimed["least"] <= claimed["likely"] <= claimed["most"]


@pytest.mark.lab
def test_sparse() -> None:
    (row,) = bench("sparse.py", "--topology", DATA / "campus-20-measured.json")
    assert row["native_s"] > 0 < row["eco_s"]


@pytest.mark.lab
@pytest.mark.alone
def test_rails() -> None:
    (row,) = bench("rails.py")
    assert row["operation"] == "gather"
    assert "rails=2" in row["choice"]


@pytest.mark.lab
def test_predicted() -> None:
    launcher = [ECO, "lab", "run", "three-segments", "--native", "--"]
    found = bench("peers/predicted.py", DATA / "three-segments-measured.json", "--", *launcher)
    assert found["schedules"] > 0
    assert {row["operation"] for row in found["rows"]} == {"bcast"}
