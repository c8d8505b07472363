"""The cross-encoder that tells what a line ends: its rows, how it is believed beside the choice, and the command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training is an extra")

import torch

from chatmem.app.cli import main
from chatmem.eval.measures.intervals import Estimate
from chatmem.models.embedder import cross_encoder
from chatmem.models.storage.changes.ended import NAME, weights_of
from chatmem.training.material.templates.ends.scenes import LEANING, unseen_scenes
from chatmem.training.recall.choice import ended_fit
from chatmem.training.recall.choice.ended_fit import EndRow, Looked, fitted, held_back, learned, measured
from chatmem.training.recall.choice.ended_rows import Case, scene_cases


def test_each_fact_beside_a_line_is_a_case_of_its_own() -> None:
    row = EndRow("Ana: the cast came off", ("Ana has a cast.", "Ana owns a kayak."), (0,))
    right, wrong = (float(row.loss(torch.tensor(logits))) for logits in ([4.0, -4.0], [-4.0, 4.0]))
    assert right == pytest.approx(2 * np.log1p(np.exp(-4)), rel=1e-4)
    assert wrong > 8 > right
    assert float(row._replace(ends=()).loss(torch.tensor([-4.0, -4.0]))) == pytest.approx(right, rel=1e-4)


def test_it_learns_from_nothing_that_is_fitted_on() -> None:
    rows = learned(1)
    assert len(rows) > 7000
    ended = sum(bool(one.ends) for one in rows)
    assert 0.3 < ended / len(rows) < 0.6
    assert all(one.shown and all(0 <= place < len(one.shown) for place in one.ends) for one in rows)
    known = {one.text for one in rows}
    held = held_back()
    assert len(held) > 500
    assert not [one.line for one in held if f"{one.user}: {one.line}" in known]


def looks(count: int, seed: int, *, knows: str) -> list[Looked]:
    """Lines beside three facts, of which half end one; the one that `knows` tells which."""
    rng, made = np.random.default_rng(seed), list[Looked]()
    for number in range(count):
        ends = np.arange(3) == (number // 2 % 3 if number % 2 else 9)
        clear, vague = np.where(ends, 3.0, -3.0) + rng.normal(size=3), rng.normal(size=3)
        logits, chosen = (clear, vague) if knows == "encoder" else (vague, clear)
        made.append(Looked(logits, 1 / (1 + np.exp(-chosen)), ends))
    return made


@pytest.mark.parametrize("knows", ["encoder", "choice"])
def test_the_one_that_knows_is_believed(knows: str) -> None:
    at = fitted(looks(400, 1, knows=knows))
    other = "choice" if knows == "encoder" else "encoder"
    assert at[knows] > 3 * abs(at[other])
    assert at["ask"] < at["alone, likely"] <= at["alone, sure"]
    assert at["likely"] <= at["sure"]
    table: dict[str, Estimate] = measured(looks(400, 2, knows=knows), at)
    assert table["ended, not closed, both"].value < 0.1
    assert table["nothing ended, and one closed, both"].value < 0.08
    assert bool(table["ended, not closed, alone"].value < 0.1) == (knows == "encoder")


def test_the_command_fits_how_what_is_there_is_believed_and_asks_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    adapter, head = cross_encoder.files(NAME)
    (tmp_path / adapter).write_bytes((cross_encoder.FOLDER / adapter).read_bytes())
    data = json.loads((cross_encoder.FOLDER / head).read_text(encoding="utf-8"))
    (tmp_path / head).write_text(json.dumps({"weights": data["weights"], "bias": data["bias"]}), encoding="utf-8")
    facts = ("Ana has a cast.", "Ana owns a kayak.")
    some = [Case("Ana", facts, f"the {what} went to my nephew", ends) for what, ends in (("kayak", (1,)), ("boat", ()))]
    monkeypatch.setattr(ended_fit, "held_back", lambda: some * 2)
    leant = [*scene_cases(unseen_scenes(LEANING)[:2])]
    monkeypatch.setattr(ended_fit, "leaning", lambda: leant)
    monkeypatch.setattr(ended_fit, "BLOCK", 2)
    assert main(["train", "recall", "--ended", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "ended, not closed, both: " in said and "leaning: nothing ended, and one closed: " in said
    kept = (tmp_path / "chances.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(kept) == 1 + len(some)
    made = cross_encoder.read(NAME, tmp_path)
    assert made is not None
    assert weights_of(made).likely <= weights_of(made).sure
    likely, sure = weights_of(made).leaning[::-1]
    assert likely <= sure
