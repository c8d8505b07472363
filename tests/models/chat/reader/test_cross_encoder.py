"""The cross-encoder reads a question and a sentence together, and has its say in what answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from chatmem.memory.errors import ModelBroken, ModelNotFound
from chatmem.memory.values import Memory, Turn
from chatmem.models.chat.reader import chooser as choosers
from chatmem.models.chat.reader import cross_encoder
from chatmem.models.chat.reader.chooser import READ, Crossed, as_data, crossed_by, from_data
from chatmem.models.chat.reader.cross_encoder import ADAPTER, FOLDER, HEAD, MOST, shown_as
from chatmem.models.chat.reader.sentences import Sentence
from chatmem.models.embedder.minilm import DEFAULT_FILE, MAX_TOKENS, LlamaEmbedder

SAID = "2024-05-03T09:00:00Z"
KNOWN = (
    "Ana's sister Mia lives in Graz.",
    "Ana: I have two cats, Nori and Wasabi",
    "Ana drives a blue Fiat Panda.",
    "Ana: the dentist has a new chair",
)


@pytest.mark.parametrize(
    ("question", "answers"),
    [("what are my cats called?", 1), ("which town is Mia's home?", 0), ("what car do I have?", 2)],
)
def test_what_answers_stands_above_the_others(question: str, answers: int) -> None:
    crossing = cross_encoder.load()
    assert crossing is not None
    found = crossing.logits("Ana", question, KNOWN)
    assert int(found.argmax()) == answers
    # 0: none of them. Processors whose products of 8 bits are summed in another order differ by a tenth.
    assert found[answers] > -0.1 and np.delete(found, answers).max() < min(0, found[answers] - 1)


def test_what_nobody_told_is_below_none() -> None:
    crossing = cross_encoder.load()
    assert crossing is not None
    for question in ("what is my blood group?", "who cuts my hair?"):
        assert crossing.logits("Ana", question, KNOWN).max() < 0


def test_words_of_a_line_come_with_who_said_them_and_with_what_they_go_on_from() -> None:
    turn = Turn(1, 1, 1, "Ana", "My cat is Figaro. He is 7.", SAID)
    assert shown_as("Ana", Sentence("He is 7.", 0, turn.text, turn=turn)) == "Ana: He is 7."
    leaning = Sentence("He is 7.", 0, turn.text, turn=turn, before="My cat is Figaro.")
    assert shown_as("Ana", leaning) == "Ana: He is 7. (My cat is Figaro.)"
    long = "and " * 100
    assert shown_as("Ana", Sentence(long, 0, long, turn=turn)) == f"Ana: {long}"[:MOST]
    fact = Memory(1, 1, "Ana", "pets", "Ana has a cat.", None, SAID, SAID)
    assert shown_as("Ana", Sentence(fact.fact, 0, "pets", memory=fact)) == "Ana has a cat."


def test_a_pair_is_cut_but_never_its_end() -> None:
    model = LlamaEmbedder(DEFAULT_FILE, 1)
    long = "word " * 400
    first, *_ = model.embed_pairs(long, [long, "cat"])
    assert first.shape == (model.dimensions,)
    assert len(list(model.embed_pairs("who?", ["a", "b", "c"]))) == 3
    assert MAX_TOKENS == 256
    with pytest.raises(ModelNotFound, match="adapter"):
        LlamaEmbedder(DEFAULT_FILE, 1, adapter=Path("nowhere.gguf"))
    with pytest.raises(ModelBroken, match="adapter"):
        LlamaEmbedder(DEFAULT_FILE, 1, adapter=DEFAULT_FILE)


def test_without_its_files_there_is_none_and_a_broken_one_is_told(tmp_path: Path) -> None:
    assert cross_encoder.load(tmp_path) is None
    for name in (ADAPTER, HEAD):
        (tmp_path / name).write_bytes((FOLDER / name).read_bytes())
    assert cross_encoder.load(tmp_path) is not None
    (tmp_path / HEAD).write_text(json.dumps({"weights": ["much"], "bias": 0}))
    with pytest.raises(ModelBroken, match="reinstall"):
        cross_encoder.load(tmp_path)


def test_it_reads_the_likeliest_alone_and_the_others_count_as_the_worst() -> None:
    best, asked = np.linspace(0, 3, READ + 4), list[int]()

    def logits(places: Sequence[int]) -> np.ndarray:
        asked.extend(places)
        return np.array([5.0 if place == READ else -2.0 for place in places])

    crossed = Crossed((0.1, 1.0, 0.0), (0.0, 1.0, 0.5), 0.0, 0.0)
    found = crossed_by(crossed, best, np.zeros(len(best)), 9.0, logits)
    assert asked == list(range(4, READ + 4))
    assert int(found.shares.argmax()) == READ
    assert found.surety == pytest.approx(5.5, abs=0.02)


def test_its_bounds_are_its_own_and_are_kept() -> None:
    chooser = choosers.load()
    assert chooser is not None
    crossed = Crossed((0.5, 1.0, 0.4), (0.3, 0.7, -0.1), -4.0, -3.0)
    made = from_data(as_data(replace(chooser, crossed=crossed)))
    assert made.crossed == crossed
    assert [made.answers(one, crossed=True) for one in (-5.0, -3.5, -2.0)] == ["not", "perhaps", "surely"]
    assert made.answers(chooser.none - 0.1) == "not"
