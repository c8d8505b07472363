"""Questions that lean on the talk, small talk, and questions that a SELECT helps with."""

from __future__ import annotations

import pytest

from chatmem.memory.language.asked.selecting import wants_select
from chatmem.memory.language.asked.small_talk import is_small_talk, only_greets
from chatmem.memory.language.language import by_code, english
from chatmem.memory.language.leaning.questions import leans, made_whole

WHOLE = [
    (["What's my dog called?"], "and my cat?", "What's my cat called?"),
    (["Ana's sister lives in Oslo.", "What is the name of my dog?"], "and hers?",
     "What is the name of Ana's sister's dog?"),
    (["My brother moved to Porto."], "how old is he?", "how old is my brother?"),
    (["What is my brother's job?"], "what about my sister's?", "What is my sister's job?"),
    (["What is my brother's job?"], "and Tom's?", "What is Tom's job?"),
    (["Where does Vera live?"], "and Tom?", "Where does Tom live?"),
    (["I talked to my mum."], "what's her phone number?", "what's my mum's phone number?"),
    (["Where did I go in May?"], "and in June?", "Where did I go in June?"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "question", "whole"), WHOLE)
def test_what_a_question_leans_on_is_put_in_its_place(before: list[str], question: str, whole: str) -> None:
    assert made_whole(question, before, english()) == whole


@pytest.mark.parametrize("text", ["What's the capital of France?", "Where do I live?", "and I bought a hat", "he left"])
def test_a_whole_question_and_what_is_none_stay_as_they_are(text: str) -> None:
    assert not leans(text, english())
    assert made_whole(text, ["My brother moved to Porto."], english()) == text


@pytest.mark.parametrize(
    ("code", "text"), [("de", "und ihre?"), ("fr", "et la sienne ?"), ("es", "¿y la suya?"), ("zh", "那她呢？")]
)
def test_other_languages_are_told_too(code: str, text: str) -> None:
    assert leans(text, by_code(code))
    assert made_whole(text, ["x"], by_code(code)) == text


@pytest.mark.parametrize(
    ("code", "text", "small"),
    [
        ("en", "haha yes", True), ("en", "Good morning!", True), ("en", "I paint ships", False),
        ("en", "ok, I'm Ana", False), ("en", "no dairy", False), ("en", "you're great", True),
        ("en", "you know my brother Tom", False), ("de", "danke, bis später", True), ("de", "Ich heiße Ole", False),
        ("fr", "merci beaucoup", True), ("es", "jaja claro", True), ("zh", "谢谢", True), ("zh", "我住在上海", False),
        ("xx", "ok", True), ("xx", "mo se", False),
    ],
)  # fmt: skip
def test_small_talk_is_told_by_its_words(code: str, text: str, small: bool) -> None:
    assert is_small_talk(text, by_code(code)) is small


def test_a_yes_is_small_talk_only_where_nothing_was_asked() -> None:
    assert is_small_talk("yes", english())
    assert not is_small_talk("yes", english(), asked=True)


@pytest.mark.parametrize(
    ("text", "wants"),
    [
        ("how many cats do I have?", True), ("list all my pets", True), ("when did I move?", True),
        ("what happened in 2023?", True), ("what's my dog called?", False), ("who is Vera?", False),
        ("We have three daughters, the oldest is twelve.", False),
        ("Wie viele Katzen habe ich?", True), ("Wie heißt meine Frau?", False), ("combien de chats ai-je ?", True),
    ],
)  # fmt: skip
def test_a_select_helps_where_things_are_counted_listed_or_dated(text: str, wants: bool) -> None:
    assert wants_select(text) is wants


def test_a_line_that_only_greets_or_takes_leave_ends_nothing() -> None:
    for text in ("bye for now", "hi again, what a week", "Hello!", "ok bye, talk later"):
        assert only_greets(text, by_code("en")), text
    for text in ("hi, the weekend is off", "bye to the old job", "my back is good again", "exactly", "hey, not good"):
        assert not only_greets(text, by_code("en")), text
    assert not only_greets("hello yes", by_code("en"), asked=True), "that answers what was asked"
