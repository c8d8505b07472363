"""A small model's numbers, days and strangers: what nobody told is said to be untold, what was told stays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from chatmem.memory.language.asked.expects import days, numbers
from chatmem.memory.values import ASSISTANT, Memory, Recall, RecallItem, Turn
from chatmem.models.chat.honest import LONG, checked, honest
from chatmem.models.chat.told.worldly import UNKNOWN, untold
from chatmem.models.files.profiles.profile import SHIPPED
from chatmem.models.lm import Chunk

AT = "2026-11-20T10:00:00Z"


def recalled(question: str, facts: tuple[str, ...], lines: tuple[str, ...] = (), *, general: bool = False) -> Recall:
    items = [RecallItem(1.0, Memory(n, 1, "Ana", "t", fact, None, AT, AT)) for n, fact in enumerate(facts, 1)]
    items += [RecallItem(1.0, None, (turn(n, line),)) for n, line in enumerate(lines, 1)]
    return Recall(question, tuple(items), general=general)


def turn(number: int, text: str, speaker: str = "Ana") -> Turn:
    return Turn(number, 1, 1, speaker, text, AT, "complete", "stored")


def said(recall: Recall, reply: str, recent: tuple[Turn, ...] = ()) -> str:
    return "".join(piece.text for piece in honest(iter([Chunk(reply[:4]), Chunk(reply[4:], "stop")]), recall, recent))


@pytest.mark.parametrize(
    ("question", "reply", "facts"),
    [
        ("How old is Jonas?", "Jonas is 12 years old.", ("Ana's cousin Jonas collects stamps.",)),
        ("how old is Ottilie?", "She is 7.", ("Ana's niece Ottilie beat a 7th form boy.",)),
        ("How old is Leif?", "Leif is 71.", ("Ana's husband Leif walks with a stick.", "Ana is 71.")),
        ("How old is my sister?", "Your sister is 46.", ("Ana's sister is Ilke.", "Ana is 46.")),
        ("how much did my phone cost?", "It cost 200.", ("Ana's bus is the 42.",)),
        ("what is the code of my cabin?", "It's 4471.", ("Ana's cabin is by the lake.",)),
        ("When is my driving test?", "On 14 March.", ("Ana's driving test is on 16 March.",)),
        ("When does Siv start school?", "In September.", ("Ana's daughter Siv likes school.",)),
        ("What does Radek drive?", "Radek drives a car.", ("Ana's colleague Lenka loves opera.",)),
        ("How old is Radek?", "Radek is 40.", ()),
    ],
)  # fmt: skip
def test_what_nobody_told_is_not_told(question: str, reply: str, facts: tuple[str, ...]) -> None:
    general = "Radek" in question
    assert said(recalled(question, facts, general=general), reply) == untold(question)


@pytest.mark.parametrize(
    ("question", "reply", "facts"),
    [
        ("How old is Mila?", "Mila is five.", ("Ana's daughter Mila turned 5 on Sunday.",)),
        ("How old is my sister?", "Your sister is 30.", ("Ana's sister is Ilke.", "Ilke is 30.")),
        ("How old is Mila?", "Mila is 5.", ("Ana's daughter Mila likes cake.", "Ana's daughter turned 5.")),
        ("When does Mila start school?", "In May.", ("Ana's daughter Mila likes cake.", "School starts in May.")),
        ("how old is my aunt?", "Your aunt is 63.", ("Ana's aunt is sixty-three.",)),
        ("how many kids do I have?", "You have two kids.", ("Ana's kids are Mia and Tom.",)),
        ("which bus do i take to work?", "You take the 42.", ("Ana's bus is the 42.",)),
        ("When is my driving test?", "On 16 March.", ("Ana's driving test is on 16 March.",)),
        ("when do I get up?", "At half past two.", ("Ana gets up at half past two.",)),
        ("What does Radek drive?", "A Skoda.", ("Ana's colleague Radek drives a Skoda.",)),
        ("Where does Mila live?", "In Rome, at number 5.", ("Ana's daughter Mila lives in Rome.",)),
    ],
)  # fmt: skip
def test_what_was_told_stays(question: str, reply: str, facts: tuple[str, ...]) -> None:
    assert said(recalled(question, facts), reply) == reply


@pytest.mark.parametrize(
    "question",
    ["Who wrote Hamlet?", "What does Python print?", "How old is the universe?", "When was Bach born?", "12 times 9?"],
)  # fmt: skip
def test_what_is_asked_of_the_world_is_left_alone(question: str) -> None:
    assert said(recalled(question, (), general=True), "It is 108.") == "It is 108."


def test_what_was_just_said_counts_and_what_the_assistant_said_does_not() -> None:
    recall = recalled("How old is Jonas?", ("Ana's cousin Jonas collects stamps.",))
    assert said(recall, "Jonas is 12.", (turn(5, "Jonas is 12."),)) == "Jonas is 12."
    assert said(recall, "Jonas is 12.", (turn(5, "He is 12."),)) == "Jonas is 12."
    assert said(recall, "Jonas is 12.", (turn(5, "Jonas is 12.", ASSISTANT),)) == untold("How old is Jonas?")


def test_what_was_not_told_is_said_in_the_order_of_a_statement() -> None:
    assert untold("When was I born?").startswith("You haven't told me when you were born,")
    assert untold("Where was my sister born?").startswith("You haven't told me where your sister was born,")
    assert untold("Was my phone stolen?").startswith("You haven't told me whether your phone was stolen,")


def test_who_nobody_is() -> None:
    assert said(recalled("Who is Radek?", (), general=True), "A poet.") == (
        "I don't know anything about Radek: you haven't told me."
    )


@pytest.mark.parametrize("question", ["Who is Ida married to?", "Where's Ida working now?", "what is Ida allergic to?"])
def test_of_somebody_who_was_never_told_of_nothing_is_made_up(question: str) -> None:
    assert "Elara" not in said(recalled(question, ("Ana is married to Sam.",)), "Ida married a woman named Elara.")
    told = recalled(question, ("Ana's friend Ida is married to Jens.",))
    assert said(told, "Ida is married to Jens.") != "I don't know anything about Ida: you haven't told me."


def test_numbers_and_days_in_words() -> None:
    assert numbers("thirty-one hens, 7 cows, the 5th") == {"31", "7"}
    assert "5" in numbers("the 5th", ordinals=True)
    assert numbers("two hundred lei, half past three") == {"200", "3"}
    assert days("on Friday in May") == days("a Friday, May") != days("it may be")


def test_a_long_reply_is_shown_while_it_is_written() -> None:
    recall = recalled("Write a poem about my cat Tim, who is how old?", ("Ana's cat is Tim.",))
    words, taken = [Chunk("Tim purrs. ") for _ in range(200)], 0

    def counted() -> Iterator[Chunk]:
        nonlocal taken
        for chunk in words:
            taken += 1
            yield chunk

    reply = honest(counted(), recall)
    next(reply)
    assert taken <= LONG / len("Tim purrs. ") + 1
    assert len(list(reply)) == 199


def test_only_a_small_models_reply_is_looked_at() -> None:
    recall = recalled("How old is Leif?", ("Ana's husband Leif walks with a stick.", "Ana is 71."))
    capable = replace(SHIPPED, capable=True, prompts="plain")
    for profile, looked_at in ((SHIPPED, True), (replace(capable, parameters=1.5), True), (capable, False)):
        reply = "".join(one.text for one in checked(iter([Chunk("Leif is 71.", "stop")]), profile, recall))
        assert (reply == untold(recall.query)) == looked_at, profile


def test_thoughts_pass_and_the_reply_behind_them_is_looked_at() -> None:
    recall = recalled("When is my driving test?", ("Ana's driving test is on 16 March.",))
    reply = [Chunk("", thought="In March."), Chunk("On 14 March.", "stop", thought=" Yes.")]
    shown = list(honest(iter(reply), recall))
    assert "".join(one.thought for one in shown) == "In March. Yes."
    assert "".join(one.text for one in shown) == untold(recall.query)
    assert [one.finish for one in shown if one.finish] == ["stop"]


@pytest.mark.parametrize(
    ("question", "reply", "shown"),
    [
        ("What kind of shop do I have?", "You have a shop.", "You run a second-hand bookshop."),
        ("When is my driving test?", "On 14 March.", "Your driving test is on 16 March."),
        ("What are the names of the cats?", "The names of the cats are Nori and Kit.", ""),
    ],
)
def test_in_place_of_a_wrong_reply_to_what_surely_answers_that_is_said(question: str, reply: str, shown: str) -> None:
    told = {"shop": "Ana runs a second-hand bookshop.", "test": "Ana's driving test is on 16 March."}
    fact = next(
        (fact for word, fact in told.items() if word in question), "Ana has two cats in the shop, Nori and Kit."
    )
    chosen = replace(recalled(question, (fact,)), chosen=shown or "You have two cats in the shop, Nori and Kit.")
    assert said(chosen, reply) == (shown or reply)
    assert untold(question) not in said(chosen, reply)


@pytest.mark.parametrize(
    "question", ["What are the names of the horses?", "what's the parrot called", "the name of the dog?"]
)
def test_an_animal_that_nobody_told_of_has_no_name(question: str) -> None:
    recall = recalled(question, ("Ana's kids are called Ida and Bo.", "Ana has two cats, Nori and Kit."))
    assert said(recall, "It is called Starlight.") == untold(question)


def test_who_is_asked_of_by_what_they_are_is_nobody_made_up() -> None:
    recall = recalled("Who is the mayor of the town?", ("Ana's aunt Rosa is the mayor.",))
    assert said(recall, "The mayor is called Alex.") == untold(recall.query)
    assert said(recalled(recall.query, ()), "The mayor is called Alex.") == UNKNOWN
    assert said(recall, "The mayor is Rosa.") == "The mayor is Rosa."
    assert said(recalled("Who is the mayor of Rome?", ()), "It is Alex.") == "It is Alex."
    assert said(recalled("Who is the pope?", ()), "It is Leo.") == "It is Leo."
    assert said(recalled("Who is the best singer of the world?", ()), "It is Freddie.") == "It is Freddie."


def test_of_told_sentences_one_about_another_animal_gives_way() -> None:
    facts = ("Ana's kids are called Ida and Bo.", "Ana's puppy Rex ate a shoe.")
    recall = recalled("What is the name of the dog?", facts)

    def shown(told: str) -> str:
        return "".join(piece.text for piece in honest(iter([Chunk(told, "stop")]), recall, surely=True))

    assert shown("Your kids are called Ida and Bo.") == "Your puppy Rex ate a shoe."
    assert shown("Your kids are called Ida and Bo. Your puppy Rex ate a shoe.") == "Your puppy Rex ate a shoe."
    assert shown("Your puppy Rex ate a shoe.") == "Your puppy Rex ate a shoe."
    dog = recalled("what's the puppy called?", ("Ana has a dog called Rex.",))
    assert "".join(one.text for one in honest(iter([Chunk("The puppy is Rex.", "stop")]), dog)) == "The puppy is Rex."


WRIST = "Bashir has a busted wrist."


@pytest.mark.parametrize(
    ("question", "reply", "facts"),
    [
        ("which wrist is it Bashir did, left or right?", "It's left.", (WRIST,)),
        ("is Bashir's wrist the left or the right one?", "The right one.", (WRIST,)),
        ("which wrist did bashir bust, left or right", "It's left.", ('Ana said: "bashir is off, busted wrist"',)),
        ("does my sister Lou drive a petrol or a diesel?", "She drives a diesel.", ("Ana's sister Lou drives.",)),
    ],
)  # fmt: skip
def test_of_two_of_which_nobody_told_none_is_taken(question: str, reply: str, facts: tuple[str, ...]) -> None:
    assert said(recalled(question, facts), reply) == untold(question)


@pytest.mark.parametrize(
    ("question", "reply", "facts"),
    [
        ("do I drink tea or coffee?", "You drink tea.", ("Ana drinks tea.",)),
        ("is my sister Lou's Skoda red or blue?", "Her Skoda is red.", ("Ana's sister Lou drives a red Skoda.",)),
        ("is Rex older or younger than me?", "He is younger.", ("Ana's dog Rex is 4.",)),
        ("is a tomato a fruit or a vegetable?", "A tomato is a fruit.", ("Ana grows tomatoes.",)),
        ("should I take the train or the bus to Bashir's wrist doctor?", "The train.", (WRIST,)),
    ],
)  # fmt: skip
def test_of_two_one_may_be_taken_that_was_told_or_follows_or_is_of_the_world(
    question: str, reply: str, facts: tuple[str, ...]
) -> None:
    assert said(recalled(question, facts), reply) == reply
