"""Words and sentences as search sees them, and what a question asks for."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatmem.memory.language.question import Question, stands_alone
from chatmem.memory.language.words import query_words, sentences, stem, terms, tokens

NOW = "2026-05-08T12:00:00Z"
WORDS = (
    "cats running nurses generously happily relational conflated hopping Zürich café naïve skies dying university "
    "wrestling volunteered Whataburger 1984 o'brien mother's weekend-trip e-mails ponies agreed controlling"
)


def test_stems_are_those_of_the_index() -> None:
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE f USING fts5(x, tokenize='porter unicode61 remove_diacritics 2')")
    db.execute("CREATE VIRTUAL TABLE v USING fts5vocab(f, 'row')")
    db.execute("INSERT INTO f VALUES (?)", (WORDS,))
    indexed = {term for (term,) in db.execute("SELECT term FROM v")}
    db.close()
    assert {stem(word) for word in tokens(WORDS)} == indexed


@given(st.text())
def test_sentences_keep_every_word_in_order(text: str) -> None:
    assert [word for piece in sentences(text) for word in tokens(piece)] == tokens(text)
    assert all(piece.strip() == piece != "" for piece in sentences(text))


@given(st.text())
def test_any_text_has_words_without_trouble(text: str) -> None:
    assert set(terms(text)) == {stem(word) for word in tokens(text) if terms(word)}
    assert len(query_words(text)) == len(set(query_words(text)))


def test_a_question_loses_its_wrapping_unless_there_is_nothing_else() -> None:
    assert query_words("Hey, remember that time we talked about music? What was the artist?") == ["music", "artist"]
    assert query_words("Do you remember what I said?") == ["remember", "said"]
    assert query_words("who are you") == []


def test_what_is_asked_is_the_last_sentence() -> None:
    assert Question("We talked about my dog. What is his name?", None, NOW).parts[-1] == "What is his name?"
    assert Question("What is his name?", None, NOW).parts == ["What is his name?"]


def test_whom_a_question_means() -> None:
    question = Question("What did Ana Lopez tell you about my sister?", "Ben", NOW)
    assert question.names("ana lopez") and not question.names("Ana Maria") and not question.names("")
    assert question.points_at("Ben") and question.points_at("assistant")
    assert not Question("Where does he live?", "Ben", NOW).points_at("Ben")
    assert not Question("Where do I live?", None, NOW).points_at("Ben")


@pytest.mark.parametrize(
    ("text", "there", "not_there"),
    [
        ("What happened in May 2023?", ["2023-05-08", "2023-05"], ["2023-06-01", "2024-05-08", None]),
        ("Where were we in 2019?", ["2019", "2019-03-04T10:00:00Z"], ["2020-01-01"]),
        ("What did I do in March?", ["2025-03-02", "2019-03"], ["2025-04-02"]),
        ("What did I do yesterday?", ["2026-05-07T09:00:00Z"], ["2026-05-08T09:00:00Z"]),
        ("May I ask what you like?", [], ["2023-05-08", "2026-05-08"]),
        ("Do they march every day?", [], ["2023-03-08"]),
    ],
)
def test_dates_in_questions(text: str, there: list[str], not_there: list[str | None]) -> None:
    question = Question(text, None, NOW)
    assert [when for when in there if not question.dates(when)] == []
    assert [when for when in not_there if question.dates(when)] == []


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("What's my name?", True),
        ("Do you remember my name?", True),
        ("Where does Mia live?", True),
        ("What is she called?", False),
        ("and my brother?", False),
        ("what about work?", False),
        ("What did you say?", False),
        ("Why?", False),
        ("I like tea.", False),
        ("Mia came. Where does Mia live?", False),
        ("", False),
    ],
)
def test_a_question_that_needs_no_earlier_line_is_told_from_one_that_does(text: str, alone: bool) -> None:
    assert stands_alone(text) is alone
