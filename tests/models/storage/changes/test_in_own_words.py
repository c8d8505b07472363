"""A line of which nothing is made but an end is kept as it was said."""

from __future__ import annotations

import pytest

from chatmem.memory.values import Memory
from chatmem.models.prompts.draft import Add, Change, Close, Draft
from chatmem.models.prompts.messages import Line
from chatmem.models.storage.changes.ended import in_own_words

WHEN = "2026-03-03T10:00:00Z"
KNOWN = [
    Memory(3, 1, "Ana", "health", "Ana has her left wrist in a plaster cast.", None, WHEN, WHEN),
    Memory(5, 1, "Ana", "belongings", "Ana owns a kayak.", None, WHEN, WHEN),
]


@pytest.mark.parametrize(("text", "draft", "kept"), [
    ("forty days without a plaster today, look at my arm", Draft((Close(3),)), True),
    ("it's off", Draft((Close(3),)), False),
    ("sorry, I meant the other wrist, the doctor was wrong about this one", Draft((Close(3),)), False),
    ("forty days without a plaster, is that long enough?", Draft((Close(3),)), False),
    ("they sawed the plaster off this morning", Draft((Change(3, "Ana's arm looks like a chicken."),)), False),
    ("they sawed the plaster off this morning", Draft((Add("Ana", "food", "Ana likes figs."), Close(3))), False),
    ("they sawed the plaster off this morning", Draft(), False),
])  # fmt: skip
def test_a_line_that_only_ends_something_is_kept_as_it_was_said(text: str, draft: Draft, kept: bool) -> None:
    quote = Add("Ana", "health", f'Ana said: "{text}"')
    now = in_own_words(draft, KNOWN, Line("Ana", text))
    assert now.entries == ((quote, *draft.entries) if kept else draft.entries)
