"""Facts held against the stretches of their line, and facts that don't name what they speak of."""

from __future__ import annotations

import pytest

from chatmem.memory.language.language import english
from chatmem.models.prompts.draft import Add, Draft
from chatmem.models.prompts.messages import Line
from chatmem.models.storage.gathered import in_one_piece
from chatmem.models.storage.pieced.breaks import breaks
from chatmem.models.storage.pieced.dangling import dangles
from chatmem.models.storage.told.scene import Scene
from chatmem.models.storage.told.single import without_lesser


@pytest.mark.parametrize(
    ("line", "fact"),
    [
        ("My brother Clive has been in my room since May", "Ana's brother Clive has been in Ana's room since May."),
        ("I don't drink coffee and I go to bed at nine", "Ana doesn't drink coffee."),
        ("hiya its Reuben, 16, from Ghent. I'm here", "Ana is 16."),
        ("Our car is old. I have to get that looked at.", "Ana has to get the car looked at."),
        ("Mum and I are having a party on Friday", "Ana and Ana's mum are having a party on Friday."),
        ("Emma goes to school. Her favourite teacher there is called Lorenz.", "Emma's favourite teacher is Lorenz."),
        ("Two kids, Ada and Milo, wife Jen is a GP, me I'm at home", "Ana's wife Jen is a GP."),
        ("so busy. brother Clive moves to Hull in May", "Ana's brother Clive moves to Hull in May."),
        ("My mother lives in Bristol. I call her every Sunday at ten", "Ana calls Ana's mother every Sunday at ten."),
    ],
)  # fmt: skip
def test_what_copies_its_line_has_no_breaks(line: str, fact: str) -> None:
    assert breaks(fact, line, "Ana") == 0


@pytest.mark.parametrize(
    ("line", "fact", "more"),
    [
        (
            "Kay is 22, a vet nurse in Hull. And my lad Jordan lives in the fridge",
            "Ana's lad Jordan lives in Hull.",
            0.15,
        ),
        ("a voucher for ten lessons. New balance, size 11, for 95", "Ana's size is ten lessons for 95.", 0.25),
        ("I cook. The flat is cold", "Ana has a cold spaceship.", 0.2),
        ("I cook. Kim's brother Jen is a GP", "Ana's brother Jen is a GP.", 0.25),
    ],
)
def test_what_joins_several_places_or_invents_has_some(line: str, fact: str, more: float) -> None:
    assert breaks(fact, line, "Ana") >= more


def test_a_few_words_of_one_sentence_may_stand_in_any_order() -> None:
    line = "Over the summer I still do my fishing. But in a few months football is back"
    assert breaks("Ana fishes in the summer.", line, "Ana") == 0 < breaks("Ana fishes at football.", line, "Ana")


def test_words_that_are_known_from_elsewhere_break_nothing() -> None:
    line, fact = "Themba is vegan now, and happy", "Ana's partner Themba is vegan now."
    assert breaks(fact, line, "Ana") > breaks(fact, line, "Ana", {"partner"}) == 0


@pytest.mark.parametrize(
    "fact",
    [
        "Ana has to get that looked at.", "Ana gave it up when Paul came.", "Ana will build it on Sunday.",
        "Ana is not going to them on Saturday.", "Emma has been asking for it for weeks.", "It has steep streets.",
        "Ana's sister Corinne drives him on Tuesdays.", "If it goes under 200 Ana would get it.",
    ],
)  # fmt: skip
def test_what_names_nothing_that_it_can_be_dangles(fact: str) -> None:
    assert dangles(fact, "Ana")


@pytest.mark.parametrize(
    "fact",
    [
        "Ana has a bike and rides it daily.", "Ana lives in Porto.", "Ana's car is old and Leo fixes it.",
        "Ana says that Leo is ill.", "Ana's cats are old, and Ana feeds them twice.",
        "The boat is sold, Leo has it now.",
    ],
)  # fmt: skip
def test_what_names_it_before_does_not(fact: str) -> None:
    assert not dangles(fact, "Ana")


@pytest.mark.parametrize(
    ("line", "facts", "after"),
    [
        (
            "My licence wants 30 hours and I have 22. I want to sell the drum",
            ["Ana has 22 drums."],
            ['Ana said: "My licence wants 30 hours and I have 22."'],
        ),
        (
            "trainers for Tom, new balance, the blue ones. And a voucher for ten lessons on the road",
            ["Tom's blue new balance is trainers.", "Ana's ten lessons on the blue road are a voucher."],
            ['Ana said: "trainers for Tom, new balance, the blue ones. And a voucher for ten lessons on the road"'],
        ),
        ("Ikram drives. a nice day", ["Ikram drives.", "Ikram drives nice a day."], ["Ikram drives."]),
        (
            "Our car is old and makes a noise when I brake. I have to get that looked at.",
            ["Ana's car is old and makes a noise when Ana brakes.", "Ana has to get that looked at."],
            [
                "Ana's car is old and makes a noise when Ana brakes.",
                'Ana said: "Our car is old and makes a noise when I brake. I have to get that looked at."',
            ],
        ),
        ("I used to play football, but I gave it up when Paul came. No time.", ["Ana gave it up when Paul came."],
         ['Ana said: "I used to play football, but I gave it up when Paul came."']),
        ("I gave it to Leo", ["Ana gave it to Leo."], ["Ana gave it to Leo."]),
        ("You know the bed? You can build it. You gave it a name, mess of screws",
         ["Screws of mess is bed.", "Kim gave it up."], ["Kim gave it up."]),
        ("Thank you. You should give them to Leo", ["Leo will take them."], ["Leo will take them."]),
        ("The router is in a sofa and cost 60 quid. two hours on it", ["Ana has two sofa hours on Leo."],
         ['Ana said: "The router is in a sofa and cost 60 quid. two hours on it"']),
    ],
)  # fmt: skip
def test_what_is_joined_or_names_nothing_is_told_as_it_was_said(line: str, facts: list[str], after: list[str]) -> None:
    scene = Scene((), Line("Ana", line), ["Ana"], (), english())
    told = in_one_piece(Draft(tuple(Add("Ana", "things", fact, None) for fact in facts)), scene)
    assert [*dict.fromkeys(entry.fact for entry in told.added)] == after


def test_what_is_said_to_somebody_or_of_nobody_is_not_quoted() -> None:
    def told(line: str, fact: str) -> list[str]:
        scene = Scene((), Line("Ana", line), ["Ana"], (), english())
        return [one.fact for one in in_one_piece(Draft((Add("Ana", "things", fact, None),)), scene).added]

    assert not told(
        "That's nice! a raise, congratulations, meeting you in spring", "Ana's spring is a raise of meeting."
    )
    assert not told("a sugary mess, everyone loves it, ham on easter", "Ham on sugary everyone is Easter.")
    assert told("my raise, a mess, ham on easter with everyone", "Ham on raise everyone is a mess.")


def test_a_quotation_takes_no_fact_away() -> None:
    draft = Draft((Add("Ana", "sport", "Ana is a green belt.", None),
                   Add("Ana", "sport", 'Ana said: "I am a green belt, subtitles aren\'t for me."', None)))  # fmt: skip
    assert without_lesser(draft) == draft


def test_a_quotation_carries_the_one_day_that_stands_in_it() -> None:
    def day(line: str, fact: str) -> str | None:
        scene = Scene((), Line("Ana", line), ["Ana"], (), english())
        (entry,) = in_one_piece(Draft((Add("Ana", "home", fact, "Friday"),)), scene).added
        assert entry.topic == "home" and entry.fact.startswith("Ana said: ")
        return entry.when

    fact = "Leo's bed is screws for Kim on Friday."
    assert (day("a bed for Kim, screws on Friday, brown paint from Leo", fact) or "").endswith("Friday")
    assert day("a bed for Kim on Sunday, screws on Friday, brown paint from Leo", fact) is None
