"""The same of another thing is no answer."""

from __future__ import annotations

import pytest

from chatmem.memory.values import Memory, Recall, RecallItem
from chatmem.models.chat.told.elsewhere import elsewhere
from chatmem.models.chat.told.known import Known
from chatmem.models.chat.told.owners import denies_unheard, given_back, of_another_thing, of_others, of_the_asker

AT = "2026-11-20T10:00:00Z"


def known(question: str, *facts: str) -> Known:
    items = tuple(RecallItem(1.0, Memory(n, 1, "Ana", "t", fact, None, AT, AT)) for n, fact in enumerate(facts, 1))
    return Known(Recall(question, items))


@pytest.mark.parametrize(
    ("question", "fact", "reply"),
    [
        ("What is the code of my front door?", "The code of Ana's bicycle lock is 1155.", "The code is 1155."),
        ("what's the colour of my car?", "Ana likes the colour of her garden shed, a dark green.", "It's dark green."),
        ("What is the name of my boat?", "Ana's bakery's name is Crumb.", "Its name is Crumb."),
    ],
)
def test_what_was_told_of_another_thing_is_no_answer(question: str, fact: str, reply: str) -> None:
    assert of_another_thing(known(question, fact), reply)


@pytest.mark.parametrize(
    ("question", "facts", "reply"),
    [
        ("What is the code of my bicycle lock?", ("The code of Ana's bicycle lock is 1155.",), "It's 1155."),
        ("What is the code of my lock?", ("The code of Ana's bicycle lock is 1155.",), "It's 1155."),
        ("What is the code of my bike?", ("Ana's lock opens with 1155.",), "It's 1155."),
        ("What's the price of my flat?", ("Ana pays a price of 900 a month.",), "900 a month."),
        ("What is the name of my boat?", ("Ana's boat is called Crumb.", "Ana's bakery's name is Loaf."), "Crumb."),
        ("What is my job?", ("The code of Ana's bicycle lock is 1155.",), "1155"),
        (
            "How old is my hen?",
            ("Ana's hen Berta is a Sussex, she is six.",),
            "Your hen Berta is a Sussex, she is six.",
        ),
    ],
)
def test_what_may_be_told_of_it_stays(question: str, facts: tuple[str, ...], reply: str) -> None:
    assert not of_another_thing(known(question, *facts), reply)


@pytest.mark.parametrize(
    ("question", "facts", "reply", "denies"),
    [
        ("What's the pin of my bank card?", ("Ana teaches geography.",), "You don't have a bank card.", True),
        ("Who owes me money?", ("Ana's apprentice Sorin makes coffee.",), "You don't owe anyone money.", True),
        ("Who owes me money?", ("Ana was paid back the money by Bo.",), "Nobody owes you money.", False),
        ("Which car do I drive?", ("Ana has no car.",), "You don't drive a car.", False),
        ("Which food must I not eat?", ("Ana is a vet.",), "You must not eat celery.", False),
        ("What's my shoe size?", ("Ana is a vet.",), "You haven't told me your shoe size.", False),
        ("Do I have a bank card?", ("Ana is a vet.",), "No, you don't have one.", False),
    ],
)
def test_nothing_is_denied_of_which_nothing_was_told(
    question: str, facts: tuple[str, ...], reply: str, denies: bool
) -> None:
    assert denies_unheard(known(question, *facts), reply) == denies


def test_who_is_a_drummer_plays_the_drums() -> None:
    asked = known("Which instrument does my flatmate play?", "Ana's flatmate is a drummer.")
    assert not elsewhere(asked, "Your flatmate plays the drums.") and elsewhere(asked, "Your flatmate plays the lute.")


@pytest.mark.parametrize(
    ("question", "facts", "reply", "back"),
    [
        (
            "does Callum have a girlfriend?",
            ("Callum's girlfriend is called Isla.",),
            "Yes, your girlfriend is called Isla.",
            "Yes, Callum's girlfriend is called Isla.",
        ),
        ("Where is Bo's van?", ("Bo's old van is at the garage.",), "Your van is at it.", "Bo's van is at it."),
        ("Where is Bo's van?", ("Bo's van broke down.", "Ana's van is red."), "Your van is red.", None),
        ("Does Bo like my van?", ("Bo's van broke down.",), "Your van is fine.", None),
        ("Does Bo like Leo?", ("Bo's brother is Kim.", "Ana has a brother Leo."), "Your brother? Yes.", None),
        ("Does Bo have a van?", ("Bo has a van.",), "Bo has a van, your brother said.", None),
        ("Who is Bo?", ("Bo's brother sings.", "Bo is a friend of User's brother."), "Your brother's friend.", None),
    ],
)
def test_what_is_another_s_is_not_given_to_the_asker(
    question: str, facts: tuple[str, ...], reply: str, back: str | None
) -> None:
    assert given_back(known(question, *facts), reply) == back


@pytest.mark.parametrize(
    ("question", "facts", "reply", "mistaken"),
    [
        ("can Dev eat bread?", ("Ana's partner Dev is gluten intolerant.",), "Yes, you can eat bread.", True),
        ("where does my sister live?", ("Ana lives in Graz.",), "You live in Graz.", True),
        ("what does Leo teach?", ("Ana's brother Leo teaches maths.",), "You teach chemistry.", True),
        ("can Dev eat bread?", ("Ana's partner Dev is gluten intolerant.",), "No, he can't eat bread.", False),
        ("does Dev cook?", ("Ana's partner Dev cooks.",), "You told me that Dev cooks.", False),
        ("does Dev cook for me?", ("Ana's partner Dev cooks.",), "Yes, you get soup.", False),
        ("is my sister married?", ("Ana's sister Mia is married.",), "Yes, your sister Mia is.", False),
        ("is Dev my husband?", ("Ana's husband is Dev.",), "Yes, you're married.", False),
        ("can bread mould?", ("Ana bakes bread.",), "Yes, you should freeze it.", False),
        ("where do I live?", ("Ana lives in Graz.",), "You live in Graz.", False),
    ],
)
def test_what_is_asked_of_somebody_else_is_not_told_of_the_asker(
    question: str, facts: tuple[str, ...], reply: str, mistaken: bool
) -> None:
    assert of_the_asker(known(question, *facts), reply) is mistaken


@pytest.mark.parametrize(
    ("question", "fact", "reply", "anothers"),
    [
        ("What are my shifts?", "Ana's shifts are Monday to Thursday.", "Your shifts are Monday to Thursday.", False),
        ("What are my favourite bands?", "Ana's favourite bands are Low.", "Your favourite bands are Low.", False),
        ("What's my favourite band?", "Ana's favourite band Low is from Duluth.", "Low, from Duluth.", False),
        ("What are my shifts?", "Ana's brother Jan's shifts are Monday.", "Your shifts are Monday.", True),
    ],
)
def test_what_is_ones_own_is_nobody_else_s_for_the_name_behind_it(
    question: str, fact: str, reply: str, anothers: bool
) -> None:
    """ "Monday" was taken for somebody who is called "shifts are Monday"."""
    assert of_others(known(question, fact), reply) is anothers
