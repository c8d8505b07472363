"""Laws that every front end may rely on, over random conversations through the controller: what is told is what is."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from chatmem.app.shown import events as e
from chatmem.memory.store.store import Store
from chatmem.memory.values import ASSISTANT
from tests.app.conftest import Room, open_room
from tests.app.test_laws import bytes_of
from tests.effort import times
from tests.memory.lives import RAM, picture

LAW = settings(
    max_examples=times(12, 4), deadline=None, suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)  # fmt: skip
TALK = (
    "hello", "fact: I like tea.", "fact: I have two cats.", "fact: I live in Graz.", "my name is Ana", "I'm Ben",
    "sql: UPDATE memory SET fact = 'It is a dog.' WHERE id = 1;", "sql: DELETE FROM memory WHERE id = 2;",
    "sql: INSERT INTO memory (subject, fact) VALUES ('User', 'One.'), ('User', 'Two.');", "sql: DROP TABLE memory;",
    "sql: INSERT INTO memory (subject, fact) VALUES ('User', 'One.'); DELETE FROM memory WHERE id = 1;",
)  # fmt: skip
COMMANDS = (
    "/undo", "/redo", "/remember I sail.", "/correct 1 I row.", "/pin 1", "/unpin 1", "/regenerate",
    "/edit fact: I like tea and cake.", "/sql --write DELETE FROM memory WHERE id = 3", "/new", "/undo 2", "/redo 1",
    "/memory", "/why", "/history 1", "/resume", "/sessions",
)  # fmt: skip
LOOKS = (
    "/memory", "/memory boat", "/why", "/history {id}", "/correct {id} mine", "/pin {id}", "/forget {id} --yes",
    "/undo {id}", "/redo {id}", "/resume {id}", "/sessions", "/sessions boat", "/sql SELECT * FROM memory",
    "/forget boat", "/undo",
    "/sql SELECT fact FROM memory WHERE id = {id} OR 1 = 1",
    "/sql --write UPDATE memory SET fact = 'x' WHERE id = {id}",
    "what about the boat?", "/regenerate", "/context", "/stats", "sql: DELETE FROM memory WHERE id = {id};", "/redo",
)  # fmt: skip
SECRET = "zephyrine"


@contextmanager
def opened() -> Iterator[Room]:
    with tempfile.TemporaryDirectory(dir=RAM if RAM.is_dir() else None) as folder:
        room = open_room(Path(folder) / "chat.db")
        try:
            yield room
        finally:
            room.chat.close()


def lines(*pools: tuple[str, ...], most: int = 8) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from([line for pool in pools for line in pool]), min_size=1, max_size=most)


@LAW
@given(life=lines(TALK, COMMANDS, most=12))
def test_every_chip_is_one_row_of_the_journal_and_every_row_is_told_once(life: list[str]) -> None:
    with opened() as room:
        told = [event for event in room.say(*life) if isinstance(event, e.MemoryWritten)]
        journal = room.store.journal.entries(room.chat.user.id)
        rows = {entry.id: entry for entry in journal}
        chips = [entry for event in told for entry in event.entries]
        ids = [chip.id for chip in chips]
        assert len(ids) == len(set(ids)) or "/remember I sail." in life  # what is known already is told by its old row
        for chip in chips:
            row = rows[chip.id]
            assert (chip.kind, chip.before, chip.after, chip.sql) == (row.kind, row.before, row.after, row.sql)
        # A change of the name is told as such (UserChanged); all else that was written has its chip.
        renamings = {entry.batch for entry in journal if entry.kind == "call"}
        silent = {
            entry.id for entry in journal
            if entry.id not in ids and entry.kind != "refused" and entry.batch not in renamings
        }  # fmt: skip
        # Only an edited line takes back what was written from the old one without a word.
        undone = {entry.id for entry in journal if entry.kind == "undo"}
        assert silent <= undone and (not silent or {"/regenerate", "/edit fact: I like tea and cake."} & set(life))


@LAW
@given(before=lines(TALK, most=4), hidden=lines(TALK, COMMANDS), users=st.booleans())
def test_incognito_leaves_no_byte_whatever_is_typed(before: list[str], hidden: list[str], users: bool) -> None:
    with opened() as room:
        room.say(*before, "/incognito on")
        kept, stored = bytes_of(room.path), len(room.script.stored)
        room.say(*hidden, *(["/user somebody", "hello", "/user"] if users else []))
        assert bytes_of(room.path) == kept
        assert len(room.script.stored) == stored


@LAW
@given(look=st.lists(st.tuples(st.sampled_from(LOOKS), st.integers(1, 4)), min_size=1, max_size=10))
def test_nothing_that_a_user_types_brings_a_word_of_another(look: list[tuple[str, int]]) -> None:
    with opened() as room:
        room.say(
            "/user ben", f"fact: my boat is the {SECRET}", f"fact: the {SECRET} lies in Malta", f"my name is {SECRET}"
        )
        ben = room.chat.user.id
        kept = picture(room.store, ben)
        room.say("/user ana", "fact: I row a boat.")
        asked, said = len(room.script.asked), room.say(*(line.format(id=number) for line, number in look))
        assert SECRET not in json.dumps([e.as_dict(event) for event in said]).lower()
        assert all(SECRET not in repr((recall, recent)).lower() for _, recall, recent in room.script.asked[asked:])
        assert picture(room.store, ben) == kept


@LAW
@given(before=lines(TALK, most=5), last=st.sampled_from(TALK))
def test_undo_of_a_turn_restores_what_was_before_it(before: list[str], last: str) -> None:
    with opened() as room:
        room.say(*before)
        user = room.chat.user.id
        was, journal = picture(room.store, user), len(room.store.journal.entries(user))
        wrote = [event for event in room.say(last) if isinstance(event, (e.MemoryWritten, e.UserChanged))]
        after = picture(room.store, user)
        if wrote:
            new = room.store.journal.entries(user)[journal:]
            for _ in dict.fromkeys(entry.batch for entry in new if entry.kind != "refused"):
                room.say("/undo")
        assert picture(room.store, user) == was
        for _ in wrote and dict.fromkeys(entry.batch for entry in new if entry.kind != "refused"):
            room.say("/redo")
        assert picture(room.store, user) == after


@LAW
@given(before=lines(TALK, most=5), last=st.sampled_from(TALK))
def test_one_command_takes_back_all_that_a_line_led_to(before: list[str], last: str) -> None:
    with opened() as room:
        room.say(*before)
        user = room.chat.user.id
        was = picture(room.store, user)
        room.say(last)
        turn, _ = room.chat.last_exchange()
        assert turn is not None
        writes = len(room.store.journal.turn_writes(turn.id, user_id=user))
        told = room.say(f"/undo --turn {turn.id}")
        assert picture(room.store, user) == was
        assert room.chat.user.called == room.store.users.by_id(user).called
        assert [len(event.entries) for event in told if isinstance(event, e.MemoryWritten)] == (
            [writes] if writes else []
        )
        assert any(isinstance(event, e.Failed) for event in told) == (not writes)


@LAW
@given(
    words=st.integers(0, 6),
    stop_at=st.integers(0, 9),
    then=st.sampled_from(["go on", "/regenerate", "/edit hello", "/new"]),
)
def test_a_reply_stopped_at_any_piece_leaves_a_session_that_goes_on(words: int, stop_at: int, then: str) -> None:
    with opened() as room:
        room.script.words = [f"w{n} " for n in range(words)]
        shown = ""
        for count, event in enumerate(room.chat.submit("fact: I have a dog.")):
            shown += event.text if isinstance(event, e.ReplyChunk) else ""
            if count == stop_at:
                room.chat.stop()
        assert room.chat.wait(10) and room.chat.session
        session, user = room.chat.session.id, room.chat.user.id
        assert [turn.text for turn in room.store.turns.of(session) if turn.speaker == ASSISTANT] == (
            [shown] if shown else []
        )
        room.script.words = ["fine"]
        assert not [event for event in room.say(then) if isinstance(event, e.Failed)]
        with Store.open(room.path) as other:  # as another process sees it
            turns = [turn for one in other.sessions.all(user) for turn in other.turns.of(one.id)]
            assert {turn.status for turn in turns} <= {"complete", "stopped"}
            assert not other.queue.pending(user)
            assert len(other.facts.all(user)) == (0 if then == "/edit hello" else 1)
            assert other.check() == []
