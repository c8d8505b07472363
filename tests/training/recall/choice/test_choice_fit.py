"""What a model's choice adds to the reader: it is followed as far as it is right, and never believed wholly."""

from __future__ import annotations

import itertools
import json
import random
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from chatmem.app.cli import main
from chatmem.models.chat.reader.chooser import NEAR, Asked, Chooser, Linear, from_data, load
from chatmem.models.chat.reader.sentences import SIGNS
from chatmem.models.decoding.choosing import SHOWN
from chatmem.models.prompts.messages import NONE
from chatmem.training.material.templates.told import told_talks
from chatmem.training.recall.choice import choice_fit
from chatmem.training.recall.choice.answer_rows import answer_rows
from chatmem.training.recall.choice.choice_fit import FOLDS, Weighed, crossed, fitted, measured
from chatmem.training.recall.choice.reader_fit import Case
from tests.training.material.few import few

CHOOSER = Chooser(*[Linear(np.zeros(1), np.ones(1), np.zeros(1))] * 2, none=-1.0, unsure=0.5)


def weighed(count: int, seed: int, *, knows: bool) -> list[Weighed]:
    """Two of three are told, which surety shows a little; a model that `knows` mostly says so."""
    rng, made = np.random.default_rng(seed), list[Weighed]()
    for number in range(count):
        told = number % 3 > 0
        nothing = float(rng.beta(1, 6) if told else rng.beta(6, 1)) if knows else float(rng.uniform(0.01, 0.99))
        made.append(
            Weighed("told" if told else "never told", told, float(rng.normal(0.8 if told else -0.4, 1.0)), nothing)
        )
    return made


def shares(cases: list[Weighed], made: Chooser) -> dict[str, float]:
    return {name: one.value for name, one in measured([(made, case) for case in cases]).items()}


def test_a_model_that_knows_is_followed() -> None:
    table = shares(weighed(600, 2, knows=True), fitted(weighed(600, 1, knows=True), CHOOSER))
    assert (
        table["never told, unsure or nothing, with it"]
        > 0.9
        > table["never told, unsure or nothing, without the model"]
    )
    assert table["told, unsure or nothing, with it"] < 0.2 < table["told, unsure or nothing, without the model"]


def test_one_that_guesses_is_not() -> None:
    made = fitted(weighed(600, 3, knows=False), CHOOSER)
    assert made.asked is not None
    assert abs(made.asked.weights[1]) < 0.15 < made.asked.weights[0]


def test_nothing_is_fitted_on_the_fold_that_it_is_measured_on() -> None:
    cases = weighed(300, 4, knows=True)
    pairs = crossed(cases, CHOOSER)
    assert [case for _, case in pairs] == cases
    assert len({id(made) for made, _ in pairs}) == FOLDS
    for made, some in itertools.groupby(pairs, lambda pair: pair[0]):
        fold = [case for _, case in some]
        assert made == fitted([case for case in cases if case not in fold], CHOOSER)


def test_where_it_is_sure_the_model_is_not_asked_and_no_chance_is_believed_wholly() -> None:
    def never() -> float:
        raise AssertionError("asked")

    made = replace(CHOOSER, asked=Asked((1.0, 1.0, 0.0), -1.0, 0.5))
    assert made.answers(CHOOSER.none - NEAR - 0.1, never) == "not"
    assert made.answers(CHOOSER.unsure + NEAR, never) == "surely"
    assert [made.answers(0.0, partial(float, chance)) for chance in (0.0, 0.5, 1.0)] == ["surely", "perhaps", "not"]
    assert made.answers(0.0) == "perhaps"
    assert made.asked is not None
    assert made.asked.surety(0.0, 0.0) == pytest.approx(-made.asked.surety(0.0, 1.0)) == pytest.approx(9.21, abs=0.01)


def case(told: bool, right: int) -> Case:
    signs = np.zeros((8, len(SIGNS)))
    signs[:, 0] = np.linspace(1, 0, 8)
    holds = np.arange(8) == right if told else np.zeros(8, bool)
    return Case("who?", told, signs, holds, holds, "Ana", tuple(f"sentence {n}" for n in range(8)))


def shown(made: dict[str, object]) -> list[str]:
    return [line.partition(" | ")[2] for line in str(made["messages"][-1][1]).splitlines()[1:-1]]  # type: ignore[index]


def test_rows_ask_for_the_number_of_what_answers() -> None:
    chooser, rng = load(), random.Random(1)
    assert chooser is not None
    told = answer_rows([case(True, 1)] * 40, chooser, rng)
    assert {len(shown(made)) for made in told} == {SHOWN}
    with_it = [made for made in told if made["completion"] != NONE]
    assert len(with_it) == 40
    assert all(shown(made)[int(str(made["completion"])) - 1] == "sentence 1" for made in with_it)
    without = [made for made in told if made["completion"] == NONE]
    assert without
    assert not any("sentence 1" in shown(made) for made in without)
    assert [made["completion"] for made in answer_rows([case(False, 0)] * 3, chooser, rng)] == [NONE] * 3


def test_what_the_reader_is_not_shown_is_not_asked_for() -> None:
    chooser = load()
    assert chooser is not None
    last = int(chooser.best(case(True, 0).signs).argmin())
    rows = answer_rows([case(True, last)] * 10, chooser, random.Random(2))
    assert all(row["completion"] == NONE for row in rows)  # only those without their answer are left


@pytest.mark.usefixtures("tiny_home")
def test_the_command_writes_a_reader_that_asks_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    some = few(told_talks("valid"), told=2)
    monkeypatch.setattr(choice_fit, "told_talks", lambda _split: some[:2])
    monkeypatch.setattr(choice_fit, "manner_talks", lambda _split: some[2:4])
    monkeypatch.setattr(choice_fit, "unseen_talks", lambda: some[4:5])
    assert main(["train", "recall", "--choice", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "held back: told, unsure or nothing, with it: " in said
    assert "unseen: taken out, nothing read out, without the model: " in said
    made, shipped = from_data(json.loads((tmp_path / "reader.json").read_text())), load()
    assert made.asked is not None
    assert shipped is not None
    assert (made.best.weights == shipped.best.weights).all()
    assert (made.none, made.unsure) == (shipped.none, shipped.unsure)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_talks_break_nothing(count: int) -> None:
    for cases in (weighed(count, 4, knows=True), [replace(one, surety=9.0) for one in weighed(count, 4, knows=True)]):
        made = fitted(cases, CHOOSER)
        assert made.asked is not None and np.isfinite([made.asked.none, made.asked.unsure]).all()
