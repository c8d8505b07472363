"""What a yes has just confirmed stands, whatever the rest of its line seems to end."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from chatmem.memory.database.moments import moment_of
from chatmem.memory.store.store import Store
from chatmem.models.decoding.scripted import ScriptedLM
from chatmem.models.files.model_files import EMBEDDED_NAME
from chatmem.models.prompts.messages import insert_sql
from chatmem.models.storage.agent import StorageAgent
from chatmem.models.storage.changes.confirmed import said_again
from tests.models.storage.changes.test_ended import Reading, row

BRISTOL, PORTO = "Ana rents a flat in Bristol.", "Ana rents a flat in Porto."
YES = "Yes, he said so, and Porto it is now, since the rent in Bristol went up."


def told(store: Store, line: str, sql: str = "-- nothing", *, later: bool = False) -> tuple[list[str], list[str]]:
    """The facts and questions after a line with whose yes a home was closed, or (`later`) an hour before it. The reader
    of ends is sure that the line ends all."""
    user = store.users.call(store.users.get("ana").id, "Ana")
    session = store.sessions.start(user.id)
    old = store.turns.add(session.id, "Ana", "I live in Bristol")
    bristol = store.facts.remember(user.id, "Ana", "home", BRISTOL, turn_ids=[old.id], said_at=old.said_at)
    new = store.turns.add(session.id, "Ana", "I also live in Porto")
    store.facts.remember(user.id, "Ana", "home", PORTO, turn_ids=[new.id], said_at=new.said_at)
    agent = StorageAgent(ScriptedLM([sql], adapter="storage", name=EMBEDDED_NAME), store)
    agent.encoder = lambda: Reading({"flat": 9.0})
    store.facts.retire(bristol.memory_id or 0, turn_ids=[new.id])
    said_at = moment_of(datetime.fromisoformat(store.now()) + timedelta(hours=later))
    result = agent.run([store.turns.add(session.id, "Ana", line, said_at=said_at)], user)
    return [one.fact for one in store.facts.all(user.id)], [one.row.fact for one in result.doubts]


def test_what_was_just_confirmed_is_not_ended_by_a_reader(store: Store) -> None:
    assert told(store, YES) == ([PORTO], [])


def test_where_it_is_not_said_again_it_is_asked_about(store: Store) -> None:
    assert told(store, "Yes, and the flat is empty, I handed the keys back.") == ([PORTO], [PORTO])


@pytest.mark.parametrize(
    "line",
    [
        "I handed the keys of the flat back.",
        "Yes, but I handed the keys of the flat back.",
        "Yes, Porto it was. I don't live in Porto any more.",
    ],
)
def test_a_line_that_does_not_agree_or_ends_it_in_words_may_end_it(store: Store, line: str) -> None:
    facts, doubts = told(store, line)
    assert PORTO not in facts
    assert doubts == []


def test_what_the_model_or_a_rule_writes_is_as_it_was(store: Store) -> None:
    moved = insert_sql([("Ana", "home", "Ana rents a flat in Lisbon.", None)])
    facts, _ = told(store, "Yes, it was Porto. But now I rent a flat in Lisbon.", sql=moved)
    assert facts == ["Ana rents a flat in Lisbon."]


def test_only_the_line_of_the_yes_itself_agrees(store: Store) -> None:
    """A bare yes answers too; who says yes to something else an hour later confirms nothing."""
    facts, doubts = told(store, "Yes, and I handed the keys of the flat back.", later=True)
    assert PORTO not in facts
    assert doubts == []


def test_a_row_is_said_again_by_its_names() -> None:
    assert said_again(row(3, PORTO), YES)
    assert not said_again(row(3, PORTO), "Yes, but the flat is empty.")
    assert not said_again(row(3, PORTO), "Yes! Handed in the Porto keys today.")
    assert not said_again(row(3, "Ana is dating Ben."), "yes, though Ben dumped me yesterday")
    assert not said_again(row(3, PORTO), "Yes, Porto is over, I don't live there any more.")
    assert said_again(row(3, "Ana pays 460 for the flat."), "yes, 460 it is")
