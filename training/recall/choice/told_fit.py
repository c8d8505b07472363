"""`chatmem train recall --told`: a cross-encoder reads a line with what a model wrote of it, and says whether the
line tells that.

It learns from talks and from judged facts (`told_rows.py`). The logit below which a fact isn't believed is set on facts
held back, so that it takes few true ones.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ....eval.measures.intervals import Estimate, wilson
from ....eval.runs.progress import make_progress
from ....memory.errors import InputError
from ....models.embedder import cross_encoder
from ....models.storage.believed import BOUND, NAME
from ...material.templates.told import manner_talks, told_talks
from .cross_encoder_fit import CrossConfig, Trainee, in_turn, train
from .told_rows import UNSEEN, ToldRow, judged, talk_rows

CONFIG = CrossConfig(steps=600, batch=16, shipped=5, save_every=40)
MORE = 3
"""How often a line with judged facts is read for each of a talk's."""
LOST = 0.02
"""Share of the true facts, of those fitted on, that may be taken for untold."""


def learned(seed: int) -> list[ToldRow]:
    """All that is learned from."""
    talks = [*told_talks("train"), *manner_talks("train")]
    return [*talk_rows(talks, random.Random(seed)), *(row for _, row in judged("learned") * MORE)]


def fitted(true: Sequence[float]) -> float:
    """The bound, of the logits of true facts."""
    return round(float(np.quantile(true, LOST)), 4)


def measured(encoder: cross_encoder.CrossEncoder, rows: Sequence[ToldRow]) -> tuple[list[float], list[float]]:
    """The logits of facts that are told, and of those that aren't."""
    found: tuple[list[float], list[float]] = ([], [])
    for row in rows:
        for logit, target in zip(encoder.logits(row.text, row.shown), row.targets, strict=True):
            if target in (0.0, 1.0):
                found[target == 0].append(float(logit))
    return found


def told_apart(true: Sequence[float], false: Sequence[float], bound: float) -> dict[str, Estimate | float]:
    """The area under the curve, and the shares of both below the bound."""
    over = np.array(true)[:, None] - np.array(false)[None]
    return {
        "true above false": round(float((over > 0).mean() + (over == 0).mean() / 2), 4),
        "true, not believed": wilson(sum(one < bound for one in true), len(true)),
        "false, not believed": wilson(sum(one < bound for one in false), len(false)),
    }


def run(out: Path, folder: Path | None, seed: int) -> int:
    """Trains it unless OUT holds one, fits the bound, writes OUT/told.gguf and .json, and prints what it reaches on
    judged facts held back, and in the manner that nothing learns from. Raises InputError, ModelError."""
    held, unseen = (judged(which) for which in ("held", UNSEEN))
    if not held or not unseen:
        raise InputError("The judged facts are not here (training/material/templates/judged): train in a checkout.")
    adapter, head = cross_encoder.files(NAME)
    if not (out / adapter).is_file():
        _trained(out, folder, seed)
    encoder = cross_encoder.read(NAME, out)
    assert encoder is not None
    tables = {name: measured(encoder, [row for _, row in rows]) for name, rows in (("held", held), (UNSEEN, unseen))}
    bound = fitted([logit for true, _ in tables.values() for logit in true])
    for name, (true, false) in tables.items():
        for what, value in told_apart(true, false, bound).items():
            print(f"{name}, {what}: {value}")
    data = json.loads((out / head).read_text(encoding="utf-8"))
    (out / head).write_text(json.dumps(data | {"bounds": {BOUND: bound}}) + "\n", encoding="utf-8")
    print(f"{out}: {adapter} and {head} for assets/ranker")
    return 0


def _trained(out: Path, folder: Path | None, seed: int) -> None:
    from ....models.embedder.convert import packaged_weights

    config = replace(CONFIG, seed=seed)
    material = learned(seed)
    order = in_turn(len(material), config, random.Random(seed))
    tell = make_progress("steps", config.steps)
    train(
        Trainee(folder or packaged_weights(), config),
        lambda step: [material[place] for place in order[step * config.batch : (step + 1) * config.batch]],
        out, NAME, lambda done, _total, _loss: tell(done),
    )  # fmt: skip
