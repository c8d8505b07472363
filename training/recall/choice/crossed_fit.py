"""What the cross-encoder adds to the reader: five weights and two bounds.

They are fitted on talks that neither learned from, and cross-validated there (`reader_fit.py` does the same for the
small model's choice).
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ....eval.measures.intervals import Estimate, wilson
from ....eval.runs.progress import make_progress
from ....memory.errors import InputError
from ....models.chat.reader import cross_encoder
from ....models.chat.reader.chooser import Chooser, Crossed, Judged, as_data, crossed_by, load
from ...material.templates.talk import GoldTalk
from ...material.templates.told import (
    asked_aslant,
    asked_more,
    further_talks,
    manner_talks,
    short_talks,
    told_talks,
    unseen_further_talks,
    unseen_talks,
    unseen_week_talks,
    week_talks,
)  # fmt: skip
from .cross_encoder_fit import CrossConfig, Trainee, batches, train
from .logistic import logistic
from .reader_fit import NEVER, WITHOUT, Case, cases_of

if TYPE_CHECKING:
    from ....memory.store.store import Store

FOLDS = 5
KINDS = ("told", "never told", "taken out", "advice or the world")
ASIDE = 0.4
"""Weight of the questions that ask for advice or of the world, beside all told ones."""
PLAIN = Crossed((1.0, 0.0, 0.0), (1.0, 0.0, 0.0), 0.0, 0.0)
"""The signs alone."""
STEPS, RATE = 600, 0.05
NONE = 0.005
"""Share of the told questions of which nothing is read out: what is nearest helps, where it is said to be no answer."""
UNSURE = 0.09
"""Share of the told questions that are read out as unsure: less than without it (`reader_fit.UNSURE`), and yet more of
the never-told ones are among what is unsure."""
KINDS_OF_TALK = (told_talks, manner_talks, short_talks, further_talks, week_talks)
"""What is learned from, and where held back fitted on."""
Logits = Callable[[Case, Sequence[int]], np.ndarray]
"""Of a case's sentences at these places."""


@dataclass(frozen=True, slots=True)
class Looked:
    """A question as the reader meets it: its kind (`KINDS`), the sentences' logits by their signs, how late each was
    said and which are right, the logit that any answers, and the cross-encoder's logits of the sentences that it reads,
    by their places."""

    kind: str
    best: np.ndarray
    late: np.ndarray
    right: np.ndarray
    surety: float
    read: dict[int, float]

    def judged(self, crossed: Crossed) -> Judged:
        """By these weights."""
        return crossed_by(
            crossed, self.best, self.late, self.surety, lambda places: np.array([self.read[one] for one in places])
        )

    @property
    def told(self) -> bool:
        """Whether what answers it was told."""
        return self.kind == KINDS[0]


def looked(case: Case, chooser: Chooser, logits: Logits, *, without: bool = False) -> Looked | None:
    """The case, or as if nothing that answers had been told; None: nothing is left."""
    signs, kept = case.seen(without=without)
    if not len(signs):
        return None
    best, read, late = chooser.best(signs), dict[int, float](), case.late[kept]

    def reading(places: Sequence[int]) -> np.ndarray:
        found = logits(case, [int(kept[one]) for one in places])
        read.update(zip(places, map(float, found), strict=True))
        return found

    surety = chooser.surety(signs)
    crossed_by(PLAIN, best, late, surety, reading)
    kind = KINDS[2] if without else KINDS[3] if case.aside else KINDS[0] if case.told else KINDS[1]
    return Looked(kind, best, late, case.right[kept], surety, read)


def fitted(cases: Sequence[Looked]) -> Crossed:
    """The weights, and bounds below which these shares of the told questions lie."""
    there = [one for one in cases if one.told and one.right.any()]
    best = _best(there)
    weight = dict(zip(KINDS, (1.0, NEVER, WITHOUT, ASIDE), strict=True))
    some = [one for one in cases if not one.told or one.right.any()]
    counts = {kind: sum(one.kind == kind for one in some) for kind in KINDS}
    x = np.array([(one.surety, one.judged(replace(PLAIN, told=(0.0, 1.0, 0.0))).surety, 1.0) for one in some])
    weights = np.array([weight[one.kind] / counts[one.kind] for one in some])
    signs, read, bias = logistic(x, np.array([float(one.told) for one in some]), weights / weights.sum())
    made = Crossed(best, (signs, read, bias), 0.0, 0.0)
    sure = sorted(one.judged(made).surety for one in there)
    return replace(made, none=sure[int(NONE * len(sure))], unsure=sure[int(UNSURE * len(sure))])


def _best(cases: Sequence[Looked]) -> tuple[float, float, float]:
    """Likelihood of the right sentences together, by gradient ascent."""
    most = max(len(one.best) for one in cases)
    x, right, there = (np.zeros((len(cases), most, *rest)) for rest in ((3,), (), ()))
    for place, one in enumerate(cases):
        size = len(one.best)
        x[place, :size], right[place, :size], there[place, :size] = (
            np.c_[one.best, _spread(one), one.late],
            one.right,
            1,
        )
    weights = np.array([1.0, 1.0, 0.0])
    for _ in range(STEPS):
        logits = np.where(there > 0, x @ weights, -np.inf)
        each = np.exp(logits - logits.max(1, keepdims=True))
        wanted = each * right
        gain = wanted / np.maximum(wanted.sum(1, keepdims=True), 1e-300) - each / each.sum(1, keepdims=True)
        weights = weights + RATE * np.einsum("nk,nkd->d", gain, x) / len(cases)
    own, other, later = map(float, weights.round(4))
    return own, other, later


def _spread(one: Looked) -> np.ndarray:
    """The cross-encoder's logits of all, as `crossed_by` has them."""
    found = np.full(len(one.best), min(one.read.values()))
    found[[*one.read]] = [*one.read.values()]
    return found


def crossed_over(cases: Sequence[Looked]) -> list[tuple[Crossed, Looked]]:
    """Each case with what was fitted on the other folds: neighbours, of one talk, lie in one."""
    folds = [cases[len(cases) * n // FOLDS : len(cases) * (n + 1) // FOLDS] for n in range(FOLDS)]
    found: list[tuple[Crossed, Looked]] = []
    for number, fold in enumerate(folds):
        made = fitted([case for other, some in enumerate(folds) if other != number for case in some])
        found += [(made, case) for case in fold]
    return found


def measured(pairs: Sequence[tuple[Crossed, Looked]], chooser: Chooser) -> dict[str, Estimate]:
    """The reader with the cross-encoder and without it."""
    found: dict[str, Estimate] = {}
    bare = replace(PLAIN, none=chooser.none, unsure=chooser.unsure)
    for name, alone in (("without", True), ("with", False)):
        each = [(bare if alone else made, case) for made, case in pairs]
        told = [(case, case.judged(made).shares) for made, case in each if case.told]
        hits = [bool(case.right[int(shares.argmax())]) for case, shares in told]
        found[f"the best sentence is right, {name}"] = wilson(sum(hits), len(hits))
        for kind in KINDS:
            sure = [(made, case.judged(made).surety) for made, case in each if case.kind == kind]
            for said, below in (("nothing read out", "none"), ("unsure or nothing", "unsure")):
                number = sum(one < getattr(made, below) for made, one in sure)
                found[f"{kind}, {said}, {name}"] = wilson(number, len(sure))
    return found


def run(out: Path, folder: Path | None, seed: int, start: Path | None = None) -> int:
    """Trains the cross-encoder unless OUT holds one, fits its weights, writes OUT/reader.json and prints what both
    reach on talks held back. `start`: goes on from the one in that folder. Raises InputError without a reader."""
    from ....memory.store.store import Store
    from ....models.embedder.minilm import load_embedder

    chooser = load()
    if chooser is None:
        raise InputError("Fit the reader first: chatmem train recall --reader.")
    with (
        tempfile.TemporaryDirectory() as scratch,
        Store.open(Path(scratch) / "talks.db", embedder=load_embedder()) as store,
    ):
        if not (out / cross_encoder.ADAPTER).is_file():
            _trained(store, out, folder, seed, start)
        crossing = cross_encoder.load(out)
        assert crossing is not None

        def logits(case: Case, places: Sequence[int]) -> np.ndarray:
            return crossing.logits(case.asker, case.text, [case.shown[one] for one in places])

        told = [one for kind in KINDS_OF_TALK for one in kind("valid")]
        held = _every(cases_of(store, told, "held back", beside=True), chooser, logits, "held back")
        aslant = _every(cases_of(store, asked_aslant("valid"), "aslant"), chooser, logits, "aslant")
        tests = {
            name: _every(cases_of(store, some, name, beside=beside), chooser, logits, name)
            for name, some, beside in _unseen()
        }
    made = fitted([*held, *aslant])
    data = as_data(replace(chooser, crossed=made, later=None))
    (out / "reader.json").write_text(json.dumps(data) + "\n", encoding="utf-8")
    shown = {"held back": crossed_over(held), "held back, aslant": crossed_over(aslant)}
    shown |= {name: [(made, one) for one in some] for name, some in tests.items()}
    for name, pairs in shown.items():
        for group, share in measured(pairs, chooser).items():
            print(f"{name}: {group}: {share}")
    print(f"{out}: reader.json, {cross_encoder.ADAPTER} and {cross_encoder.HEAD} for assets/ranker; then --later")
    return 0


def _unseen() -> list[tuple[str, list[GoldTalk], bool]]:
    """Talks that nothing learns from: their name, and whether they are asked what asks for advice, too."""
    return [
        ("unseen", unseen_talks(), True),
        ("unseen, aslant", unseen_talks("aslant"), False),
        ("unseen, short", unseen_further_talks(), True),
        ("unseen, weeks", unseen_week_talks(), True),
    ]


def _trained(store: Store, out: Path, folder: Path | None, seed: int, start: Path | None) -> None:
    from ....models.embedder.convert import packaged_weights

    trainee = Trainee(folder or packaged_weights(), CrossConfig(seed=seed))
    if start is not None:
        trainee.go_on(start, cross_encoder.NAME)
    talks = [one for kind in KINDS_OF_TALK for one in kind("train")]
    cases = cases_of(store, talks, "talks", signed=False, beside=True)
    cases += cases_of(store, asked_more("train"), "more questions", signed=False)
    cases += cases_of(store, asked_aslant("train"), "aslant", signed=False)
    tell = make_progress("steps", trainee.config.steps)
    rows = batches(cases, trainee.config)
    train(trainee, rows, out, cross_encoder.NAME, lambda done, _total, _loss: tell(done))


def _every(cases: Sequence[Case], chooser: Chooser, logits: Logits, name: str) -> list[Looked]:
    """Each case, and each told one beside it as if its answer had not been told."""
    tell, found = make_progress(f"{name}, questions", len(cases)), list[Looked]()
    for number, case in enumerate(cases, 1):
        both = [looked(case, chooser, logits)]
        both += [looked(case, chooser, logits, without=True)] if case.told and case.right.any() else []
        found += [one for one in both if one is not None]
        tell(number)
    return found
