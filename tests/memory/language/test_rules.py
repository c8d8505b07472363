"""The rules of English take their words from `Language`, and are silent for any other."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import chatmem.memory.language
from chatmem.memory.language.about_others import about_another, apart, people
from chatmem.memory.language.dates import find_dates
from chatmem.memory.language.kinship import plainly_related, relations
from chatmem.memory.language.language import UNKNOWN, by_code, english
from chatmem.memory.language.own_name import told_name
from chatmem.memory.language.question import Question, stands_alone
from chatmem.memory.language.third_person import retold
from chatmem.memory.language.told.promises import claimed_save
from chatmem.memory.language.words import query_words

NOW = "2026-05-08T12:00:00Z"
ROOM = Path(chatmem.memory.language.__file__).parent
FILES = sorted(ROOM.rglob("*.toml"))


def test_english_has_every_kind_of_word() -> None:
    language = english()
    assert language.claims and language.code == "en" and language is english()
    assert {"the", "and"} <= language.stop and "i" in language.first_person and "not" in language.negations
    assert (language.numbers["twelve"], language.unit_numbers["a"], len(set(language.months.values()))) == (12, 1, 12)
    assert (language.months["sept"], language.weekdays["sunday"], language.seasons["fall"]) == (9, 6, 9)
    assert language.feasts["halloween"] == (10, 31) and language.relations["mums"] == "mother"
    assert "who" in language.asking and "she" in language.referring


@pytest.mark.parametrize("language", [UNKNOWN, by_code("de")])
def test_another_language_claims_nothing(language) -> None:  # type: ignore[no-untyped-def]
    assert not language.claims
    assert not (language.stop | language.self_words | language.second_person | language.negations)
    assert not (language.numbers or language.months or language.relations or language.feasts)


def test_no_rule_fires_on_a_line_of_another_language() -> None:
    other = by_code("de")
    assert told_name("my name is Ana", other) is None
    assert about_another("Actually, Mia moved to Porto.", "Ana", language=other) is None
    assert apart("Mia works as a baker and I visit her.", "Ana", language=other)[1] == []
    assert retold("I live in Graz", "Ana", other) is None
    assert claimed_save("I'll remember that.", other) is None
    assert not stands_alone("Where does Mia live?", other)
    assert relations("my mum", other) == set() and plainly_related("my mum", other) == "my mum"
    assert find_dates("am 3. May und 2026-05-01", NOW, language=other) == [("2026-05-01", "2026-05-01")]
    assert query_words("Wo ist die Katze", other) == ["wo", "ist", "die", "katze"]


def test_a_question_knows_its_language() -> None:
    german = Question("Wann war ich im Mai mit meiner Schwester in Wien?", "Ana", NOW)
    assert german.language.code == "de" and "mit" in german.words
    assert not german.asks_when and not german.dates("2026-05-01")
    assert Question("When was I there?", "Ana", NOW).asks_when


@pytest.mark.parametrize(
    "line",
    """So Netflix went down|Boston won last night|Amazon lost the parcel|Well, Spotify has ads now
Apple bought a startup|So Tesla is a joke|Bluetooth works again|Chelsea left the league|Paris was lovely
And Google broke my phone|Oh, Ikea got a new cafe|Portugal needs rain|Nvidia turned a profit
Actually, Windows started updating|So Vienna is expensive""".replace("\n", "|").split("|"),
)
def test_what_no_person_need_do_is_no_persons_life(line: str) -> None:
    assert about_another(line, "Ana") is None
    assert (
        about_another(line, "Ana", people([("Ana", "Ana watches Netflix."), ("Ana", "Ana lives in Boston.")])) is None
    )


@pytest.mark.parametrize(
    "line",
    """Mia moved to Porto|Leo lost his job|Rosa got married|Well, Rosa is pregnant|Leo works nights|Mia broke her arm
Zoe turned 7|Leo plays the cello|Mia has two kids|Nora retired|By the way, Rosa is a nurse|Leo started a new job"""
    .replace("\n", "|").split("|"),
)  # fmt: skip
def test_what_people_alone_do_is_somebodys_life(line: str) -> None:
    told = about_another(line, "Ana")
    assert told is not None and told.name in line


@pytest.mark.parametrize("line", ["So Mia went down", "Mia won last night", "Leo has got a boat", "Leo was there"])
def test_whoever_is_known_may_do_anything(line: str) -> None:
    known = people([("Ana", "Ana's sister Mia lives in Berlin."), ("Leo", "Leo is a cook.")])
    assert about_another(line, "Ana", known) is not None


def test_who_is_known_as_a_person() -> None:
    facts = [("Ana", "Ana's sister Mia lives in Graz."), ("Ana", "Zoe is Ana's daughter."), ("Leo", "Leo is a cook."),
             ("Ana", "Ana has a friend called Bo."), ("Ana", "Ana watches Netflix in Boston.")]  # fmt: skip
    assert people(facts) == {"Ana", "Mia", "Zoe", "Leo", "Bo"}


def test_a_title_is_no_name() -> None:
    facts = ["Ana's neighbour Mrs. Olga Brandt grows roses.", "Ana's boss Dr Vik is late.", "Ana's friend Lady sings."]
    assert people(("Ana", fact) for fact in facts) == {"Ana", "Olga", "Vik", "Lady"}


@pytest.mark.parametrize(
    ("clause", "told"),
    [
        ("I feed my cat and read books", "Ana feeds Ana's cat and reads books."),
        ("I sing and dance", "Ana sings and dances."),
        ("I get up early, feed the cat and write a diary", "Ana gets up early, feeds the cat and writes a diary."),
        ("I'm a nurse and teach yoga", "Ana is a nurse and teaches yoga."),
        ("we grow tomatoes and keep bees", "Ana grows tomatoes and keeps bees."),
        ("I swim every day and also write poems", "Ana swims every day and also writes poems."),
        ("I love skiing and golf", "Ana loves skiing and golf."),
        ("I love tea and dark chocolate", "Ana loves tea and dark chocolate."),
        ("I went home and read books", "Ana went home and read books."),
        ("I like to swim and read books", "Ana likes to swim and read books."),
        ("I can cook and bake bread", "Ana can cook and bake bread."),
        ("I have fed my cat and read books", "Ana has fed Ana's cat and read books."),
        ("I feed cats and walk dogs", None),  # "walk" may be a noun
        ("my sister bakes and I feed her cat", None),  # the rules don't see whose verb it is
    ],
)
def test_a_verb_that_and_adds_agrees_or_the_clause_is_not_told(clause: str, told: str | None) -> None:
    assert retold(clause, "Ana") == told


def lists(value: Any, name: str = "") -> Iterator[tuple[str, list[str]]]:
    """Each list of words or phrases in a file, patterns left out, with its name."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from lists(one, f"{name}.{key}" if name else key)
    elif isinstance(value, list):
        yield name, [one for one in value if isinstance(one, str)]
    elif isinstance(value, str) and "(" not in value:
        yield name, [" ".join(one.split()) for one in value.split("|")] if "|" in value else value.split()


@pytest.mark.parametrize("path", FILES, ids=[path.relative_to(ROOM).as_posix() for path in FILES])
def test_no_list_says_a_word_twice(path: Path) -> None:
    found = lists(tomllib.loads(path.read_text(encoding="utf-8")))
    assert not {name: twice for name, words in found if (twice := [w for w, n in Counter(words).items() if n > 1])}
