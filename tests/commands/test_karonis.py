# SPDX-License-Identifier: BSD-3-Clause
"""bench/papers/karonis.py: the profiles that it makes for MagPIe's two clusterings."""

import importlib.util
import json

import pytest
from commands_harness import PROJECT
from eco.profile import from_document

SCRIPT = PROJECT / "bench/papers/karonis.py"


@pytest.mark.parametrize("kept", [[0, 1], [0], [1]])
def test_some_levels_of_a_profile_are_a_profile(
    kept: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(SCRIPT.parent)
    spec = importlib.util.spec_from_file_location("karonis", SCRIPT)
    assert spec and spec.loader
    karonis = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(karonis)
    whole = json.loads((PROJECT / "tests/data/three-levels.json").read_text())
    profile = from_document(karonis._along(whole, kept), "some levels")
    assert [list(level) for level in profile.levels] == [whole["levels"][n] for n in kept]
    assert profile.model is not None
    assert len(profile.model.media) == sum(m["level"] in kept for m in whole["model"]["media"])
