"""What is forgotten is gone: no byte of it in the file, its WAL, the indexes or free pages; nothing else goes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatmem.memory.errors import NotFound
from chatmem.memory.store.store import Store
from chatmem.memory.values import User
from tests.memory.lives import AGENT, LAW, Person, fresh, picture

_numbers = count()
WORD = st.text("bcdfgklmnprtvzäжあ", min_size=4, max_size=9).map(lambda word: f"{word}o{next(_numbers)}x")
"""Words that occur nowhere else, since each has a number of its own, and that stemming leaves as they are."""


class Bytes:
    """An embedder whose vectors hold the text itself, so that a vector left behind is found by the search for bytes."""

    name = "bytes"
    dimensions = 128

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        rows = [np.frombuffer(text.encode()[:256].ljust(256), dtype=np.float16) for text in texts]
        return np.stack(rows).astype(np.float32)  # the store keeps half floats, so the bytes come back as they were

    embed_questions = embed


def content(store: Store) -> bytes:
    """Every byte that the store has on the disk, in lower case."""
    folder = store.db.path.parent
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir())).lower()


def holds(store: Store, word: str) -> bool:
    return word.lower().encode() in content(store)


def person(store: Store) -> Person:
    return Person(store, store.users.get(f"user {next(_numbers)}"))


def remember(one: Person, word: str) -> int:
    turn = one.store.turns.add(one.session.id, "Ana", f"My password is {word}, don't tell")
    entry = one.store.facts.remember(
        one.user.id, "Ana", f"the {word}", f"Ana's password is {word}.", turn_ids=[turn.id]
    )
    assert entry.memory_id is not None
    one.store.vectors.embed_pending()
    assert holds(one.store, word)
    return entry.memory_id


@pytest.fixture(scope="module")
def store():  # type: ignore[no-untyped-def]
    with fresh(embedder=Bytes()) as opened:
        yield opened
        assert opened.check() == []


@LAW
@given(WORD, WORD, WORD, st.integers(0, 5))
def test_forgetting_a_memory_leaves_no_byte(store: Store, word: str, newer: str, other: str, way: int) -> None:
    one = person(store)
    turn = one.turns[0]
    kept = remember(one, f"keep{other}")
    memory_id = remember(one, word)
    if way == 1:
        memory_id = store.facts.edit(memory_id, fact=f"It is {newer} now, not {word}.").memory_id or 0
        store.vectors.embed_pending()
    elif way == 2:
        store.journal.undo(store.journal.entries(one.user.id)[-1].id)
    elif way == 3:
        store.journal.undo(store.facts.edit(memory_id, fact=f"It is {newer}.").id)
    elif way == 4:
        sql = f"INSERT INTO memory (subject, fact) VALUES ('Ana', 'Also {word}'), ('Ana', 'Fine')"
        store.facts.write(one.user.id, sql, author=AGENT, turn_ids=[turn.id])
        memory_id = store.facts.all(one.user.id)[-2].id
        found = [memory.id for memory in store.facts.all(one.user.id) if word in memory.fact]
        store.forget.memories(one.user.id, found[:1], with_evidence_text=True)
    elif way == 5:
        store.facts.retire(memory_id)
        store.sessions.rename(one.session.id, f"my password is {word}")
    report = store.forget.memories(one.user.id, [memory_id], with_evidence_text=True)
    assert report.bytes_checked
    assert not holds(store, word)
    assert not holds(store, newer)
    assert holds(store, f"keep{other}") and store.facts.get(kept).fact == f"Ana's password is keep{other}."
    with pytest.raises(NotFound):
        store.facts.get(memory_id)
    with pytest.raises(NotFound):
        store.journal.history(memory_id)


@LAW
@given(WORD, WORD)
def test_forgetting_a_turn_takes_what_it_wrote_and_leaves_what_was_before(store: Store, word: str, older: str) -> None:
    one = person(store)
    old = store.facts.remember(one.user.id, "Ana", "city", f"Ana lives in {older}.", turn_ids=[one.turns[0].id])
    before = picture(store, one.user.id)
    turn = store.turns.add(one.session.id, "Ana", f"I moved to {word}, call me {word}")
    sql = f"UPDATE memory SET fact = 'Ana lives in {word}.' WHERE id = {old.memory_id}"
    store.facts.write(one.user.id, sql, author=AGENT, turn_ids=[turn.id])
    store.facts.write(one.user.id, f"DROP TABLE {word}", author=AGENT, turn_ids=[turn.id])
    of_others = f"INSERT INTO memory (subject, fact) VALUES ('{word}', 'They moved.')"  # a refusal that says of whom
    refused = store.facts.write(one.user.id, of_others, author=AGENT, turn_ids=[turn.id], subjects=["Ana"]).refused
    assert word in (refused or "")
    store.users.call(one.user.id, word, turn_id=turn.id)
    store.vectors.embed_pending()
    assert store.forget.turn(turn.id).bytes_checked
    assert not holds(store, word)
    assert picture(store, one.user.id) == before


@LAW
@given(st.lists(WORD, min_size=1, max_size=4))
def test_a_reset_leaves_nothing_of_the_user_and_all_of_the_others(store: Store, words: list[str]) -> None:
    one, other = person(store), person(store)
    remember(other, "evergreenoak")
    before = (picture(store, other.user.id), store.journal.entries(other.user.id), store.turns.of(other.session.id))
    for word in words:
        remember(one, word)
    store.users.call(one.user.id, words[0])
    assert store.forget.user(one.user.id).bytes_checked
    assert not [word for word in words if holds(store, word)]
    stats = store.stats(one.user.id)
    assert not any(stats[name] for name in stats if name != "bytes")
    assert store.users.by_id(one.user.id) == User(one.user.id, one.user.name, None)
    assert (
        picture(store, other.user.id),
        store.journal.entries(other.user.id),
        store.turns.of(other.session.id),
    ) == before


def test_a_deleted_session_leaves_memories_without_evidence_and_a_forgotten_one_none(store: Store) -> None:
    for forget in (False, True):
        one = person(store)
        memory_id = remember(one, "quorbaldinot")
        store.forget.session(one.session.id, forget=forget)
        with pytest.raises(NotFound):
            store.sessions.get(one.session.id)
        assert store.facts.evidence([memory_id]) == {}
        assert bool(store.facts.all(one.user.id)) is not forget
        assert holds(store, "quorbaldinot") is not forget
        store.forget.user(one.user.id, name=True)
        assert not holds(store, "quorbaldinot") and one.user.name not in [user.name for user in store.users.all()]


def test_what_another_user_also_said_is_no_false_alarm(store: Store) -> None:
    one, other = person(store), person(store)
    mine, theirs = (
        store.facts.remember(p.user.id, "Ana", "tea", "Ana likes green tea.").memory_id for p in (one, other)
    )
    assert mine and theirs
    assert store.forget.memories(one.user.id, [mine]).bytes_checked
    assert store.facts.get(theirs).fact == "Ana likes green tea."
    with pytest.raises(NotFound):
        store.forget.memories(one.user.id, [theirs])
    assert store.facts.get(theirs).valid_to is None


def test_what_two_columns_read_side_by_side_is_no_false_alarm(store: Store) -> None:
    """A topic "boyfriend" before "Selma" reads "ends" in the file."""
    user = store.users.get("ana")
    gone = store.facts.remember(user.id, "Ana", "card", "Ana's bank card ends in 8836.").memory_id
    store.facts.remember(user.id, "Ana", "boyfriend", "Selma went to Bonn with Julian.")
    assert gone
    report = store.forget.memories(user.id, [gone])
    assert report.bytes_checked and not report.found_in


def test_forgotten_stays_forgotten_after_a_restart(tmp_path: Path) -> None:
    with Store.open(tmp_path / "a.db") as store:
        one = person(store)
        kept, gone = remember(one, "quorbaldinot"), remember(one, "zimbarellado")
        store.facts.retire(kept)
        store.forget.memories(one.user.id, [gone], with_evidence_text=True)
    with Store.open(tmp_path / "a.db") as store:
        assert store.facts.all(one.user.id) == []
        assert [memory.id for memory in store.facts.all(one.user.id, current=False)] == [kept]
        assert not holds(store, "zimbarellado") and holds(store, "quorbaldinot")


def test_words_of_sql_and_names_of_other_sessions_are_no_part_of_what_is_forgotten(store: Store) -> None:
    one = person(store)
    sql = "INSERT INTO memory (subject, topic, fact) VALUES ('Ana', 'tea', 'Ana likes oolong.')"
    kept = store.facts.write(one.user.id, sql, author=AGENT, turn_ids=[one.turns[0].id]).entries[0]
    other = store.sessions.start(one.user.id, "where to go")
    line = "where to go to insert the values of memory 99417"
    turn = store.turns.add(one.session.id, "Ana", line)
    store.sessions.rename(one.session.id, "the 99417 matter")
    report = store.forget.carry_out(store.forget.plan(one.user.id, line_ids=(turn.id,)))
    assert report.bytes_checked and (report.turns, report.rows) == (1, 0) and not holds(store, "99417")
    assert store.journal.get(kept.id).sql == sql
    assert (store.sessions.get(one.session.id).title, store.sessions.get(other.id).title) == ("", "where to go")


def test_what_was_written_in_one_batch_with_it_stays_and_loses_its_words(store: Store) -> None:
    one = person(store)
    sql = "INSERT INTO memory (subject, fact) VALUES ('Ana', 'Ana rows on lake Vrandel.'), ('Ana', 'Ana sews.')"
    turns = [store.turns.add(one.session.id, "Ana", text).id for text in ("I row on lake Vrandel", "and I sew")]
    rowing, sewing = store.facts.write(one.user.id, sql, author=AGENT, turn_ids=turns).entries
    plan = store.forget.plan(one.user.id, [rowing.memory_id or 0], keep_others=True)
    assert store.forget.carry_out(plan).bytes_checked and not holds(store, "vrandel")
    assert (
        store.facts.get(sewing.memory_id or 0).fact == "Ana sews." and "Vrandel" not in store.journal.get(sewing.id).sql
    )


def test_of_words_that_fit_less_and_more_those_that_fit_most_are_meant(store: Store) -> None:
    from chatmem.memory.forget.asking import Wish

    one = person(store)
    facts = ("User's aunt Rosa keeps the spare key.", "User's aunt Rosa's birthday is on 3 May.")
    keys = [store.facts.remember(one.user.id, "User", "aunt", fact).memory_id for fact in facts]
    plan = store.forget.wished(one.user.id, Wish("matter", "my aunt Rosa's birthday"))
    assert [memory.id for memory in plan.facts] == keys[1:]
    about = store.forget.wished(one.user.id, Wish("about", "my aunt Rosa"))
    assert [memory.id for memory in about.facts] == keys
