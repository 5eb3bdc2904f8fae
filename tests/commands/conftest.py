# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures of these tests."""

from pathlib import Path

import pytest


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the folder of the user's profiles will be."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("ECO_LIBMPI", raising=False)
    return tmp_path / "data" / "eco" / "profiles"


@pytest.fixture
def doctor_store(store: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """That folder; and what `eco doctor` sets is known."""
    monkeypatch.setattr("secrets.token_hex", lambda _: "mark")
    store.mkdir(parents=True)
    return store
