"""What a text tells of the very one who is asked of, and what it tells of others or of other things."""

from __future__ import annotations

import pytest

from chatmem.memory.language.told.about import LEANT, Whom, spoken, told_sentences
from chatmem.memory.language.told.asked import Want
from chatmem.memory.language.told.held import told
from chatmem.memory.language.told.kinds import below
from chatmem.memory.language.told.trades import plainly_living
from chatmem.memory.language.words import stem

MILA = Whom(names=frozenset({"mila"}), asker="ana")
SON = Whom(kin=frozenset({"son", "boy", "boys"}), mine=True, asker="ana")
CAT = Whom(things=frozenset({"cat"}), mine=True, asker="ana")


@pytest.mark.parametrize(
    ("text", "ages"),
    [
        ("Mila turned 7 on Sunday.", {"7"}),
        ("my niece Mila, she's eleven, wants a kite", {"11"}),
        ("mila is a pest. shes 88 and still cheats", {"88"}),
        ("Mila (4) has a cold.", {"4"}),
        ("Mila is a girl of nine.", {"9"}),
        ("Mila was born in 1950.", {"1950"}),
        ("Mila is twenty-two months.", {"22"}),
    ],
)
def test_ages_by_their_form(text: str, ages: set[str]) -> None:
    assert {*told(Want("age", "mila"), MILA, [text])} == ages


@pytest.mark.parametrize(
    "text",
    [
        "Mila beat a boy from the 7th form.", "Mila has two rabbits.", "Mila has woven since she was ten.",
        "Mila left three years ago.", "Mila pays 40 euros.", "Mila jumps 1,60, that is high.",
        "Tom is 7. Mila is tired.", "I am 40. Mila sleeps.",
    ],
)  # fmt: skip
def test_numbers_that_are_no_age_of_theirs(text: str) -> None:
    assert told(Want("age", "mila"), MILA, [text]) == {}


@pytest.mark.parametrize(
    ("whom", "text", "names"),
    [
        (CAT, "I have a cat called Pip.", {"pip"}),
        (CAT, "Pip, my one-eyed cat, snores.", {"pip"}),
        (CAT, "Our cat is a stray. She's called Pip.", {"pip"}),
        (CAT, "we have a cat, pip, and no mice", {"pip"}),
        (CAT, "we've got a cat at home, pip is the name", {"pip"}),
        (SON, "We have two boys, Sander and Daan.", {"sander", "daan"}),
        (SON, "Sander is my son.", {"sander"}),
        (Whom(things=frozenset({"hotel"})), "We stayed at the Bristol Hotel.", {"bristol"}),
        (Whom(kin=frozenset({"boss"}), mine=True, asker="ana"), "I like my boss, Dr. Kovac, a lot.", {"kovac"}),
        (Whom(things=frozenset(map(stem, ("dog", *below("dog"))))), "my greyhound Nelly is fast", {"nelly"}),
    ],
)
def test_names_of_the_very_one(whom: Whom, text: str, names: set[str]) -> None:
    assert names <= {*told(Want("name", "x"), whom, [text])}


@pytest.mark.parametrize(
    ("whom", "text"),
    [
        (CAT, "We have a donkey called Ruby and a cat without a tail."),
        (CAT, "My cat hates Mondays."),
        (SON, "Tibor has a son called Bela, I envy Tibor's son Bela."),
        (SON, "My son says that Tibor is ill."),
        (Whom(kin=frozenset({"wife"}), owner=frozenset({"tibor"})), "Tibor came along, and I brought my wife Zita."),
        (Whom(things=frozenset({"shop"})), "I live above a shop that sells fishing rods in Kuldiga."),
        (Whom(kin=frozenset({"sister"}), mine=True, asker="ana"), "My sister-in-law Klara bakes."),
    ],
)
def test_names_of_others(whom: Whom, text: str) -> None:
    assert told(Want("name", "x"), whom, [text]) == {}


def test_colours_trades_homes_and_birthdays() -> None:
    tent = Whom(things=frozenset({"tent"}))
    assert {*told(Want("colour", "tent"), tent, ["Our tent is dark green.", "The van is red."])} == {"dark", "green"}
    assert told(Want("colour", "tent"), tent, ["The tent leaks.", "Our car is red."]) == {}
    assert told(Want("job", "mila"), MILA, ["Mila is a night nurse."])
    assert told(Want("job", "mila"), MILA, ["Mila collects stamps."]) == {}
    assert told(Want("home", "mila"), MILA, ["Mila moved out in May."])
    assert told(Want("home", "mila"), MILA, ["Mila calls me on Sundays at 18."]) == {}
    assert told(Want("birthday", "mila"), MILA, ["Mila has her birthday on the 3rd."])
    assert told(Want("birthday", "mila"), MILA, ["Mila comes on the 3rd."]) == {}


def test_she_goes_on_from_the_sentence_before_and_no_further() -> None:
    text = "Mila came. She is tired. Tom sang. He is loud."
    assert list(spoken(MILA, text)) == ["Mila came.", "She is tired."]
    assert list(spoken(MILA, f"{LEANT}She is 7.")) == ["She is 7."]
    assert list(spoken(MILA, "Mila sings. And where does she work? In Delft, at the mill.")) == [
        "Mila sings.", "In Delft, at the mill.",
    ]  # fmt: skip


def test_a_greyhound_is_a_dog_and_a_parrot_is_no_dog() -> None:
    assert (
        stem("greyhound") in below("dog") and stem("greyhound") in below("pets") and below("greyhound") == frozenset()
    )
    assert stem("parrot") in below("bird") and stem("parrot") not in below("dog")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Ana relocated to Antwerp", "Ana lives in Antwerp"),
        ("She has settled down in Ghent", "She has lives in Ghent"),  # stems alone are looked at
        ("Ana is a resident of Antwerp", "Ana lives in Antwerp"),
        ("where do I reside?", "where do I live?"),
        ("the show is based on a book", "the show is based on a book"),
        ("we settled the bill", "we settled the bill"),
        ("a residential area", "a residential area"),
    ],
)
def test_other_words_for_living_somewhere(said: str, told: str) -> None:
    assert plainly_living(said) == told


def test_a_sentence_is_told_as_it_was_typed() -> None:
    assert told_sentences("Dr. Patel is my dentist. I like her.") == ["Dr. Patel is my dentist.", "I like her."]
