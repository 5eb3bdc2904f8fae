# SPDX-License-Identifier: BSD-3-Clause
"""`eco export`: each format by its parser or documented form, and what is refused."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from commands_harness import PROJECT, complaint, document, eco
from eco.export import network, slurm
from eco.export.formats import FORMATS

CAMPUS = PROJECT / "tests" / "data" / "campus-20-measured.json"
SEGMENTS = PROJECT / "tests" / "data" / "three-segments-measured.json"


@pytest.fixture(autouse=True)
def no_slurm(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Slurm of this machine has no say; tests/site has a real one."""
    monkeypatch.setattr(slurm, "known_nodes", lambda: None)


def text_of(profile: Path, kind: str, *more: object) -> str:
    done = eco("export", profile, "--format", kind, *more)
    assert done.returncode == 0, done.stderr
    return done.stdout


def named(path: Path, names: list[str], **more: Any) -> Path:
    """A profile of hosts with these names, the first half in one subnet."""
    written = document([0 if at < len(names) / 2 else 1 for at in range(len(names))])
    path.write_text(json.dumps(written | {"hosts": names} | more))
    return path


def subnets(profile: Path) -> set[frozenset[str]]:
    root = json.loads(profile.read_text())
    found: dict[int, set[str]] = {}
    for name, cluster in zip(root["hosts"], root["levels"][-1], strict=True):
        found.setdefault(cluster, set()).add(name)
    return {frozenset(each) for each in found.values()}


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_every_format_says_what_it_cannot_and_goes_to_a_file_whole(
    form: Any, tmp_path: Path
) -> None:
    out, profile = tmp_path / "out", CAMPUS
    if form.timed:
        profile = tmp_path / "profile.json"
        root = json.loads(CAMPUS.read_text())
        root["native_algorithms"] = [
            {"mpi": mpi, "operation": "bcast", "bytes": 16, "ranks": 20, "hosts": 20, "usual": 2.0}
            | {"best": "binomial", "times": {"binomial": 1.0, "scatter_allgather": 2.0}}
            for mpi in ("mpich 5.0.2", "openmpi 5.0.11")
        ]
        profile.write_text(json.dumps(root))
    done = eco("export", profile, "--format", form.name, "-o", out, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["text"] == out.read_text() == text_of(profile, form.name)
    assert report["cannot"] and report["use"]
    for sentence in report["cannot"]:
        assert f"eco: {form.name} cannot express {sentence}" in done.stderr
        if form.name not in ("mpich-coordinates", "openmpi-rules-json"):  # they take no comment
            assert sentence.replace("--", "- -") in out.read_text().replace("--", "- -")
    assert set(tmp_path.iterdir()) - {profile} == {out}


def expand(text: str) -> list[str]:
    """Slurm's host lists."""
    found = []
    for match in re.finditer(r"([^,\[]+)(?:\[([^\]]+)\])?", text):
        for part in (match[2] or "").split(","):
            first, _, last = part.partition("-")
            numbers = range(int(first), int(last or first) + 1) if first else [None]
            found += [f"{match[1]}{'' if n is None else str(n).zfill(len(first))}" for n in numbers]
    return found


def test_slurm_yaml_has_the_documented_form_and_all_nodes_in_their_subnets() -> None:
    [topology] = yaml.safe_load(text_of(CAMPUS, "slurm-yaml"))
    assert list(topology) == ["topology", "cluster_default", "tree"]
    switches = topology["tree"]["switches"]
    assert all(
        set(each) in ({"switch", "children"}, {"switch", "nodes"}) and len(each["switch"]) <= 64
        for each in switches
    )
    leaves = {frozenset(expand(each["nodes"])) for each in switches if "nodes" in each}
    assert leaves == subnets(CAMPUS)
    children = [name for each in switches for name in each.get("children", "").split(",") if name]
    roots = {each["switch"] for each in switches} - set(children)
    assert len(children) == len(set(children)) and len(roots) == 1


def test_topograph_and_labels_say_the_same_tree() -> None:
    model = yaml.safe_load(text_of(CAMPUS, "topograph"))
    assert {frozenset(block["nodes"]) for block in model["blocks"]} == subnets(CAMPUS)
    above = {
        child: name
        for name, switch in model["switches"].items()
        for child in switch.get("switches", [])
    }
    for block in model["blocks"]:
        path = [block["switch"]]
        while path[-1] in above:
            path.append(above[path[-1]])
        for node in block["nodes"]:
            wanted = [f"fabric.topograph.run/tier-{tier}={name}" for tier, name in enumerate(path)]
            line = next(
                line
                for line in text_of(CAMPUS, "kubernetes-labels").splitlines()
                if line.split()[:5] == ["kubectl", "label", "--overwrite", "node", node]
            )
            assert line.split()[5:] == wanted
    # What Kubernetes takes as the value of a label.
    assert all(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,62}", name) for name in model["switches"])


@pytest.mark.skipif(shutil.which("dot") is None, reason="graphviz is not installed")
@pytest.mark.parametrize("profile", [CAMPUS, SEGMENTS], ids=["campus", "segments"])
def test_dot_draws_every_host(profile: Path) -> None:
    text = text_of(profile, "graphviz")
    done = subprocess.run(["dot", "-Tplain"], input=text, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    nodes = {line.split()[1] for line in done.stdout.splitlines() if line.startswith("node ")}
    assert nodes == set(json.loads(profile.read_text())["hosts"])


@pytest.mark.skipif(
    shutil.which("lstopo-no-graphics") is None, reason="hwloc's lstopo is not installed"
)
def test_hwloc_reads_hosts_clusters_and_times(tmp_path: Path) -> None:
    path = tmp_path / "network.xml"
    path.write_text(text_of(CAMPUS, "hwloc-xml"))
    words = ["lstopo-no-graphics", "-i", str(path), "--of", "console"]
    done = subprocess.run([*words, "-v"], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    for host in json.loads(CAMPUS.read_text())["hosts"]:
        assert f'HostName="{host}"' in done.stdout or f"HostName={host}" in done.stdout
    assert len(re.findall(r"Group\d\(Cluster\)", done.stdout)) == 6, done.stdout
    times = subprocess.run([*words, "--distances"], capture_output=True, text=True).stdout
    assert "NetworkLatency" in times and "NetworkBandwidth" in times


def test_ranks_follow_the_ring_or_the_graph(tmp_path: Path) -> None:
    root = json.loads(SEGMENTS.read_text())
    ring = [root["hosts"][host] for host in root["ring"]]
    lines = text_of(SEGMENTS, "openmpi-hostfile", "--ranks-per-host", 2).splitlines()
    assert [line for line in lines if not line.startswith("#")] == [
        host for host in ring for _ in range(2)
    ]
    # Pairs that talk are far apart in the ring, and must come together in one subnet.
    graph = tmp_path / "graph"
    graph.write_text("".join(f"{rank} {rank + 4} 10\n" for rank in range(4)))
    placed = [
        line.partition(":")[0]
        for line in text_of(SEGMENTS, "hydra-hostfile", "--graph", graph).splitlines()
        if not line.startswith("#")
    ]
    assert sorted(placed) == sorted(ring)
    together = sum(
        any({placed[rank], placed[rank + 4]} <= subnet for subnet in subnets(SEGMENTS))
        for rank in range(4)
    )
    assert together == 3  # subnets of 3, 3 and 2: three pairs can


def test_coordinates_have_a_line_for_each_rank_and_only_some_hosts_count() -> None:
    lines = text_of(CAMPUS, "mpich-coordinates", "--hosts", "n0,n6,n19").splitlines()
    assert len(lines) == 4
    assert [re.fullmatch(r"(\d+): \d+ \d+ -1", line)[1] for line in lines[1:]] == ["0", "1", "2"]  # type: ignore[index]
    groups = {line.split()[1] for line in lines[1:]}
    assert len(groups) == 2


def test_names_are_short_for_slurm_and_can_be_given(tmp_path: Path) -> None:
    profile = named(tmp_path / "p.json", [f"n{at}.a.org" for at in range(4)])
    assert "Nodes=n[0-1]\n" in text_of(profile, "slurm-conf")
    assert "n0.a.org\n" in text_of(profile, "openmpi-hostfile")
    assert "n0\n" in text_of(profile, "openmpi-hostfile", "--names", "short")
    names = tmp_path / "names"
    names.write_text("".join(f"n{at}.a.org node-{at:03}\n" for at in range(4)))
    assert "Nodes=node-[000-001]\n" in text_of(profile, "slurm-conf", "--names", names)
    assert text_of(profile, "slurm-hostfile", "--hosts", "n1,n3.a.org").endswith("n1\nn3\n")


def test_ranges_keep_zeros_and_what_has_no_number() -> None:
    names = ["n01", "n02", "n4", "n5", "n10", "head", "n03"]
    assert network.ranges(names) == "n[4-5],n[01-03,10],head"
    assert sorted(expand(network.ranges(names))) == sorted(names)


@pytest.mark.parametrize(
    ("words", "says", "code"),
    [
        (["--format", "slurm"], "must be one of slurm-conf", 2),
        (["--format", "slurm-conf", "--hosts", "n0,m7"], "has no host m7", 3),
        (["--format", "slurm-conf", "--hosts", ","], "names no host", 2),
        (["--format", "slurm-conf", "--ranks-per-host", "2"], "has no ranks", 2),
        (["--format", "hydra-hostfile", "--ranks-per-host", "0"], "must be from 1", 2),
        (["--format", "hydra-hostfile", "--graph", "/nowhere"], "cannot be read", 3),
        (["--format", "hydra-hostfile", "--names", "/nowhere"], "cannot be read", 3),
        (["--format", "slurm-conf", "-o", "/nowhere/file"], "there is no folder", 2),
    ],
)
def test_refused_in_one_sentence(words: list[str], says: str, code: int) -> None:
    done = eco("export", SEGMENTS, *words)
    assert done.returncode == code
    assert says in complaint(done)
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (["n0", "n" * 65], "has a name of 65 characters, and Slurm takes at most 64"),
        (["n0", "n 1"], "'n 1' has a name that Slurm cannot have"),
        (["n0.a.org", "n0.b.org"], "would both be n0"),
    ],
)
def test_names_that_slurm_cannot_have_leave_nothing(
    names: list[str], says: str, tmp_path: Path
) -> None:
    profile = named(tmp_path / "p.json", names)
    out = tmp_path / "topology.conf"
    done = eco("export", profile, "--format", "slurm-conf", "-o", out)
    assert done.returncode == 3 and says in complaint(done)
    assert not out.exists()


@pytest.mark.parametrize("line", ["0", "0 1 2 3", "0 x", "0 1 -2", "0 8", "0.5 1"])
def test_a_graph_that_makes_no_sense_is_refused_by_line(line: str, tmp_path: Path) -> None:
    graph = tmp_path / "graph"
    graph.write_text(f"# rank rank weight\n{line}\n")
    done = eco("export", SEGMENTS, "--format", "hydra-hostfile", "--graph", graph)
    assert done.returncode == 3 and "line 2" in complaint(done)
