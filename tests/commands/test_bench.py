# SPDX-License-Identifier: BSD-3-Clause
"""`eco bench`: text, JSON and pictures."""

import json
from pathlib import Path
from typing import Any

import pytest
from commands_harness import (
    COLLECTIVES,
    DONE,
    LONG_CHOICE,
    PROJECT,
    buses,
    check_80_columns,
    complaint,
    document,
    eco,
    launcher,
    progress,
    result,
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "net.json"
    path.write_text(json.dumps(document()))
    return path


@pytest.fixture(autouse=True)
def usual(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The profile that was measured last."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("ECO_PROFILE", raising=False)
    path = tmp_path / "data" / "eco" / "profiles" / "n0-3-0.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(document([0, 0, 1])))
    return path


RESULTS = [
    progress(0.5),
    result("bcast", 16, native=0.002, eco=0.001, native_again=0.002),
    result("barrier", 0, native=0.001, eco=0.002, native_again=0.001),
    DONE,
]


def test_bench_table(file: Path, tmp_path: Path) -> None:
    start = launcher(tmp_path / "bin", RESULTS)
    picture = tmp_path / "bench.svg"
    options = ["--operations", "bcast,barrier", "--sizes", "16", "--repeats", "3"]
    order = ["--order", "scattered:2"]
    shown = eco(
        "bench", "--topology", file, *options, *order, "--plot", picture, "--", start.path, "-n", 8
    )
    assert shown.returncode == 0, shown.stderr
    assert picture.read_bytes().startswith(b"<?xml")
    patterns = ["--patterns", "native,eco,native-again"]
    given = [*options[:4], *patterns, *options[4:], *order]
    assert start.options == ["bench", "--profile", "-", *given]
    assert json.loads(start.called()["stdin"])["hosts"] == document()["hosts"]
    assert "1.00 ms ±5% 2.00×" in shown.stdout
    assert "2.00 ms ±5% 0.50×" in shown.stdout
    mean = next(line for line in shown.stdout.splitlines() if "geometric mean" in line)
    assert mean.split() == ["geometric", "mean", "1.00×", "1.00×"]
    assert "tree star/star" in shown.stdout


def test_bench_json(tmp_path: Path) -> None:
    start = launcher(tmp_path / "bin", RESULTS)
    shown = eco("bench", "--operations", "all", "--json", "--", start.path)
    assert shown.stderr == ""
    found = json.loads(shown.stdout)
    assert found["geometric_mean"]["eco"] == pytest.approx(1.0)
    assert [each["ratio"] for each in found["results"][0]["patterns"]] == [1, 2, 1]
    assert found["results"][0]["patterns"][1]["choice"] == "tree:top=star,inner=star"
    assert "reduce_scatter_block" in start.options[start.options.index("--operations") + 1]


def test_bench_in_the_columns_of_osu(tmp_path: Path) -> None:
    many = result("allgatherv", 4096, native=0.002, eco=0.001)
    many["patterns"][0] |= {"samples": [0.001 * n for n in range(1, 201)], "mean": 0.1005}
    start = launcher(tmp_path / "bin", [many, result("bcast", 1, native=0.002, eco=0.001), DONE])
    shown = eco("bench", "--style", "osu", "--patterns", "native,eco", "--", start.path)
    sizes = start.options[start.options.index("--sizes") + 1].split(",")
    assert sizes == [str(2**power) for power in range(21)]
    lines = shown.stdout.splitlines()
    assert lines[0].startswith("# ECO MPI_Allgatherv Latency Test: native, 8 ranks")
    assert lines[2].split() == ["4096", "100500.00", "1800.00", "200000.00", "198000.00", "200"]
    # As what reads OSU's tables does.
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    assert [row[0] for row in rows] == ["4096", "4096", "1", "1"]
    given = eco("bench", "--style", "osu", "--sizes", "16", "--", start.path)
    assert start.options[start.options.index("--sizes") + 1] == "16", given.stderr
    assert eco("bench", "--style", "imb", "--", start.path).returncode == 2


def working(event: dict[str, Any], *parts: tuple[float, float]) -> dict[str, Any]:
    """What a probe says of calls that do not block: overlap with tests and without calls."""
    for pattern, overlaps in zip(event["patterns"], parts, strict=True):
        for name, overlap in zip(["work_with_tests", "work_without_calls"], overlaps, strict=True):
            total = pattern["median"] * (2 - overlap)
            pattern[name] = {"total": total, "overlap": overlap}
    return event | {"form": "nonblocking"}


def test_bench_of_calls_that_do_not_block(tmp_path: Path) -> None:
    one = working(result("bcast", 16, native=0.002, eco=0.001), (0.97, 0.4), (0.83, 0.09))
    start = launcher(tmp_path / "bin", [one, DONE])
    words = ["bench", "--patterns", "native,eco", "--form", "nonblocking"]
    shown = eco(*words, "--", start.path)
    assert start.options[-2:] == ["--form", "nonblocking"], shown.stderr
    assert "ibcast" in shown.stdout
    assert "97%, 40%" in shown.stdout
    assert "83%, 9%" in shown.stdout
    found = json.loads(eco(*words, "--json", "--", start.path).stdout)["results"][0]
    assert found["form"] == "nonblocking"
    assert found["patterns"][1]["work_without_calls"] == {"total": 0.00191, "overlap": 0.09}
    lines = eco(*words, "--style", "osu", "--", start.path).stdout.splitlines()
    assert lines[0].startswith("# ECO MPI_Ibcast Latency Test: native, 8 ranks")
    assert lines[1].split()[2:5] == ["Overall(us)", "Compute(us)", "Pure"]
    assert lines[2].split()[:5] == ["16", "3200.00", "2000.00", "2000.00", "40.00"]


def test_bench_times_the_bound(tmp_path: Path) -> None:
    """By the three buses 16,000 bytes cannot take less than 41 ms; a bench on other hosts of the
    profile has its own bound, and a choice of the library's no prediction."""
    measured = PROJECT / "tests" / "data" / "three-segments-measured.json"
    file = tmp_path / "net.json"
    file.write_text(json.dumps(json.loads(measured.read_text()) | {"model": buses(3)}))
    one = result("bcast", 16000, native=0.084, eco=0.0496, native_again=0.084)
    one["patterns"][1]["choice"] = "tree:top=balanced,inner=chain,segments=6"
    two = result("allreduce", 16000, native=0.1, eco=0.09)
    two["patterns"][1]["choice"] = "exchange:inner=native"
    events = [one | {"hosts": list(range(8))}, two | {"hosts": [0, 1, 2, 3]}, DONE]
    start = launcher(tmp_path / "bin", events)
    words = ("--topology", file, "--", start.path)
    found = json.loads(eco("bench", "--json", *words).stdout)["results"]
    planned = json.loads(eco("plan", file, "bcast", "--bytes", 16000, "--json").stdout)
    assert found[0]["bound"] == pytest.approx(planned["bound"]["time"], rel=0.02)
    native, used, _ = found[0]["patterns"]
    assert native["times_bound"] == pytest.approx(0.084 / found[0]["bound"])
    assert native["predicted"] is None
    assert found[0]["bound"] < used["predicted"] < 1.5 * found[0]["bound"]
    assert found[1]["bound"] < 0.1
    assert found[1]["patterns"][1]["predicted"] is None
    text = eco("bench", *words).stdout
    assert "× bound" in text
    assert "predicted" in text


def test_which_profile(tmp_path: Path, file: Path, usual: Path) -> None:
    start = launcher(tmp_path / "bin", RESULTS)
    eco("bench", "--", start.path)
    assert json.loads(start.called()["stdin"]) == document([0, 0, 1])
    eco("bench", "--", start.path, ECO_PROFILE=str(file))
    assert len(json.loads(start.called()["stdin"])["hosts"]) == 8
    usual.unlink()
    refused = eco("bench", "--", start.path)
    assert refused.returncode == 3
    assert "no network has been measured yet: run `eco measure` first" in complaint(refused)


def test_bench_without_native(tmp_path: Path) -> None:
    start = launcher(tmp_path / "bin", [result("bcast", 16000, eco=0.06, k2=0.12, star=0.1), DONE])
    shown = eco("bench", "--patterns", "eco,k2,star", "--", start.path)
    assert "than eco" in shown.stdout
    assert "0.50×" in shown.stdout


def test_choices_in_full_as_patterns(tmp_path: Path) -> None:
    start = launcher(tmp_path / "bin", RESULTS)
    eco("bench", "--patterns", "native, tree:top=star,inner=k3 ,k2", "--", start.path)
    given = start.options[start.options.index("--patterns") + 1]
    assert given == "native,tree:top=star,inner=k3,k2"


@pytest.mark.parametrize(
    ("words", "why", "code"),
    [
        (["--order", "random"], "--order 'random': must be launched, near or scattered:SEED", 2),
        (["--patterns", "native,,eco"], "--patterns: '' is an unknown choice", 2),
        (["--patterns", "Native"], "--patterns: 'Native' is an unknown choice", 2),
        (["--patterns", "tree:top=strr"], "--patterns: 'strr' is an unknown tree shape", 2),
        (["--operations", "all,bcast"], "'all' is an unknown collective", 2),
        (["--topology", "/no/such"], "/no/such cannot be read", 3),
        (["--plot", "/no/such/x.svg"], "there is no folder /no/such", 2),
    ],
)
def test_bench_usage(tmp_path: Path, words: list[str], why: str, code: int) -> None:
    start = launcher(tmp_path / "bin", RESULTS)
    refused = eco("bench", *words, "--", start.path)
    assert refused.returncode == code
    assert why in complaint(refused)


def test_a_result_that_cannot_be_read(tmp_path: Path) -> None:
    for broken in ({"event": "result"}, result("bcast", 1, native=0.0)):
        start = launcher(tmp_path / "bin", [broken, DONE])
        refused = eco("bench", "--", start.path)
        assert refused.returncode == 4
        assert "reported a result that cannot be read" in complaint(refused)


@pytest.mark.parametrize(
    "others", [["eco", "native_again"], ["eco", "k2", "star", "chain", "binomial", "butterfly"]]
)
def test_80_columns_hold_all_of_bench(tmp_path: Path, others: list[str]) -> None:
    measured = PROJECT / "tests" / "data" / "three-segments-measured.json"
    file = tmp_path / "net.json"
    file.write_text(json.dumps(json.loads(measured.read_text()) | {"model": buses(3)}))
    medians = {"native": 0.1234} | dict.fromkeys(others, 0.0567)
    events = [
        result(name, size, **medians) | {"hosts": list(range(8))}
        for name in COLLECTIVES
        for size in (16, 16000, 262144)
    ]
    for event in events:
        for pattern in event["patterns"][1:]:
            pattern["choice"] = "exchange:inner=native"  # of which there is no prediction
    events[0]["patterns"][1]["choice"] = LONG_CHOICE.removesuffix(",rails=2")
    start = launcher(tmp_path / "bin", [*events, DONE])
    text = eco("bench", "--topology", file, "--", start.path, COLUMNS="80").stdout
    check_80_columns(text)
    for heading in (*COLLECTIVES, "native", "× bound", "predicted", "eco ran", "16,000 B"):
        assert heading in text
