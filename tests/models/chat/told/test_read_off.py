"""A reply is held against what was told of the very one that is asked of; what answers is read off."""

from __future__ import annotations

import pytest

from chatmem.memory.values import Memory, Recall, RecallItem, Turn
from chatmem.models.chat.honest import honest
from chatmem.models.chat.told.worldly import untold
from chatmem.models.lm import Chunk

AT = "2026-11-20T10:00:00Z"
REFUSAL = "You haven't told me that."


def said(question: str, reply: str, facts: tuple[str, ...] = (), lines: tuple[str, ...] = ()) -> str:
    items = [RecallItem(1.0, Memory(n, 1, "Ana", "t", fact, None, AT, AT)) for n, fact in enumerate(facts, 1)]
    turns = [Turn(2 * n, 1, 1, "Ana", line, AT, "complete", "stored") for n, line in enumerate(lines, 1)]
    items += [RecallItem(1.0, None, (turn,)) for turn in turns]
    return "".join(piece.text for piece in honest(iter([Chunk(reply, "stop")]), Recall(question, tuple(items))))


@pytest.mark.parametrize(
    ("question", "reply", "facts", "lines"),
    [
        ("What's the name of the fishing shop?", "It's called Harbour.", ("Ana lives above a shop for rods.",), ()),
        ("What is Tibor's wife called?", "Zita.", (), ("Tibor came along.", "I brought my wife Zita.")),
        ("What's my hamster's name?", "It's Dune.", ("Ana is reading Dune.",), ()),
        ("What colour is my moped?", "It's red.", ("Ana has a moped.", "Ana's tent is red."), ()),
        ("When is my aunt's birthday?", "On 3 May.", ("Ana's aunt comes on 3 May.",), ()),
        ("What does my uncle do for work?", "He is a cook.", ("Ana is a cook.", "Ana's uncle likes chess."), ()),
        ("What am I planning for Bram?", "You plan a trip.", ("Ana has two boys named Sem and Daan.",), ()),
        ("What instrument does Zita play?", "The bass.", ("Ana's cousin Zita can't eat eggs.", "Ana plays bass."), ()),
        ("What am I knitting for Bo?", "A cake.", ("Ana bakes a cake.",), ("Bo reads a lot.",)),
        ("What did Zita have removed?", "A tooth.", (), ("My aunt Zita sings.", "I had a tooth removed.")),
        ("Does Zita live in Graz?", "Yes, Zita lives in Graz.", ("Ana's aunt Zita sings.", "Ana lives in Graz."), ()),
        ("Where does Ilka live?", "In Graz.", (), ("My sister Ilka calls on Sundays.", "I like Graz.")),
        (
            "What am I allergic to?",
            "You're allergic to plums.",
            (),
            ("My mate Bo is allergic to plums.", "I'm a nurse."),
        ),
        (
            "In which city do I live?",
            "You live in Graz.",
            ("Ana's aunt Zita lives in Graz.", "Ana carves puppets."),
            (),
        ),
        ("What is my parrot called?", "It's Sultan.", ("Ana's landlord Bo has a parrot called Sultan.",), ()),
        (
            "What is my parrot called?",
            "It's Sultan.",
            ("Ana's boss Bo has a parrot called Sultan.",),
            ("Sultan is loud.",),
        ),
        ("Which instrument do I play?", "You play the bass.", ("Ana's cousin Zita plays the bass.",), ()),
    ],
)
def test_what_was_not_told_of_them(question: str, reply: str, facts: tuple[str, ...], lines: tuple[str, ...]) -> None:
    assert said(question, reply, facts, lines) == untold(question)


@pytest.mark.parametrize(
    ("question", "reply", "facts", "lines", "told"),
    [
        ("How old is Brunhilde?", REFUSAL, ("Brunhilde is 9 years old.",), (), "Brunhilde is 9 years old."),
        ("How old is Jonas?", "He is 71.", ("Ana's son Jonas turned 9.", "Ana is 71."), (), "Your son Jonas turned 9."),
        ("What's my dog called?", "Rex.", ("Ana's greyhound is called Nelly.",), (), "Your greyhound is called Nelly."),
        ("Where is my spare key?", REFUSAL, (), ("The spare key is under the blue pot.",),
         "You told me: “The spare key is under the blue pot.”"),
        ("When does the pottery course start?", REFUSAL, ("Ana's pottery course starts on 3 May.",), (),
         "Your pottery course starts on 3 May."),
        ("How many eggs are in each box?", REFUSAL, ("Ana has 7 boxes with 24 eggs in each box.",), (),
         "You have 7 boxes with 24 eggs in each box."),
        ("Where do I keep the spare key?", REFUSAL, ("Ana's spare key is under the blue pot.",), (),
         "Your spare key is under the blue pot."),
        ("What is Ilka allergic to?", REFUSAL, ("Ilka is allergic to plums.",), (), "Ilka is allergic to plums."),
        ("What is Ilka allergic to?", "Peanuts.", ("Ilka is allergic to plums.",), (), "Ilka is allergic to plums."),
        ("What is Bo mad about?", "Your birthday is in May.", (), ("Bo is 9.", "He's in form 3, and mad about owls."),
         "You told me: “He's in form 3, and mad about owls.”"),
        ("What's my trade?", "You're Ana.", ("Ana is a bookbinder.", "The user's name is Ana."), (),
         "You are a bookbinder."),
        ("What's my job?", "You're Ana.", ("Ana likes tea.", "Ana tunes pianos."), (), "You tune pianos."),
        ("What's my trade?", "You drink tea.", ("Ana is a bookbinder.", "Ana drinks tea."), (),
         "You are a bookbinder."),
        ("which of my brothers lives in graz", REFUSAL, ("Bo lives in Graz.",), (), "Bo lives in Graz."),
        ("which brother fixes bikes", "Mo fixes bikes.", ("Bo fixes bikes.",), ("Mo bakes and Bo fixes bikes.",),
         "Bo fixes bikes."),
        ("What does Ilka do now?", "Ilka is allergic to plums.", ("Ilka is allergic to plums.", "Ilka is a nurse."), (),
         "Ilka is a nurse."),
        ("Which of my goats gives the most milk?", "Pip gives the most milk.", (), ("Lotte gives the most milk.",),
         "You told me: “Lotte gives the most milk.”"),
    ],
)  # fmt: skip
def test_what_answers_is_read_off(
    question: str, reply: str, facts: tuple[str, ...], lines: tuple[str, ...], told: str
) -> None:
    assert said(question, reply, facts, lines) == told


@pytest.mark.parametrize(
    ("question", "reply", "facts", "lines"),
    [
        ("What's my dog called?", "Your dog is Nelly.", ("Ana's greyhound is called Nelly.",), ()),
        ("Where is my spare key?", "Under the blue pot.", (), ("The spare key is under the blue pot.",)),
        ("Where is my spare tyre?", REFUSAL, (), ("The spare key is under the blue pot.",)),
        ("How much is one box of eggs?", REFUSAL, ("Ana has 7 boxes with 24 eggs in each box.",), ()),
        ("What did Ilka die of?", REFUSAL, ("Ilka died in May.",), ()),
        ("What is Ilka allergic to?", "To plums.", ("Ilka is allergic to plums.",), ()),
        ("Which of my goats gives the most milk?", "Lotte does.", (), ("Lotte gives the most milk.",)),
        ("What is my sister's job?", "Your sister is a vet.", ("Ana's sister Ilka is a vet.",), ()),
        ("What should I call my new goat?", "What about Flora?", ("Ana has a goat.",), ()),
        ("What's the name of my book?", "You're reading Dune.", ("Ana is reading Dune.",), ()),
        ("How old is my moped?", "It's from 1978.", ("Ana has a moped from 1978.",), ()),
        ("What instrument does Zita play?", "The bass.", ("Ana's cousin Zita plays the bass.",), ()),
        ("What did Zita have removed?", "A tooth.", (), ("My aunt Zita was out.", "She had a tooth removed.")),
        ("What am I knitting for Bo?", "A scarf.", (), ("I'm knitting Bo a scarf.",)),
        ("How many cats does Zita have?", "She has two.", ("Ana's cousin Zita has Pip and Momo.",), ()),
        ("When did Zita call?", "Yesterday.", ("Ana's cousin Zita sings.",), ()),
        (
            "What am I allergic to?",
            "To plums.",
            ("Ana's mate Bo is allergic to plums.", "Ana is allergic to plums."),
            (),
        ),
        ("Where do I live?", "In Graz.", (), ("My wife and I moved to Graz.", "My aunt Zita lives in Graz.")),
        ("Where do I meet Zita?", "At the lido.", ("Ana's aunt Zita swims at the lido.",), ()),
        (
            "What do I do on Fridays?",
            "You take Bo to judo.",
            (
                "Ana's son Bo has judo on Fridays.",
                "Ana takes Bo.",
            ),
            (),
        ),
        ("Where is my home?", "Your home is Durban.", (), ("Home is Durban, near the beach.", "I teach geography.")),
        ("What is my flat like?", "It's small.", (), ("The flat is small.",)),
        ("Is Ilka happy?", "I think so.", ("Ana's sister Ilka got a job.",), ()),
    ],
)
def test_a_right_reply_and_a_right_refusal_stay(
    question: str, reply: str, facts: tuple[str, ...], lines: tuple[str, ...]
) -> None:
    assert said(question, reply, facts, lines) == reply


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        ("How old is Superman?", ()),
        ("How old is Superman?", ("I love Superman comics.",)),
        ("What is the name of Hamlet's mother?", ("Hamlet is my favourite play, I read it twice.",)),
        ("Where does Sherlock Holmes live?", ("I've read every book with Sherlock Holmes.",)),
        ("What's the name of the capital of Peru?", ("I have a cat.",)),
        ("What colour is the sky on Mars?", ("I have a cat.",)),
        ("When was Mozart born?", ("I listen to Mozart a lot.",)),
    ],
)
def test_what_everybody_may_know_is_not_refused(question: str, lines: tuple[str, ...]) -> None:
    assert said(question, "About so much.", (), lines) == "About so much."
