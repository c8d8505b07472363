"""The values behind the panels: chips are committed rows, the why-panel and the prompt's parts tell the truth."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatmem.app.chat import panels
from chatmem.app.shown import chips
from chatmem.app.shown import events as e
from chatmem.app.shown.render import lines
from chatmem.app.shown.status import Standing, after
from chatmem.memory.errors import InputError
from chatmem.models.lm import Message
from tests.app.conftest import Room


def written(events: list[e.Event]) -> list[chips.Chip]:
    return [chips.chip_of(entry) for event in events if isinstance(event, e.MemoryWritten) for entry in event.entries]


def test_a_chip_says_what_changed_from_what_to_what(room: Room) -> None:
    (came,) = written(room.say("fact: I have two cats."))
    assert (came.sign, came.before, came.after, came.can_undo, came.can_edit) == (
        "+", "", "I have two cats.", True, True,
    )  # fmt: skip
    (changed,) = written(room.say(f"/correct {came.memory_id} I have three cats."))
    assert (changed.sign, changed.before, changed.after) == ("~", "I have two cats.", "I have three cats.")
    (gone,) = written(room.say(f"sql: DELETE FROM memory WHERE id = {changed.memory_id}"))
    assert (gone.sign, gone.after, gone.can_edit) == ("-", "", False)


def test_chips_are_read_back_from_the_journal_by_turn(room: Room) -> None:
    shown = written(room.say("fact: I sail.", "hm", "fact: I row."))
    session = room.chat.session
    assert session is not None
    found = chips.chips_of_session(room.store, room.chat.user.id, session.id)
    assert [chip for turn in found.values() for chip in turn.chips] == shown
    assert list(found) == [chip.turn_id for chip in shown]


def test_a_chip_whose_row_was_changed_later_says_so_and_offers_what_still_works(room: Room) -> None:
    (first,) = written(room.say("fact: I have two cats."))
    (second,) = written(room.say(f"/correct {first.memory_id} I have three cats."))

    def again() -> chips.Chip:
        (chip,) = chips.chips_again(room.store, room.chat.user.id, [first.entry_id])
        return chip

    chip = again()
    assert chip.told == "+ I have two cats.  #1 (now: I have three cats.  #2)"
    assert (chip.can_undo, chip.can_edit, chip.row, chip.now) == (False, True, 2, "I have three cats.")
    room.say(f"/correct {chip.row} I have four cats.")
    assert (again().row, again().now, again().memory_id) == (3, "I have four cats.", 1)
    room.say("/undo", f"/undo {second.entry_id}")
    assert again() == first
    room.say("/pin 1")
    assert (again().later, again().can_undo, again().can_edit, again().row) == ("pinned since", False, True, 1)
    room.say("sql: DELETE FROM memory WHERE id = 1")
    assert (again().later, again().can_undo, again().can_edit) == ("gone since", False, False)


def test_what_a_chip_offers_works_and_what_it_does_not_offer_would_fail(room: Room) -> None:
    room.say("fact: I sail.", "fact: I row.", "/correct 1 I sail a lot.", "/pin 2", "/undo", "/correct 2 I rowed.")
    user = room.chat.user.id
    for entry in room.store.journal.entries(user):
        (chip,) = chips.chips_now(room.store, [entry])
        if chip.can_undo:
            room.store.journal.redo(room.store.journal.undo(entry.id).undoes or 0)
        else:
            with pytest.raises(InputError):
                room.store.journal.undo(entry.id)


def test_an_undone_write_shows_as_undone_and_a_forgotten_one_not_at_all(room: Room) -> None:
    kept, erased = written(room.say("fact: I sail.", "fact: I row."))
    room.say(f"/undo {kept.entry_id}", f"/forget {erased.memory_id} --yes")
    (chip,) = chips.chips_again(room.store, room.chat.user.id, [kept.entry_id, erased.entry_id])
    assert (chip.entry_id, chip.undone, chip.can_undo, chip.can_edit) == (kept.entry_id, True, False, False)


def test_why_marks_what_the_prompt_held(room: Room) -> None:
    room.say("fact: I sail.", "fact: I row.")
    room.say("what do I do?")
    recall = room.chat.last_recall
    assert recall is not None
    told = panels.why(recall, [Message("user", "Memory:\n- I sail.\n\nwhat do I do?")])
    assert told.sql == "SELECT * FROM memory;"
    assert [(row.memory.fact, row.in_context) for row in told.rows if row.memory] == [
        ("I sail.", True), ("I row.", False),
    ]  # fmt: skip
    assert [turn.text for turn in told.rows[0].evidence] == ["fact: I sail.", "Nice to meet you."]
    assert not any(row.in_context for row in panels.why(recall).rows)


@pytest.mark.parametrize("last", ["Memory:\n- (nothing)\n\nhello you", "hello you"])
def test_the_parts_of_a_prompt_are_all_of_it(last: str) -> None:
    messages = [Message("system", "You are me."), Message("assistant", "hi there"), Message("user", last)]
    found = panels.parts(messages, lambda text: len(text.split()))
    assert [part.name for part in found][-1] == "your line"
    assert found[-1].text == "hello you"
    assert sum(part.share for part in found) == pytest.approx(1.0)
    assert sum(part.tokens for part in found) == sum(len(message.content.split()) for message in messages)


def test_the_last_prompt_is_the_one_that_was_sent(room: Room) -> None:
    assert panels.last_prompt(room.chat.state) == []
    room.say("hello")
    assert [message.content for message in panels.last_prompt(room.chat.state)] == ["You are scripted.", "hello"]


def test_a_timeline_has_every_step_with_its_lines(room: Room) -> None:
    (came,) = written(room.say("fact: I have two cats."))
    (changed,) = written(room.say(f"/correct {came.memory_id} I have three cats."))
    assert changed.memory_id is not None
    steps = panels.timeline(room.store, room.chat.user, changed.memory_id)
    assert [(step.sign, step.who.split(" ")[0]) for step in steps] == [("+", "agent:storage"), ("~", "human")]
    assert [turn.text for turn in steps[0].evidence] == ["fact: I have two cats.", "Nice to meet you."]


def test_merging_entries_gives_the_list_that_the_store_gives(room: Room) -> None:
    shown = room.store.facts.all(room.chat.user.id)
    for line in (
        "fact: I sail.",
        "fact: I row.",
        "/correct 1 I sail a lot.",
        "/pin 2",
        "/undo",
        "sql: DELETE FROM memory WHERE id = 2",
    ):
        entries = [entry for event in room.say(line) if isinstance(event, e.MemoryWritten) for entry in event.entries]
        ids = [int(image["id"]) for entry in entries for image in (entry.before, entry.after) if image]
        shown = panels.merged(shown, entries, room.store.facts.by_id(ids))
        assert shown == room.store.facts.all(room.chat.user.id)


def test_the_standing_names_the_one_thing_that_blocks_memory(room: Room) -> None:
    standing = Standing()
    room.script.storage_fails = "The endpoint is gone."
    for event in room.say("fact: I sail."):
        standing = after(standing, event)
    assert (standing.memory, standing.blocked) == ("blocked", "The endpoint is gone.")
    assert standing.speed > 0
    room.script.storage_fails = None
    for event in room.say("fact: I row."):
        standing = after(standing, event)
    assert (standing.memory, standing.blocked) == ("on", "")
    assert after(standing, e.IncognitoChanged(True)).memory == "off"


def test_the_journal_lists_the_last_writes_and_a_file_is_shown_before_it_is_imported(
    room: Room, tmp_path: Path
) -> None:
    room.say("fact: I sail.", "fact: I row.")
    room.say("/undo")
    (listed,) = room.say("/journal 2")
    assert isinstance(listed, e.Listed)
    assert [row[3] for row in listed.rows] == ["insert (undone): I row.", "undo: I row."]
    file = tmp_path / "facts.csv"
    file.write_text("subject,fact\nAna,Ana has a boat.\nAna,Ana has a dog.\n")
    told, asked = room.say(f"/import {file}")
    assert isinstance(told, e.Notice) and "new: 2 memories" in told.text
    assert isinstance(asked, e.Asked)
    assert len(room.store.facts.all(room.chat.user.id)) == 1
    room.say(asked.command)
    assert len(room.store.facts.all(room.chat.user.id)) == 3
    (again,) = room.say(f"/import {file}")
    assert isinstance(again, e.Notice) and "new: none" in again.text
    room.say("/undo")
    assert [memory.fact for memory in room.store.facts.all(room.chat.user.id)] == ["I sail."]
    (failed,) = room.say("/import nowhere.json")
    assert isinstance(failed, e.Failed)


def test_why_leads_from_a_memory_that_was_replaced_to_what_it_is_now(room: Room) -> None:
    for line in ("fact: I have two cats.", "fact: I sail.", "what do I have?", "/correct 1 I have three cats."):
        room.say(line)
    assert panels.since(room.chat.state) == {1: "now #3: I have three cats."}
    found = panels.last_why(room.chat.state)
    assert found is not None
    assert [row.since for row in found.rows if row.memory] == ["now #3: I have three cats.", ""]
    [explained] = room.say("/why")
    told = [text.strip() for text, _ in lines(explained)]
    assert told[told.index("1. #1  I have two cats.  [User: talk]") + 1] == "now #3: I have three cats."
    room.store.facts.retire(3)
    assert panels.since(room.chat.state) == {1: "not remembered any more"}


def test_an_old_number_leads_to_the_new_one_and_says_so(room: Room) -> None:
    room.say("fact: I have two cats.")
    room.say("/correct 1 I have three cats.")
    [notice, written] = room.say("/correct 1 I have four cats.")
    assert notice == e.Notice("Memory 1 was changed since; it is #2 now.")
    assert isinstance(written, e.MemoryWritten) and (written.entries[0].after or {})["fact"] == "I have four cats."
    assert room.say("/pin 2")[0] == e.Notice("Memory 2 was changed since; it is #3 now.")
    assert [one.id for one in room.store.facts.all(room.chat.user.id) if one.pinned] == [3]
    [history] = room.say("/history 1")
    assert isinstance(history, e.Listed) and history.note == "It is now #3: I have four cats."
    [history] = room.say("/history 3")
    assert isinstance(history, e.Listed) and not history.note
    room.store.facts.retire(3)
    [failed] = room.say("/correct 1 I have five cats.")
    assert isinstance(failed, e.Failed) and "not remembered any more" in failed.text
    ben = room.store.users.get("ben")
    other = room.store.facts.remember(ben.id, "Ben", "", "Ben's code is 1234.").memory_id
    [failed] = room.say(f"/correct {other} x")
    assert isinstance(failed, e.Failed) and "there is no memory" in failed.text


def test_what_a_line_itself_told_is_not_recalled_for_it(room: Room) -> None:
    def recalled(line: str) -> list[str]:
        (event,) = [event for event in room.say(line) if isinstance(event, e.Recalled)]
        return [memory.fact for memory in event.recall.memories]

    assert recalled("my name is Ana") == []
    assert recalled("who am I?") == ["The user's name is Ana."]
