# SPDX-License-Identifier: BSD-3-Clause
"""`eco show`: text, JSON and pictures."""

import itertools
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from commands_harness import (
    COLLECTIVES,
    ECO,
    LONG_CHOICE,
    PROJECT,
    check_80_columns,
    complaint,
    document,
    eco,
    model,
    rails,
    tuned,
)

SIGNS = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "net.json"
    path.write_text(json.dumps(document() | {"tuning": [tuned(), tuned("gatherv", -1, "native")]}))
    return path


def test_output_that_goes_nowhere(file: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([ECO, "show", file], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 5
    assert done.stderr == "eco: the result cannot be written: No space left on device\n"
    closed = ["sh", "-c", '"$0" show "$1" >&-', ECO, file]
    done = subprocess.run(closed, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    left = ["sh", "-c", '{ sleep 0.2; "$0" show "$1"; echo $? >&2; } | true', ECO, file]
    done = subprocess.run(left, stderr=subprocess.PIPE, text=True)
    assert done.stderr == "141\n"


def test_text(file: Path) -> None:
    text = eco("show", file).stdout
    assert "8 hosts in 3 subnets" in text
    assert "subnet 2  n6 n7  301 µs, 12.3 Mbit/s inside  boundary 2.00×" in text
    assert "602 µs" in text
    assert "6.16 Mbit/s" in text
    assert "ring      n0–n7" in text
    assert "2026-01-02 03:04:05 UTC with Open MPI v5.0.11;" in text
    assert "1.50× tree" in text
    assert "n3" not in text.partition("ring")[2]
    assert "tree:top=star" in eco("show", file, "--choices").stdout
    matrix = eco("show", file, "--matrix").stdout
    assert "16,384 B, milliseconds" in matrix
    assert "25.2" in matrix


def test_json(file: Path) -> None:
    summary = json.loads(eco("show", file, "--json").stdout)
    assert summary["hosts"] == [f"n{host}" for host in range(8)]
    assert summary["subnets"][2]["hosts"] == ["n6", "n7"]
    assert summary["subnets"][2]["gap"] == pytest.approx(2)
    assert len(summary["between"]) == 3
    assert summary["tuning"][0]["ratio"] == pytest.approx(1.5)


def test_media(file: Path) -> None:
    assert "medium" not in eco("show", file).stdout
    assert json.loads(eco("show", file, "--json").stdout)["model"] is None
    file.write_text(json.dumps(document() | {"model": model()}))
    text = eco("show", file).stdout
    assert "│   bus, 10.7 Mbit/s in all\n" in text
    assert "│   switch, 10.7 Mbit/s each, uplink 4.27 Mbit/s\n" in text
    assert "    switch, 10.7 Mbit/s each\n" in text
    assert "model     sends 10.0 µs + 1 ns/B, receives 30.0 µs + 2 ns/B; off by 6.2%\n" in text
    shared = {**model(), "shared_gap": 1.1e-4}
    file.write_text(json.dumps(document() | {"model": shared}))
    text = " ".join(eco("show", file).stdout.split())
    assert "; off by 6.2%; hosts share processors, 110 µs a message" in text
    found = json.loads(eco("show", file, "--json", "--plot", file.with_suffix(".svg")).stdout)
    assert found["model"]["shared_gap"] == 1.1e-4
    media = found["model"]["media"]
    assert [(each["kind"], each["hosts"]) for each in media] == [
        ("bus", ["n0", "n1", "n2"]),
        ("switch", ["n3", "n4", "n5"]),
        ("switch", ["n6", "n7"]),
    ]
    medium = found["subnets"][1]["medium"]
    on_wire = 1546 / 1448  # what full frames carry beside messages
    assert medium["kind"] == "switch"
    assert medium["rate"] == pytest.approx(1.25e6 * on_wire)
    assert medium["uplink"] == pytest.approx(5e5 * on_wire)
    assert "bus, 10.7 Mbit/s in all" in file.with_suffix(".svg").read_text()


def test_links_side_by_side(tmp_path: Path) -> None:
    """One connection between racks takes twice as long as ports and uplinks need; not so where
    others' traffic may be the cause, nor where connections inside a rack do as well."""

    def connections(profile: dict[str, Any]) -> list[float | None]:
        path = tmp_path / "net.json"
        path.write_text(json.dumps(profile))
        subnets = json.loads(eco("show", "--json", path).stdout)["subnets"]
        return [subnet["medium"]["one_connection"] for subnet in subnets]

    profile = json.loads((PROJECT / "tests/data/leaf-4x4-tuned.json").read_text())
    assert connections(profile) == [None] * 4
    subnet = profile["levels"][-1]
    middle, longest = profile["minimum"][-2:]

    def slow(counts: Any) -> None:
        for a, b in itertools.permutations(range(len(subnet)), 2):
            if counts(subnet[a], subnet[b]):
                longest[a][b] += longest[a][b] - middle[a][b]

    slow(lambda one, two: one != two)
    for rate in connections(profile):
        assert rate is not None
        assert 8e-6 * rate == pytest.approx(10, rel=0.2)
    path = tmp_path / "net.json"
    assert eco("show", path).stdout.count("one connection") == 4
    busy = profile | {"others_traffic": [{"host": 0, "sent": 1e6, "received": 0.0}]}
    assert connections(busy) == [None] * 4
    slow(lambda one, two: one == two)
    assert connections(profile) == [None] * 4


@pytest.mark.parametrize("ending", SIGNS)
def test_picture(file: Path, ending: str) -> None:
    picture = file.with_suffix(ending)
    shown = eco("show", file, "--plot", picture)
    assert shown.returncode == 0
    (line,) = shown.stdout.splitlines()  # not the whole report again
    assert line.startswith("8 hosts in 3 subnets") and line.endswith(f"; wrote {picture}")
    assert picture.read_bytes().startswith(SIGNS[ending])


@pytest.mark.parametrize(
    "subnets", [[0], [0, 0], [0, 1], [0] * 9, list(range(7)), [host // 6 for host in range(70)]]
)
def test_networks_of_all_sizes(tmp_path: Path, subnets: list[int]) -> None:
    path = tmp_path / "net.json"
    for shared in ({}, {"model": model(subnets)}):
        path.write_text(json.dumps(document(subnets) | shared))
        shown = eco("show", path, "--matrix", "--plot", tmp_path / "net.png")
        assert shown.returncode == 0, shown.stderr
        assert shown.stderr == ""


def test_bad_input(file: Path, tmp_path: Path) -> None:
    refused = eco("show", tmp_path / "absent.json")
    assert refused.returncode == 3
    assert "absent.json cannot be read (No such file" in complaint(refused)
    refused = eco("show", file, "--plot", tmp_path / "net.jpeg")
    assert refused.returncode == 2
    assert "the file name must end in .svg, .png, .pdf or .html" in complaint(refused)
    file.write_text(file.read_text()[:500])
    refused = eco("show", file)
    assert refused.returncode == 3
    assert "not a complete JSON document; measure again" in complaint(refused)


def mcast(*areas: tuple[int, int, float], family: str = "ipv4", **more: float) -> dict[str, object]:
    """level, cluster, loss"""
    return {
        "interfaces": ["eth0"] * 8,
        "payload": 1424,
        "family": family,
        "areas": [
            {"level": level, "cluster": cluster, "rate": 1.25e6, "loss": loss} | more
            for level, cluster, loss in areas
        ],
    }


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (mcast(), "works nowhere"),
        (mcast((-1, 0, 0)), "reaches all hosts at 10.0 Mbit/s"),
        (mcast((-1, 0, 0.01), (0, 0, 0)), "reaches all hosts at 10.0 Mbit/s, 1.0% lost"),
        (
            mcast((0, 0, 0), (0, 2, 0.05), family="ipv6"),
            "by IPv6 reaches n0–n2 at 10.0 Mbit/s; n6 n7 at 10.0 Mbit/s, 5.0% lost",
        ),
        (
            mcast((-1, 0, 0), tried=False),
            "reaches all hosts at 10.0 Mbit/s (a rate that was not tried)",
        ),
    ],
)
def test_multicast(found: dict[str, object], said: str, tmp_path: Path) -> None:
    path = tmp_path / "net.json"
    path.write_text(json.dumps(document()))
    assert "multicast" not in eco("show", path).stdout
    path.write_text(json.dumps(document() | {"mcast": found}))
    assert f"multicast {said}" in " ".join(eco("show", path).stdout.split())
    for ending in (".svg", ".html"):
        picture = path.with_suffix(ending)
        assert eco("show", path, "--plot", picture).returncode == 0
        assert f"IP multicast {said}" in picture.read_text()


NOISY = "other hosts on them get this traffic while collectives run."


@pytest.mark.parametrize(
    ("flooded", "family", "said", "drawn"),
    [
        ({-1: True}, "ipv4", f"to all hosts (no IGMP snooping): {NOISY}", "; no IGMP snooping"),
        ({-1: True}, "ipv6", f"to all hosts (no MLD snooping): {NOISY}", "; no MLD snooping"),
        ({-1: False}, "ipv4", "only to hosts that have joined (IGMP snooping).", ""),
        (
            {-1: True, 0: False},
            "ipv4",
            f"to all hosts near n3–n7 (no IGMP snooping): {NOISY}",
            "; no IGMP snooping",
        ),
        (
            {0: True},
            "ipv4",
            f"to all hosts near n0–n2 (no IGMP snooping): {NOISY}",
            "; no IGMP snooping",
        ),
        ({}, "ipv4", "", ""),
    ],
)
def test_who_else_gets_multicasts(
    flooded: dict[int, bool], family: str, said: str, drawn: str, tmp_path: Path
) -> None:
    path = tmp_path / "net.json"
    found: Any = mcast((-1, 0, 0), (0, 0, 0), family=family)
    for area in found["areas"]:
        if area["level"] in flooded:
            area["flooded"] = flooded[area["level"]]
    path.write_text(json.dumps(document() | {"mcast": found}))
    text = " ".join(eco("show", path).stdout.split())
    assert (f"Switches copy multicasts {said}" in text) if said else "Switches copy" not in text
    areas = json.loads(eco("show", path, "--json").stdout)["mcast"]["areas"]
    assert {a["level"]: a["flooded"] for a in areas if "flooded" in a} == flooded
    for ending in (".svg", ".html"):
        picture = path.with_suffix(ending)
        assert eco("show", path, "--plot", picture).returncode == 0
        words = "snooping" in picture.read_text()
        assert words == bool(drawn)
        assert drawn in picture.read_text()


def test_what_a_datagram_takes(tmp_path: Path) -> None:
    path = tmp_path / "net.json"
    found = mcast((-1, 0, 0), (0, 0, 0), send=4.2e-6, receive=6.1e-6)
    path.write_text(json.dumps(document() | {"mcast": found}))
    text = " ".join(eco("show", path).stdout.split())
    assert "at 10.0 Mbit/s; a datagram takes 4.20 µs to send, 6.10 µs to receive" in text
    areas = json.loads(eco("show", path, "--json").stdout)["mcast"]["areas"]
    assert [(area["send"], area["receive"]) for area in areas] == [(4.2e-6, 6.1e-6)] * 2


def test_rails(tmp_path: Path) -> None:
    path = tmp_path / "net.json"
    path.write_text(json.dumps(document() | {"rails": rails()}))
    text = eco("show", path).stdout
    assert "rails     2 over tcp, in stripes above 2,048 B" in text
    assert "1  eth0  10.9.0.0/16  100 µs, 96.0 Mbit/s  n0–n7" in text
    assert "2  eth1  10.10.0.0/16  100 µs, 24.0 Mbit/s  n0–n6" in text
    assert "left out: docker0 (a bridge) of n0 n1" in text
    found = json.loads(eco("show", path, "--json").stdout)["rails"]["rails"]
    assert [rail["bandwidth"] for rail in found] == [12e6, 3e6]
    assert "n7" not in found[1]["cards"]
    earlier = rails()
    del earlier["longest_short"]
    path.write_text(json.dumps(document() | {"rails": earlier}))
    assert "rails     2 over tcp\n" in eco("show", path).stdout
    path.write_text(json.dumps(document() | {"rails": rails() | {"longest_short": 0}}))
    assert "longest_short is out of range" in eco("show", path).stderr
    apart = rails()
    for key in ("latency", "bandwidth"):  # two networks of four hosts each
        for number, rail in enumerate(apart["rails"]):
            for a, b in itertools.product(range(8), repeat=2):
                if {a // 4, b // 4} != {number}:
                    rail[key][a][b] = 0.0
    path.write_text(json.dumps(document() | {"rails": apart}))
    assert "above 2,048 B; no two hosts share more than one" in eco("show", path).stdout
    far = rails()
    for a, b in itertools.product(range(8), repeat=2):
        if a // 4 != b // 4:  # its subnets
            far["rails"][0]["latency"][a][b] = 1e-2
            far["rails"][0]["bandwidth"][a][b] = 2e6
    path.write_text(json.dumps(document() | {"rails": far}))
    both = "100 µs, 96.0 Mbit/s inside; 10.0 ms, 16.0 Mbit/s between  n0–n7"
    assert f"1  eth0  10.9.0.0/16  {both}" in eco("show", path).stdout
    first, second = json.loads(eco("show", path, "--json").stdout)["rails"]["rails"]
    assert first["inside"] == {"latency": 1e-4, "bandwidth": 12e6}
    assert second["between"] == {"latency": 1e-4, "bandwidth": 3e6}
    broken = rails()
    broken["rails"][1]["bandwidth"][0][1] = 1.0
    path.write_text(json.dumps(document() | {"rails": broken}))
    assert (
        "bandwidth between hosts 0 and 1 is not the same in both directions"
        in eco("show", path).stderr
    )


def _many_choices() -> list[dict[str, object]]:
    return [
        tuned(name, size, LONG_CHOICE) | {"layout": layout, "mpi": mpi, "ranks_per_host": ranks}
        for name in COLLECTIVES
        for size in (16, 1024, 16384, 131072)
        for layout in ("near", "scattered")
        for mpi, ranks in (("openmpi 5.0.11", 1), ("any", 2))
    ]


@pytest.mark.parametrize("subnets", [[0, 0, 0, 1, 1, 1, 2, 2], [host // 3 for host in range(27)]])
def test_80_columns_hold_all_of_show(tmp_path: Path, subnets: list[int]) -> None:
    path = tmp_path / "net.json"
    extra = {"model": model(subnets), "rails": rails(len(subnets)), "tuning": _many_choices()}
    path.write_text(json.dumps(document(subnets) | extra))
    for words in ((), ("--choices",), ("--matrix",)):
        text = eco("show", path, *words, COLUMNS="80").stdout
        check_80_columns(text)
        for name in COLLECTIVES:
            assert name in text
    full = eco("show", path, "--choices", COLUMNS="80").stdout
    assert LONG_CHOICE in full.replace("\n      ", "")


@pytest.mark.parametrize("name", ["campus-20-measured", "switched-8-measured", "three-levels"])
def test_80_columns_hold_stored_profiles(name: str) -> None:
    path = PROJECT / "tests/data" / f"{name}.json"
    check_80_columns(eco("show", path, "--matrix", COLUMNS="80").stdout)
    check_80_columns(eco("plan", path, "reduce_scatter_block", COLUMNS="80").stdout)
