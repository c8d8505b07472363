"""What a wish in words of its own may be asked about: no fact that has nothing of the thing it names."""

from __future__ import annotations

from chatmem.memory.forget.wanted.sharing import sharing
from chatmem.memory.store.store import Store
from chatmem.memory.values import Memory
from tests.memory.lives import fresh

FACTS = ("User's dentist is on 3 December.", "User can do the latte machine.", "User sells flat whites.")


def facts(store: Store) -> list[Memory]:
    user = store.users.get("ana")
    for fact in FACTS:
        store.facts.remember(user.id, "User", "talk", fact)
    return store.facts.all(user.id)


def test_of_a_thing_that_is_known_nothing_else_is_offered() -> None:
    with fresh() as store:
        known = facts(store)
        assert [one.fact for one in sharing("can the dentist thing please be gone, they rang", known)] == [FACTS[0]]


def test_what_may_be_told_in_other_words_is_left_to_the_model() -> None:
    with fresh() as store:
        known = facts(store)
        assert sharing("can the pregnancy thing please be gone, they rang", known) == known
        assert sharing("my sister reads along, so what I earn has to vanish", known) == known


def test_of_what_a_wish_says_it_is_about_nothing_else_is_offered() -> None:
    with fresh() as store:
        user = store.users.get("ana")
        store.facts.remember(user.id, "User", "money", "Greg borrowed four thousand from User.")
        known = facts(store)
        wish = "I shouldn't have said that about Greg and the money. Put it out of your head, would you."
        assert [one.fact for one in sharing(wish, known)] == ["Greg borrowed four thousand from User."]
        assert sharing("I shouldn't have said anything about that. Out of your head with it.", known) == known
