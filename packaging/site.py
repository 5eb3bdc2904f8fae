# SPDX-License-Identifier: BSD-3-Clause
"""MkDocs calls this: the reference of commands is what --help says, decisions are listed by file,
and links to files outside docs/ become their names."""

import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "packaging")]

import manual  # noqa: E402  beside this file

_OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)+(?!docs/)[^)]+\)")


def on_config(config: Any) -> Any:
    found = sorted((ROOT / "docs/decisions").glob("*.md"))
    inside = next(
        part["Inside"] for part in config.nav if isinstance(part, dict) and "Inside" in part
    )
    inside.append({"Decisions": [f"decisions/{file.name}" for file in found]})
    return config


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    if page.file.src_uri == "reference/commands.md":
        eco = ROOT / "build/release/bin/eco"
        return markdown + "\n".join(map(_section, manual.pages(eco)))
    if page.file.src_uri.startswith(
        ("tutorials/", "index", "how", "faq", "comparison", "installing")
    ):
        return markdown
    return _OUTSIDE.sub(r"\1", markdown)


def _section(page: manual.Page) -> str:
    lines = [f"\n## {' '.join(page.words)}\n", f"`{page.usage}`\n"]
    lines += [f"```text\n{page.text}\n```\n" if page.verbatim else f"{page.text}\n"]
    for title, entries in (("Arguments", page.arguments), ("Options", page.options)):
        if entries:
            lines += [f"| {title} | |\n|---|---|"]
            lines += [f"| `{_cell(term)}` | {_cell(text)} |" for term, text in entries]
            lines += [""]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
