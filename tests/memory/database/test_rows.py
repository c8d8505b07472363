"""When two facts are one: signs that carry meaning tell them apart, punctuation doesn't."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatmem.memory.database.engine import Database, raw
from chatmem.memory.database.rows import digest
from chatmem.memory.store.migrations import MIGRATIONS, compute_digests_anew, migrate
from chatmem.memory.store.store import Store

NOW = "2026-05-08T12:00:00Z"

DIFFERENT = [
    ("I like C", "I like C++", "I like C#"),
    ("Temp is -5", "Temp is 5", "Temp is 5°"),
    ("Temp is (-5)", "Temp is (5)"),
    ("Temp is -.5", "Temp is .5"),
    ("Price is $5", "Price is €5", "Price is 5"),
    ("!!! ???", "🐱🐱🐱", "🐱", "..."),
    ("I 💔 tea", "I 💛 tea", "I tea"),
    ("कि", "की", "कु", "क"),
    ("กิ", "กี", "กุ", "ก"),
    ("It weighs 3.5 kg", "It weighs 35 kg", "It weighs 3 5 kg"),
    ("x < y", "x > y", "x = y"),
]
SAME = [
    ("I like tea.", "i like tea!", "  I  like -- tea ", "“I like tea”", "I, like tea", "I_like_tea", "`I like tea`"),
    ("It's 5-6 km.", "it´s 5 - 6 km", "it’s 5–6 km"),
    ("Temp is -5", "Temp is −5."),
    ("Ana has two cats, Nori and Wasabi.", "ana has two cats nori and wasabi"),
    ("I ❤️ tea", "I ❤ tea"),
    ("Café", "Cafe\u0301", "CAFÉ"),
    ("Bus 5.", "bus 5"),
    ("!!! ???", " !!!  ??? "),
]  # fmt: skip


@pytest.mark.parametrize("facts", DIFFERENT)
def test_signs_that_carry_meaning_tell_facts_apart(facts: tuple[str, ...]) -> None:
    assert len({digest("Ana", fact) for fact in facts}) == len(facts)


@pytest.mark.parametrize("facts", SAME)
def test_case_spaces_and_punctuation_do_not(facts: tuple[str, ...]) -> None:
    assert len({digest("Ana", fact) for fact in facts}) == 1


def test_a_subject_of_signs_alone_is_somebody() -> None:
    assert digest("🐱", "likes tea") != digest("🐶", "likes tea")


@given(st.text(st.characters(categories=("L", "N", "Zs")), max_size=30), st.sampled_from([".", "!", "?", "…", "。"]))
def test_no_end_of_a_sentence_makes_a_new_fact(fact: str, end: str) -> None:
    if fact.strip():
        assert digest("Ana", fact) == digest("ANA", f" {fact}{end} ")


def test_facts_that_differ_by_a_sign_are_both_kept(tmp_path: Path) -> None:
    with Store.open(tmp_path / "a.db") as store:
        user = store.users.get("ana").id
        for fact in ("I like C", "I like C++", "I like C#", "i like c#!"):
            store.facts.remember(user, "Ana", "", fact)
        assert [one.fact for one in store.facts.all(user)] == ["I like C", "I like C++", "I like C#"]


def test_an_older_database_knows_what_it_knew(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    database = Database(path)
    migrate(database, NOW, MIGRATIONS[:9])
    with database.write() as connection:
        driver = raw(connection)
        driver.execute("INSERT INTO users (id, name, created_at) VALUES (1, 'ana', ?)", (NOW,))
        old = (("Ana", "I like C++."), ("Ana", b"\xff no text"))
        driver.executemany(
            "INSERT INTO memories (user_id, subject, fact, said_at, valid_from, created_by, digest) "
            f"VALUES (1, ?, ?, '{NOW}', '{NOW}', 'human', 77)", old,
        )  # fmt: skip
    database.close()
    with Store.open(path) as store:
        assert store.facts.remember(1, "ana", "", "i like c++").memory_id == 1
        assert store.facts.remember(1, "Ana", "", "I like C").memory_id == 3
        with store.db.read() as connection:
            assert raw(connection).execute("SELECT digest FROM memories WHERE id = 2").fetchone()[0] == 77


def test_a_hundred_thousand_rows_take_seconds(tmp_path: Path) -> None:
    with Store.open(tmp_path / "big.db") as store, store.db.write() as connection:
        user = store.users.get("ana").id
        raw(connection).executemany(
            "INSERT INTO memories (user_id, subject, fact, said_at, valid_from, created_by, digest) "
            f"VALUES ({user}, 'Ana', ?, '{NOW}', '{NOW}', 'human', ?)",
            ((f"Ana's cousin no. {at}, of Porto, has paid $5 and likes C++.", at) for at in range(100_000)),
        )
        began = time.process_time()
        compute_digests_anew(connection)
        assert time.process_time() - began < 20, "a second or two on an idle machine"
