"""Rules are tested by themselves here: without the small model that doubts what a scripted one writes."""

from __future__ import annotations

import pytest

from chatmem.models.storage import believed


@pytest.fixture(autouse=True)
def believing(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that is written is believed; who tests the doubting sets `load` anew."""
    monkeypatch.setattr(believed, "load", lambda name: None)
