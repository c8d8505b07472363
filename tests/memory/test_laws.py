"""Laws of the store over random lives: undo, redo, the past, and that one user's doings never touch another's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatmem.memory.errors import InputError
from chatmem.memory.store.store import Store
from chatmem.memory.store.writing import new_batch
from chatmem.memory.values import Memory
from tests.memory.lives import LAW, LIFE, STEP, WORDS, Person, Step, current, fresh, picture

_numbers = count()


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    with fresh() as opened:
        yield opened
        assert opened.check() == []


def person(store: Store) -> Person:
    return Person(store, store.users.get(f"user {next(_numbers)}"))


@LAW
@given(LIFE, STEP)
def test_undo_after_a_write_is_the_identity_and_redo_restores(store: Store, life: list[Step], step: Step) -> None:
    one = person(store)
    one.live(life)
    before, last = picture(store, one.user.id), max((e.id for e in store.journal.entries(one.user.id)), default=0)
    one.live([step])
    after = picture(store, one.user.id)
    written = [
        e for e in store.journal.entries(one.user.id, since_id=last) if e.kind not in ("undo", "redo", "refused")
    ]
    for entry in reversed(written):
        store.journal.undo(entry.id)
    if written:
        assert picture(store, one.user.id) == before
        for entry in written:
            store.journal.redo(entry.id)
        assert picture(store, one.user.id) == after


@LAW
@given(LIFE, st.lists(STEP, min_size=1, max_size=4))
def test_undo_of_a_turn_takes_back_all_that_it_wrote(store: Store, life: list[Step], talk: list[Step]) -> None:
    one = person(store)
    one.live(life)
    before = picture(store, one.user.id)
    turn = store.turns.add(one.session.id, "Ana", "and then")
    one.turns = [turn]
    writes = {"say": "insert", "call": "insert", "edit": "update", "retire": "delete", "pin": "update"}
    one.live([(writes.get(step[0], step[0]), *step[1:]) for step in talk if "do" not in step[0]])
    after = picture(store, one.user.id)
    if not [e for e in store.journal.entries(one.user.id, turn_id=turn.id) if e.kind != "refused"]:
        return
    store.journal.undo_turn(turn.id)
    assert picture(store, one.user.id) == before
    store.journal.redo_turn(turn.id)
    assert picture(store, one.user.id) == after


@LAW
@given(LIFE)
def test_a_renaming_is_one_batch(store: Store, life: list[Step]) -> None:
    one = person(store)
    one.live(life)
    store.facts.remember(one.user.id, store.users.by_id(one.user.id).subject, "pets", "User has a cat.")
    before = picture(store, one.user.id)
    assert store.users.call(one.user.id, "Zoë").subject == "Zoë"
    assert "Zoë" in store.facts.subjects(one.user.id)
    batch = store.journal.entries(one.user.id)[-1].batch
    store.journal.undo_batch(batch)
    assert picture(store, one.user.id) == before


@LAW
@given(LIFE)
def test_the_past_is_what_it_was(store: Store, life: list[Step]) -> None:
    one = person(store)
    seen: list[tuple[str, list[Memory]]] = [(store.now(), [])]
    one.live(life, after_each=lambda: seen.append((store.now(), current(store, one.user.id))))
    for moment, memories in seen:
        assert store.journal.as_of(one.user.id, moment) == memories


@LAW
@given(LIFE, LIFE)
def test_user_a_never_touches_or_sees_user_b(store: Store, mine: list[Step], theirs: list[Step]) -> None:
    a, b = person(store), person(store)
    b.live(theirs)
    before = (picture(store, b.user.id), store.journal.entries(b.user.id), store.turns.of(b.session.id))
    a.live(mine)
    after = (picture(store, b.user.id), store.journal.entries(b.user.id), store.turns.of(b.session.id))
    assert after == before
    own = {memory.id for memory in store.facts.all(a.user.id)}
    assert {row[0] for row in store.facts.read(a.user.id, "SELECT id FROM memory").rows} == own
    assert own.isdisjoint(memory.id for memory in store.facts.all(b.user.id, current=False))
    assert all(entry.user_id == a.user.id for entry in store.journal.entries(a.user.id))


@LAW
@given(LIFE)
def test_history_tells_all_of_a_fact_in_order(store: Store, life: list[Step]) -> None:
    one = person(store)
    one.live(life)
    for memory in store.facts.all(one.user.id, current=False):
        entries = store.journal.history(memory.id)
        assert [entry.id for entry in entries] == sorted(entry.id for entry in entries)
        told = {image["id"] for entry in entries for image in (entry.before, entry.after) if image}
        assert memory.id in told
        assert memory.replaces is None or memory.replaces in told
        for other in told:
            assert store.journal.history(other) == entries


def test_a_conflict_says_what_to_undo_first_and_changes_nothing(store: Store) -> None:
    one = person(store)
    first = store.facts.remember(one.user.id, "Ana", "pets", "Ana has a cat.", turn_ids=[one.turns[0].id])
    assert first.memory_id is not None
    second = store.facts.edit(first.memory_id, fact="Ana has two cats.")
    before = picture(store, one.user.id)
    for undo in (lambda: store.journal.undo(first.id), lambda: store.journal.undo_turn(one.turns[0].id)):
        with pytest.raises(InputError, match=f"undo {second.id} first"):
            undo()
    assert picture(store, one.user.id) == before
    store.journal.undo(second.id)
    store.journal.undo(first.id)
    assert store.facts.all(one.user.id, current=False) == []
    with pytest.raises(InputError, match="undone already"):
        store.journal.undo(first.id)
    with pytest.raises(InputError):
        store.journal.redo(second.id)  # The row that it changed is not there.
    assert store.facts.all(one.user.id) == []


@LAW
@given(LIFE, st.lists(WORDS, min_size=2, max_size=12), st.booleans())
def test_many_inserts_are_taken_back_at_once_as_they_would_be_one_by_one(
    store: Store, life: list[Step], facts: list[str], changed: bool
) -> None:
    one, batch = person(store), new_batch()
    one.live(life)
    before = picture(store, one.user.id)
    told = [store.facts.remember(one.user.id, "Zoë", "list", words, batch=batch).id for words in facts]
    written = [entry for entry in store.journal.entries(one.user.id, batch=batch) if entry.id in told]
    after = picture(store, one.user.id)
    if changed and written:
        edit = store.facts.pin(written[0].memory_id or 0, True)
        kept = picture(store, one.user.id)
        with pytest.raises(InputError, match=f"undo {edit.id} first"):
            store.journal.undo_batch(batch)
        assert picture(store, one.user.id) == kept
        store.journal.undo(edit.id)
    if written:
        taken = store.journal.undo_batch(batch)
        assert picture(store, one.user.id) == before
        assert [(entry.kind, entry.undoes) for entry in taken] == [("undo", entry.id) for entry in reversed(written)]
        assert [
            replace(entry, undone=False) for entry in store.journal.entries(one.user.id, batch=taken[0].batch)
        ] == taken
        found = store.search(one.user.id, facts[0], use_turns=False).memories
        assert {entry.memory_id for entry in written}.isdisjoint(memory.id for memory in found)
        store.journal.redo_batch(batch)
        assert picture(store, one.user.id) == after
