"""Facts held against the words of their line, and against whom it tells what they tell."""

from __future__ import annotations

import pytest

from chatmem.memory.language.language import english
from chatmem.memory.values import ASSISTANT
from chatmem.models.prompts.draft import Add, Draft
from chatmem.models.prompts.messages import Line
from chatmem.models.storage.gathered import in_one_piece
from chatmem.models.storage.pieced.borrowed import borrowed, repeated
from chatmem.models.storage.pieced.persons import of_somebody_else
from chatmem.models.storage.told.scene import Scene


def scene(line: str, before: str = "", who: str = "Ana") -> Scene:
    return Scene([Line(who, before)] if before else [], Line("Ana", line), ["Ana"], (), english())


@pytest.mark.parametrize(
    ("line", "fact", "words"),
    [
        ("I've had a tune in my head all day and I don't even like it.", "Ana doesn't like the brass band.",
         ["brass", "band"]),
        ("They can't get off in May, so they're coming in June instead.", "Ana's hives are coming in June.", ["hives"]),
        ("My mate Kev knows a man who can do it.", "Ana's mate Kev knows a man called Ben.", ["Ben"]),
        ("He can do it on Monday and Tuesday, for sixty.", "Ben can do it on Monday for sixty.", []),
        ("I bake bread for the market on Saturdays, every week.", "Ana is a baker at the market.", []),
        ("My wife is away until the end of March with Leo.", "Ana's wife Orla is away until March.", []),
        ("Plumb is a heeler mix, nine years old, forty pounds.", "Ana's dog Plumb is nine years old.", []),
        ("I got it in Leeds.", "Ana got the tent in Leeds.", []),
    ],
)  # fmt: skip
def test_words_are_borrowed_that_the_line_has_not(line: str, fact: str, words: list[str]) -> None:
    assert borrowed(fact, scene(line)) == words


def test_what_was_asked_of_somebody_is_no_borrowed_word() -> None:
    line, fact = "Yes, two of them, Nori and Kit, both from the shelter", "Ana has two cats, Nori and Kit."
    assert borrowed(fact, scene(line, "Do you have cats?", ASSISTANT)) == []
    assert borrowed(fact, scene(line, "I saw cats.", ASSISTANT)) == ["cats"]
    assert borrowed(fact, scene(line, "You haven't told me of any cats.", ASSISTANT)) == []
    asked = scene(line, "Do you have cats?", ASSISTANT)
    aside = asked._replace(before=[*asked.before, Line("Ana", "Tom is a vet.")], asides=["Tom is a vet."])
    assert borrowed(fact, aside) == []


@pytest.mark.parametrize(
    ("line", "fact"),
    [
        ("Ines and Rui aren't coming, they go to her parents in Faro", "Ines and Rui go to Ana's parents in Faro."),
        ("My brother Ivo cooks when I'm on nights", "Ana's brother Ivo cooks when he is on nights."),
        ("Had a call from mum. Dad has a bad cold", "Ana's mum has a bad cold."),
        ("My papa Luis walks wires. Mama Rosa can't look, she sells tickets", "Ana's papa Luis can't look."),
        ("she owes me 200 since May", "Ana owes Ana 200 since May."),
    ],
)
def test_who_does_it_in_a_fact_and_not_in_the_line_is_seen(line: str, fact: str) -> None:
    assert of_somebody_else(fact, line, "Ana")


@pytest.mark.parametrize(
    ("line", "fact"),
    [
        ("I've had trouble with my back since May", "Ana has had trouble with their back since May."),
        ("My mother, Philomena, went into a home in April", "Ana's mother went into a home in April."),
        ("My wife is Rosa. She plays bridge on Mondays", "Ana's wife Rosa plays bridge on Mondays."),
        ("I carve boxes, my father and his father also", "Ana carves boxes."),
        ("Tom and I split in January", "Ana and Tom split in January."),
        ("my sister's back home in Harare", "Ana's sister is back home in Harare."),
    ],
)
def test_the_same_people_in_other_words_are_nobody_else(line: str, fact: str) -> None:
    assert not of_somebody_else(fact, line, "Ana")


@pytest.mark.parametrize(
    ("line", "fact", "after"),
    [
        ("I've had a tune in my head all day and I don't even like it.", "Ana doesn't like the brass band.",
         ['Ana said: "I\'ve had a tune in my head all day and I don\'t even like it."']),
        ("Had a call from mum this morning. Dad has a bad cold.", "Ana's mum has a bad cold.",
         ["Dad has a bad cold."]),
    ],
)  # fmt: skip
def test_such_a_fact_is_told_as_it_was_said(line: str, fact: str, after: list[str]) -> None:
    told = in_one_piece(Draft((Add("Ana", "things", fact, None),)), scene(line))
    assert [one.fact for one in told.added] == after


@pytest.mark.parametrize(
    ("line", "asides", "fact", "words"),
    [
        ("She does gymnastics on Wednesdays, on my sofa.", ["Ella is wild."], "Ana's twin Ella does gymnastics.", []),
        ("He also says the concert has been put back a week.", [], "Julian says the concert for Fauré is put back.",
         ["Fauré"]),
        ("They will come to me in the summer for weeks.", [], "Kalina and Rosa will come to Ana in the summer.", []),
        ("Next week there is no rehearsal in the hall.", [], "There is no rehearsal with Julian.", ["Julian"]),
    ],
)  # fmt: skip
def test_a_borrowed_name_may_stand_for_a_pronoun(line: str, asides: list[str], fact: str, words: list[str]) -> None:
    assert borrowed(fact, scene(line)._replace(asides=asides)) == words


@pytest.mark.parametrize(
    ("line", "fact", "words"),
    [
        ("She calls every second Friday at two.", "Ana calls every second Friday at two every second Friday.",
         ["everi", "second"]),
        ("dad's lending me the corolla for it", "Ana's dad is lending Ana's dad is lending Ana the corolla.", ["lend"]),
        ("My dad has two dogs, and I have two.", "Ana's dad has two dogs, and Ana has two.", []),
        ("I have 2 cats and also 2 dogs here.", "Ana has two cats and two dogs.", []),
        ("Yes, both of them.", "Ana has two cats and two dogs.", []),
        ("Clive came in with his coat on.", "Clive came in with Clive's coat on.", []),
        ("My sister rang, she's lost her keys.", "Ana's sister rang about Ana's sister's keys.", []),
    ],
)  # fmt: skip
def test_words_are_repeated_that_the_line_has_once(line: str, fact: str, words: list[str]) -> None:
    assert repeated(fact, line, "Ana") == words


def test_a_fact_that_says_a_thing_twice_is_told_as_it_was_said() -> None:
    line = "The vet is every other Friday at two now, and I hate driving there."
    stutter = Draft((Add("Ana", "vet", "Ana's vet is every other Friday at two every other Friday."),))
    assert [one.fact.count("Friday") for one in in_one_piece(stutter, scene(line)).added] == [1]
