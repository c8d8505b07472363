"""Whom a reply speaks to: facts told to their user, and a small model that took the asker's part."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from chatmem.models.chat.second_person import HELD, speaks_as_asker, spoken_to, to_asker, to_second_person
from chatmem.models.lm import Chunk


def written(text: str) -> Iterator[Chunk]:
    """The reply word by word, as a model streams it."""
    words = text.split(" ")
    for place, word in enumerate(words):
        last = place == len(words) - 1
        yield Chunk(word if last else f"{word} ", "stop" if last else None, completion_tokens=len(words) if last else 0)


def told(question: str, reply: str) -> str:
    return "".join(chunk.text for chunk in spoken_to(written(reply), question))


@pytest.mark.parametrize(
    ("question", "reply", "instead"),
    [
        ("Which subject do I teach?", "I teach geography.", "You teach geography."),
        ("What's my job?", "I'm a baker, and my sister is a vet. I was born in Rome.",
         "You're a baker, and your sister is a vet. You were born in Rome."),
        ("Do I like tea?", "I like it, and I am fond of cake.", "You like it, and you are fond of cake."),
        ("where do we live?", "We live in our boat.", "You live in your boat."),
        ("which food makes me sick?", "Milk makes me sick.", "Milk makes you sick."),
        ("which city do I work in?", "The city I work in is Cologne.", "The city you work in is Cologne."),
        ("who calls me?", "Duncan calls me on Sundays. He is my son.", "Duncan calls you on Sundays. He is your son."),
        ("what's my motto?", 'Yours says "follow me".', 'Yours says "follow me".'),
        ("Is the dog mine?", "My dog is Ruff. The cat isn't mine.", "Your dog is Ruff. The cat isn't yours."),
    ],
)  # fmt: skip
def test_a_reply_in_the_askers_part_is_turned_to_them(question: str, reply: str, instead: str) -> None:
    assert told(question, reply) == instead


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("What's my name?", "I don't have any information about that."),
        ("Where do I live?", "I'm not sure."),
        ("What am I allergic to?", "I apologize, but I can't say."),
        ("What's my job?", "I don't know what your job is."),
        ("What did I lose?", "I think it was the blue key."),
        ("What's my cat called?", "Your cat is Tim. I like that name."),
        ("What did you suggest for my garden?", "I proposed roses."),
        ("What is photosynthesis?", "I like that question: plants eat light."),
        ("I teach geography.", "I love maps."),
    ],
)
def test_what_an_assistant_says_of_itself_stays(question: str, reply: str) -> None:
    assert told(question, reply) == reply


def test_a_long_reply_is_not_waited_for() -> None:
    reply, taken = "Your plan is long " + "and longer " * 100, 0

    def counted() -> Iterator[Chunk]:
        nonlocal taken
        for chunk in written(reply):
            taken += 1
            yield chunk

    first = next(spoken_to(counted(), "What's my plan?"))
    assert first.text and taken < 2 * HELD / 4


def test_counts_of_tokens_come_with_the_turned_reply() -> None:
    chunks = list(spoken_to(written("I teach maths."), "What do I teach?"))
    assert chunks[-1].finish == "stop" and chunks[-1].completion_tokens == 3


def test_the_name_of_the_one_spoken_to_stays() -> None:
    for name in ("Irene", "User"):
        assert to_second_person("The user's name is Irene.", name) == "Your name is Irene."
    assert to_second_person("The user's name day is in May.", "User") == "Your name day is in May."


def test_what_a_fact_quotes_is_told_as_a_quotation() -> None:
    fact = 'Irene said: "My mum is ill, so I stay here."'
    assert to_second_person(fact, "Irene") == "You told me: “My mum is ill, so I stay here.”"
    assert to_second_person(fact, "Ana").startswith("Irene said")


def test_the_first_word_alone_tells_nothing() -> None:
    assert not speaks_as_asker("Incredible maps hang there.") and speaks_as_asker("I hang maps.")
    assert to_asker("I'd say it's mine, I've paid.") == "You'd say it's yours, you've paid."


def test_thoughts_are_shown_at_once_and_stay_apart() -> None:
    chunks = [Chunk("", thought="Hm. "), Chunk("I ", thought="A job."), Chunk("teach maths.", "stop")]
    shown = list(spoken_to(iter(chunks), "What do I teach?"))
    assert "".join(one.thought for one in shown) == "Hm. A job."
    assert "".join(one.text for one in shown) == "You teach maths."
    assert [one.finish for one in shown if one.finish] == ["stop"] and shown[-1].finish


@pytest.mark.parametrize(
    ("question", "reply", "told"),
    [
        ("who do I live with?", "You haven't told me who Ana lives with.", "You haven't told me who you live with."),
        ("what is my dog called?", "Ana's dog is called Rex.", "Your dog is called Rex."),
        ("what do I do?", "Ana works at a bakery.", "You work at a bakery."),
        ("what's my name?", "You're Ana.", "You're Ana."),
        ("what's my name?", "Your name is Ana, I think.", "Your name is Ana, I think."),
        ("where does my sister Ana live?", "Ana lives in Graz.", "Ana lives in Graz."),
    ],
)
def test_who_is_told_of_by_name_is_spoken_to(question: str, reply: str, told: str) -> None:
    assert "".join(one.text for one in spoken_to(written(reply), question, "Ana")) == told


@pytest.mark.parametrize(
    ("fact", "told"),
    [
        ("Ana moved to Leeds in May with their husband Ken.", "You moved to Leeds in May with your husband Ken."),
        ("Ana wishes they lived by the sea.", "You wish you lived by the sea."),
        ("Ana feeds her cat.", "You feed your cat."),
        ("Ana lives with her brother.", "You live with your brother."),
        ("Ana lives with Sam and their dog.", "You live with Sam and their dog."),
        ("Ana called Sam about their car.", "You called Sam about their car."),
        ("Ana looks after the twins and their rabbit.", "You look after the twins and their rabbit."),
        ("Ana's mum lives with their aunt.", "Your mum lives with their aunt."),
        ("Ana told Mia about her car.", "You told Mia about her car."),
        ("Ana misses her.", "You miss her."),
        ("Ana asked her to move in.", "You asked her to move in."),
        ("Ana saw her leave.", "You saw her leave."),
        ("Ana gets migraines when she doesn't sleep enough.", "You get migraines when you don't sleep enough."),
        ("Ana walks the dog when she barks.", "You walk the dog when she barks."),
        ("Ana likes Mia because she sings.", "You like Mia because she sings."),
        (
            "Ana would love to row, but at the moment Ana only runs on Sundays.",
            "You would love to row, but at the moment you only run on Sundays.",
        ),
        ("Ana moved because the boss gave Ana boots.", "You moved because the boss gave you boots."),
        ("Ana's boss left and gave Ana boots.", "Your boss left and gave you boots."),
    ],
)
def test_what_is_theirs_is_yours_unless_somebody_else_is_meant(fact: str, told: str) -> None:
    assert to_second_person(fact, "Ana") == told


@pytest.mark.parametrize(
    ("fact", "told_so"),
    [
        ("The guy is gone, but Marta still lives in Ghent.", "The guy is gone, but you still live in Ghent."),
        ("Marta's sister knows that Marta likes plums.", "Your sister knows that you like plums."),
        ("Marta moved because Marta really wants peace.", "You moved because you really want peace."),
        ("Marta's dog died when Marta was nine.", "Your dog died when you were nine."),
        ("Tom left, but Marta sometimes cooks for him.", "Tom left, but you sometimes cook for him."),
        ("It closed, so Marta afterwards studied law.", "It closed, so you afterwards studied law."),
        ("The dog likes Tom and Marta besides food.", "The dog likes Tom and you besides food."),
        ("The parcel which Marta sent is lost.", "The parcel which you sent is lost."),
    ],
)
def test_a_verb_behind_the_name_inside_of_a_fact_agrees(fact: str, told_so: str) -> None:
    assert to_second_person(fact, "Marta") == told_so


@pytest.mark.parametrize(
    ("fact", "told"),
    [
        ("The spring concert of Ana is on the 29th.", "Your spring concert is on the 29th."),
        ("A friend of Ana lives in Rome.", "A friend of yours lives in Rome."),
        ("The grandfather of Ana's wife is 80.", "The grandfather of your wife is 80."),
    ],
)
def test_what_is_somebodys_is_theirs(fact: str, told: str) -> None:
    assert to_second_person(fact, "Ana") == told


@pytest.mark.parametrize(
    ("fact", "told"),
    [
        ("Ana's car is a Fiat.", "Your car is a Fiat."),
        ("Mr Hale charged Ana 73 euros.", "Mr Hale charged you 73 euros."),
        ("The dog obeys Ruiz, and Ana feeds it.", "The dog obeys you, and you feed it."),
        ("Ana would be nearer to Ida.", "You would be nearer to Ida."),
        ("Ana Ruiz had an operation on their left eye.", "You had an operation on your left eye."),
        ("Ana Ruiz's daughter Ana sings.", "Your daughter Ana sings."),
        ("Ana Ruiz likes the actor Ana Lund and Mrs. Ruiz.", "You like the actor Ana Lund and Mrs. Ruiz."),
        ("Ana Ruiz has a boat called Ana.", "You have a boat called Ana."),
    ],
)
def test_a_part_of_the_users_name_is_them_too_where_nobody_else_is_meant(fact: str, told: str) -> None:
    assert to_second_person(fact, "Ana Ruiz", ["I did.", "My name is Ana Ruiz."]) == told


def test_what_a_line_tells_of_the_name_is_of_another_and_a_month_is_none() -> None:
    assert to_second_person("Ana is 30.", "Ana Ruiz", ["Ana is 30."]) == "Ana is 30."
    assert to_second_person("Ana is 30.", "Ana Ruiz") == "Ana is 30."  # nobody knows from which line it came
    assert to_second_person("May Lund's boat was sold in May.", "May Lund", ["Mine."]) == "Your boat was sold in May."
