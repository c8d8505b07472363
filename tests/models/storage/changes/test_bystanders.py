"""Rows that a line can't end: of whom it doesn't speak, and the speaker's own name."""

from __future__ import annotations

import pytest

from chatmem.memory.values import Memory
from chatmem.models.prompts.messages import Line
from chatmem.models.storage.changes.bystanders import born_on, only_likely, stands_by, without_a_sign

WHEN = "2026-03-03T10:00:00Z"


@pytest.mark.parametrize(
    ("fact", "said", "before", "stands"),
    [
        ("Jonas is a chef.", "I quit the bakery! I'm at a bookshop now", "", True),
        ("Martin is a surveyor and is away every Tuesday.", "I'm on the ward, and I work Monday to Thursday", "", True),
        ("Ana's son Jonas plays in goal.", "I got the job at Kew", "", True),
        ("The user's name is Ana.", "Hello, it's Ana again.", "", True),
        ("Jonas is a chef.", "Jonas quit the bakery", "", False),
        ("Jonas is a chef.", "he quit the bakery", "", False),
        ("Jonas is a chef.", "I heard at the bakery that the chef left", "", False),
        ("Jonas is a chef.", "my brother quit the bakery", "", False),
        ("Jonas is a chef.", "quit the bakery last week", "Jonas told me more of it.", False),
        ("Jonas lives with Ana.", "we split up on Sunday", "", False),
        ("Rex is a collie.", "I gave away the dog", "", False),
        ("Freya still has Ana's air fryer.", "the air fryer's home", "", False),
        ("Ana works at the bakery.", "I quit!", "", False),
        ("Ana's brother Callum's kids are so sweet, Isla's four now.", "and Finn's two", "", True),
        ("Joel plays the drums.", "Nadia plays the drums", "", False),
        ("Ana's boss is Carla.", "Henk's the boss now", "", False),
        ("Isla is four.", "Isla's five", "", False),
        (
            "Ana is on ramipril and amlodipine at night.",
            "Well, our Susan's packed in the wards, no more nights.",
            "",
            True,
        ),
        ("Ana is on ramipril.", "my sister Susan has left the Infirmary", "", True),
        ("Ana is on ramipril.", "Susan has left the Infirmary", "", True),
        ("Ana is on ramipril.", "Susan says I can stop the tablets", "", False),
        ("Ana is on ramipril.", "The doctor says no more tablets", "", False),
        ("Ana lives in York.", "Rent went up, so Leeds it is", "", False),
        ("Ana has a lodger Tomasz.", "Our Susan's moved out", "", False),
        ("Ana is on night shifts.", "My boss has moved everyone to days", "", False),
        ("Ana is married.", "My husband died on Sunday", "", False),
        ("Ana is engaged.", "Tom called off the wedding", "", False),
        ("Ana lives alone.", "My mum has moved in", "", False),
        ("Ana is pregnant.", "My daughter was born last night", "", False),
        ("Ana keeps bees.", "My wife gave the hives away", "", False),
        ("Ana keeps a pony.", "My sister sold the pony", "", False),
        ("Ana is married to Bo.", "My husband has left for good", "", False),
        ("The final is on 28 June.", "I was told it's in July now", "", False),
        ("Ana has a check-up on 20 November.", "they cancelled the 28th slot, new one is 5 December", "", True),
        ("Ana has a test on 28 November.", "they cancelled the 28th slot, new one is 5 December", "", False),
        ("Ana runs on Mondays and Wednesdays.", "so the rewire isn't Tuesday at all", "", True),
        ("Ana swims on Mondays.", "the pool is shut for good since Saturday", "", False),
        ("Ana swims on Mondays.", "it's Thursdays for the swim now", "", False),
        (
            "Ana plays mahjong with Ana's neighbours.",
            "Mrs Tan taught us bridge. We have it after the mahjong",
            "",
            True,
        ),
        ("Ana swims on Mondays.", "I found a sauna, we go there after the swim", "", True),
        ("Ana takes antibiotics.", "after the antibiotics my stomach is a mess", "", False),
        ("Ana runs along the canal.", "after my run I sold the shoes", "", False),
        ("Ana goes to physio on Fridays before Ana's shift.", "my shift is over, rolls in the oven", "", True),
        ("Ana goes to physio on Fridays before Ana's shift.", "the physio is over, my back is fine", "", False),
        ("Ana plays mahjong.", "after the mahjong we play no mahjong any more", "", False),
        (
            "Ana has three kids.",
            "six left. then I see my kids, they tell me that the middle one lost a tooth",
            "",
            True,
        ),
        ("Ana has three kids.", "six left. then my kids moved out", "", False),
        ("Ana wants to be a vet.", "for the fair I have to be an astronaut, mum couldn't find more", "", True),
        ("Ana wants to be a vet.", "I have to be realistic, no vet school took me", "", False),
    ],
)
def test_who_is_not_spoken_of_is_as_before(fact: str, said: str, before: str, stands: bool) -> None:
    row = Memory(1, 1, "Ana", "people", fact, None, WHEN, WHEN)
    assert stands_by(row, Line("Ana", said), before) is stands


@pytest.mark.parametrize(
    ("fact", "said", "before", "without"),
    [
        ("Ana's boyfriend is coming over on 20 December.", "we have a gig in the pub on december 5th", "", True),
        ("Ana has asked Mrs Govender to make the briyani.", "Mrs Govender is dancing at weddings", "", True),
        ("Ana's gig is on the 20th of December.", "we have a gig on the 5th", "", False),
        ("Ana takes amlodipine 5 mg.", "the tablet is double now, 10", "", False),
        ("Ana's hip operation is on 3 July.", "they're cutting me on the 31st", "It's about my operation.", False),
        ("Ana has a phone.", "it died on Monday", "", False),
    ],
)  # fmt: skip
def test_a_line_without_a_word_of_the_row_or_of_a_change_ends_it_for_nobody(
    fact: str, said: str, before: str, without: bool
) -> None:
    row = Memory(1, 1, "Ana", "people", fact, None, WHEN, WHEN)
    assert without_a_sign(row, Line("Ana", said), before) is without


@pytest.mark.parametrize(
    ("fact", "said", "likely"),
    [
        ("Ana has a membership at Flex Gym.", "I haven't been to the gym since January", True),
        ("Ana has a piano.", "we have not touched the piano in two years", True),
        ("Ana has a caravan.", "sold the caravan, we haven't slept in it for two years", False),
        ("Ana lives in Leeds.", "I haven't lived in Leeds since March", False),
        ("Ana's doctor is Dr Lund.", "Dr Lund has put me on antibiotics", True),
        ("Ana has a trainer named Kofi.", "Kofi switched me to kettlebells", True),
        ("Ana has a boyfriend named Emil.", "Emil left me on Sunday", False),
        ("Ana's doctor is Dr Lund.", "Dr Lund has retired", False),
        ("Ana takes piano lessons on Mondays.", "mondays are awful at work since the new boss came", True),
        ("Ana takes piano lessons on Mondays.", "no more Mondays for me", False),
    ],
)
def test_what_was_neglected_and_who_does_something_with_one_is_no_sure_end(fact: str, said: str, likely: bool) -> None:
    row = Memory(1, 1, "Ana", "people", fact, None, WHEN, WHEN)
    assert only_likely(row, Line("Ana", said)) is likely


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("the midwife says the 9th of March now, not the 14th", True),
        ("her birthday is on the 9th of March", False),
        ("she was born on the 9th of March", False),
        ("she died", False),
    ],
)
def test_no_birthday_moves_without_a_word_for_one(line: str, other: bool) -> None:
    known = Memory(3, 1, "Ana", "family", "Ana's mum's birthday is on 14 March.", None, WHEN, WHEN)
    assert born_on(known, Line("Ana", line)) is other
