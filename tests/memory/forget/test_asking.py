"""Which lines wish something to be forgotten, what they name, and which are talk."""

from __future__ import annotations

import pytest

from chatmem.memory.forget.asking import Wish, wish_of
from chatmem.memory.language.language import by_code

WISHES = """forget that I hate flying=matter I hate flying|please forget my locker number=matter my locker number
forget everything about Tom=about Tom|you can forget about the trip=matter the trip|Forget Tom.=about Tom
Could you please forget what I told you about my divorce?=matter my divorce|stop remembering my salary=matter my salary
forget all you know about my aunt Rosa=about my aunt Rosa|erase my address from your memory=matter my address
Please forget that my locker number is 4471.=matter my locker number is 4471|can you forget that I smoke=matter I smoke
I want you to forget my phone number, please=matter my phone number|hey, forget the thing about my boss=matter my boss
Forget everything I told you about Lisbon!=about Lisbon|Hi! Please forget my birthday. Thanks!=matter my birthday
please just forget Rosa's number now=matter Rosa's number|delete what I said about Porto from memory=matter Porto
Forget what I just said=last|Forget I said that=last|forget my last message, please=last|forget me=whole
forget everything=whole|Please forget everything you know about me.=whole
Forget I’m allergic to nuts=matter I'm allergic to nuts"""
TALK = """don't forget to call my mum|I'll never forget that day|forget it|I forgot my keys|forget about it|Forget that!
you can forget that|never mind, forget it|Please don't forget that I hate flying|I always forget my keys
I can't forget Tom|how could I forget my own birthday?|let's not forget about the trip|unforgettable trip
My mum said "forget about Tom" yesterday|forget-me-nots are my favourite|Forget me not flowers bloom in May
I want to forget my ex|don't you forget about me|did you forget my birthday?|You forget everything!|forget to call him
Forget Paris is a great film|can you forget things?|remember my locker number|he told me to forget about her
I'd rather forget about yesterday|Please forget them|Do not forget my locker number|Never forget your roots
forgetting names is my talent|delete the file|What if you forget my name?|I will forget my head one day|forget"""


def rows(text: str) -> list[str]:
    return [row for line in text.split("\n") for row in line.split("|")]


@pytest.mark.parametrize("row", rows(WISHES))
def test_a_wish_names_what_is_to_go(row: str) -> None:
    line, _, wanted = row.partition("=")
    kind, _, words = wanted.partition(" ")
    assert wish_of(line) == Wish(kind, words)  # type: ignore[arg-type]


@pytest.mark.parametrize("line", rows(TALK))
def test_talk_of_forgetting_is_no_wish(line: str) -> None:
    assert wish_of(line) is None


def test_a_wish_beside_other_talk_says_so() -> None:
    assert wish_of("I changed my mind. Forget that I like tea.") == Wish("matter", "I like tea", alone=False)
    assert wish_of("Forget that I like tea. " + "And so on. " * 300) is None


def test_a_language_without_words_for_it_wishes_nothing() -> None:
    assert wish_of("forget everything about Tom", by_code("de")) is None
