"""Drafts: what a storage model wrote, parsed once, and rendered to SQL that says the same."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatmem.models.prompts.draft import Add, Change, Close, Draft, Entry, read_draft, render
from chatmem.models.prompts.messages import NOTHING

WORDS = st.text(st.characters(codec="ascii", min_codepoint=32, max_codepoint=126), min_size=1, max_size=30).filter(
    str.strip
)
ADDS = st.builds(Add, WORDS, st.just("") | WORDS, WORDS, st.none() | WORDS)
CHANGES = st.builds(Change, st.integers(1, 999), WORDS, st.none() | WORDS, st.none() | WORDS)
ENTRIES = st.lists(ADDS | CHANGES | st.builds(Close, st.integers(1, 999)), max_size=6)


@settings(deadline=None)  # the first parse loads the parser
@given(ENTRIES)
def test_what_is_rendered_is_read_back_as_it_was(entries: list[Entry]) -> None:
    assert read_draft(render(entries)).entries == tuple(entries)


@settings(deadline=None)
@given(ENTRIES)
def test_a_reply_in_json_says_the_same(entries: list[Entry]) -> None:
    assert read_draft(json.dumps({"sql": render(entries)})).entries == tuple(entries)


def test_rows_that_follow_one_another_share_an_insert() -> None:
    cat, dog = Add("Ana", "pets", "Ana has a cat."), Add("Ana", "pets", "Ana's dog is 'Bo'.", "in May")
    assert render([cat, dog, Close(3), Change(4, "Ana left.", when="")]) == (
        "INSERT INTO memory (subject, topic, fact, happened_on) VALUES ('Ana', 'pets', 'Ana has a cat.', NULL), "
        "('Ana', 'pets', 'Ana''s dog is ''Bo''.', 'in May'); DELETE FROM memory WHERE id = 3; "
        "UPDATE memory SET fact = 'Ana left.', happened_on = NULL WHERE id = 4;"
    )
    assert Draft((cat, dog, Close(3))).facts == ["Ana has a cat.", "Ana's dog is 'Bo'. in May"]
    assert Draft((cat, Change(4, "x"), Close(3))).touched == [4, 3]
    assert Draft((cat,)).plus([replace(cat, subject="Tom"), dog, Close(3)]).entries == (cat, dog, Close(3))
    aged = replace(cat, fact="Ana is 41 years old.")
    assert Draft((aged,)).plus([replace(aged, fact="Ana is 41."), cat]).entries == (aged, cat)
    assert len(Draft((aged,)).plus([replace(aged, fact="Ana is 42.")]).entries) == 2


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("insert into memory (fact, subject) values ('Ana has a cat.', 'Ana')", [Add("Ana", "", "Ana has a cat.")]),
        ("UPDATE memory SET topic='job', fact='Ana left.' WHERE id IN (3, 4)", [Change(3, "Ana left.", "job"),
                                                                               Change(4, "Ana left.", "job")]),
        ("DELETE FROM memory WHERE id=3", [Close(3)]),
        (NOTHING, []),
        ("", []),
    ],
)  # fmt: skip
def test_other_ways_to_write_the_same(text: str, entries: list[Entry]) -> None:
    assert list(read_draft(text)) == entries
    assert read_draft(text).fault is None


@pytest.mark.parametrize(
    "text",
    [
        "I will remember that!",
        "SELECT * FROM memory",
        "DELETE FROM memory WHERE subject = 'Ana'",
        "DELETE FROM memory",
        "UPDATE memory SET fact = upper(fact) WHERE id = 3",
        "UPDATE memory SET fact = '' WHERE id = 3",
        "UPDATE memory SET id = '4' WHERE id = 3",
        "INSERT INTO memory (subject, fact) VALUES ('Ana')",
        "INSERT INTO memory (subject, fact) VALUES ('Ana', NULL)",
        "INSERT INTO memory SELECT * FROM memory",
        '{"sq": 1}',
        '{"sql": ',
        "DROP TABLE memories",
        "INSERT INTO memory (subject, fact) VALUES ('Ana', 'a'",
        "('" * 50,
    ],
)
def test_what_is_no_draft_says_why_and_keeps_the_words(text: str) -> None:
    draft = read_draft(text)
    assert not draft and draft.fault and draft.text == text


@settings(deadline=None)
@given(st.text(max_size=80))
def test_no_reply_trips_it(text: str) -> None:
    draft = read_draft(text)
    assert draft.fault is None or not draft


def test_a_reply_that_was_cut_keeps_its_whole_rows() -> None:
    cut = "INSERT INTO memory (subject, topic, fact, happened_on) VALUES ('Ana', 'a', 'One.', NULL), ('Ana', 'b', 'Tw"
    assert read_draft(cut, cut=True).facts == ["One."]
    assert read_draft("INSERT INTO memory (subject, topic, fa", cut=True).fault is None
