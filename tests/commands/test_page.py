# SPDX-License-Identifier: BSD-3-Clause
"""`eco show --plot FILE.html`: the page, in a real browser as well."""

import html
import json
import os
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from commands_harness import complaint, document, eco

BROWSER = pytest.mark.skipif(
    shutil.which("chromium") is None, reason="Chromium is missing: apt install chromium"
)

# What a person does, and what is then seen; written where --dump-dom shows it.
DRIVER = """
<script>
addEventListener("load", () => {
  const one = (selector) => document.querySelector(selector);
  const over = (element) => element.dispatchEvent(
    new PointerEvent("pointerover", { bubbles: true, clientX: 5, clientY: 5 }));
  const seen = { opened: one("#found").textContent };
  const tip = () => one("#tip").hidden ? null : one("#tip").textContent;
  const type = (text) => {
    one("#search").value = text;
    one("#search").dispatchEvent(new Event("input", { bubbles: true }));
  };
  const press = (key) => one("#search").dispatchEvent(new KeyboardEvent("keydown", { key }));
  seen.before = tip();
  over(one("[data-host='1']"));
  seen.host = tip();
  seen.near = document.querySelectorAll(".box.near").length;
  over(one(".cell[data-pair='0 1']"));
  seen.pair = tip();
  seen.lines = document.querySelectorAll(".line.near").length;
  over(one("h1"));
  seen.left = tip();
  const whole = one("#network").getAttribute("viewBox");
  type("N1");
  seen.found = one("#found").textContent;
  seen.hits = document.querySelectorAll(".host.hit").length;
  press("Enter");
  const width = (view) => Number(view.split(" ")[2]);
  seen.zoomed = width(one("#network").getAttribute("viewBox")) < width(whole);
  type("nowhere");
  seen.none = one("#found").textContent;
  press("Escape");
  seen.reset = one("#network").getAttribute("viewBox") === whole;
  seen.afterwards = one("#found").textContent;
  const shown = (each) => getComputedStyle(each).display !== "none";
  seen.shown = [...document.querySelectorAll(".line")].filter(shown).length;
  const result = document.createElement("pre");
  result.id = "result";
  result.textContent = JSON.stringify(seen);
  document.body.append(result);
});
</script>
"""


def page(folder: Path, profile: dict[str, Any]) -> str:
    file = folder / "net.json"
    file.write_text(json.dumps(profile))
    shown = eco("show", file, "--plot", folder / "net.html")
    assert shown.returncode == 0, shown.stderr
    return (folder / "net.html").read_text()


def blocks(hosts: int, subnets: int) -> dict[str, Any]:
    """Equal subnets in two sites, in the profile's short form."""
    subnet = [host * subnets // hosts for host in range(hosts)]
    site = [each * 2 // subnets for each in subnet]

    def times(size: int) -> dict[str, Any]:
        far = [[3 if a * 2 // subnets != b * 2 // subnets else 2 for b in range(subnets)]
               for a in range(subnets)]  # fmt: skip
        return {
            "blocks": [
                [1e-4 * (1 + size / 400) * (1 if a == b else far[a][b]) for b in range(subnets)]
                for a in range(subnets)
            ],
            "pairs": [],
        }

    found = document(subnet[:2])
    sizes = found["parameters"]["sizes"]
    return found | {
        "hosts": [f"n{host}" for host in range(hosts)],
        "minimum": [times(size) for size in sizes],
        "spread": [{"blocks": [[0.0] * subnets] * subnets, "pairs": []} for _ in sizes],
        "levels": [site, subnet],
        "ring": list(range(hosts)),
    }


class _Outside(HTMLParser):
    """What a page loads from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [f"{tag} {name}={value}" for name, value in attrs
                       if name in ("src", "href", "data", "action", "xlink:href")]  # fmt: skip
        if tag in ("link", "iframe", "img", "object"):
            self.found.append(tag)


def loads(text: str) -> list[str]:
    parser = _Outside()
    parser.feed(text)
    return parser.found + re.findall(r"@import|url\(|fetch\(|XMLHttpRequest|\bimport\b", text)


def test_needs_nothing_else(tmp_path: Path) -> None:
    text = page(tmp_path, document())
    assert loads(text) == []
    assert loads(text.replace("<style>", "<style>@import 'x.css';")) == ["@import"]
    assert loads(text.replace("<main>", "<main><img src='x.png'>")) == ["img src=x.png", "img"]
    assert "8 hosts in 3 subnets" in text
    assert "602 µs · 6.16 Mbit/s" in text
    for host in range(8):
        assert f'data-host="{host}"' in text
    assert "{{" not in text


def test_names_are_text(tmp_path: Path) -> None:
    profile = document()
    names = ["</script><script>alert(1)</script>", "<b>&amp;", '"x', "{{TITLE}}"]
    profile["hosts"][:4] = names
    text = page(tmp_path, profile)
    assert text.count("</script>") == 2
    assert "<b>" not in text
    data = re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.S)
    assert data
    assert [name for name, _ in json.loads(data[1])["hosts"]][:4] == names


def test_one_subnet_and_one_host(tmp_path: Path) -> None:
    for subnets in ([0], [0, 0], [0] * 9, [0, 1], list(range(7))):
        text = page(tmp_path, document(subnets))
        assert text.count("data-host=") == len(subnets)


def test_odd_hosts_are_marked(tmp_path: Path) -> None:
    odd = [{"hosts": [2], "what": "slow", "factor": 2.5}]
    text = page(tmp_path, document() | {"odd": odd})
    assert "<li>n2 is slow: up to 2.5 times what its neighbours take</li>" in text
    assert '<g class="host slow" data-host="2">' in text


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    file = tmp_path / "net.json"
    file.write_text(json.dumps(document()))
    refused = eco("show", file, "--plot", tmp_path / "absent/net.html")
    assert refused.returncode == 2
    assert "there is no folder" in complaint(refused)


def look(folder: Path, profile: dict[str, Any], search: str = "") -> dict[str, Any]:
    text = page(folder, profile)
    driven = folder / "driven.html"
    driven.write_text(text.replace("</html>", DRIVER + "</html>"))
    url = f"{driven.as_uri()}#{search}"
    usual = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    words = ["chromium", *usual, "--dump-dom", url]
    home = os.environ | {"HOME": str(folder)}
    done = subprocess.run(words, capture_output=True, text=True, env=home)
    result = re.search(r'<pre id="result">(.*?)</pre>', done.stdout, re.S)
    assert result, done.stdout[-1000:] + done.stderr[-2000:]
    found: dict[str, Any] = json.loads(html.unescape(result[1]))
    return found


@BROWSER
def test_in_a_browser(tmp_path: Path) -> None:
    seen = look(tmp_path, document(), "n7")
    assert seen == {
        "opened": "1 of 8 hosts",
        "before": None,
        "host": "n1\nsubnet 0, 3 hosts\n301 µs · 12.3 Mbit/s\nn0–n2",
        "near": 1,
        "pair": "602 µs · 6.16 Mbit/s\n\nsubnet 0, 3 hosts\n301 µs · 12.3 Mbit/s\nn0–n2\n\n"
        "subnet 1, 3 hosts\n301 µs · 12.3 Mbit/s\nn3–n5",
        "lines": 1,
        "left": None,
        "found": "1 of 8 hosts",
        "hits": 1,
        "zoomed": True,
        "none": "0 of 8 hosts",
        "reset": True,
        "afterwards": "",
        "shown": 3,
    }


@BROWSER
@pytest.mark.parametrize(
    ("hosts", "subnets", "lines"),
    [(64, 8, 13), pytest.param(1000, 50, 1, marks=pytest.mark.long)],
)
def test_large_networks_in_a_browser(tmp_path: Path, hosts: int, subnets: int, lines: int) -> None:
    seen = look(tmp_path, blocks(hosts, subnets))
    hits = sum("n1" in f"n{host}" for host in range(hosts))
    assert seen["hits"] == hits
    assert seen["found"] == f"{hits} of {hosts} hosts"
    assert seen["near"] == 1
    assert seen["lines"] == 1
    # Among many parts lines are drawn only when the pointer is there.
    assert seen["shown"] == lines
