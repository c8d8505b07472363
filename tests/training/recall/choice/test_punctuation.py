"""What a line lacks is learned from lines that have it, and the chat reads what the trainer computed."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from chatmem.app.cli import main
from chatmem.models.embedder.cross_encoder import files
from chatmem.models.embedder.punctuation.restored import MARKS, NAME, read
from chatmem.training.recall.choice import punctuation_fit, punctuation_rows
from chatmem.training.recall.choice.cross_encoder_fit import CrossConfig, train
from chatmem.training.recall.choice.punctuation_fit import Marker, measured
from chatmem.training.recall.choice.punctuation_rows import Unmarked, drawn, is_marked, said_in_a_breath, unmarked

SAID = [
    "My mum moved in with us in May.", "She has an old cat, Bo, and I'm allergic to it.",
    "What time does the tip close?",
    "The builders are done at last: the kitchen is blue.",
]  # fmt: skip
CONFIG = CrossConfig(steps=3, batch=2, rank=4, shipped=4, warmup=1, save_every=2)


def test_words_come_without_marks_and_with_what_stood_behind_them() -> None:
    found = unmarked("Well, “it's odd” - we left at 10.30! Didn't we? (Yes.)")
    assert list(zip(found.words, (MARKS[kind] for kind in found.classes), strict=True)) == [
        ("Well", ","), ("it's", ""), ("odd", ","), ("we", ""), ("left", ""), ("at", ""), ("10.30", "."), ("Didn't", ""),
        ("we", "?"), ("Yes", "."),
    ]  # fmt: skip


@pytest.mark.parametrize("line", ["no capital.", "No mark", "He is in St. Ives.", "See https://x.org.", "😀 Fine.",
                                  f"It {'went on ' * 14}for ever."])  # fmt: skip
def test_a_line_that_may_lack_marks_is_not_learned_from(line: str) -> None:
    assert not is_marked(line) and all(map(is_marked, SAID))


def test_what_is_put_together_keeps_the_ends_of_its_sentences() -> None:
    rng = random.Random(4)
    for _ in range(50):
        one = said_in_a_breath(SAID, rng)
        assert len(one.words) == len(one.classes)
        assert one.classes.count(2) == 3 and one.classes.count(3) == 1 and one.classes[-1] == 2
        assert not any(word[-1] in ".,?:" for word in one.words)


def test_some_are_in_small_letters_and_without_apostrophes_and_some_are_not() -> None:
    rng = random.Random(4)
    found = [" ".join(said_in_a_breath(SAID, rng).words) for _ in range(80)]
    assert 0 < sum("I'm" in one for one in found) < 20 and any("im " in one for one in found)
    assert any("you know" in one or "like" in one for one in found) and any("oh" in one.split() for one in found)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory, minilm: Path) -> tuple[Marker, Path]:
    out = tmp_path_factory.mktemp("marks")
    trainee = Marker(minilm, CONFIG)
    texts = [unmarked(one) for one in SAID]
    losses: list[float] = []
    train(trainee, lambda step: texts[step : step + 2], out, NAME, lambda done, total, loss: losses.append(loss))
    assert len(losses) == 3 and all(np.isfinite(losses))
    return trainee, out


def test_the_chat_reads_what_was_trained(trained: tuple[Marker, Path]) -> None:
    trainee, out = trained
    restorer = read(out)
    assert restorer is not None
    one = said_in_a_breath(SAID, random.Random(1))
    wanted = float(trainee.loss([one]).detach())
    logits = restorer.logits(one.words)
    shares = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    assert -shares[range(len(one.words)), one.classes].mean() == pytest.approx(wanted, abs=0.05)


def test_it_goes_on_from_what_was_written(trained: tuple[Marker, Path], minilm: Path) -> None:
    trainee, out = trained
    other = Marker(minilm, replace(CONFIG, seed=9))
    other.go_on(out, NAME)
    texts = [unmarked(one) for one in SAID]
    assert float(other.loss(texts).detach()) == pytest.approx(float(trainee.loss(texts).detach()), abs=0.02)


def test_what_is_measured_counts_the_marks_within(trained: tuple[Marker, Path]) -> None:
    class Knows:
        def logits(self, words: list[str]) -> np.ndarray:
            return np.eye(len(MARKS))[[2 if word == "may" else 1 if word == "cat" else 0 for word in words]]

    texts = [Unmarked(("in", "may", "a", "cat", "bo", "x"), (0, 2, 0, 0, 1, 2))]
    table = measured(Knows(), texts)  # type: ignore[arg-type]
    assert table["ends of sentences, F1"] == 1.0 and table["commas, precision"] == 0.0 == table["commas, recall"]
    assert table["any, precision"] == table["any, recall"] == 0.5 and table["words"] == 5


def test_the_command_trains_measures_and_writes(
    tmp_path: Path, minilm: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(punctuation_fit, "CONFIG", CONFIG)
    monkeypatch.setattr(punctuation_fit, "MEASURED", 3)
    out = tmp_path / "run"
    command = ["train", "recall", "--punctuation", "--model", str(minilm), "--out", str(out)]
    assert main(command) == 0
    told = capsys.readouterr().out
    assert "ends of sentences, F1: " in told and read(out) is not None
    (out / files(NAME)[1]).unlink()
    assert main(command) == 1
    assert "delete it" in capsys.readouterr().err


def test_texts_are_drawn_from_lines_that_follow_each_other() -> None:
    rng = random.Random(2)
    for _ in range(30):
        one = drawn([SAID], rng)
        assert 4 <= len(one.words) <= punctuation_rows.WORDS + 25
