"""Which kind of thing a question wants, and of whom."""

from __future__ import annotations

import pytest

from chatmem.memory.language.told.asked import Kind, want


@pytest.mark.parametrize(
    ("question", "kind", "head", "owner", "mine"),
    [
        ("How old is Mila?", "age", "mila", "", False),
        ("hey, can you tell me how old my aunt is?", "age", "aunt", "", True),
        ("what age is grandpa", "age", "grandpa", "", False),
        ("What's the name of the garden centre where I worked?", "name", "centre", "", False),
        ("What is Tibor's sister called?", "name", "sister", "tibor", False),
        ("do you remember my mother in law's name?", "name", "mother-in-law", "", True),
        ("what names did we give the goats?", "name", "goats", "", False),
        ("What's the name of Mr. Kovac's boat?", "name", "boat", "mr kovac", False),
        ("What is the name of that café near the mill?", "name", "café", "", False),
        ("What kind of work does my uncle do?", "job", "uncle", "", True),
        ("Where is Ilka living now?", "home", "ilka", "", False),
        ("What colour is our tent?", "colour", "tent", "", True),
        ("when is my cousin's birthday?", "birthday", "cousin", "", True),
        ("What does my uncle do for a living?", "job", "uncle", "", True),
        ("In which town does Ilka live now?", "home", "ilka", "", False),
        ("Where does my brother work?", "workplace", "brother", "", True),
    ],
)
def test_what_is_wanted_of_whom(question: str, kind: Kind, head: str, owner: str, mine: bool) -> None:
    found = want(question)
    assert found is not None
    assert (found.kind, found.head, found.owner, found.mine) == (kind, head, owner, mine)


def test_of_the_one_who_asks() -> None:
    found = want("how old am i?")
    assert found is not None and found.me and found.kind == "age"


@pytest.mark.parametrize(
    "question",
    [
        "How old is she?", "What is it called?", "What am I called?", "What should I call my dog?", "Who wrote Hamlet?",
        "What does my sister like?", "How many cats do I have?", "My cat is called Pip.", "What do I do on Mondays?",
    ],
)  # fmt: skip
def test_what_leans_on_the_talk_or_is_of_another_form_wants_nothing_here(question: str) -> None:
    assert want(question) is None
