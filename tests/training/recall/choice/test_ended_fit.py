"""The cross-encoder that tells what a line ends: its rows, from where it is believed, and the command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from chatmem.app.cli import main
from chatmem.eval.measures.intervals import Estimate
from chatmem.models.embedder import cross_encoder
from chatmem.models.storage.changes.ended import ENDED, JUST_TOLD, bounds_of
from chatmem.models.storage.changes.ended import LEANING as LEANING_BOUNDS
from chatmem.training.material.templates.ends.scenes import LEANING, unseen_scenes
from chatmem.training.material.templates.ends.slips import slips
from chatmem.training.recall.choice import ended_fit
from chatmem.training.recall.choice.ended_fit import SHARES, EndRow, Looked, fitted, held_back, learned, measured
from chatmem.training.recall.choice.ended_rows import Case, scene_cases
from tests.extras import needed

torch = needed("torch", "training is an extra")


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


def looks(count: int, seed: int) -> list[Looked]:
    """Lines beside three facts, of which half end one."""
    rng, made = np.random.default_rng(seed), list[Looked]()
    for number in range(count):
        ends = np.arange(3) == (number // 2 % 3 if number % 2 else 9)
        made.append(Looked(np.where(ends, 3.0, -3.0) + 2 * rng.normal(size=3), ends))
    return made


def test_the_bounds_keep_the_share_of_quiet_lines_that_they_are_fitted_for() -> None:
    at = fitted(looks(4000, 1))
    assert at["likely"] < at["sure"]
    table: dict[str, Estimate] = measured(looks(4000, 2), at)
    assert abs(table["nothing ended, and one closed"].value - SHARES.sure) < 0.01
    assert table["ended, not closed"].value < 0.5
    assert table["ended, neither closed nor asked about"].value < table["ended, not closed"].value
    assert {*fitted(looks(40, 1), "leaning, ")} == {"leaning, sure", "leaning, likely"}


def test_the_command_fits_from_where_what_is_there_is_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    adapter, head = cross_encoder.files(ENDED)
    (tmp_path / adapter).write_bytes((cross_encoder.FOLDER / adapter).read_bytes())
    data = json.loads((cross_encoder.FOLDER / head).read_text(encoding="utf-8"))
    (tmp_path / head).write_text(json.dumps({"weights": data["weights"], "bias": data["bias"]}), encoding="utf-8")
    facts = ("Ana has a cast.", "Ana owns a kayak.")
    some = [Case("Ana", facts, f"the {what} went to my nephew", ends) for what, ends in (("kayak", (1,)), ("boat", ()))]
    leant = [*scene_cases(unseen_scenes(LEANING)[:2])]
    monkeypatch.setattr(ended_fit, "held_back", lambda: [*some * 2, *leant])
    monkeypatch.setattr(ended_fit, "misleading", lambda: [*some, *leant[:4]])
    monkeypatch.setattr(ended_fit, "held_back_just_told", lambda: leant)
    monkeypatch.setattr(ended_fit, "slips", lambda split: slips(split)[:4])
    monkeypatch.setattr(ended_fit, "BLOCK", 2)
    assert main(["train", "recall", "--ended", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "talks: ended, not closed: " in said and "scenes: leaning, nothing ended, and one closed: " in said
    made = cross_encoder.read(ENDED, tmp_path)
    assert made is not None
    for of in ("", LEANING_BOUNDS, JUST_TOLD):
        sure, likely = bounds_of(made, of)
        assert likely <= sure
