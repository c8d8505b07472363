"""Packing's weights are learned from which sentences hold the answer, and are measured on conversations held back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from chatmem.eval.measures.text import all_words
from chatmem.memory.search.line_features import NAMES
from chatmem.training.recall import packing_fit
from chatmem.training.recall.packing_fit import RecalledLines
from chatmem.training.recall.ranker import Ranked
from chatmem.training.recall.rows import EvidenceQuestion

CHATTER = ["Hello there!", "How are you today?", "Wow, that is nice to hear!", "See you around, friend!"]


def question(number: int, talk: str = "talk-1") -> RecalledLines:
    """One right line of three: the first sentence is chatter, the second holds the answer."""
    line = f"{CHATTER[number % 4]} My parrot Kiko{number} whistles. What about yours?"
    said = [("Ana", line), ("Ben", "Nothing new here."), ("Ana", "Traffic was slow again.")]
    return RecalledLines(
        talk, "Which bird whistles?", f"The parrot Kiko{number}", said, [2.0, 0.1, 0.0], [0.9, 0.05, 0.05],
        [True, False, False],
    )  # fmt: skip


def test_the_sentence_with_the_answer_is_right_and_all_of_a_line_that_has_none_of_its_words() -> None:
    row = question(1)
    assert [text for (_, _, text), right in zip(row.cut, row.labels, strict=True) if right] == [
        "My parrot Kiko1 whistles."
    ]
    none = RecalledLines(
        "t", "Is it?", "Yes", [("Ana", "One thing. Another."), ("Ben", "Elsewhere.")], [1, 0], [1, 0], [True, False]
    )
    assert none.labels.tolist() == [1, 1, 0]


def test_a_fit_prefers_what_held_answers_and_tells_it_of_each_group() -> None:
    rows = [question(number, f"talk-{number % 2}") for number in range(40)]
    weights, bias = packing_fit.fit(rows)
    chance = rows[0].signs @ weights + bias
    assert chance.argmax() == rows[0].labels.argmax()
    assert all_words("parrot Kiko0", packing_fit.context(rows[0], (weights, bias)))
    found = packing_fit.table([*rows, replace(question(3, "msc-1"), kind="msc")], [["talk-0", "msc-1"], ["talk-1"]])
    counted = {name.split(", ", 1)[1]: one.n for name, one in found.items()}
    assert counted["LoCoMo, as shipped"] == counted["LoCoMo, fitted anew"] == 40
    assert counted["MSC's chats, as shipped"] == counted["MSC's chats, fitted anew"] == 1
    assert found["200 words hold the answer, LoCoMo, fitted anew"].value == 1.0


def test_lines_come_in_the_rankers_order_with_their_chances() -> None:
    signs = np.zeros((3, len(NAMES)))
    signs[:, NAMES.index("asked")] = [0.5, 1.5, 2.5]
    row = Ranked(EvidenceQuestion("talk-1", 1, "Which bird?", (12,), 4, "a parrot"), [11, 12, 13], signs)
    said = {11: ("Ana", "One."), 12: ("Ben", "A parrot."), 13: ("Ana", "Three.")}
    found = packing_fit.recalled(row, np.array([0.0, 2.0, 1.0]), said)
    assert found.said == [("Ben", "A parrot."), ("Ana", "Three."), ("Ana", "One.")]
    assert found.near == [1.5, 2.5, 0.5] and found.right == [True, False, False]
    assert abs(sum(found.chance) - 1) < 1e-6 and found.chance[0] > found.chance[1] > found.chance[2]
