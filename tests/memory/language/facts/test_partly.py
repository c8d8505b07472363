"""Of several in one fact only those go whose end is told; what the words leave open stays."""

from __future__ import annotations

import pytest

from chatmem.memory.language.facts.matters import parts
from chatmem.memory.language.facts.over import over
from chatmem.memory.language.facts.partly import ending, named_in, singular, standing
from chatmem.memory.language.facts.settling import at_home, homes_in

RABBITS = "Ana has two rabbits, Pepe and Lola."
SONS = "Ana has two sons: Tom and Ben."


@pytest.mark.parametrize(
    ("fact", "told", "left"),
    [
        (RABBITS, "Pepe died yesterday", "Ana has one rabbit, Lola."),
        ("Ana keeps three hens, Dolly, Frieda and Bess.", "Frieda died", "Ana keeps two hens, Dolly and Bess."),
        ("Ana has two big dogs called Rex and Bo.", "Rex was put to sleep", "Ana has one big dog called Bo."),
        ("Pepe and Lola are Ana's rabbits.", "Pepe died", "Lola is Ana's rabbit."),
        ("Ana's rabbits are called Pepe and Lola.", "Ana's rabbit Pepe died.", "Ana's rabbit is called Lola."),
        ("Ana has a Fiat and a Vespa.", "sold the Fiat, got a fair price", "Ana has a Vespa."),
        ("Ana has a boat and a kayak.", "I sold the boat but kept the kayak", "Ana has a kayak."),
        ("Ana lives with Mia and Ben in Porto.", "Mia moved out on Sunday", "Ana lives with Ben in Porto."),
        ("Ana lives with Ben in Porto.", "Ben moved out", "Ana lives in Porto."),
        ("Ana and Tom live in Graz.", "Tom moved out", "Ana lives in Graz."),
        ("Ana goes to yoga and choir.", "I quit the choir", "Ana goes to yoga."),
        ("Ana sings in a choir and plays the organ.", "I quit the choir", "Ana plays the organ."),
        ("Ana likes coffee, tea and cocoa.", "I stopped drinking tea", "Ana likes coffee and cocoa."),
        ("Ana collects stamps and old coins.", "I sold the stamps", "Ana collects old coins."),
        ("Ana's husband Rein is allergic to bees and coaches a rowing club.", "Rein stopped coaching in spring",
         "Ana's husband Rein is allergic to bees."),
        ("Ana has two budgies, Salt and Pepper.", "Pepper flew off last week", "Ana has one budgie, Salt."),
        ("Ana has three cats.", "one of our cats died", "Ana has two cats."),
        (SONS, "Ben died in May", "Ana has one son: Tom."),
        (SONS, "We lost our dear Ben in May", "Ana has one son: Tom."),
        (SONS, "Ben, my elder one, has passed away", "Ana has one son: Tom."),
        (SONS, "the quarrel with Ben is over", SONS),
        (SONS, "Ben has left Ida", SONS),
        (SONS, "Ben lost his life in a crash.", "Ana has one son: Tom."),
        (SONS, "Ben is no longer with us", "Ana has one son: Tom."),
        (SONS, "Ben is no longer living", "Ana has one son: Tom."),
        (SONS, "Ben didn't make it", "Ana has one son: Tom."),
        (SONS, "In May died our Ben", "Ana has one son: Tom."),
        (SONS, "Ben is not my son", "Ana has one son: Tom."),
        ("Ana works with brothers Tom and Ben.", "Ben quit", "Ana works with brothers Tom."),
        ("Ana lives with sisters Frances and Ida.", "Ida no longer lives with me", "Ana lives with sisters Frances."),
        ("Ana's children Tom and Ben go to Elm School.", "Ben has left Elm School",
         "Ana's children Tom goes to Elm School."),
        (SONS, "Ben's marriage is over", SONS),
        (RABBITS, "one of our rabbits died", RABBITS),  # which of them isn't told
        ("Ana has two cats, Nori, who is old, and Kit.", "Nori died", "Ana has two cats, Nori, who is old, and Kit."),
    ],
)  # fmt: skip
def test_the_others_stand(fact: str, told: str, left: str) -> None:
    found = standing(fact, told)
    assert found is not None and found.text == left


@pytest.mark.parametrize(
    ("fact", "told"),
    [
        (RABBITS, "Pepe and Lola died"),  # all of them
        (RABBITS, "both rabbits died last night"),
        (RABBITS, "Pepe loves dandelions"),  # no end
        ("Ana has a cat named Nori from Porto.", "Nori died"),  # one alone
        ("Ana and Tom are engaged.", "Tom left me"),  # nobody is engaged alone
        ("Ana lives in Graz.", "I left Graz"),
        ("Ana works in Bergen for two years and a half.", "Two weeks he can't come"),
        ("Ana lives with Mia and Ben in Porto.", "Mia flew off to Rome for the weekend"),
        ("Ana has a Fiat and a Vespa.", "my brother sold his boat"),
        ("Ana is afraid, because they took the ship out of service, and Tom sulked for days.", "Tom left"),
        ("Ana's knee is operated on on 9 May, and Ida has promised to stay.", "the day was called off, Ida left"),
        ("Tash is on drums and big Dave is on bass.", "no more drums"),
    ],
)
def test_nothing_is_parted_where_no_part_alone_is_over(fact: str, told: str) -> None:
    assert standing(fact, told) is None


@pytest.mark.parametrize(
    ("line", "ends"),
    [
        ("Yes, the quarrel with Ben is over.", False),
        ("The row about Ben and the house is over.", False),
        ("Ben's lawsuit is over.", False),
        ("Ben is dead.", True),
    ],
)
def test_what_is_over_with_kin_is_no_end_of_them(line: str, ends: bool) -> None:
    assert over("Ana's son is called Ben.", line, "Ana", line) is ends


@pytest.mark.parametrize(
    ("fact", "line"),
    [
        ("Ana lives with Ana's sister Frances.", "My flat share with Frances is over"),
        ("Ana is married to Tom, a father of two.", "My marriage with Tom is over"),
        ("Ana has a quarrel with Ana's son Ben.", "the quarrel with Ben is over."),
    ],
)
def test_what_one_does_with_kin_is_over(fact: str, line: str) -> None:
    assert over(fact, line, "Ana", line)


def test_what_the_same_verb_tells_besides_stands() -> None:
    found = standing("Ana drinks her coffee black and drinks no milk.", "Ana's coffee is not black any more.")
    assert found is not None and found.text == "Ana drinks no milk."


def test_whose_end_it_was_and_what_it_is() -> None:
    found = standing(RABBITS, "Sad news: Pepe died.")
    assert found is not None and (found.over, found.kind) == (("Pepe",), "rabbit")
    assert ending("Rex died, Bo is sad") == "Rex died"
    assert named_in("Ana has a wife named Kinga.") == {"Kinga"}
    assert [singular(word) for word in ("ponies", "boxes", "geese", "dress", "hens")] == [
        "pony", "box", "goose", "dress", "hen",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("fact", "line", "now"),
    [
        ("Ana has been in Galway since June.", "I don't live in Cork any more, I've been in Galway since June",
         "Ana has lived in Galway since June."),
        ("Ana left Cork for Galway.", "I left Cork for Galway", "Ana moved to Galway."),
        ("Ana has been in Galway since June.", "I've been in Galway since June", None),  # on a job, in a clinic?
        ("Ana has been in Mensa since June.", "I've been in Mensa since June, it's fun now", None),
        ("Ana left Google for Meta.", "I left Google for Meta", None),
        ("Ana has been in bed since Monday.", "I don't live well any more, I've been in bed since Monday", None),
    ],
)  # fmt: skip
def test_a_home_without_a_word_for_one(fact: str, line: str, now: str | None) -> None:
    assert at_home(fact, line, homes_in(["Ana lives in Cork.", "Ana works at Google."])) == (now or fact)


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("Frances left her husband and moved in with Helen", "two daughters: Helen and Frances"),
        ("Helen told me Frances left her job", "two daughters: Helen and Frances"),
        ("Helen says Frances has left Manchester", "two daughters: Helen and Frances"),
        ("I no longer talk to Frances, only Helen", "two daughters: Helen and Frances"),
        ("Frances fell out with Helen", "two daughters: Helen and Frances"),
        ("Helen passed away and Frances is in pieces", "one daughter: Frances"),
        ("Frances left her body last night", "one daughter: Helen"),
        ("Frances isn't my daughter any more, we fell out with Frances", "one daughter: Helen"),
    ],
)
def test_where_one_of_kin_goes_on_no_other_ends_in_their_place(line: str, left: str) -> None:
    found = standing("Ana has two daughters: Helen and Frances.", line)
    assert found is not None and found.text == f"Ana has {left}."


def test_what_was_said_later_of_a_fact_is_no_part_of_it() -> None:
    fact = 'Ana booked a cabin on Friday for 640; then Ana said: "Halina has the dog. She is off."'
    assert [part.text for part in parts(fact)] == [f"{fact}."]
    assert [part.text for part in parts("Ana has a cat; now Ana has a dog.")] == ["Ana has a cat.", "Ana has a dog."]
