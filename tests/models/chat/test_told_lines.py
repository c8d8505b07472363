"""What a small model replies to a line that only tells: from the line alone, and not the same again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from chatmem.memory.language.asked.personal import asks_advice, of_the_world
from chatmem.memory.language.asked.telling import only_tells
from chatmem.memory.language.language import by_code, english
from chatmem.memory.values import ASSISTANT, Memory, Recall, RecallItem, Turn, User
from chatmem.models.chat.acknowledged import RIGHTED, SORRY, THANKS, acknowledged
from chatmem.models.chat.answer import SMALL, AnswerAgent
from chatmem.models.lm import Chunk, Message, Options
from tests.models.test_agents import Says

NOW = "2026-11-20T10:00:00Z"
USER = User(1, "ana", "Ana")
TALK = [
    Turn(1, 1, 1, "Ana", "I have a bike.", NOW),
    Turn(2, 1, 1, ASSISTANT, "A bike, how nice.", NOW),
    Turn(3, 1, 1, "Ana", "It is red.", NOW),
    Turn(4, 1, 1, ASSISTANT, "I hope you get better.", NOW),
]
RECALL = Recall("q", (RecallItem(1.0, Memory(1, 1, "Ana", "pets", "Ana has a parrot.", None, NOW, NOW)),))


class InTurn(Says):
    """Says one reply after the other, in pieces of five letters."""

    def __init__(self, *replies: str) -> None:
        super().__init__("")
        self.replies, self.seeds = list(replies), list[int]()

    def generate(self, messages: Sequence[Message], options: Options) -> Iterator[Chunk]:
        self.seeds.append(options.seed)
        reply = self.replies.pop(0)
        yield from (Chunk(reply[at : at + 5]) for at in range(0, len(reply), 5))


def said(lm: InTurn, line: str) -> str:
    return "".join(chunk.text for chunk in AnswerAgent(lm).reply(USER, RECALL, TALK, line, NOW))


@pytest.mark.parametrize(
    ("line", "alone"),
    [
        ("My cat had kittens last night.", True),
        ("haha yes", True),
        ("my mum's birthday is 14 June", True),
        ("I forgot my wifi password", True),
        ("Where do I live?", False),
        ("tell me about my sister", False),
        ("my dog's name", False),
        ("and my sister", False),
        ("you haven't answered me", False),
    ],
)
def test_a_line_that_tells_by_itself_is_answered_by_itself(line: str, alone: bool) -> None:
    assert only_tells(line, english()) is alone
    prompt = AnswerAgent(InTurn()).prompt(USER, RECALL, TALK, line, NOW)
    assert any("parrot" in one.content or "bike" in one.content for one in prompt) is not alone
    assert prompt[-1].content.endswith(line)


def test_other_languages_and_other_speakers_keep_what_they_are_shown() -> None:
    assert not only_tells("Meine Katze hat Junge bekommen.", by_code("de"))
    prompt = AnswerAgent(InTurn(), me="Bo").prompt(USER, RECALL, TALK, "My cat had kittens.", NOW)
    assert "parrot" in " ".join(one.content for one in prompt)


def test_what_was_said_before_is_said_anew_once() -> None:
    lm = InTurn("I hope you get better.", "Good morning to you!")
    assert said(lm, "hello, good morning") == "Good morning to you!"
    assert len({*lm.seeds}) == 2
    assert said(InTurn("I hope you get some rest."), "hello, good morning") == "I hope you get some rest."
    again = InTurn("I hope you get better.", "I hope you get better.")
    assert said(again, "hello, good morning") == "I hope you get better." and not again.replies


@pytest.mark.parametrize(
    ("line", "reply"),
    [
        ("My cat had kittens last night.", THANKS[0]),
        ("hi, my name is Wendel", "Good to meet you, Wendel."),
        ("our old dog died on Sunday", SORRY),
        ("me and Owen broke up", SORRY),
        ("My husband Lothar beats me", SORRY),
        ("my boss hit me yesterday", SORRY),
        ("the venue is on hold but we are not splitting up", THANKS[0]),
        ("actually her birthday is on the 5th", RIGHTED),
        ("I told you wrong earlier: the concert is on the 29th", RIGHTED),
        ("My sister Mia lives in Graz", THANKS[0]),
        ("write me a poem about my cat", None),
        ("I need a recipe for lentil soup", None),
        ("so please help me plan a trip to Rome", None),
        ("my back hurts, entertain me", None),
        ("remind me to call mum tomorrow", None),
        ("I have a question about taxes", None),
        ("that was not what I meant", None),
        ("hello, good morning", None),
        ("thanks a lot", None),
        ("what should I cook?", None),
        ("you forgot my name", None),
        ("Ich wohne in Wien und habe zwei Katzen.", None),
        ("haha yes", None),
    ],
)
def test_who_only_tells_is_thanked(line: str, reply: str | None) -> None:
    assert acknowledged(line) == reply
    lm = InTurn("Yes.")
    assert said(lm, line) == (reply or "Yes.")
    assert bool(lm.replies) is (reply is not None)


def test_thanks_are_said_in_turn_and_another_reply_is_the_models_own() -> None:
    heard: list[str] = []
    for _ in range(2 * len(THANKS)):
        heard.append(acknowledged("My cat had kittens last night.", heard) or "")
    assert heard == [*THANKS, *THANKS]
    again = AnswerAgent(InTurn("Kittens!")).reply(USER, RECALL, TALK, "My cat had kittens.", NOW, attempt=1)
    assert "".join(chunk.text for chunk in again) == "Kittens!"


def test_an_answer_may_be_given_twice() -> None:
    lm = InTurn("A bike, how nice.")
    assert said(lm, "What do I have?") == "A bike, how nice." and not lm.replies


@pytest.mark.parametrize(
    ("question", "advice"),
    [
        ("What's the best way to stay calm?", True),
        ("tell me a joke", True),
        ("Any tips for sleeping better?", True),
        ("What should I cook tonight?", True),
        ("What is my best friend called?", False),
        ("what is the best man called?", False),
        ("Is there milk in the fridge?", False),
        ("Where is the key?", False),
        ("Who are you?", False),
    ],
)
def test_what_nobody_need_have_told_is_not_said_to_be_untold(question: str, advice: bool) -> None:
    assert asks_advice(question, english()) is advice
    refusal = "I don't know that; you haven't told me."
    assert (said(InTurn(refusal, refusal), question) == SMALL) is advice
    assert said(InTurn("Count to ten.", "Count to ten."), question) == "Count to ten."


@pytest.mark.parametrize(
    ("question", "told", "world"),
    [
        ("Who drives the van?", "the garage lent us a van", False),
        ("what was the vicar's name?", "a vicar beat her at chess", False),
        ("What is the gate code?", "It is 5150 at the gate.", False),
        ("Who drives a van?", "the garage lent us a van", True),  # any van
        ("What is the name of the bird that sings at night?", "I forgot her name", True),  # what anything has
        ("How tall is the Eiffel Tower?", "we live in a tower", True),
        ("Where is the end of the rainbow?", "the garage lent us a van", True),
    ],
)
def test_what_is_spoken_of_as_known_is_of_the_world_only_where_nothing_of_it_was_told(
    question: str, told: str, world: bool
) -> None:
    assert of_the_world(question, english(), [told]) is world
