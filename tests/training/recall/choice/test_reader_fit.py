"""The fit of the reader: the right sentence is chosen, and a question without one is unsure."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from chatmem.memory.store.store import Store
from chatmem.models.chat.reader.chooser import as_data, from_data
from chatmem.models.chat.reader.sentences import SIGNS
from chatmem.models.embedder.minilm import LlamaEmbedder
from chatmem.training.material.templates.told import read_talk
from chatmem.training.recall.choice.reader_fit import Case, asides, cases_of, fitted, measured


def cases(count: int, seed: int) -> list[Case]:
    """Of a told question one sentence covers it, beside another of the same line; of an untold one none does."""
    rng, made, half = np.random.default_rng(seed), list[Case](), len(SIGNS) // 2
    for number in range(count):
        told = number % 3 > 0
        own = rng.normal(size=(6, half))
        own[:, 0] = rng.normal(0.0, 0.3, 6)
        right, near = np.zeros(6, bool), np.zeros(6, bool)
        if told:
            own[2, 0], right[2], near[2:4] = 3.0, True, True
        made.append(Case(f"question {number}", told, np.c_[own, own - own.max(axis=0)], right, near))
    return made


def test_the_right_one_is_chosen_on_others_than_those_learned_from() -> None:
    table = measured(fitted(cases(300, 1)), cases(300, 2))
    assert table["the best sentence is right"].value > 0.9
    assert table["the first sentence is right"].value < 0.3
    assert table["never told, unsure or nothing"].value > 0.8
    assert table["taken out, unsure or nothing"].value > 0.8
    assert table["told, unsure or nothing"].value < 0.25


def test_without_its_answer_a_case_keeps_none_of_its_lines() -> None:
    one = cases(2, 3)[1]
    assert one.without.shape == (4, len(SIGNS))
    assert one.without[:, len(SIGNS) // 2 :].max(axis=0) == pytest.approx(0)


def test_what_is_written_is_read_again() -> None:
    chooser = fitted(cases(90, 4))
    again, one = from_data(as_data(chooser)), cases(2, 5)[1].signs
    assert again.shares(one) == pytest.approx(chooser.shares(one), abs=0.02)
    assert again.surety(one) == pytest.approx(chooser.surety(one), abs=0.1)


def test_what_asks_for_advice_or_of_the_world_is_a_case_that_nothing_answers(
    tmp_path: Path, embedder: LlamaEmbedder
) -> None:
    talk = read_talk(
        "Ana\nL: I play the oboe in Bern.\nF: music | Ana plays the oboe in Bern.\nL: is an oboe hard to learn?\n"
        "L: what a day\nQ: what do I play? | You play the oboe. | oboe | 1\nG: who invented the oboe?\n",
        datetime(2024, 5, 1, tzinfo=UTC),
    )
    assert asides(talk) == ["who invented the oboe?", "is an oboe hard to learn?"]
    with Store.open(tmp_path / "talk.db", embedder=embedder) as store:
        found = cases_of(store, [talk], "talk", beside=True)
        assert [case.aside for case in cases_of(store, [talk], "again")] == [False]
    assert [(case.text, case.told, case.aside) for case in found] == [
        ("what do I play?", True, False), *((one, False, True) for one in asides(talk)),
    ]  # fmt: skip
    assert found[0].right.any()
    assert not any(case.right.any() or "is an oboe hard" in " ".join(case.sentences) for case in found[1:])
