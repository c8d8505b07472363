"""Forgetting a long talk: what is read and searched grows with it, and nothing is asked again for each line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hypothesis import given
from hypothesis import strategies as some
from sqlalchemy import Engine, event

from chatmem.memory.forget import sifted
from chatmem.memory.forget.asking import Wish
from chatmem.memory.forget.finding import turns_with_digits
from chatmem.memory.values import ASSISTANT
from tests.memory.lives import AGENT, Person, fresh


@contextmanager
def counting() -> Iterator[list[str]]:
    """The statements that are built and run inside."""
    told: list[str] = []

    def hear(connection: Any, cursor: Any, statement: str, *others: Any) -> None:
        told.append(statement)

    event.listen(Engine, "before_cursor_execute", hear)
    try:
        yield told
    finally:
        event.remove(Engine, "before_cursor_execute", hear)


def asked_of(lines: int) -> tuple[int, int]:
    """Statements for planning and for erasing a talk of so many lines, each with a fact and a reply."""
    with fresh() as store:
        one = Person(store, store.users.get("kim"))
        for number in range(lines):
            turn = store.turns.add(one.session.id, "kim", f"my locker {number} is at {7_000 + number}")
            sql = f"INSERT INTO memory (subject, fact) VALUES ('User', 'User has locker {number} at {7_000 + number}.')"
            store.facts.write(one.user.id, sql, author=AGENT, turn_ids=[turn.id])
            store.turns.add(one.session.id, ASSISTANT, f"So {7_000 + number} it is.")
        with counting() as planned:
            plan = store.forget.wished(one.user.id, Wish("today"))
        assert (len(plan.lines), len(plan.others), len(plan.replies)) == (lines + 1, lines, lines)
        with counting() as erased:
            report = store.forget.carry_out(plan)
        assert report.bytes_checked and (report.rows, report.replies) == (lines, lines)
        return len(planned), len(erased)


def test_nothing_is_asked_again_for_each_line() -> None:
    few, many = asked_of(5), asked_of(35)
    assert max(after - before for before, after in zip(few, many, strict=True)) <= 5


@given(some.lists(some.binary(min_size=1, max_size=9), max_size=20), some.binary(max_size=60), some.booleans())
def test_sifted_words_are_found_as_they_are_one_by_one(words: list[bytes], piece: bytes, many: bool) -> None:
    inside = [piece[at : at + 1 + at % 7] for at in range(len(piece))]
    wanted = {f"{at}": (word, b"none") for at, word in enumerate([*words, *inside])}
    wanted |= {f"{at}": (b"%d" % at,) for at in range(1_000, 1_000 + sifted.MANY)} if many else {}
    plain = {word for word, forms in wanted.items() if any(form in piece for form in forms)}
    assert sifted.present(piece, wanted) == plain


def test_a_number_is_found_within_a_longer_one_and_across_its_groups() -> None:
    with fresh() as store:
        one = Person(store, store.users.get("kim"))
        texts = ("call 44 71 now", "it is 944712", "pages 44-71", "447 and 1", "44x71")
        ids = {text: store.turns.add(one.session.id, "kim", text).id for text in texts}
        with store.db.read() as db:
            found = turns_with_digits(db, one.user.id, ["4471", "12", "xy"])
    assert found == {ids[text] for text in texts[:3]}
