"""Wishes to forget in words that no rule knows, as the shipped model reads them, and what is no wish."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from chatmem.memory.errors import ModelBroken
from chatmem.memory.forget.asking import LONGEST_LINE, wish_of
from chatmem.memory.language.language import by_code, english
from chatmem.memory.values import Turn
from chatmem.models.chat.forgetting.wished import MEANT, WISHED, Wishes, read_as, wish_logits, wishes
from chatmem.models.embedder import cross_encoder
from chatmem.models.storage.own_evidence import own_part

WISHED_LINES = (
    ("", "I'd sleep better if what I told you about my liver weren't stored in you any more"),
    ("", "My sister reads along on this laptop, so the business with the loan has to vanish from your memory."),
    ("I voted for the other side, by the way.", "hmm no. you never heard that from me, get it out of your head"),
    ("", "could whatever i said about jonas last night please not be in there tomorrow"),
    ("We hid the key under the third pot.", "Oh, that was stupid, I don't want you to know where it is."),
)
TALK = (
    ("", "I forgot my umbrella at Ida's again"),
    ("", "don't let me forget the milk on the way home"),
    ("", "We deleted the whole photo library by mistake and Tom cried."),
    ("", "this is a secret, but I'm expecting a baby in May"),
    ("I have a dog called Max.", "that's wrong, sorry, he's called Moritz"),
    ("", "How long do you keep what I tell you?"),
    ("", "my grandmother's memory is going, she forgets our names"),
    ("", "remove the last sentence of the poem, please"),
    ("", "I want him out of my life, he took the car and the dishes"),
    ("", "The train leaves at six and I still have to pack."),
)
FACTS = (
    "Ana owes the bank 4,000 euros.",
    "Ana's brother Felix is a welder.",
    "Ana keeps two rabbits.",
    "Ana lives in Graz.",
)


@pytest.fixture(scope="module")
def model() -> Wishes:
    found = wishes()
    assert found is not None
    return found


def test_a_wish_is_seen_in_words_that_no_rule_knows(model: Wishes) -> None:
    assert all(wish_of(line) is None for _, line in WISHED_LINES)
    assert [model.is_wish(line, before) for before, line in WISHED_LINES].count(True) >= 4


def test_talk_with_such_words_is_talk(model: Wishes) -> None:
    assert [line for before, line in TALK if model.is_wish(line, before)] == []


@pytest.mark.parametrize(
    "line",
    [
        "can't see them getting it off all of us",
        "can't see them getting rid of the whole thing",
        "I doubt they'll ever get rid of it",
        "Can't see him giving up the allotment.",
        "I can't imagine the council taking it all off the list",
        "don't think Tom would ever throw all of that out",
    ],
)
def test_what_others_wont_do_is_no_wish(model: Wishes, line: str) -> None:
    assert not model.is_wish(line, "They want 40 pounds a year for the garden bins now")


@pytest.mark.parametrize(
    "line",
    [
        "I can't imagine you keeping that, get it off my file",
        "don't think he would want this kept in your memory",
        "I don't think my ex should be in there any more",
        "I doubt you need to keep my weight",
        "I can't bear reading the stuff about my weight again, get it out of there",
        "I doubt it should stay, the bit about the bottle",
    ],
)
def test_a_wish_may_begin_with_a_doubt(model: Wishes, line: str) -> None:
    assert model.is_wish(line)


def test_by_the_way_makes_no_wish_of_talk(model: Wishes) -> None:
    assert not model.is_wish("By the way the Birkenhof people rang again about my rehab", "I like jazz")
    assert model.is_wish("By the way, the thing about Leo should really vanish", "I like jazz")


def test_a_line_with_the_words_of_a_wish_may_surely_be_talk(model: Wishes) -> None:
    lines = (
        "Forget about the rain, we're going to the lake anyway",
        "forget the gym tonight, I'm far too tired for it",
        "Forget Rome, Naples is where you get a real pizza",
        "you can forget about getting your money back from them",
        "Delete the second paragraph and make the rest shorter",
    )
    assert [model.is_talk(line) for line in lines].count(True) >= 4
    wishes = [line for _, line in WISHED_LINES]
    wishes += ["Please forget what I earn at the harbour", "Can you delete what I told you about my knee, please?"]
    assert not any(model.is_talk(line) for line in wishes) and not model.is_talk("forget Rome")


def test_a_short_order_is_no_wish(model: Wishes) -> None:
    for line in ("let us go on", "leave it", "cancel that", "no more of that", "take it out of the list"):
        assert not model.is_wish(line, "My sister Ana lives in Rome.") and model.without(line, english()) == line


def test_what_is_meant_is_told_from_what_is_near(model: Wishes) -> None:
    found = model.meant("My mother must never see what I owe, so you'd better not know it either", FACTS)
    assert found[:1] == [0] and 2 not in found and 3 not in found
    assert model.meant("that has to go", ()) == []


def test_the_rest_of_a_line_is_left(model: Wishes) -> None:
    wish = "I don't want you to know how much I owe any more, get that out of your memory."
    assert model.without(f"My rabbit is called Nori. {wish}", english()) == "My rabbit is called Nori."
    assert model.without("My rabbit is called Nori.", english()) == "My rabbit is called Nori."
    assert model.without(wish, english()) == ""


def test_what_is_no_sure_wish_is_still_read_for_facts(model: Wishes) -> None:
    line = "I threw away all his letters last night"
    assert model.without(line, english()) == line


def test_no_fact_is_told_by_such_a_line(model: Wishes) -> None:
    line = "I don't want you to know how much I owe any more, get that out of your memory."
    assert own_part(Turn(1, 1, 1, "Ana", line, "2026-11-24T09:00:00Z"), wishes=model).turn is None


def test_what_it_was_not_trained_for_is_left_alone(model: Wishes) -> None:
    assert not model.is_wish("that has to leave your memory at once " * (LONGEST_LINE // 30))
    assert not model.is_wish(" ")
    german = "Das mit dem Kredit muss weg, vergiss es bitte ganz."
    assert model.without(german, by_code("de")) == german


def test_a_line_is_read_with_the_one_before() -> None:
    assert read_as("wipe it", "I voted blank.") == "(I voted blank.) wipe it" and read_as("wipe it") == "wipe it"


def test_a_head_without_bounds_says_what_to_do(tmp_path: Path) -> None:
    adapter, head = cross_encoder.files(WISHED)
    (tmp_path / adapter).write_bytes((cross_encoder.FOLDER / adapter).read_bytes())
    data = json.loads((cross_encoder.FOLDER / head).read_text(encoding="utf-8"))
    (tmp_path / head).write_text(json.dumps({"weights": data["weights"], "bias": data["bias"]}), encoding="utf-8")
    encoder, means = cross_encoder.read(WISHED, tmp_path), cross_encoder.load(MEANT)
    assert encoder is not None and means is not None
    with pytest.raises(ModelBroken, match="train recall --wished"):
        Wishes(encoder, means)


def test_a_line_too_short_to_be_a_wish_is_not_even_read() -> None:
    read = list[str]()

    class Sees(cross_encoder.CrossEncoder):
        def logits(self, text: str, others: Sequence[str]) -> np.ndarray:
            read.extend(others)
            return np.arange(len(others), dtype=np.float64)

    long = "that about my knee has to go, please"
    sees = Sees(cross_encoder.Head(np.zeros(1), 0.0), Path())
    lines = [("leave it", "I went home."), (long, ""), ("let us go on", ""), (long, "I fell.")]
    assert wish_logits(sees, lines).tolist() == [-np.inf, 0.0, -np.inf, 0.5]
    assert read == [long, long, f"(I fell.) {long}"]


def test_a_line_is_a_wish_by_itself_and_by_what_was_said_before_together() -> None:
    class Encoder:
        def logits(self, _asked: str, texts: Sequence[str]) -> np.ndarray:
            return np.array([8.0 if text.startswith("(") else 2.0 for text in texts])

    line = "Kevin is a girl, and we keep the name"
    found = wish_logits(Encoder(), [(line, "I called him Kevin."), (line, "")])  # type: ignore[arg-type]
    assert found.tolist() == [5.0, 2.0]
