# SPDX-License-Identifier: BSD-3-Clause
"""What an exporter gives: a file's text, what the format cannot express, and how it is used."""

from collections.abc import Sequence
from dataclasses import dataclass

from eco.profile import Profile


@dataclass(frozen=True)
class Document:
    """One exported file."""

    text: str
    cannot: tuple[str, ...]  # each one sentence without its end
    use: str  # the setting or words that make the consumer read the file


def comments(profile: Profile, use: str, cannot: Sequence[str], mark: str = "#") -> str:
    """The lines that open a file whose format has comments."""
    measured = f"Network of {len(profile.hosts)} hosts, measured by ECO at {profile.created}."
    lines = [measured, f"To use it: {use}", *(f"Not expressed here: {each}." for each in cannot)]
    return "".join(f"{mark} {line}\n" for line in lines)
