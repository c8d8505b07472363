"""`chatmem train recall --wished`: a cross-encoder reads a line, and says whether it wishes something forgotten;
another reads it with a known fact, and says whether the wish means that (`models/chat/forgetting/wished.py`).

Both begin with the reader of ends, which reads a line with a fact already. The first learns from lines that people
wrote one by one (`training/material/templates/wishes/`), and from lines of the talks that ship, which wish nothing; the
second from wishes beside facts. The loss is the binary cross entropy. From where they are believed is fitted on lines
of talks held back and on a part of what was written for them.
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
from ....models.chat.forgetting.wished import ASKED, MEANT, WISHED, Bounds, meant_logits, read_as, wish_logits
from ....models.embedder import cross_encoder
from ....models.storage.changes.ended import ENDED
from ...material.templates.talk import GoldTalk, Split
from ...material.templates.told import further_talks, short_talks, told_talks, week_talks
from ...material.templates.wishes.rows import Meant, WishLine, meant_facts, wish_lines
from .cross_encoder_fit import CrossConfig, Trainee, in_turn, train
from .ended_fit import EndRow

Row = TypeVar("Row")
CONFIG = CrossConfig(steps=400, batch=6, rank=16, shipped=8, rate=1e-3, save_every=20)
GOING_ON = replace(CONFIG, steps=200, rate=7e-4)
"""From one that is there."""
TOGETHER = 8
"""Lines of one row, all read with `ASKED`."""
QUIET = 2500
"""Lines of talks that are learned from."""
OFTEN = 3
"""Each line that was written for it, and each wish beside facts, is learned from so many times."""
HELD = 8
"""Every so many of what was written for it is held back, that the bounds are fitted on it, too."""
QUIET_SHARE, NEAR_SHARE = 0.002, 0.02
"""Shares of the lines of talks, and of lines that were written to mislead, that may be taken for wishes."""
MEANT_SHARE = 0.03
"""Share of the facts beside a wish that it doesn't mean and that may be offered."""


def wish_rows(seed: int) -> list[EndRow]:
    """Lines by `TOGETHER`, and which of them wish something forgotten."""
    rng = random.Random(seed)
    lines = _learned(wish_lines()) * OFTEN
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
    """Trains each of the two unless OUT holds it, fits from where they are believed, writes OUT/wished.gguf and .json,
    OUT/meant.gguf and .json, and prints what they reach. `start`: goes on from those in that folder. Raises InputError,
    ModelError."""
    if not wish_lines():
        raise InputError("The lines that this learns from lie in the checkout alone: run it from there.")
    rows = {WISHED: lambda: wish_rows(seed), MEANT: lambda: meant_rows(_learned(meant_facts()) * OFTEN)}
    for name, make in rows.items():
        if not (out / cross_encoder.files(name)[0]).is_file():
            _trained(name, make(), out, folder, seed, start)
    sees, means = (_made(name, out) for name in (WISHED, MEANT))
    fitted = {WISHED: _seen_from(sees), MEANT: {"meant": _meant_from(means)}}
    for name, bounds in fitted.items():
        head = out / cross_encoder.files(name)[1]
        data = json.loads(head.read_text(encoding="utf-8"))
        head.write_text(json.dumps(data | {"bounds": bounds}) + "\n", encoding="utf-8")
    for what, estimate in measured(sees, means, Bounds(**fitted[WISHED], **fitted[MEANT])).items():
        print(f"{what}: {estimate}")
    print(f"{out}: {WISHED} and {MEANT}, .gguf and .json, for assets/ranker")
    return 0


def _made(name: str, out: Path) -> cross_encoder.CrossEncoder:
    found = cross_encoder.read(name, out)
    if found is None:
        raise InputError(f"{out} holds {name}.gguf without {name}.json: delete it, and it is trained anew.")
    return found


def _trained(
    name: str, material: Sequence[EndRow], out: Path, folder: Path | None, seed: int, start: Path | None
) -> None:
    from ....models.embedder.convert import packaged_weights

    config = replace(GOING_ON if start else CONFIG, seed=seed)
    order = in_turn(len(material), config, random.Random(seed))
    tell = make_progress(f"{name}: steps", config.steps)
    trainee = Trainee(folder or packaged_weights(), config)
    if start is not None:
        trainee.go_on(start, name)
    else:
        trainee.go_on(cross_encoder.FOLDER, ENDED)
    train(
        trainee, lambda step: [material[place] for place in order[step * config.batch : (step + 1) * config.batch]],
        out, name, lambda done, _total, _loss: tell(done),
    )  # fmt: skip


def _seen_from(sees: cross_encoder.CrossEncoder) -> dict[str, float]:
    """From which logit on a line is a wish, and below which it surely is none: no wish held back lies there."""
    wishes, near = ([one for one in _held(wish_lines()) if one.wish is wish] for wish in (True, False))
    wish = max(_above(QUIET_SHARE, _wished(sees, quiet_lines("valid"))), _above(NEAR_SHARE, _wished(sees, near)))
    looked_at = _wished(sees, wishes)
    return {"wish": wish, "talk": min(wish, _above(1.0, looked_at[np.isfinite(looked_at)]))}


def _meant_from(means: cross_encoder.CrossEncoder) -> float:
    """From which logit on a fact is meant."""
    others = np.concatenate([logits[~goes] for logits, goes in meant_beside(means, _held(meant_facts()))])
    return max(0.0, _above(MEANT_SHARE, others))


def _learned(rows: Sequence[Row]) -> list[Row]:
    return [one for place, one in enumerate(rows) if place % HELD]


def _held(rows: Sequence[Row]) -> list[Row]:
    return list(rows[::HELD])


def _above(share: float, found: np.ndarray) -> float:
    return round(float(np.quantile(found, 1 - share)), 4)


def _wished(encoder: cross_encoder.CrossEncoder, lines: Sequence[WishLine]) -> np.ndarray:
    return wish_logits(encoder, [(one.line, one.before) for one in lines])


def meant_beside(
    encoder: cross_encoder.CrossEncoder, found: Iterable[Meant]
) -> list[tuple[np.ndarray, np.ndarray]]:  # fmt: skip
    """Of each wish the logits of its facts, and which of them it means."""
    return [
        (meant_logits(encoder, one.line, one.before, one.known), np.isin(np.arange(len(one.known)), one.goes))
        for one in found
    ]


def measured(
    sees: cross_encoder.CrossEncoder, means: cross_encoder.CrossEncoder, bounds: Bounds
) -> dict[str, Estimate]:
    """What they reach on the manner that nothing learns from and on lines of talks held back."""
    found: dict[str, Estimate] = {}
    wishes, others = (_wished(sees, [one for one in wish_lines("valid") if one.wish is wish]) for wish in (True, False))
    found["wishes: seen"] = _share(wishes >= bounds.wish)
    found["wishes: taken for sure talk"] = _share(_surely_talk(wishes, bounds))
    found["no wishes: taken for one"] = _share(others >= bounds.wish)
    found["no wishes: taken for sure talk"] = _share(_surely_talk(others, bounds))
    quiet = _wished(sees, quiet_lines("valid"))
    found["lines of talks: taken for one"] = _share(quiet >= bounds.wish)
    beside = meant_beside(means, meant_facts("valid"))
    told = [bool(logit >= bounds.meant) for logits, goes in beside for logit in logits[goes]]
    rest = [bool(logit >= bounds.meant) for logits, goes in beside for logit in logits[~goes]]
    just = [bool(((logits >= bounds.meant) == goes).all()) for logits, goes in beside]
    for name, hits in (("meant: offered", told), ("not meant: offered", rest), ("just what is meant", just)):
        found[name] = _share(hits)
    return found


def _surely_talk(logits: np.ndarray, bounds: Bounds) -> np.ndarray:
    below: np.ndarray = np.isfinite(logits) & (logits < bounds.talk)
    return below


def _share(hits: Sequence[bool] | np.ndarray) -> Estimate:
    return wilson(int(sum(hits)), len(hits))
