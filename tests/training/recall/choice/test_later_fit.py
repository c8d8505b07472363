"""A later line is told beside what is read out where it holds instead: weights from talks, a bound from what stands."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from chatmem.app.cli import main
from chatmem.models.chat.reader.chooser import from_data, load
from chatmem.training.material.templates.told import further_talks, week_talks
from chatmem.training.recall.choice import later_fit
from chatmem.training.recall.choice.later_fit import BESIDE, Asked, fitted, measured
from tests.training.material.few import few


def asked(count: int, seed: int, *, knows: bool) -> list[Asked]:
    """A third of the questions are answered wrongly, and one of three later lines holds instead; `knows`: their signs
    tell which."""
    rng, made = np.random.default_rng(seed), list[Asked]()
    for number in range(count):
        right = number % 3 > 0
        holds = (np.arange(3) == number % 2) & (not right)
        signs = rng.normal(size=(3, 3)) + (3.0 * holds[:, None] if knows else 0.0)
        made.append(Asked(right, signs, holds))
    return made


def test_signs_that_know_are_followed_and_what_stands_is_seldom_doubted() -> None:
    for knows in (True, False):
        weights = fitted(asked(600, 1, knows=knows))
        table = {name: one.value for name, one in measured(asked(600, 2, knows=knows), weights).items()}
        gain = table["answered by that or by what was told since"] - table["answered"]
        assert gain > 0.25 if knows else gain < 0.05
        assert table["answered, and something told beside"] < BESIDE + 0.03


def test_questions_without_later_lines_are_left_alone() -> None:
    none = Asked(True, np.empty((0, 3)), np.empty(0, bool))
    weights = fitted([*asked(60, 1, knows=True), *[none] * 40])
    assert measured([none], weights)["answered, and something told beside"].value == 0
    assert fitted([none]).holds(np.ones((1, 3)))[0] < 0  # of nothing learned, nothing is told


def test_the_command_writes_the_reader_with_its_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(later_fit, "short_talks", lambda _split: [])
    monkeypatch.setattr(later_fit, "further_talks", lambda _split: few(further_talks("valid")[:1]))
    monkeypatch.setattr(later_fit, "week_talks", lambda _split: few(week_talks("valid")[:4]))
    monkeypatch.setattr(later_fit, "unseen_week_talks", lambda: few(week_talks("valid")[5:6]))
    assert main(["train", "recall", "--later", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "an unread writer: answered by that or by what was told since: " in said
    made = from_data(json.loads((tmp_path / "reader.json").read_text()))
    shipped = load()
    assert made.later is not None and shipped is not None
    assert (made.crossed, made.none) == (shipped.crossed, shipped.none)
