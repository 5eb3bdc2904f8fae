# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures of these tests."""

from pathlib import Path

import pytest


@pytest.fixture
def doctor_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the user's profiles; and what `eco doctor` sets is known."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("ECO_LIBMPI", raising=False)
    monkeypatch.setattr("secrets.token_hex", lambda _: "mark")
    folder = tmp_path / "data" / "eco" / "profiles"
    folder.mkdir(parents=True)
    return folder
