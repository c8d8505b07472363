"""Insights: rows that rest on others, are told apart from what was told, and fall with what they rest on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from chatmem.memory.errors import InputError, Refused
from chatmem.memory.store.store import Store
from chatmem.memory.transfer.exchange import export_file, import_file
from chatmem.memory.values import ASSISTANT, Author, User

HOPS = Author("agent:hops", "tiny")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "memory.db") as opened:
        yield opened


def say(store: Store, user: User, *lines: str) -> list[int]:
    session = store.sessions.start(user.id)
    return [store.turns.add(session.id, user.subject, text).id for text in lines]


def told(store: Store) -> tuple[User, int, int, list[int]]:
    """A user with two facts and two lines."""
    user = store.users.get("ana")
    lines = say(store, user, "I rowed for Leander in May", "my shoulder hurt in June")
    row = store.facts.remember(user.id, "User", "sport", "User rows for Leander.", turn_ids=lines[:1]).memory_id
    hurt = store.facts.remember(user.id, "User", "health", "User's shoulder hurt.", turn_ids=lines[1:]).memory_id
    assert row is not None and hurt is not None
    return user, row, hurt, lines


def conclude(store: Store, user: User, facts: list[int], lines: list[int] | None = None) -> int:
    fact = "User's quixotic rowing strained a shoulder."
    done = store.facts.conclude(user.id, fact, certainty=0.7, facts=facts, lines=lines or (), author=HOPS)
    assert done.refused is None and done.entries[0].memory_id is not None
    return done.entries[0].memory_id


def derived(store: Store, user: User) -> list[int]:
    return [one.id for one in store.facts.all(user.id, derived=True)]


def test_an_insight_is_a_row_that_says_how_sure_it_is_and_what_it_rests_on(store: Store) -> None:
    user, row, hurt, lines = told(store)
    made = store.facts.get(conclude(store, user, [row, hurt], lines[1:]))
    assert (made.derived, made.certainty, made.rests_on) == (True, 0.7, (row, hurt))
    assert [turn.id for turn in store.facts.evidence([made.id])[made.id]] == lines[1:]
    assert [one.id for one in store.facts.all(user.id, derived=False)] == [row, hurt]
    assert made in store.search(user.id, "quixotic rowing").memories
    assert store.journal.entries(user.id)[-1].author == HOPS


def test_what_rests_on_nothing_is_refused_and_the_journal_says_why(store: Store) -> None:
    user, row, _, lines = told(store)
    stranger = store.users.get("ben")
    theirs = store.facts.remember(stranger.id, "User", "sport", "User swims.").memory_id or 0
    first = conclude(store, user, [row])
    reply = store.turns.add(store.sessions.all(user.id)[0].id, ASSISTANT, "Rowing is hard.").id
    wrong: list[tuple[float, list[int], list[int]]] = [
        (0.5, [], []), (0.0, [row], []), (1.5, [row], []), (0.5, [theirs], []), (0.5, [first], []), (0.5, [9999], []),
        (0.5, [row], [reply]), (0.5, [row], [lines[0], 9999]),
    ]  # fmt: skip
    for number, (certainty, facts, some) in enumerate(wrong):
        done = store.facts.conclude(
            user.id, f"Guess {number}.", certainty=certainty, facts=facts, lines=some, author=HOPS
        )
        assert done.refused, number
        assert (done.entries[0].kind, done.entries[0].reason) == ("refused", done.refused)
    assert derived(store, user) == [first]


@pytest.mark.parametrize("change", ["edit", "retire", "sql"])
def test_it_falls_when_a_fact_of_it_is_closed_and_the_undo_of_that_brings_it_back(store: Store, change: str) -> None:
    user, row, hurt, _ = told(store)
    made = conclude(store, user, [row, hurt])
    if change == "edit":
        batch = store.facts.edit(row, fact="User rowed for Leander until 2020.").batch
    elif change == "retire":
        batch = store.facts.retire(row).batch
    else:
        batch = store.facts.write(user.id, f"DELETE FROM memory WHERE id = {row};", author=HOPS).entries[0].batch
    assert derived(store, user) == []
    assert store.journal.entries(user.id, memory_id=made)[-1].reason == "what it rests on holds no more"
    store.journal.undo_batch(batch)
    assert derived(store, user) == [made]
    store.journal.redo_batch(batch)
    assert derived(store, user) == []


def test_an_insight_comes_back_only_with_what_it_rests_on(store: Store) -> None:
    user, row, _, _ = told(store)
    made = conclude(store, user, [row])
    store.facts.retire(row)
    fall = store.journal.entries(user.id, memory_id=made)[-1]
    with pytest.raises(InputError, match="rests on what holds no more"):
        store.journal.undo(fall.id)
    assert derived(store, user) == []


def test_the_undo_of_a_fact_takes_the_insight_and_the_undo_of_an_insight_only_that(store: Store) -> None:
    user, row, hurt, _ = told(store)
    made = conclude(store, user, [row])
    store.journal.undo(store.journal.entries(user.id, memory_id=made)[0].id)
    assert [one.id for one in store.facts.all(user.id)] == [row, hurt]
    other = conclude(store, user, [row])
    store.journal.undo(store.journal.entries(user.id, memory_id=row)[0].id)
    assert [one.id for one in store.facts.all(user.id)] == [hurt]
    assert store.journal.entries(user.id, memory_id=other)[-1].kind == "delete"


@pytest.mark.parametrize("keep_lines", [False, True])
@pytest.mark.parametrize("undone", [False, True])
def test_what_is_forgotten_takes_what_was_concluded_from_it_and_no_more(
    store: Store, keep_lines: bool, undone: bool
) -> None:
    user, row, hurt, lines = told(store)
    made = conclude(store, user, [row, hurt])
    if undone:
        store.journal.undo(store.journal.entries(user.id, memory_id=made)[0].id)
    plan = store.forget.plan(user.id, [row], keep_lines=keep_lines)
    assert [one.id for one in plan.insights] == ([] if undone else [made])
    report = store.forget.carry_out(plan)
    assert report.bytes_checked and [one.id for one in store.facts.all(user.id)] == [hurt]
    assert store.turns.get(lines[1]).text == "my shoulder hurt in June"
    assert "quixotic" not in "".join(path.read_bytes().decode("latin-1") for path in store.db.path.parent.iterdir())


@pytest.mark.parametrize("way", ["line", "turn", "session"])
def test_a_forgotten_line_takes_what_was_concluded_from_it(store: Store, way: str) -> None:
    user, row, hurt, lines = told(store)
    other = say(store, user, "the regatta at Henley was cold")
    conclude(store, user, [hurt], other)
    if way == "line":
        store.forget.carry_out(store.forget.plan(user.id, line_ids=other))
    elif way == "turn":
        store.forget.turn(other[0])
    else:
        store.forget.session(store.turns.get(other[0]).session_id)
    assert [one.id for one in store.facts.all(user.id)] == [row, hurt]
    assert [store.turns.get(one).text for one in lines] == ["I rowed for Leander in May", "my shoulder hurt in June"]


def test_forgetting_an_insight_leaves_what_it_rests_on(store: Store) -> None:
    user, row, hurt, lines = told(store)
    made = conclude(store, user, [row, hurt], lines)
    store.forget.memories(user.id, [made])
    assert [one.id for one in store.facts.all(user.id)] == [row, hurt]
    assert "[forgotten]" not in [store.turns.get(one).text for one in lines]


def test_models_that_write_or_select_see_no_insight(store: Store) -> None:
    user, row, _, _ = told(store)
    made = conclude(store, user, [row])
    assert made not in [one for (one,) in store.facts.read(user.id, "SELECT id FROM memory").rows]
    store.facts.write(user.id, f"UPDATE memory SET fact = 'x' WHERE id = {made};", author=HOPS)
    assert store.facts.get(made).valid_to is None
    with pytest.raises(Refused):
        store.facts.read(user.id, "SELECT certainty FROM memories")


def test_an_export_brings_insights_back_into_an_empty_memory_alone(store: Store, tmp_path: Path) -> None:
    user, row, hurt, lines = told(store)
    conclude(store, user, [row, hurt], lines[:1])
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    export_file(store, user.id, first)
    new = store.users.get("new")
    import_file(store, new.id, first)
    export_file(store, new.id, second)
    assert first.read_text().replace('"ana"', "") == second.read_text().replace('"new"', "")
    back = store.facts.all(new.id, derived=True)[0]
    assert back.rests_on == tuple(one.id for one in store.facts.all(new.id, derived=False))
    store.facts.retire(back.rests_on[0])
    assert not derived(store, new)
    ben = store.users.get("ben")
    store.facts.remember(ben.id, "User", "sport", "User swims.")
    import_file(store, ben.id, first)
    assert not derived(store, ben)
