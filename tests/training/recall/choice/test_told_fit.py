"""The cross-encoder that tells whether a line says what was written of it: its rows, its bound, and the command."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training is an extra")

import torch

from chatmem.app.cli import main
from chatmem.models.embedder import cross_encoder
from chatmem.models.storage.believed import BOUND, NAME
from chatmem.training.recall.choice import told_fit, told_rows
from chatmem.training.recall.choice.told_fit import fitted, learned, told_apart
from chatmem.training.recall.choice.told_rows import UNSEEN, Told, ToldRow, judged, spoiled

LINE = "My sister Lotte, 34, lives in Porto with two cats. My uncle Bram is a baker."
FACTS = ("Ana's sister Lotte lives in Porto.", "Ana is 34 years old.", "Ana can swim.", "Lotte is a nurse.")


def test_half_true_facts_are_wanted_half() -> None:
    row = ToldRow("Ana: I sail", ("Ana sails.", "Ana has a sail."), (1.0, 0.4))
    best = float(row.loss(torch.tensor([9.0, -0.4055])))
    assert best == pytest.approx(0.6730 / 2, abs=1e-3)  # the entropy of .4, of one of two
    assert float(row.loss(torch.tensor([9.0, 9.0]))) > best < float(row.loss(torch.tensor([-9.0, -0.4])))


@pytest.mark.parametrize("fact", FACTS)
def test_a_spoiled_fact_is_another_one_and_stays_in_its_talk(fact: str) -> None:
    near, rng = ["Ana's aunt Mia has 3 boats.", "Bram is 60.", "Ana sold her car in May."], random.Random(3)
    made = {spoiled(Told(fact, "Ana", LINE, near), rng) for _ in range(60)}
    assert len(made) > 5
    assert fact not in made
    words = {"isn't", "doesn't", "have", "can't"} | {word for text in (LINE, fact, *near) for word in text.split()}
    kin = {f"{word}" for word in told_rows._relations()}
    strange = {word.strip(".,") for one in made if one for word in one.split()} - {word.strip(".,") for word in words}
    assert {word for word in strange if not word[0].isdigit() and word not in kin} <= {"Ana's"}


def test_it_learns_from_nothing_that_it_is_measured_on() -> None:
    rows = learned(1)
    assert len(rows) > 4000
    assert all(len(one.shown) == len(one.targets) > 0 for one in rows)
    true = sum(target == 1 for one in rows for target in one.targets) / sum(len(one.shown) for one in rows)
    assert 0.25 < true < 0.6
    talks = {which: {talk for talk, _ in judged(which)} for which in ("learned", "held", UNSEEN)}
    assert all(talks.values())
    assert not talks["held"] & talks["learned"] | talks[UNSEEN] & (talks["learned"] | talks["held"])
    known = {one.text for one in rows}
    assert not [row.text for which in ("held", UNSEEN) for _, row in judged(which) if row.text in known]


def test_the_bound_takes_few_true_facts() -> None:
    true, false = [float(one) for one in range(100)], [float(one) - 90 for one in range(100)]
    bound = fitted(true)
    assert bound == pytest.approx(1.98)
    table = told_apart(true, false, bound)
    assert table["true above false"] == pytest.approx(0.995)
    assert table["true, not believed"].value == 0.02  # type: ignore[union-attr]
    assert table["false, not believed"].value == 0.92  # type: ignore[union-attr]


def test_the_command_fits_the_bound_of_what_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    adapter, head = cross_encoder.files(NAME)
    (tmp_path / adapter).write_bytes((cross_encoder.FOLDER / adapter).read_bytes())
    data = json.loads((cross_encoder.FOLDER / head).read_text(encoding="utf-8"))
    (tmp_path / head).write_text(json.dumps({"weights": data["weights"], "bias": data["bias"]}), encoding="utf-8")
    assert main(["train", "recall", "--told", "--out", str(tmp_path)]) == 0
    assert "unseen, false, not believed: " in capsys.readouterr().out
    made = cross_encoder.read(NAME, tmp_path)
    assert made is not None
    assert made.head.bounds[BOUND] == pytest.approx(data["bounds"][BOUND], abs=0.05)


def test_without_the_judged_facts_it_says_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(told_fit, "judged", lambda which: [])
    assert main(["train", "recall", "--told", "--out", str(tmp_path)]) == 1
    assert "train in a checkout" in capsys.readouterr().err
