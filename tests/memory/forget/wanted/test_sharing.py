"""What a wish in words of its own may be asked about: no fact that has nothing of the thing it names."""

from __future__ import annotations

import pytest

from chatmem.memory.forget.wanted.sharing import names_other, sharing
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


MORE = [
    ("Put my loan out of your head, I'm worried about my mother", "User has a loan.", "User's mother is Ida."),
    ("Put my loan out of your head, I worry about Ida", "User has a loan.", "User's mother is Ida."),
    ("I'm worried about my daughter Ida reading this, so what I earn has to vanish", "User earns 900.", "Ida is six."),
    ("What I told you about lunch with Jo at the bank, gone please: my overdraft", "User is overdrawn.", "Jo is kind."),
    ("What I told you about Jo and lunch, gone please, and my overdraft", "User is overdrawn.", "Jo is kind."),
    ("Worried about everything about Jo. Out of your head with the loan.", "User has a loan.", "Jo is kind."),
    ("My overdraft and what I told you about Jo, gone please", "User is overdrawn.", "Jo is kind."),
    ("The money situation - nobody needs to know that I'm broke", "User is broke.", "User saves money for a boat."),
    ("The kayak situation - nobody needs to know that I'm broke", "User is broke.", "User has a kayak."),
    ("that talk about my ex has to vanish", "Tom hit User.", "User's ex is Tom."),
    ("what I told you about my ex has to vanish", "Tom hit User.", "User's ex is Tom."),
]


@pytest.mark.parametrize(("wish", "meant", "other"), MORE)
def test_where_a_wish_names_more_or_only_a_common_word_all_is_left_to_the_model(
    wish: str, meant: str, other: str
) -> None:
    with fresh() as store:
        user = store.users.get("ana")
        for fact in (meant, other):
            store.facts.remember(user.id, "User", "talk", fact)
        known = store.facts.all(user.id)
        assert sharing(wish, known) == known


OF_IT = ["What I told you about Greg has to vanish", "that about the Greg thing, gone please", "my Greg story must go"]


@pytest.mark.parametrize("wish", OF_IT)
def test_of_one_who_is_named_alone_nothing_else_is_offered(wish: str) -> None:
    with fresh() as store:
        user = store.users.get("ana")
        store.facts.remember(user.id, "User", "work", "Greg drinks at work.")
        assert [one.fact for one in sharing(wish, facts(store))] == ["Greg drinks at work."]


@pytest.mark.parametrize(
    ("wish", "last", "other"),
    [
        ("that thing with Emil and Passau is best gone", "I like jazz", True),
        ("please let this business with the mafia vanish", "I like jazz", True),
        ("I'd feel better if you never knew that about Emil", "I like jazz", True),
        ("that thing with Emil is best gone", "Emil is in prison", False),
        ("please let that be forgotten, Max", "I lost money", False),
        ("Scrub that, OK? Thanks", "I stole 200 euros", False),
        ("I'd feel better if that was gone from here", "I like jazz", False),
    ],
)
def test_who_names_what_the_last_line_has_nothing_of_does_not_mean_that(wish: str, last: str, other: bool) -> None:
    assert names_other(wish, last) is other
