"""What files hold a matter, and which words stand in what stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatmem.memory.database.engine import raw
from chatmem.memory.forget.proof import Beside, holds_matter, living, standing
from chatmem.memory.forget.telling import words_of
from tests.memory.lives import AGENT, Person, fresh

PIN, HIV = words_of(["User's pin is 471."]).strong, words_of(["User has HIV."]).strong


@pytest.mark.parametrize(("name", "content"), [
    ("a.md", "- User's pin is 471."), ("a.json", '{"fact": "User\'s pin is 471."}'), ("a.csv", "1,pin,471\n"),
])  # fmt: skip
def test_a_text_file_that_says_a_short_word_holds_it(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    assert holds_matter(path, None, (), PIN)


@pytest.mark.parametrize(("name", "content"), [
    ("a.json", '{"id": 471, "at": "2026-11-23T21:56:53.471Z"}'), ("a.md", "said at 10:20:30.471, 14712 and 1.471"),
    ("a.bin", "\0 471 "),
])  # fmt: skip
def test_an_id_a_time_or_a_longer_number_is_not_it(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    assert not holds_matter(path, None, (), PIN)


def test_a_file_with_the_sentence_holds_it_though_no_word_of_it_tells(tmp_path: Path) -> None:
    path, fact = tmp_path / "a.md", "User is afraid of deep water."
    path.write_text(f"# All\n- {fact}\n")
    assert not words_of([fact]).strong and holds_matter(path, None, [fact], {})
    path.write_text("- User is afraid of deep forests, and drinks water.\n- User likes the Shiver, a band.\n")
    assert not holds_matter(path, None, [fact], {}) and not holds_matter(path, None, ["User has HIV."], HIV)


def test_words_stand_in_what_was_said_and_not_in_what_statements_and_rows_are_made_of() -> None:
    with fresh() as store:
        one = Person(store, store.users.get("kim"))
        sql = "INSERT INTO memory (subject, fact) VALUES ('Ana', 'Ana has three cats.')"
        store.facts.write(one.user.id, sql, author=AGENT, turn_ids=[one.turns[0].id])
        words = {word: frozenset({word}) for word in ("insert", "pinned", "cat", "cats", "three", "kim", "hello")}
        with store.db.read() as db:
            assert standing(db, words) == {"cats", "three", "kim", "hello"} and standing(db, {}) == set()


def test_a_counter_of_sqlite_beside_its_table_is_no_word() -> None:
    """ "vector_removals" and a 79, which is an "O": the file holds "also", and nobody said it."""
    with fresh() as store, store.db.write() as db:
        also = {"also": ("Also",)}
        assert not living(db, also)
        raw(db).execute("UPDATE sqlite_sequence SET seq = 79 WHERE name = 'vector_removals'")
        raw(db).execute("INSERT INTO sqlite_sequence SELECT 'vector_removals', 79 WHERE changes() = 0")
        assert living(db, also) == {"also"} and not living(db, {"alsop": ("alsop",)})


def test_the_times_of_typed_lines_are_no_words_of_them(tmp_path: Path) -> None:
    typed = tmp_path / "kim"
    typed.write_text("\n# 2026-11-29 01:28:12.591551\n+My locker number is 5512.\n")
    with fresh() as store:
        one = Person(store, store.users.get("kim"))
        store.forget.beside = Beside(lambda user: typed)
        sql = "INSERT INTO memory (subject, fact) VALUES ('Kim', 'Kim was born on the 12th, in ward 12.')"
        store.facts.write(one.user.id, sql, author=AGENT, turn_ids=[one.turns[0].id])
        (fact,) = store.facts.all(one.user.id)
        report = store.forget.carry_out(store.forget.plan(one.user.id, [fact.id]))
    assert report.bytes_checked and not report.found_in and "typed lines" in report.searched
