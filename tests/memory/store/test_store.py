"""What the store promises of single calls: writes in SQL and by hand, evidence, sessions, names, odd text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from sqlalchemy import select

from chatmem.memory.database import tables as t
from chatmem.memory.errors import InputError, NotFound, Refused
from chatmem.memory.search.nearest.numbers import first_of
from chatmem.memory.store.store import Store
from chatmem.memory.values import ASSISTANT, Memory
from tests.memory.lives import AGENT, Person, fresh, picture

SAID = "2023-05-08T13:56:00Z"


@pytest.fixture
def one() -> Iterator[Person]:
    with fresh() as store:
        yield Person(store, store.users.get("ana"))
        assert store.check() == []


def write(one: Person, sql: str, **options: object) -> Memory | None:
    """Writes as the storage agent does; the newest current memory afterwards."""
    turn = one.store.turns.add(one.session.id, "Ana", "and this", said_at=SAID)
    options = {"turn_ids": [turn.id], "said_at": SAID, "author": AGENT} | options
    result = one.store.facts.write(one.user.id, sql, **options)  # type: ignore[arg-type]
    assert result.refused is None
    return one.store.facts.all(one.user.id, newest=True)[0] if one.store.facts.all(one.user.id) else None


def insert(one: Person, fact: str, happened_on: str = "NULL", subject: str = "Ana") -> Memory:
    values = f"('{subject}', 'pets', '{fact}', {happened_on})"
    written = write(one, f"INSERT INTO memory (subject, topic, fact, happened_on) VALUES {values}")
    assert written
    return written


def test_words_for_dates_are_counted_from_when_they_were_said(one: Person) -> None:
    memory = insert(one, "Ana got a cat.", "'yesterday'")
    assert (memory.happened_on, memory.said_at) == ("2023-05-07", SAID)
    assert memory.valid_from == one.store.journal.entries(one.user.id)[-1].at > SAID
    with pytest.raises(InputError, match="not a date"):
        one.store.facts.remember(one.user.id, "Ana", "pets", "Ana got a dog.", happened_on="soonish")
    edited = one.store.facts.edit(memory.id, happened_on="last Friday")
    assert edited.memory_id and one.store.facts.get(edited.memory_id).happened_on == "2023-05-05"
    assert (
        one.store.facts.get(one.store.facts.edit(edited.memory_id, happened_on="").memory_id or 0).happened_on is None
    )


def test_what_is_known_is_not_written_again(one: Person) -> None:
    memory = insert(one, "Ana has two cats, Nori and Wasabi.")
    before = picture(one.store, one.user.id)
    entries = one.store.journal.entries(one.user.id)
    insert(one, "ana has  two cats - Nori and Wasabi!")
    write(one, f"UPDATE memory SET fact = 'Ana has two cats, Nori and Wasabi.' WHERE id = {memory.id}")
    assert one.store.facts.remember(one.user.id, "Ana", "animals", "Ana has two cats: Nori and Wasabi") == entries[-1]
    assert picture(one.store, one.user.id) == before and one.store.journal.entries(one.user.id) == entries
    insert(one, "Ana has two cats, Nori and Wasabi.", subject="Ben")
    one.store.facts.retire(memory.id)
    insert(one, "Ana has two cats, Nori and Wasabi.")
    assert len(one.store.facts.all(one.user.id)) == 2, "another subject's, and one that was deleted, may be told again"


def test_one_batch_may_change_a_row_twice_and_is_undone_as_one(one: Person) -> None:
    memory = insert(one, "Ana has a cat.")
    before = picture(one.store, one.user.id)
    row = f"WHERE id = {memory.id}"
    changes = (
        f"UPDATE memory SET fact = 'Ana has two cats.' {row}",
        "DELETE FROM memory WHERE subject = 'Ana' AND topic = 'pets'",
        "INSERT INTO memory (subject, fact) VALUES ('Ana', 'Ana has a dog.'), ('Ana', 'Ana has a dog')",
    )
    write(one, "; ".join(changes))
    assert [m.fact for m in one.store.facts.all(one.user.id)] == ["Ana has a dog."]
    entries = one.store.journal.entries(one.user.id)
    assert [entry.kind for entry in entries] == ["insert", "update", "delete", "insert"]
    assert len({entry.batch for entry in entries[1:]}) == 1
    after = picture(one.store, one.user.id)
    one.store.journal.undo_batch(entries[-1].batch)
    assert picture(one.store, one.user.id) == before
    one.store.journal.redo_batch(entries[-1].batch)
    assert picture(one.store, one.user.id) == after


def test_evidence_is_inherited_and_follows_undo(one: Person) -> None:
    first = insert(one, "Ana has a cat.")
    second = write(one, f"UPDATE memory SET fact = 'Ana has two cats.' WHERE id = {first.id}")
    assert second and second.replaces == first.id
    third = one.store.facts.get(one.store.facts.edit(second.id, fact="Ana has two black cats.").memory_id or 0)
    evidence = one.store.facts.evidence([first.id, second.id, third.id])
    assert [len(evidence[memory.id]) for memory in (first, second, third)] == [1, 2, 2]
    assert evidence[second.id][0] == evidence[first.id][0]
    assert [turn.speaker for turn in evidence[third.id]] == ["Ana", "Ana"]


def test_a_refusal_is_kept_with_its_reason_and_changes_nothing(one: Person) -> None:
    insert(one, "Ana has a cat.")
    before = picture(one.store, one.user.id)
    for sql in ("DROP TABLE memories", "UPDATE memory SET fact = 'x'", "DELETE FROM memory; SELECT 1", "nonsense"):
        result = one.store.facts.write(one.user.id, sql, author=AGENT)
        assert result.refused and result.entries[0].reason == result.refused
        assert (result.entries[0].kind, result.entries[0].sql, result.entries[0].author) == ("refused", sql, AGENT)
    wrong = one.store.facts.write(one.user.id, "INSERT INTO memory (subject, fact) VALUES ('Ben', 'Ben is tall.')",
                            author=AGENT, subjects=["Ana", ASSISTANT])  # fmt: skip
    assert wrong.refused and "Ben" in wrong.refused
    assert one.store.facts.write(one.user.id, "-- nothing", author=AGENT).entries == ()
    assert picture(one.store, one.user.id) == before
    with pytest.raises(Refused):
        one.store.facts.read(one.user.id, "SELECT * FROM memories")
    with pytest.raises(InputError, match="refusal"):
        one.store.journal.undo(one.store.journal.entries(one.user.id)[-1].id)


def test_a_turn_forgotten_meanwhile_is_not_written_from(one: Person) -> None:
    turn = one.store.turns.add(one.session.id, "Ana", "My password is quorbaldino", storage="pending")
    one.store.forget.turn(turn.id)
    before = picture(one.store, one.user.id)
    for sql in ("INSERT INTO memory (subject, fact) VALUES ('Ana', 'quorbaldino')", "DROP TABLE quorbaldino"):
        result = one.store.facts.write(one.user.id, sql, author=AGENT, turn_ids=[turn.id])
        assert result.refused and result.entries == ()
    with pytest.raises(NotFound):
        one.store.facts.remember(one.user.id, "Ana", "", "quorbaldino", turn_ids=[turn.id])
    assert picture(one.store, one.user.id) == before
    assert b"quorbaldino" not in one.store.db.path.read_bytes()


def test_another_user_s_turns_are_no_evidence(one: Person) -> None:
    other = Person(one.store, one.store.users.get("ben"))
    sql = "INSERT INTO memory (subject, fact) VALUES ('Ana', 'Ana is here.')"
    assert one.store.facts.write(one.user.id, sql, author=AGENT, turn_ids=[other.turns[0].id]).refused
    assert one.store.facts.all(one.user.id) == []


def test_a_told_name_moves_the_user_s_own_facts(one: Person) -> None:
    assert one.user.subject == "User"
    insert(one, "User has a cat.", subject="User")
    insert(one, "Ben likes User songs.", subject="Ben")
    assert one.store.users.call(one.user.id, "  Ana  Maria ").subject == "Ana Maria"
    told = {memory.fact: memory.subject for memory in one.store.facts.all(one.user.id)}
    assert told == {"Ana Maria has a cat.": "Ana Maria", "Ben likes User songs.": "Ben"}
    assert one.store.users.get("ana").called == "Ana Maria"
    entries = one.store.journal.entries(one.user.id)
    one.store.users.call(one.user.id, "Ana Maria")
    assert one.store.journal.entries(one.user.id) == entries


def test_sessions_are_found_named_ended_and_resumed(one: Person) -> None:
    store = one.store
    trip = store.sessions.start(one.user.id, "a trip")
    store.turns.add(trip.id, "Ana", "We flew to 100% sunny Zürich_x")
    assert [s.id for s in store.sessions.all(one.user.id)] == [trip.id, one.session.id]
    for words in ("TRIP", "zürich", "100%", "h_x", "sunny flew trip"):
        assert [s.id for s in store.sessions.all(one.user.id, search=words)] == [trip.id]
    assert store.sessions.all(one.user.id, search="sunny nowhere") == []  # all words, in any order
    assert store.sessions.all(one.user.id, search="%") == store.sessions.all(one.user.id, search="100%")
    assert store.sessions.all(one.user.id, search="z_rich") == []
    pasted = " ".join(f"word{number}" for number in range(1_500))
    assert store.sessions.all(one.user.id, search=pasted) == [] and store.turns.holding([trip.id], pasted) == {}
    store.sessions.end(trip.id)
    ended = store.sessions.get(trip.id).ended_at
    store.sessions.end(trip.id)
    assert ended and store.sessions.get(trip.id).ended_at == ended and store.sessions.get(trip.id).turns == 1
    assert store.sessions.resume(trip.id).ended_at is None
    assert store.sessions.rename(trip.id, " the\ntrip ").title == "the trip"
    assert len(store.sessions.all(one.user.id, limit=1)) == 1


def test_turns_keep_what_was_said_to_the_letter(one: Person) -> None:
    store = one.store
    for text in ("", " two  spaces\n\tand lines ", "naïve 🙂 漢字 ‮", "'; DROP TABLE turns; --", "x" * 1_000_000):
        assert store.turns.get(store.turns.add(one.session.id, "Ana", text).id).text == text
    broken = store.turns.add(one.session.id, "Ana", "half \ud83d and \x00 zero")
    assert store.turns.get(broken.id).text == "half \ufffd and \ufffd zero" == broken.text
    reply = store.turns.add(one.session.id, ASSISTANT, "It", status="stopped", storage="pending")
    assert store.queue.pending(one.user.id) == [reply]
    grown = store.turns.set(reply.id, text="It is so.", status="complete", storage="done")
    assert (grown.text, grown.status, grown.storage) == ("It is so.", "complete", "done")
    assert store.turns.of(one.session.id, limit=2) == [broken, grown]
    with pytest.raises(InputError, match="speaker's name is empty"):
        store.turns.add(one.session.id, "  ", "hello")


def test_what_comes_back_or_is_said_anew_is_found_by_meaning_again() -> None:
    with fresh(embedder=Letters()) as store:
        one = Person(store, store.users.get("ana"))
        first = store.facts.remember(one.user.id, "Ana", "pets", "Ana has a cat.").memory_id or 0
        second = store.facts.edit(first, fact="Ana has two cats.")
        store.facts.retire(second.memory_id or 0)
        assert store.vectors.embed_pending() == 1 and vectors(store) == {("passage", first_of(one.turns[0].id))}
        store.journal.undo(second.id + 1)
        store.journal.undo(second.id)
        assert store.vectors.embed_pending() == 0 and ("memory", first) in vectors(store)
        store.journal.redo(second.id)
        assert vectors(store) == {("passage", first_of(one.turns[0].id)), ("memory", second.memory_id)}
        store.turns.set(one.turns[0].id, text="hello again")
        assert store.vectors.embed_pending() == 1 and store.vectors.embed_pending() == 0
        turn = store.turns.add(one.session.id, "Ana", "call me Zoë, I have no cats")
        store.facts.write(
            one.user.id, f"DELETE FROM memory WHERE id = {second.memory_id}", author=AGENT, turn_ids=[turn.id]
        )
        store.journal.undo_turn(turn.id)
        store.vectors.embed_pending()
        store.forget.turn(turn.id)
        assert vectors(store) == {("passage", first_of(one.turns[0].id)), ("memory", second.memory_id)}


class Letters:
    """An embedder for tests: counts of letters."""

    name = "letters"
    dimensions = 8

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        counts = np.array([[1 + text.count(letter) for letter in "abcdehlt"] for text in texts], dtype=np.float32)
        return counts / np.linalg.norm(counts, axis=1, keepdims=True)

    embed_questions = embed


def vectors(store: Store) -> set[tuple[str, int]]:
    with store.db.read() as db:
        return {(row.kind, row.ref_id) for row in db.execute(select(t.vectors))}


def test_bad_words_are_refused_with_what_to_do(one: Person) -> None:
    store, user = one.store, one.user.id
    memory = store.facts.remember(user, "Ana", "", "Ana is here.").memory_id or 0
    for call in (
        lambda: store.users.get(" "), lambda: store.users.get("x" * 101),
        lambda: store.facts.remember(user, "", "", "fact"), lambda: store.facts.remember(user, "Ana", "", " \n "),
        lambda: store.facts.remember(user, "Ana", "", "x" * 2001),
        lambda: store.facts.edit(memory, fact="Ana is here."), lambda: store.users.call(user, ""),
    ):  # fmt: skip
        with pytest.raises(InputError):
            call()
    store.facts.retire(memory)
    for call in (
        lambda: store.facts.edit(memory, fact="x"),
        lambda: store.facts.retire(memory),
        lambda: store.facts.pin(memory, True),
    ):
        with pytest.raises(InputError, match="replaced or deleted"):
            call()


def test_what_was_replaced_names_what_holds_now(one: Person) -> None:
    first = one.store.facts.remember(one.user.id, "Ana", "cats", "Ana has a cat.").memory_id
    assert first
    second = one.store.facts.edit(first, fact="Ana has two cats.").memory_id
    assert second
    third = one.store.facts.edit(second, fact="Ana has three cats.").memory_id
    assert third
    for old in (first, second):
        with pytest.raises(InputError, match=f"memory {old} was replaced by memory {third}"):
            one.store.facts.edit(old, fact="Ana has a dog.")
    one.store.facts.retire(third)
    with pytest.raises(InputError, match="replaced or deleted"):
        one.store.facts.pin(first, True)


def test_lists_are_cut_and_turned_as_asked(one: Person) -> None:
    ids = [one.store.facts.remember(one.user.id, name, topic, f"{name} {topic}").memory_id
           for name in ("Ana", "Ben") for topic in ("job", "pets", "")]  # fmt: skip
    found = one.store.facts.all(one.user.id, limit=2, offset=1)
    assert [memory.id for memory in found] == ids[1:3]
    assert [memory.id for memory in one.store.facts.all(one.user.id, newest=True, limit=2)] == ids[:-3:-1]
    assert [memory.id for memory in one.store.facts.all(one.user.id, subject="Ben", topic="pets")] == [ids[4]]
    assert one.store.facts.subjects(one.user.id) == ["Ana", "Ben"] and one.store.facts.topics(one.user.id) == [
        "job",
        "pets",
    ]
    assert set(one.store.facts.by_id([ids[0] or 0, 999])) == {ids[0]}
    stats = one.store.stats(one.user.id)
    assert (stats["memories"], stats["subjects"], stats["writes"], stats["replaced"]) == (6, 2, 6, 0)


def test_the_journal_is_found_by_turn_row_batch_and_session(one: Person) -> None:
    memory = insert(one, "Ana has a cat.")
    (entry,) = one.store.journal.entries(one.user.id)
    turn = one.store.facts.evidence([memory.id])[memory.id][0]
    other = one.store.sessions.start(one.user.id)
    for found in (
        {"turn_id": turn.id}, {"memory_id": memory.id}, {"batch": entry.batch}, {"session_id": one.session.id},
        {"limit": 1}, {"since_id": 0},
    ):  # fmt: skip
        assert one.store.journal.entries(one.user.id, **found) == [entry]  # type: ignore[arg-type]
    for missing in ({"turn_id": one.turns[0].id}, {"session_id": other.id}, {"since_id": entry.id}, {"batch": "x"}):
        assert one.store.journal.entries(one.user.id, **missing) == []  # type: ignore[arg-type]
    edited = one.store.facts.edit(memory.id, fact="Ana has two cats.")
    assert (
        one.store.journal.entries(one.user.id, memory_id=memory.id)
        == [entry, edited]
        == one.store.journal.history(memory.id)
    )


def test_opening_and_closing_is_a_with_block_and_threads_may_share() -> None:
    with fresh() as store:
        user = store.users.get("ana")
        with store.db.write():
            inside = store.sessions.start(user.id, "seen inside its own transaction")
            assert store.sessions.get(inside.id).title.startswith("seen")
        with pytest.raises(ZeroDivisionError), store.db.write():
            store.sessions.start(user.id)
            raise ZeroDivisionError
        assert len(store.sessions.all(user.id)) == 1
        assert isinstance(store, Store)
