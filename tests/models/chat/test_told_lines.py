"""What a small model replies to a line that only tells: from the line alone, and not the same again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from chatmem.eval.measures.locomo_score import says_unknown
from chatmem.memory.language.asked.personal import asks_advice, asks_knowhow, of_the_world
from chatmem.memory.language.asked.telling import only_tells
from chatmem.memory.language.language import by_code, english
from chatmem.memory.values import ASSISTANT, Memory, Recall, RecallItem, Turn, User
from chatmem.models.chat.acknowledged import RIGHTED, SORRY, THANKS, acknowledged, unled, unpromising
from chatmem.models.chat.answer import AnswerAgent
from chatmem.models.chat.told.worldly import AGAIN, SMALL, UNKNOWN, shorter, unsure, untold
from chatmem.models.files.profiles.make import Told, make
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
        ("yeah we're back together, the break up's over", THANKS[0]),
        ("Dorothy and I have called it a day", SORRY),
        ("we called it a day after the third coat", THANKS[0]),
        ("My husband Lothar beats me", SORRY),
        ("my boss hit me yesterday", SORRY),
        ("the venue is on hold but we are not splitting up", THANKS[0]),
        ("actually her birthday is on the 5th", RIGHTED),
        ("I told you wrong earlier: the concert is on the 29th", RIGHTED),
        ("My sister Mia lives in Graz", THANKS[0]),
        ("Rita and Carla work for me", THANKS[0]),
        ("I need a recipe for lentil soup", None),
        ("I need a rhyme for my daughter's birthday card, she turns 7 and she is mad about otters", None),
        ("we need a speech therapist for my son Tom", THANKS[0]),
        ("I have a quiz on Friday at the pub", THANKS[0]),
        ("I'd love a limerick about my dog Rex.", None),
        ("I need a best man speech for my brother's wedding.", None),
        ("My daughter and I fancy a quiz on Fridays.", THANKS[0]),
        ("Łukasz and Anna live in Derby", THANKS[0]),
        ("Sam and Priya wedding in June", None),
        ("Change of plan, we're not going to Whitby, we've booked Tenby instead", THANKS[0]),
        ("my back hurts, entertain me", None),
        ("remind me to call mum tomorrow", None),
        ("I have a question about taxes", None),
        ("that was not what I meant", None),
        ("hello, good morning", None),
        ("thanks a lot", None),
        ("you forgot my name", None),
        ("Ich wohne in Wien und habe zwei Katzen.", None),
        ("haha yes", None),
        ("I'm actually from Plymouth, so home is far away", THANKS[0]),
        ("No, both are true, of course.", THANKS[0]),
        ("You've noted that I like Lena's work, but it was Milo's.", RIGHTED),
        ("It's not the Fiat, it's the Skoda", RIGHTED),
        ("The film was not so good, we left early", THANKS[0]),
        ("My boss is not mean, but he shouts a lot", THANKS[0]),
        ("I like tea rather than coffee in the evening", THANKS[0]),
        ("No, she is called Mia, not Pia", RIGHTED),
        ("my back is bad, the doctor says sciatica, put me on naproxen with my breakfast", THANKS[0]),
        ("get a lift off Sandra most nights, she does the same shifts as me", THANKS[0]),
        ("my mum always said a bad back is God's way of telling you to sit down", THANKS[0]),
        ("my sister turns 40 on Friday, write a poem that she will like", None),
        ("take the bus", None),
        ("my dad turns 70 next week, think of a present for him", None),
        ("I live in Leeds now and I work for the council, look up the bus times to town", None),
        ("would you believe it, they've put me back to the 2nd of April", THANKS[0]),
        ("would you believe it?", None),
    ],
)
def test_who_only_tells_is_thanked(line: str, reply: str | None) -> None:
    assert acknowledged(line) == reply
    lm = InTurn("Yes.")
    assert said(lm, line) == (reply or "Yes.")
    assert bool(lm.replies) is (reply is not None)


@pytest.mark.parametrize(
    ("line", "reply", "heard"),
    [
        ("dans moved out", "I'll keep that in mind.", THANKS[0]),
        ("ta, laters", "I'll keep it in mind.", "Okay."),
        ("yo im meera", "Hi Meera! I'll remember that.", "Hi Meera!"),
        ("hiya there", "I'll remember that. How are you?", "How are you?"),
        ("hiya there", "Hello! How are you?", "Hello! How are you?"),
        ("his pension is 96 pounds, not that you'd notice", "96 pounds a month, that's a good price.", THANKS[0]),
        ("you'd laugh at my bill, 90 pounds", "90 pounds, that's a long day. How are you?", "How are you?"),
        ("you see, they've put it up", "A fair price for a pension.", "Okay."),
        ("you see, they've put it up", "Thanks for putting that right.", "Okay."),
        ("hello you, 70 today", "Happy birthday, 70 is a good age!", "Happy birthday, 70 is a good age!"),
        ("you wait for months, then you wait again", "I'll wait six months. I've been to the hospital.", "Okay."),
        ("do you like me?", "Yes, I do. I'll keep it under 10 words.", "Yes, I do."),
        ("do you like me?", "No, I'll keep it simple.", "Okay."),
    ],
)
def test_a_small_model_promises_nothing(line: str, reply: str, heard: str) -> None:
    assert said(InTurn(reply), line).strip() == heard
    ended = unpromising(iter([Chunk(reply), Chunk("", "stop", 9)]), line)
    assert [(one.finish, one.prompt_tokens) for one in ended][-1] == ("stop", 9)


def test_what_is_to_be_in_so_many_words_is_no_order_to_the_model() -> None:
    told = "Your essay must be in 200 words. I'll keep my garden."
    assert "".join(one.text for one in unled(iter([Chunk(told, "stop")]), "how long must it be?")) == told


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
def test_what_a_small_model_does_not_know_is_said_to_be_untold_where_it_may_be(question: str, advice: bool) -> None:
    assert asks_advice(question, english()) is advice
    refusal, lm = "I don't know that; you haven't told me.", InTurn("It's by the door.", "It's by the door.")
    instead = untold(question) if " my " in question else SMALL if advice or " you" in question else UNKNOWN
    assert said(InTurn(refusal, refusal), question) == instead
    assert says_unknown(UNKNOWN) and not says_unknown(SMALL)
    assert said(lm, question) == (SMALL if advice else "It's by the door.")


KNOWHOW = """got any tips for revising|can you reccomend a film to cheer me up|any ideas for a cheap date
how do you work out the bending moment of a simply supported beam|how do i get over a breakup|any good gyms in leeds
Suppose I sold the Skoda for 4,200. Would that be a fair price?|what do i say to my boss if im late
help me revise structures|write a poem about rain|should i text her back|hey, what's the best way to learn spanish?
write me a poem about my cat|so please help me plan a trip to Rome|do you reckon i should quit my job
give me 3 ideas for dinner|can you write my essay"""
OF_A_LIFE = """what's my boss called|how do i know Meera|how do i get to work|what tips did jo give me
did i tell you about the car|who is meera|do you think of me as old|what does my sister write|imagine, i got the job!
the best way to spend a sunday was with Jo|should i be at work on sunday|any news from dan is nice|how do i like my tea
i suggest a film every friday|how do i earn my money?|How do I get around town?"""


@pytest.mark.parametrize("line", [one for row in KNOWHOW.splitlines() for one in row.split("|")])
def test_advice_and_what_is_to_be_made_is_never_said_to_be_untold(line: str) -> None:
    assert asks_knowhow(line, english())
    lm = InTurn("I don't know your boss's name; you haven't told me.")
    assert (said(lm, line), len(lm.replies)) == (SMALL, 1)


@pytest.mark.parametrize("line", [one for row in OF_A_LIFE.splitlines() for one in row.split("|")])
def test_what_may_have_been_told_is_no_such_line(line: str) -> None:
    assert not asks_knowhow(line, english())
    assert said(InTurn("Jo.", "Jo."), line) != SMALL


@pytest.mark.parametrize(
    ("question", "reply", "kept"),
    [
        ("whats the capital of ghana", "The capital of Ghana is Accra.", True),
        ("are you a robot", "I'm a robot.", True),
        ("how many ml in a pint", "A pint is 120 ml.", False),
        ("what's 15% of 80", "You're 15% of 80.", False),
        ("who wrote hamlet", "I'll keep it in mind.", False),
    ],
)
def test_a_reply_about_the_world_holds_no_invented_number_and_speaks_of_none_of_the_two(
    question: str, reply: str, kept: bool
) -> None:
    assert said(InTurn(reply, reply), question) == (reply if kept else UNKNOWN)


def test_what_was_only_asked_before_isnt_told() -> None:
    text = "whats the offside rule"
    asked = Turn(2, 1, 2, "Ana", "whats the offside rule in simple terms", NOW)
    wrong = Turn(3, 1, 3, ASSISTANT, 'It\'s called a "right offside."', NOW)
    found = Recall(text, (RecallItem(1.0, None, (asked, wrong)),))
    lm = InTurn("I don't know; you haven't told me.", "unused")
    reply = AnswerAgent(lm).reply(USER, found, (), text, NOW)
    assert ("".join(chunk.text for chunk in reply), len(lm.replies)) == (UNKNOWN, 1)


def test_that_the_model_is_small_is_told_at_length_once_in_a_talk() -> None:
    assert [one.text for one in shorter(iter([Chunk(SMALL)]), ["Okay."])] == [SMALL]
    assert [one.text for one in shorter(iter([Chunk(SMALL)]), ["Okay.", SMALL])] == [AGAIN]
    assert [one.text for one in shorter(iter([Chunk("Paris.")]), [SMALL])] == ["Paris."]


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


def test_before_what_may_be_the_answer_it_is_not_said_that_nothing_was_found() -> None:
    assert unsure("how much will the rent be in January") == "I'm not sure."
    assert says_unknown(unsure("how much will the rent be in January"))
    assert unsure("how old is Ida?") == untold("how old is Ida?")


@pytest.mark.parametrize(("line", "reply", "shown"), [
    ("My name is Priscilla.", "My name is Priscilla.", "Good to meet you, Priscilla."),
    ("I'm Priscilla.", "I'm Priscilla.", "Okay."),
    ("Hello!", "Hello!", "Hello!"),
    ("I'm Priscilla.", "I'm pleased to meet you.", "I'm pleased to meet you."),
])  # fmt: skip
def test_a_small_model_of_ones_own_says_no_line_again(line: str, reply: str, shown: str) -> None:
    small = make(Told("qwen2.5-1.5b", parameters=1.5, trained_window=32768))
    chunks = AnswerAgent(InTurn(reply), profile=small).reply(USER, Recall(line), (), line, NOW)
    assert "".join(chunk.text for chunk in chunks) == shown
