"""The cross-encoder is trained: rows ask for what answers, an interruption loses little, and the chat reads what the
trainer computed."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from chatmem.app.cli import main
from chatmem.models.chat.reader import cross_encoder
from chatmem.models.chat.reader.chooser import from_data, load
from chatmem.models.chat.reader.cross_encoder import NAME
from chatmem.models.chat.reader.sentences import SIGNS
from chatmem.training.material.templates.told import (
    asked_aslant,
    further_talks,
    told_talks,
    unseen_further_talks,
    week_talks,
)
from chatmem.training.recall.choice import crossed_fit
from chatmem.training.recall.choice.cross_encoder_fit import CrossConfig, Row, Trainee, asked, batches, cut, row, train
from chatmem.training.recall.choice.crossed_fit import Looked, crossed_over, fitted, measured
from chatmem.training.recall.choice.of_another import of_another
from chatmem.training.recall.choice.reader_fit import Case
from tests.training.material.few import few

CONFIG = CrossConfig(steps=6, batch=2, rank=4, warmup=1, save_every=2)


def case(told: bool, right: int, question: str = "who?") -> Case:
    holds = np.arange(12) == right if told else np.zeros(12, bool)
    shown = tuple(f"Ana: this is sentence {n}" for n in range(12))
    return Case(question, told, np.zeros((12, len(SIGNS))), holds, holds, "Ana", shown, shown)


def test_a_row_shows_what_answers_first_and_few_others() -> None:
    made = row(case(True, 7), False, CONFIG, random.Random(1))
    assert made.text == "Ana: who?"
    assert made.right == 1
    assert made.shown[0] == "Ana: this is sentence 7"
    assert len(made.shown) == len({*made.shown}) == CONFIG.shown
    assert {*made.shown} >= {f"Ana: this is sentence {n}" for n in range(4)}  # the first that search found
    without = row(case(True, 7), True, CONFIG, random.Random(1))
    assert without.right == 0
    assert "Ana: this is sentence 7" not in without.shown


def own(question: str, *told: str) -> Case:
    """A question whose first sentence answers it."""
    holds = np.arange(len(told)) == 0
    shown = tuple(one if one.startswith("Ana") else f"Ana: {one}" for one in told)
    return Case(question, True, np.zeros((len(told), len(SIGNS))), holds, holds, "Ana", told, shown)


@pytest.mark.parametrize(
    ("question", "told", "by"),
    [
        ("when is my birthday?", "My birthday is on 3 May.", r"Ana: My [\w-]+ [A-Z]\w+'s birthday is on 3 May\."),
        ("where do I work?", "I work at the bakery.", r"Ana: My [\w-]+ [A-Z]\w+ works at the bakery\."),
        ("how old am I?", "Ana is 52.", r"Ana's [\w-]+ [A-Z]\w+ is 52\."),
        ("when is my sister's birthday?", "My birthday is on 3 May.", ""),
        ("who baked it?", "I baked it.", ""),
        ("what do I drive?", "The car is red.", ""),
        ("what do I drive?", "Ana sold Ana's car.", ""),
    ],
)
def test_what_was_told_of_the_asker_is_told_of_somebody_else(question: str, told: str, by: str) -> None:
    found = of_another(own(question, told), 0, random.Random(3))
    assert re.fullmatch(by, found) if by and found else found is None and not by


def test_half_of_the_questions_about_ones_own_show_it_as_another_s() -> None:
    asked_of = own("when is my birthday?", "My birthday is on 3 May.", "I like tea.")
    rows = [row(asked_of, False, CONFIG, random.Random(seed)) for seed in range(60)]
    more = [one for one in rows if len(one.shown) == 3]
    assert 15 < len(more) < 45
    assert all(one.right == 1 and "'s birthday is on 3 May" in one.shown[2] for one in more)


def test_told_ones_are_asked_without_their_answer_too_and_lost_ones_not_at_all() -> None:
    told, never, lost = case(True, 1), case(False, 0), case(True, 99)
    found = asked([told] * 100 + [never] * 10 + [lost] * 10, random.Random(1))
    assert sum(one is told and not without for one, without in found) == 100
    assert 20 < sum(one is told and without for one, without in found) < 50
    assert sum(one is never for one, _ in found) == 10
    assert not any(one is lost for one, _ in found)


def test_the_chat_reads_what_the_trainer_computed_and_it_learned(minilm: Path, tmp_path: Path) -> None:
    trainee = Trainee(minilm, CONFIG)
    assert trainee.logits([("Ana: and so on, " * 300, "Ana lives in Graz.")]).shape == (1,)  # a long line is cut
    one = Row("Ana: what are my cats called?", ("Ana: I have two cats, Nori and Wasabi", "Ana lives in Graz."), 1)
    first, signs = np.array([True, False]), np.zeros((2, len(SIGNS)))
    boxes = [(f"Ana's box {n} is red.", f"Ana: the train to {n} is late") for n in range(8)]
    cases = [
        Case(f"which colour is box {n}?", True, signs, first, first, "Ana", shown, shown)
        for n, shown in enumerate(boxes)
    ]
    losses: list[float] = []
    train(trainee, batches(cases, CONFIG), tmp_path, NAME, lambda _done, _steps, loss: losses.append(loss))
    assert len(losses) == CONFIG.steps
    assert np.mean(losses[-2:]) < np.mean(losses[:2])
    crossing = cross_encoder.load(tmp_path)
    assert crossing is not None
    read = crossing.logits("Ana", "what are my cats called?", one.shown)
    computed = trainee.logits([(one.text, text) for text in one.shown]).detach().numpy()
    assert read == pytest.approx(computed, abs=0.1)
    further = Trainee(minilm, replace(CONFIG, rank=8))  # goes on from what was written, of a lower rank
    further.go_on(tmp_path, NAME)
    begun = further.logits([(one.text, text) for text in one.shown]).detach().numpy()
    assert begun == pytest.approx(computed, abs=0.1)


def test_an_interruption_loses_what_came_after_the_last_save(minilm: Path, tmp_path: Path) -> None:
    def stop(done: int, _steps: int, _loss: float) -> None:
        if done == 3:
            raise KeyboardInterrupt

    cases = [case(True, n, f"which is the one of {n}?") for n in range(6)]
    rows = batches(cases, CONFIG)
    train(Trainee(minilm, CONFIG), rows, tmp_path / "whole", NAME)
    with pytest.raises(KeyboardInterrupt):
        train(Trainee(minilm, CONFIG), rows, tmp_path / "cut", NAME, stop)
    done: list[int] = []
    train(Trainee(minilm, CONFIG), rows, tmp_path / "cut", NAME, lambda at, _steps, _loss: done.append(at))
    assert done == [3, 4, 5, 6]
    weights = [json.loads((tmp_path / name / cross_encoder.HEAD).read_text())["weights"] for name in ("whole", "cut")]
    assert weights[0] == pytest.approx(weights[1], abs=2e-3)


def test_a_lower_rank_keeps_what_matters_most() -> None:
    rng = np.random.default_rng(3)
    b, a = rng.normal(size=(9, 4)), rng.normal(size=(4, 7))
    whole = {"x.lora_b": b, "x.lora_a": a}
    same = cut(whole, 2.0, 4)
    assert same["x.lora_b"] @ same["x.lora_a"] == pytest.approx(2 * b @ a, abs=0.05)
    errors = [float(np.square(2 * b @ a - made["x.lora_b"] @ made["x.lora_a"]).sum()) for rank in (1, 2, 3)
              if (made := cut(whole, 2.0, rank))["x.lora_a"].shape == (rank, 7)]  # fmt: skip
    assert errors == sorted(errors, reverse=True)
    assert len(errors) == 3
    assert errors[0] == pytest.approx(float(np.square(np.linalg.svd(2 * b @ a)[1][1:]).sum()), rel=0.02)


def looks(count: int, seed: int, *, knows: bool) -> list[Looked]:
    """The signs hardly know which of three answers, nor whether one does; a cross-encoder that `knows` does."""
    rng, made = np.random.default_rng(seed), list[Looked]()
    for number in range(count):
        told = number % 3 > 0
        right = np.arange(3) == (number % 2 if told else 9)
        best, late = rng.normal(size=3) + 0.5 * right, rng.permutation([0.0, 0.5, 1.0])
        read = np.where(right, 3.0, -3.0) + rng.normal(size=3) if knows else rng.normal(size=3)
        made.append(
            Looked(
                "told" if told else "never told",
                best,
                late,
                right,
                float(rng.normal(0.5 * told, 1.0)),
                dict(enumerate(read)),
            )
        )
    return made


def test_one_that_knows_is_followed_and_one_that_guesses_is_not() -> None:
    chooser = load()
    assert chooser is not None
    for knows in (True, False):
        made = fitted(looks(400, 1, knows=knows))
        table = {
            name: one.value
            for name, one in measured([(made, one) for one in looks(400, 2, knows=knows)], chooser).items()
        }
        gain = table["the best sentence is right, with"] - table["the best sentence is right, without"]
        assert gain > 0.3 if knows else abs(gain) < 0.05
        if knows:
            assert table["never told, unsure or nothing, with"] > 0.9
            assert table["told, unsure or nothing, with"] < 0.2
    pairs = crossed_over(looks(100, 3, knows=True))
    assert len(pairs) == 100
    assert len({id(made) for made, _ in pairs}) == 5


def test_the_command_fits_the_weights_of_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in (cross_encoder.ADAPTER, cross_encoder.HEAD):
        (tmp_path / name).write_bytes((cross_encoder.FOLDER / name).read_bytes())
    some = few(told_talks("valid"))
    kinds = (some[:1], some[1:2], some[3:4], few(further_talks("valid")[:1]), few(week_talks("valid")[:1]))
    monkeypatch.setattr(crossed_fit, "KINDS_OF_TALK", [lambda _split, one=one: one for one in kinds])
    monkeypatch.setattr(crossed_fit, "asked_aslant", lambda _split: few(asked_aslant("valid")[:2]))
    monkeypatch.setattr(crossed_fit, "unseen_talks", lambda asked="own": some[2:3])
    monkeypatch.setattr(crossed_fit, "unseen_week_talks", lambda: few(week_talks("valid")[1:2]))
    monkeypatch.setattr(crossed_fit, "unseen_further_talks", lambda: few(unseen_further_talks()[:1]))
    assert main(["train", "recall", "--cross-encoder", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "held back: the best sentence is right, with: " in said
    assert "held back, aslant: the best sentence is right, with: " in said
    assert "unseen, aslant: told, unsure or nothing, with: " in said
    assert "unseen: taken out, nothing read out, without: " in said
    made, shipped = from_data(json.loads((tmp_path / "reader.json").read_text())), load()
    assert made.crossed is not None
    assert shipped is not None
    assert (made.best.weights == shipped.best.weights).all()
    assert replace(made, crossed=None).none == shipped.none
