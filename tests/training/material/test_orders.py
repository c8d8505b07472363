"""Orders to an assistant: varied, with every slot filled, and split so that one manner is never trained on."""

from __future__ import annotations

import itertools
import random
import re

from chatmem.memory.values import ASSISTANT
from chatmem.training.material.templates.generate import generate
from chatmem.training.material.templates.orders import beside, manners, order, replies, with_orders
from chatmem.training.material.templates.phrases import small_talk
from chatmem.training.material.templates.slots import slot_lists, slots_of


def test_there_are_manners_enough_and_one_is_held_out_whole() -> None:
    held = [manner for manner in manners() if manner.held_out]
    assert len(manners()) > 9 and len(held) == 1
    assert not held[0].of("train") and held[0].of("valid") == held[0].wordings
    for manner in manners():
        assert len(manner.wordings) >= 9, manner.name
        assert not set(manner.of("train")) & set(manner.of("valid"))
    known = set(slot_lists())
    for text in (text for manner in manners() for text in manner.wordings):
        assert {slot.partition("#")[0] for slot in slots_of(text)} <= known | {"errand"}, text


def test_orders_are_filled_and_varied() -> None:
    for split, most in (("train", 900), ("valid", 250)):
        orders = [order("Ana", random.Random(seed), split) for seed in range(1_000)]
        assert not [one.text for one in orders if re.search(r"[{}|]|==|\s\s|^\s|\s$", one.text)]
        assert len({one.text for one in orders}) > most * 0.6, split
    assert all(not reply.endswith("|") and reply for reply in replies())


def test_what_is_held_out_is_never_ordered_in_training() -> None:
    trained = {order("Ana", random.Random(seed), "train").manner for seed in range(400)}
    valid = [order("Ana", random.Random(seed), "valid").manner for seed in range(400)]
    held = {manner.name for manner in manners() if manner.held_out}
    assert not trained & held and trained == {manner.name for manner in manners()} - held
    assert 140 < sum(name in held for name in valid) < 260


def test_a_talk_with_orders_tells_the_same() -> None:
    for talk in generate(3, 12):
        more = with_orders(talk, random.Random(1), "train")
        assert more.golds == talk.golds and more.questions == talk.questions
        assert len(more.lines) > len(talk.lines)
        said = [line.speaker == ASSISTANT for line in more.lines]
        assert not any(one and two for one, two in itertools.pairwise(said))
        told = [line.text for line in talk.lines if line.facts]
        kept = [line.text for line in more.lines if line.facts]
        assert all(text.rstrip(".") in longer for text, longer in zip(told, kept, strict=True))


def test_what_is_told_and_what_is_ordered_share_a_line() -> None:
    lines = {beside("i'm vegan", "Suggest a menu.", random.Random(seed)) for seed in range(20)}
    assert lines == {"i'm vegan. Suggest a menu.", "Suggest a menu. i'm vegan"}
    assert {beside("I'm vegan!", "Suggest a menu?", random.Random(seed)) for seed in range(20)} == {
        "I'm vegan! Suggest a menu?",
        "Suggest a menu? I'm vegan!",
    }


def test_no_order_is_small_talk_of_the_other_split() -> None:
    """What stands in both files would leak from training into validation."""
    talk = {said.lower() for split in ("train", "valid") for said, _ in small_talk(split)}
    assert not talk & {text.lower() for manner in manners() for text in manner.wordings}
