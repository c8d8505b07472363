"""A memory can be read by the areas of a life, whatever free topics a model wrote."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from chatmem.memory.language.facts.areas import area, areas, label
from chatmem.memory.store.store import Store


@pytest.mark.parametrize(
    ("topic", "fact", "expected"),
    [
        ("salary", "Ana earns 2,000 a month.", "work"),
        ("favourite colour", "Ana's favourite colour is green.", "tastes"),
        ("lease", "Ana's lease runs out in June.", "home"),
        ("sister", "Ana's sister Mia lives in Rome.", "people"),
        ("childhood pet", "Ana had a hen.", "pets"),
        ("", "Ana is allergic to nuts.", "health"),
        ("xyzzy", "Ana's cat Nori sleeps a lot.", "pets"),
        ("xyzzy", "Ana's father's alarm code is 12.", "belongings"),  # whose it is, is no area of it
        ("", "Ana's sister Mia is kind.", "people"),
        ("", "Ana said so.", "other"),
    ],
)
def test_a_topic_has_an_area_and_else_its_fact(topic: str, fact: str, expected: str) -> None:
    assert area(topic, fact) == expected
    assert expected in areas()


def test_it_is_shown_with_its_sub_topic() -> None:
    assert label("salary") == "work: salary"
    assert label("pets") == label("pet") == "pets"
    assert label("", "Ana has a dog.") == "pets"


def test_a_list_by_area_holds_all_of_its_topics(tmp_path: Path) -> None:
    with contextlib.closing(Store.open(tmp_path / "chatmem.db")) as store:
        _by_area(store)


def _by_area(store: Store) -> None:
    user = store.users.get("ana")
    for topic, fact in (("salary", "Ana earns well."), ("job", "Ana is a nurse."), ("pets", "Ana has a cat.")):
        store.facts.remember(user.id, "Ana", topic, fact)
    assert [one.topic for one in store.facts.all(user.id, topic="work")] == ["salary", "job"]
    assert [one.topic for one in store.facts.all(user.id, topic="Work", newest=True, limit=1)] == ["job"]
    assert [one.topic for one in store.facts.all(user.id, topic="work", offset=1)] == ["job"]
    assert [one.topic for one in store.facts.all(user.id, topic="salary")] == ["salary"]
