"""What a yes has just confirmed stands, whatever the rest of its line seems to end."""

from __future__ import annotations

import pytest

from chatmem.memory.store.store import Store
from chatmem.models.decoding.scripted import ScriptedLM
from chatmem.models.files.model_files import EMBEDDED_NAME
from chatmem.models.prompts.draft import Add, Change, Close, Draft
from chatmem.models.prompts.messages import delete_sql, update_sql
from chatmem.models.storage.agent import StorageAgent
from chatmem.models.storage.changes.confirmed import standing
from tests.models.storage.changes.test_ended import Reading, row

BRISTOL, PORTO = "Ana lives in Bristol.", "Ana lives in Porto."
YES = "Yes, he said so, and Porto it is now, since the rent in Bristol went up."


def told(store: Store, *lines: str, sql: str = "-- nothing", yes_before: int = 1) -> tuple[list[str], list[str]]:
    """The facts and questions after lines, before which a home was closed by a yes. `yes_before`: the number of lines
    that came after that yes. The reader of ends is sure that each of them ends all."""
    user = store.users.call(store.users.get("ana").id, "Ana")
    session = store.sessions.start(user.id)
    old = store.turns.add(session.id, "Ana", "I live in Bristol")
    bristol = store.facts.remember(user.id, "Ana", "home", BRISTOL, turn_ids=[old.id], said_at=old.said_at)
    new = store.turns.add(session.id, "Ana", "I also live in Porto")
    porto = store.facts.remember(user.id, "Ana", "home", PORTO, turn_ids=[new.id], said_at=new.said_at)
    agent = StorageAgent(ScriptedLM([sql], adapter="storage", name=EMBEDDED_NAME), store)
    assert porto.memory_id == 2
    agent.encoder = lambda: Reading({"lives": 9.0})
    doubts: list[str] = []
    for place, line in enumerate(lines):
        if len(lines) - place == yes_before:
            store.facts.retire(bristol.memory_id or 0, turn_ids=[new.id])
        result = agent.run([store.turns.add(session.id, "Ana", line)], user)
        doubts += [one.row.fact for one in result.doubts]
    return [one.fact for one in store.facts.all(user.id)], doubts


def test_what_was_just_confirmed_is_not_ended(store: Store) -> None:
    assert told(store, YES) == ([PORTO], [])


@pytest.mark.parametrize("line", ["Porto it was, I have left it for good.", "Yes, but I have left Porto for good."])
def test_a_line_that_does_not_agree_may_end_it(store: Store, line: str) -> None:
    facts, doubts = told(store, line)
    assert PORTO not in facts or PORTO in doubts


def test_what_was_confirmed_some_lines_ago_may_end(store: Store) -> None:
    facts, doubts = told(store, "What a day!", "Yes, I have left it for good.", yes_before=2)
    assert PORTO not in facts or PORTO in doubts


@pytest.mark.parametrize("sql", [delete_sql(2), update_sql(2, "Ana pays rent.")])
def test_nor_by_what_the_model_writes(store: Store, sql: str) -> None:
    facts, _ = told(store, YES, sql=sql)
    assert PORTO in facts


def test_what_tells_more_of_it_is_kept_and_what_tells_another_stands_beside() -> None:
    rows = [row(3, PORTO), row(5, "Ana has a cat.")]
    more, other = Change(3, "Ana lives in Porto, near the river."), Change(3, "Ana pays no rent.", when="2026")
    again, new = Add("Ana", "home", "Ana lives in Porto."), Add("Ana", "home", "Ana lives with Ben in Porto.")
    draft, free = standing(Draft((more, other, Close(3), Close(5), again, new)), rows, {3})
    assert draft.entries == (more, Add("Ana", "health", "Ana pays no rent.", "2026"), Close(5), new)
    assert free == rows[1:]
    assert standing(Draft((Close(3),)), rows, ()) == (Draft((Close(3),)), rows)
