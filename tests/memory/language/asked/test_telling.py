"""What a line tells and what it asks: `questions.txt` tell nothing, of `tellings.tsv` the second column is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatmem.memory.language.asked.telling import affirms, asks, is_cut_short, told_part
from chatmem.memory.language.detect import language_of
from chatmem.memory.language.language import UNKNOWN, by_code, english
from chatmem.memory.language.own_name import told_name
from chatmem.training.material.templates.told import told_talks

HERE = Path(__file__).parent
QUESTIONS = (HERE / "questions.txt").read_text(encoding="utf-8").splitlines()
TELLINGS = [line.split("\t") for line in (HERE / "tellings.tsv").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("line", QUESTIONS)
def test_a_question_tells_nothing(line: str) -> None:
    assert told_part(line, language_of(line)) == ""
    assert told_name(line) is None


@pytest.mark.parametrize(("line", "told"), TELLINGS)
def test_what_is_told_beside_a_question_stays(line: str, told: str) -> None:
    assert told_part(line, language_of(line)) == told


def test_what_stands_before_a_semicolon_is_told() -> None:
    line = "I sing alto, who rehearse under Moira, and our concert is on 12 December; do you know Bach?"
    assert told_part(line, english()) == line.partition("; ")[0]
    assert told_part("I have a dog; what about you?", english()).startswith("I have a dog")


@pytest.mark.parametrize(
    "line",
    [
        "would you believe it, they've put me back to the 2nd of April",
        "And would you believe it, the bus was late again.",
        "would you believe they've put me back to April",
        "would you believe it the boiler packed up again",
        "Would you believe it? My rent's 690 now.",
        "can you believe it, my son got the job",
        "can you believe the boiler's gone again",
        "Can you imagine, Tom's left the bank",
        "guess what, my sister's the new head",
        "Guess what? I'm a grandmother, and Tom's a dad.",
        "So guess what - we're moving to Leeds",
        "you know what? I've quit my job",
        "do you know what, my sister is called Nesta",
        "do you know, I've lived here forty years",
        "do you know, my sister's a nurse",
        "what do you know, the boiler's working again",
        "you won't believe it, they've cancelled choir",
        "believe it or not, I'm 71",
    ],
)
def test_who_calls_to_be_heard_asks_nothing(line: str) -> None:
    assert told_part(line, english()) == line and not asks(line, english())


def test_a_call_with_a_question_behind_it_or_about_something_asks() -> None:
    assert told_part("can you believe it, she's 40?", english()) == "she's 40."
    assert asks("do you know it, the cafe on the corner", english())


def test_a_wish_for_tips_leaves_what_was_told() -> None:
    assert told_part("I'm moving to Leeds in May, any tips?", english()) == "I'm moving to Leeds in May."
    assert told_part("any tips?", english()) == ""


def test_of_a_language_without_data_a_question_mark_is_enough() -> None:
    assert told_part("Вера живёт в Осло? Да.", UNKNOWN) == "Да."
    assert not asks("Вера живёт в Осло.", UNKNOWN)


def test_the_talks_written_by_hand_are_told_apart() -> None:
    """Of 1,466 lines that tell a fact at most one in two hundred is taken for a question; of 1,680 questions that were
    asked later, half of them without a question mark, at most one in a hundred tells something."""
    talks = [*told_talks("train"), *told_talks("valid")]
    facts = [line.text for talk in talks for line in talk.lines if line.facts]
    lost = [text for text in facts if not told_part(text, language_of(text))]
    assert len(lost) * 200 <= len(facts), lost
    questions = [question.text for talk in talks for question in talk.questions]
    kept = [text for text in questions if told_part(text, language_of(text))]
    assert len(kept) * 100 <= len(questions), kept


@pytest.mark.parametrize(
    ("line", "code"), [("yes, he did", "en"), ("Oh right, in May", "en"), ("genau", "de"), ("oui", "fr")]
)
def test_a_yes_affirms(line: str, code: str) -> None:
    assert affirms(line, by_code(code))


@pytest.mark.parametrize("line", ["no, in Bergen", "I said yes to him", "the right one"])
def test_other_lines_affirm_nothing(line: str) -> None:
    assert not affirms(line, english())


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("The film in October. Which one was it?", ""),
        ("My bike lock. Which number opens it?", ""),
        ("Mum's plane from Da Nang. When does it land?", ""),
        ("My dog died. Why is it so hard?", "My dog died."),
        ("My parents live in Rome. What do they do?", "My parents live in Rome."),
        ("The pills I take at night. What are they?", "The pills I take at night."),
        ("My birthday 3 May. What can I plan?", "My birthday 3 May."),
        ("Vegan since March. What is it good for?", "Vegan since March."),
        ("My sister lives in Oslo. Where does she work?", "My sister lives in Oslo."),
    ],
)
def test_a_sentence_without_a_verb_only_says_of_what_the_next_one_asks(line: str, told: str) -> None:
    assert told_part(line, english()) == told


@pytest.mark.parametrize(("line", "short"), [
    ("Kettle's on again.", False), ("Tea's ready.", False), ("rain's stopped", False), ("Dinner's burning lol", False),
    ("wifi's down", False), ("my dog's name", True), ("my dog's breed", True), ("Tom's wedding", True),
    ("mum's address", True), ("the flat's number", True),
    ("Ana's home address", True), ("Tom's flat number", True), ("Mia's swimming lesson", True),
])  # fmt: skip
def test_how_a_thing_is_is_no_question_cut_short(line: str, short: bool) -> None:
    assert is_cut_short(line, english()) is short
