"""`chatmem train recall --wished`: a cross-encoder reads a line, and says whether it wishes something forgotten; with a
known fact, whether the wish means it (`models/chat/forgetting/wished.py`).

It begins with the reader of ends, which reads a line with a fact already, and learns from lines that people wrote one
by one (`training/material/templates/wishes/`), and from lines of the talks that ship, which wish nothing. The loss is
the binary cross entropy. From where it is believed is fitted on lines of talks held back and on a part of what was
written for it.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from ....eval.measures.intervals import Estimate, wilson
from ....eval.runs.progress import make_progress
from ....memory.errors import InputError
from ....memory.forget.asking import wish_of
from ....models.chat.forgetting.wished import ASKED, WISHED, read_as, wish_logits
from ....models.embedder import cross_encoder
from ....models.storage.changes.ended import ENDED
from ...material.templates.talk import GoldTalk, Split
from ...material.templates.told import further_talks, short_talks, told_talks, week_talks
from ...material.templates.wishes.rows import Meant, WishLine, meant_facts, wish_lines
from .cross_encoder_fit import CrossConfig, Trainee, in_turn, train
from .ended_fit import EndRow

Row = TypeVar("Row")
CONFIG = CrossConfig(steps=760, batch=6, rank=16, shipped=8, rate=1e-3, save_every=20)
GOING_ON = replace(CONFIG, steps=240, rate=7e-4)
"""From one that is there; each wish beside facts is learned from once then."""
TOGETHER = 8
"""Lines of one row, all read with `ASKED`."""
QUIET = 2500
"""Lines of talks that are learned from."""
WISHES, MEANT = 3, 3
"""How often each line that was written for it, and each wish beside facts, is learned from beside them."""
HELD = 8
"""Every so many of what was written for it is held back, that the bounds are fitted on it, too."""
QUIET_SHARE, NEAR_SHARE = 0.002, 0.02
"""Shares of the lines of talks, and of lines that were written to mislead, that may be taken for wishes."""
MEANT_SHARE = 0.02
"""Share of the facts beside a wish that it doesn't mean and that may be offered."""


def wish_rows(seed: int) -> list[EndRow]:
    """Lines by `TOGETHER`, and which of them wish something forgotten."""
    rng = random.Random(seed)
    lines = _learned(wish_lines()) * WISHES
    quiet = quiet_lines("train")
    lines += rng.sample(quiet, min(QUIET, len(quiet)))
    rng.shuffle(lines)
    return [_together(lines[at : at + TOGETHER]) for at in range(0, len(lines), TOGETHER)]


def _together(lines: Sequence[WishLine]) -> EndRow:
    shown = tuple(read_as(one.line, one.before) for one in lines)
    return EndRow(ASKED, shown, tuple(place for place, one in enumerate(lines) if one.wish))


def meant_rows(found: Iterable[Meant]) -> list[EndRow]:
    """Wishes with what is known, and which of it they mean."""
    return [EndRow(read_as(one.line, one.before), one.known, one.goes) for one in found]


def quiet_lines(split: Split) -> list[WishLine]:
    """What the users of the talks that ship say, with the line before; none of it wishes anything forgotten by the
    rules."""
    talks = [*told_talks(split), *short_talks(split), *further_talks(split), *week_talks(split)]
    return [one for talk in talks for one in _said(talk) if wish_of(one.line) is None]


def _said(talk: GoldTalk) -> list[WishLine]:
    said = [line.text for line in talk.lines if line.speaker == talk.user]
    return [WishLine(before, line, False) for before, line in zip(["", *said], said, strict=False)]


def run(out: Path, folder: Path | None, seed: int, start: Path | None = None) -> int:
    """Trains it unless OUT holds one, fits from where it is believed, writes OUT/wished.gguf and .json, and prints what
    it reaches. `start`: goes on from the one in that folder. Raises InputError, ModelError."""
    adapter, head = cross_encoder.files(WISHED)
    if not wish_lines():
        raise InputError("The lines that this learns from lie in the checkout alone: run it from there.")
    if not (out / adapter).is_file():
        _trained(out, folder, seed, start)
    encoder = cross_encoder.read(WISHED, out)
    assert encoder is not None
    bounds = _fitted(encoder)
    for what, estimate in measured(encoder, bounds).items():
        print(f"{what}: {estimate}")
    data = json.loads((out / head).read_text(encoding="utf-8"))
    (out / head).write_text(json.dumps(data | {"bounds": bounds}) + "\n", encoding="utf-8")
    print(f"{out}: {adapter} and {head} for assets/ranker")
    return 0


def _trained(out: Path, folder: Path | None, seed: int, start: Path | None) -> None:
    from ....models.embedder.convert import packaged_weights

    config = replace(GOING_ON if start else CONFIG, seed=seed)
    material = [*wish_rows(seed), *meant_rows(_learned(meant_facts()) * (1 if start else MEANT))]
    order = in_turn(len(material), config, random.Random(seed))
    tell = make_progress("steps", config.steps)
    trainee = Trainee(folder or packaged_weights(), config)
    if start is not None:
        trainee.go_on(start, WISHED)
    else:
        trainee.go_on(cross_encoder.FOLDER, ENDED)
    train(
        trainee, lambda step: [material[place] for place in order[step * config.batch : (step + 1) * config.batch]],
        out, WISHED, lambda done, _total, _loss: tell(done),
    )  # fmt: skip


def _fitted(encoder: cross_encoder.CrossEncoder) -> dict[str, float]:
    """The bounds by name."""
    near = [one for one in _held(wish_lines()) if not one.wish]
    wish = max(_above(QUIET_SHARE, _wished(encoder, quiet_lines("valid"))), _above(NEAR_SHARE, _wished(encoder, near)))
    others = np.concatenate([logits[~goes] for logits, goes in meant_logits(encoder, _held(meant_facts()))])
    return {"wish": wish, "meant": max(0.0, _above(MEANT_SHARE, others))}


def _learned(rows: Sequence[Row]) -> list[Row]:
    return [one for place, one in enumerate(rows) if place % HELD]


def _held(rows: Sequence[Row]) -> list[Row]:
    return list(rows[::HELD])


def _above(share: float, found: np.ndarray) -> float:
    return round(float(np.quantile(found, 1 - share)), 4)


def _wished(encoder: cross_encoder.CrossEncoder, lines: Sequence[WishLine]) -> np.ndarray:
    return wish_logits(encoder, [(one.line, one.before) for one in lines])


def meant_logits(encoder: cross_encoder.CrossEncoder, found: Iterable[Meant]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Of each wish the logits of its facts, and which of them it means."""
    return [
        (encoder.logits(row.text, row.shown), np.isin(np.arange(len(row.shown)), row.ends)) for row in meant_rows(found)
    ]


def measured(encoder: cross_encoder.CrossEncoder, bounds: dict[str, float]) -> dict[str, Estimate]:
    """What it reaches on the manner that nothing learns from and on lines of talks held back."""
    found: dict[str, Estimate] = {}
    for wish, name in ((True, "wishes: seen"), (False, "no wishes: taken for one")):
        logits = _wished(encoder, [one for one in wish_lines("valid") if one.wish is wish])
        found[name] = wilson(int((logits >= bounds["wish"]).sum()), len(logits))
    quiet = _wished(encoder, quiet_lines("valid"))
    found["lines of talks: taken for one"] = wilson(int((quiet >= bounds["wish"]).sum()), len(quiet))
    beside = meant_logits(encoder, meant_facts("valid"))
    told = [bool(logit >= bounds["meant"]) for logits, goes in beside for logit in logits[goes]]
    others = [bool(logit >= bounds["meant"]) for logits, goes in beside for logit in logits[~goes]]
    just = [bool(((logits >= bounds["meant"]) == goes).all()) for logits, goes in beside]
    for name, hits in (("meant: offered", told), ("not meant: offered", others), ("just what is meant", just)):
        found[name] = wilson(sum(hits), len(hits))
    return found
