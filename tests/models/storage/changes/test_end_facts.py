"""Which row a line puts right: not always the one that was told last."""

from __future__ import annotations

from chatmem.memory.values import Memory
from chatmem.models.storage.changes.end_facts import righted

WHEN = "2026-03-03T10:00:00Z"


def test_a_thing_that_a_line_begins_with_is_the_one_that_is_put_right() -> None:
    """ "sorry, dentist Wednesday 10.30" moved a lunch, which was told last."""
    rows = [
        Memory(1, 1, "Ana", "health", "Ana has a dentist on Tuesday at 10.30.", None, WHEN, WHEN),
        Memory(2, 1, "Ana", "food", "Ana has lunch with Ines on Thursday.", None, WHEN, WHEN),
    ]
    said = [*rows, Memory(3, 1, "Ana", "people", "Ana's sister lives on a Friday farm in Lisbon.", None, WHEN, WHEN)]
    assert righted(said, {2}, "sorry, dentist Wednesday 10.30", "Ana") == []
    assert righted(said, {1}, "sorry, dentist Wednesday 10.30", "Ana") != []
    assert righted(said, {2}, "no, Friday", "Ana") == [(rows[1], "Ana has lunch with Ines on Friday.")]
    home = Memory(4, 1, "Ana", "home", "Ana lives in Porto.", None, WHEN, WHEN)
    assert righted([*said, home], {4}, "No, Lisbon.", "Ana") == [(home, "Ana lives in Lisbon.")]
