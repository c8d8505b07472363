"""`chatmem train recall --ended`: a cross-encoder reads a line with a known fact, and says whether the line ends it.

It learns from scenes, pairs, slips and whole talks (`ended_rows.py`); each fact beside a line is a case of its own, so
the loss is the binary cross entropy. From where it is believed is fitted on what it hasn't learned from: scenes and
talks held back, and the manners that nothing learns from.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ....eval.measures.intervals import Estimate, wilson
from ....eval.runs.progress import make_progress
from ....models.embedder import cross_encoder
from ....models.prompts.messages import Line
from ....models.storage.changes.ended import ENDED, JUST_TOLD, read_as
from ...material.templates.ends.scenes import LEANING, scenes, unseen_scenes
from ...material.templates.ends.slips import slips
from ...material.templates.talk import Split
from ...material.templates.told import (
    further_talks,
    manner_talks,
    short_talks,
    told_talks,
    unseen_further_talks,
    unseen_week_talks,
    week_talks,
)
from .cross_encoder_fit import CrossConfig, Trainee, in_turn, train
from .ended_rows import (
    MANY,
    Case,
    alike_cases,
    indirect,
    just_told_cases,
    pair_cases,
    put_right_cases,
    scene_cases,
    slip_cases,
    talk_cases,
)

CONFIG = CrossConfig(steps=760, batch=24, shipped=8, save_every=40)
GOING_ON = replace(CONFIG, steps=420, shipped=16, rate=9e-4, head_rate=9e-4)
"""From one that is there."""


class Shares(NamedTuple):
    """Of a talk's lines that end nothing: of which a row is closed, and of which it is asked about."""

    sure: float
    likely: float


SHARES = Shares(0.0125, 0.06)
"""With .02 closed by mistake, 5 and 4 of 100 pairs that were written to mislead lost a fact, with fewer 1 to 3."""
LEANING_SHARES = Shares(0.02, 0.12)
"""Those for lines that lean on others: they are less well understood, and a question costs little."""
JUST_TOLD_SHARES = Shares(0.0075, 0.03)
"""Those for the facts of the line before: of slips held back .06 of the facts that stand exceed the first, .16 the
second."""
SHORT_QUIET, WEEKS_QUIET = 0.4, 0.8
"""Shares of the lines of short talks that end nothing and are learned from: more of them were written to mislead; and
of first weeks."""
ALIKE = 2
"""How often each line of scenes whose facts are much alike is learned from, each time beside others of them."""
SLIPS, QUIET_AFTER = 3, 2000
"""How often each slip is learned from, for there are few; and how many lines that go on after another and put nothing
of it right."""
OLDER = 4000
"""Rows of all else, when going on from one that is there."""
BLOCK = 40
"""Lines that go the same way when halves are told apart: those of a talk stand together."""


class EndRow(NamedTuple):
    """A line (`text`) beside known facts (`shown`), and which of them it ends."""

    text: str
    shown: tuple[str, ...]
    ends: tuple[int, ...]

    def loss(self, logits: Any) -> Any:
        """The binary cross entropies, in sum."""
        import torch

        wanted = torch.zeros(len(self.shown), device=logits.device)
        wanted[list(self.ends)] = 1.0
        return torch.nn.functional.binary_cross_entropy_with_logits(logits, wanted, reduction="sum")


def end_row(case: Case) -> EndRow:
    """The case as it is read."""
    return EndRow(read_as(Line(case.user, case.line), case.before), case.facts, case.ends)


def put_right(seed: int) -> list[EndRow]:
    """What is learned of lines that put right what the line before told, or go on about it."""
    rng = random.Random(seed)
    cases = [*slip_cases(slips()), *put_right_cases()] * SLIPS
    after = [*just_told_cases([*told_talks(), *manner_talks(), *short_talks(), *further_talks(), *week_talks()])]
    quiet = [one for one in after if not one.ends]
    cases += [*(one for one in after if one.ends), *rng.sample(quiet, min(QUIET_AFTER, len(quiet)))]
    return [end_row(case) for case in cases]


def alike(seed: int) -> list[EndRow]:
    """What is learned of scenes whose facts are much alike."""
    rng, found = random.Random(seed), [one for one in scenes() if len(one.facts) >= MANY]
    return [end_row(case) for _ in range(ALIKE) for case in alike_cases(found, rng)]


def learned(seed: int, split: Split = "train") -> list[EndRow]:
    """All else that is learned from, or what of it is held back."""
    rng, found = random.Random(seed), scenes(split)
    few = [one for one in found if len(one.facts) < MANY]
    cases = [*scene_cases(few), *pair_cases(indirect(split), few, rng)]
    cases += talk_cases([*told_talks(split), *manner_talks(split)], rng)
    cases += talk_cases([*short_talks(split), *further_talks(split)], rng, SHORT_QUIET)
    cases += talk_cases(week_talks(split), rng, WEEKS_QUIET)
    return [end_row(case) for case in cases]


def held_back() -> list[Case]:
    """Lines of short talks and first weeks that it has not learned from, all of them and with all that is known then,
    as the chat meets them: those held back, and those of the manners that nothing learns from. The bounds are fitted on
    them."""
    talks = [*short_talks("valid"), *further_talks("valid"), *unseen_further_talks()]
    talks += [*week_talks("valid"), *unseen_week_talks()]
    return list(talk_cases(talks, random.Random(1), 1.0, whole=True))


def held_back_just_told() -> list[Case]:
    """Likewise, beside what the line before told."""
    talks = [*told_talks("valid"), *manner_talks("valid"), *short_talks("valid"), *further_talks("valid")]
    talks += [*unseen_further_talks(), *week_talks("valid"), *unseen_week_talks()]
    return list(just_told_cases(talks))


def misleading() -> list[Case]:
    """Scenes that it has not learned from, most of whose lines look like ends and are none: the bounds are measured on
    them, too."""
    return list(scene_cases([*scenes("valid"), *unseen_scenes(), *unseen_scenes(LEANING)]))


class Looked(NamedTuple):
    """A case as it was read: the logits of its facts, and which it ends."""

    logits: np.ndarray
    ends: np.ndarray


def fitted(cases: Sequence[Looked], name: str = "", shares: Shares = SHARES) -> dict[str, float]:
    """The bounds by name, as `ended.bounds_of` reads them; `name`: what goes before."""
    quiet = sorted(float(one.logits.max()) for one in cases if not one.ends.any())
    return {f"{name}sure": _above(shares.sure, quiet), f"{name}likely": _above(shares.likely, quiet)}


def _above(share: float, found: Sequence[float]) -> float:
    return round(float(found[min(int((1 - share) * len(found)), len(found) - 1)]), 4)


def measured(cases: Sequence[Looked], at: dict[str, float], name: str = "") -> dict[str, Estimate]:
    """Facts that are ended and not closed, and lines that end nothing of which one is closed."""
    over = [float(logit) for one in cases for logit in one.logits[one.ends]]
    quiet = [float(one.logits.max()) for one in cases if not one.ends.any()]
    sure, likely = at[f"{name}sure"], at[f"{name}likely"]
    return {
        f"{name}ended, not closed": wilson(sum(one < sure for one in over), len(over)),
        f"{name}ended, neither closed nor asked about": wilson(sum(one < likely for one in over), len(over)),
        f"{name}nothing ended, and one closed": wilson(sum(one >= sure for one in quiet), len(quiet)),
    }


def run(out: Path, folder: Path | None, seed: int, start: Path | None = None) -> int:
    """Trains it unless OUT holds one, fits from where it is believed, writes OUT/ended.gguf and .json, and prints what
    it reaches. `start`: goes on from the one in that folder. Raises InputError, ModelError."""
    adapter, head = cross_encoder.files(ENDED)
    if not (out / adapter).is_file():
        _trained(out, folder, seed, start)
    encoder = cross_encoder.read(ENDED, out)
    assert encoder is not None
    bounds: dict[str, float] = {}
    told = _looked(held_back_just_told(), encoder, both=True)[True]
    talks, scened = (_looked(cases, encoder) for cases in (held_back(), misleading()))
    slipped = _looked([one for one in slip_cases(slips("valid")) if one.before], encoder, both=True)[True]
    for name, shares, found, hard in (
        ("", SHARES, talks[False], scened[False]),
        ("leaning, ", LEANING_SHARES, talks[True], scened[True]),
        (JUST_TOLD, JUST_TOLD_SHARES, told, slipped),
    ):
        bounds |= fitted(found, name, shares)
        tables = {"talks": _crossed(found, name, shares), "scenes": measured(hard, bounds, name)}
        for kind, table in tables.items():
            for what, estimate in table.items():
                print(f"{kind}: {what}: {estimate}")
    data = json.loads((out / head).read_text(encoding="utf-8"))
    (out / head).write_text(json.dumps(data | {"bounds": bounds}) + "\n", encoding="utf-8")
    print(f"{out}: {adapter} and {head} for assets/ranker")
    return 0


def _material(seed: int, *, going_on: bool) -> list[EndRow]:
    """What is learned: where one is gone on from, scenes whose facts are much alike and a part of all else."""
    rows = put_right(seed) + learned(seed)
    return alike(seed) + (random.Random(seed).sample(rows, min(OLDER, len(rows))) if going_on else rows)


def _trained(out: Path, folder: Path | None, seed: int, start: Path | None) -> None:
    from ....models.embedder.convert import packaged_weights

    config = replace(GOING_ON if start else CONFIG, seed=seed)
    material = _material(seed, going_on=start is not None)
    order = in_turn(len(material), config, random.Random(seed))
    tell = make_progress("steps", config.steps)
    trainee = Trainee(folder or packaged_weights(), config)
    if start is not None:
        trainee.go_on(start, ENDED)
    train(
        trainee, lambda step: [material[place] for place in order[step * config.batch : (step + 1) * config.batch]],
        out, ENDED, lambda done, _total, _loss: tell(done),
    )  # fmt: skip


def _looked(
    cases: Sequence[Case], encoder: cross_encoder.CrossEncoder, *, both: bool = False
) -> tuple[list[Looked], list[Looked]]:
    """The cases as they are read: those that stand alone, and those with a line before. `both`: these are read without
    it, too, as what was just told is (`ended.Ends`)."""
    tell = make_progress("held back, lines", len(cases))
    found: tuple[list[Looked], list[Looked]] = ([], [])
    for number, case in enumerate(cases, 1):
        ends = np.array([place in case.ends for place in range(len(case.facts))])
        line = Line(case.user, case.line)
        logits = encoder.logits(read_as(line, case.before), case.facts)
        if both:
            logits = (logits + encoder.logits(read_as(line), case.facts)) / 2
        found[bool(case.before)].append(Looked(logits, ends))
        tell(number)
    return found


def _halves(cases: Sequence[Looked]) -> list[list[Looked]]:
    return [[one for at, one in enumerate(cases) if at // BLOCK % 2 == half] for half in (0, 1)]


def _crossed(cases: Sequence[Looked], name: str, shares: Shares) -> dict[str, Estimate]:
    """What each half reaches with what was fitted on the other, together."""
    first, second = _halves(cases)
    tables = [measured(mine, fitted(other, name, shares), name) for mine, other in ((first, second), (second, first))]
    return {
        what: wilson(round(sum(one[what].value * one[what].n for one in tables)), sum(one[what].n for one in tables))
        for what in tables[0]
    }
