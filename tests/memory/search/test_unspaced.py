"""Texts in scripts without spaces between words: found by a word, gone when erased, also in databases made before."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatmem.memory.database.engine import Database
from chatmem.memory.language.words import spaced, stem, tokens, word_count
from chatmem.memory.store.migrations import MIGRATIONS, migrate
from chatmem.memory.store.store import Store

NOW = "2026-05-08T12:00:00Z"
OTHERS = (
    "今天下雨了",
    "明日は雨です",
    "วันนี้ฝนตก",
    "오늘은 비가 와요",
    "I like rain",
    "我喜欢喝茶",
    "犬が吠える",
    "ฉันชอบชา",
)
FOUND = [
    ("我养了两只猫", "猫"), ("我养了两只猫", "两只猫"), ("我妹妹搬到波尔图了", "波尔图"),
    ("我女儿叫小雨。她五岁。", "小雨"),
    ("猫を二匹飼っています", "猫"), ("娘の名前はさくらです", "さくら"), ("コーヒーを毎朝飲む", "コーヒー"),
    ("ガラスを割った", "ガラス"),
    ("ฉันมีแมวสองตัว", "แมว"), ("พี่สาวของฉันอยู่เชียงใหม่", "เชียงใหม่"), ("고양이가 두 마리 있어요", "고양이"),
    ("I adopted 豆豆 in 上海 last year", "豆豆"), ("I adopted 豆豆 in 上海 last year", "adopted"),
    ("Mia搬到Porto了", "porto"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "word"), FOUND)
def test_a_line_is_found_by_a_word_of_it(store: Store, line: str, word: str) -> None:
    user = store.users.get("ana").id
    session = store.sessions.start(user)
    for other in OTHERS:
        store.turns.add(session.id, "User", other)
    turn = store.turns.add(session.id, "User", line)
    memory = store.facts.remember(user, "User", "", f"User: {line}", turn_ids=[turn.id])
    found = store.search(user, word, limit=1).items
    assert found and (found[0].memory is not None and found[0].memory.id == memory.memory_id)
    assert "words" in found[0].why


def test_an_erased_line_leaves_no_word_behind(store: Store, tmp_path: Path) -> None:
    user = store.users.get("ana").id
    turn = store.turns.add(store.sessions.start(user).id, "User", "我养了两只猫")
    with store.db.read() as db:
        assert _terms(db) >= {"猫", "两只"}
    store.turns.set(turn.id, text="我养了两只狗")
    with store.db.read() as db:
        assert "狗" in _terms(db) and "猫" not in _terms(db)
    store.forget.turn(turn.id)
    with store.db.read() as db:
        assert _terms(db) == set()


def test_a_database_made_before_is_cut_into_words(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    database = Database(path)
    migrate(database, NOW, MIGRATIONS[:5])
    with database.write() as connection:
        driver = connection.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        driver.execute("INSERT INTO users (id, name, created_at) VALUES (1, 'ana', ?)", (NOW,))
        driver.execute("INSERT INTO sessions (id, user_id, started_at) VALUES (1, 1, ?)", (NOW,))
        for number, text in enumerate(("我养了两只猫", "I sail", "ฉันมีแมวสองตัว"), 1):
            row = (number, text, NOW)
            driver.execute("INSERT INTO turns (id, session_id, user_id, speaker, text, said_at) "
                           "VALUES (?, 1, 1, 'User', ?, ?)", row)  # fmt: skip
            driver.execute("INSERT INTO turns_fts (rowid, speaker, text) VALUES (?, 'User', ?)", (number, text))
    before = _all_terms(database)
    assert "我养了两只猫" in before
    assert migrate(database, NOW, MIGRATIONS[:7]) == 2
    after = _all_terms(database)
    assert after >= {"猫", "แม", "sail", "user"} and "我养了两只猫" not in after
    database.close()


def _all_terms(database: Database) -> set[str]:
    with database.read() as connection:
        return _terms(connection)


def _terms(connection) -> set[str]:  # type: ignore[no-untyped-def]
    driver = connection.connection.driver_connection
    tables = driver.execute("SELECT name FROM sqlite_master WHERE name IN ('turns_terms', 'passages_terms')").fetchall()
    return {term for (table,) in tables for (term,) in driver.execute(f"SELECT term FROM {table}")}


TEXT = st.text(st.sampled_from("猫犬が只カーガサงแมวั่น고양이 aé.1-") | st.characters(codec="utf-8"), max_size=30)


@given(st.lists(st.sampled_from("猫犬が只カーガงแมว고양이 abé1-。"), max_size=30).map("".join))
def test_what_is_asked_is_cut_as_what_is_indexed(text: str) -> None:
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE f USING fts5(x, tokenize='porter unicode61 remove_diacritics 2')")
    db.execute("CREATE VIRTUAL TABLE v USING fts5vocab(f, 'row')")
    db.execute("INSERT INTO f VALUES (?)", (spaced(text),))
    indexed = {term for (term,) in db.execute("SELECT term FROM v")}
    db.close()
    assert {stem(word) for word in tokens(text)} == indexed


@given(TEXT)
def test_any_text_is_cut_without_trouble(text: str) -> None:
    assert word_count(text) >= 0
    if text.isascii():
        assert spaced(text) == text and word_count(text) == len(text.split())


def test_words_are_counted_in_any_script() -> None:
    assert word_count("I have two cats") == 4
    assert word_count("我养了两只猫") == 3
    assert word_count("I met 豆豆 today") == 4
