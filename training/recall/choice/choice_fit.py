"""What the small model's choice among the likeliest sentences adds to the reader: three weights and two bounds.

They are fitted on talks that the adapter didn't learn from, and cross-validated there: of those that it learned from it
is too sure.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from ....eval.measures.intervals import Estimate, wilson
from ....eval.runs.progress import make_progress
from ....memory.errors import InputError
from ....models.chat.reader import cross_encoder
from ....models.chat.reader.chooser import NEAR, Asked, Chooser, as_data, likeliest, load
from ....models.decoding.choosing import Choosing
from ....models.prompts.messages import which_messages
from ...material.templates.told import manner_talks, told_talks, unseen_talks
from .reader_fit import NONE, UNSURE, Case, cases_of

STEPS, RATE, DECAY = 400, 0.3, 1e-3
FOLDS = 5
KINDS = ("told", "never told", "taken out")


@dataclass(frozen=True, slots=True)
class Weighed:
    """A question: whether what answers it was told (`KINDS`), and stands among its sentences; the logit that any
    answers, without the model; and how likely the model chose none."""

    kind: str
    there: bool
    surety: float
    nothing: float

    @property
    def told(self) -> bool:
        """Whether what answers it was told."""
        return self.kind == KINDS[0]


def weighed(case: Case, chooser: Chooser, choosing: Choosing, *, without: bool = False) -> Weighed | None:
    """The case as the reader meets it; `without`: as if nothing that answers had been told. None: nothing is left."""
    signs, kept = case.seen(without=without)
    if not len(signs):
        return None
    crossing = cross_encoder.load() if chooser.crossed is not None else None

    def logits(places: Sequence[int]) -> np.ndarray:
        assert crossing is not None
        return crossing.logits(case.asker, case.text, [case.shown[int(kept[place])] for place in places])

    shares, surety = chooser.judge(signs, case.late[kept], logits if crossing else None)
    shown = [case.sentences[int(kept[place])] for place in likeliest(shares)]
    nothing = choosing.chances(which_messages(shown, case.asker, case.text), len(shown))[-1]
    kind = KINDS[2] if without else KINDS[0] if case.told else KINDS[1]
    return Weighed(kind, bool(case.right[kept].any()), surety, nothing)


def fitted(cases: Sequence[Weighed], chooser: Chooser) -> Chooser:
    """The chooser with weights, and with bounds below which the same shares of the told questions lie as without the
    model."""
    told = [one for one in cases if one.told and one.there]
    is_open = partial(chooser.is_open, crossed=chooser.crossed is not None)
    some = [one for one in told if is_open(one.surety)]
    asked = Asked(_weights([*some, *(one for one in cases if not one.told and is_open(one.surety))]), 0.0, 0.0)
    sure = sorted(asked.surety(one.surety, one.nothing) for one in some)
    least, _ = chooser.bounds(crossed=chooser.crossed is not None)
    below = sum(one.surety < least - NEAR for one in told)
    places = (min(max(0, int(share * len(told)) - below), len(sure) - 1) for share in (NONE, UNSURE))
    none, unsure = (sure[place] if sure else 0.0 for place in places)
    return replace(chooser, asked=replace(asked, none=none, unsure=unsure))


def _weights(cases: Sequence[Weighed]) -> tuple[float, float, float]:
    """Logistic regression; told and other questions weigh the same together."""
    plain = Asked((0.0, 1.0, 0.0), 0.0, 0.0)
    signs = [(one.surety, plain.surety(one.surety, one.nothing), 1.0) for one in cases]
    x = np.array(signs).reshape(len(cases), 3)
    wanted = np.array([float(one.told) for one in cases])
    first, second, bias = logistic(x, wanted, evenly(wanted))
    return first, second, bias


def evenly(wanted: np.ndarray) -> np.ndarray:
    """Weights of cases by which those that are wanted (1) and the others (0) weigh the same, one in sum."""
    weights: np.ndarray = np.where(wanted > 0, 0.5 / max(wanted.sum(), 1), 0.5 / max((1 - wanted).sum(), 1))
    return weights


def logistic(x: np.ndarray, wanted: np.ndarray, weight: np.ndarray) -> tuple[float, ...]:
    """Weights of the columns of x, shape (cases, signs), the last of them ones; `weight` of the cases, one in sum."""
    w, kept = np.zeros(x.shape[1]), np.arange(x.shape[1]) < x.shape[1] - 1
    for _ in range(STEPS):
        gain = weight * (1 / (1 + np.exp(-np.clip(x @ w, -60, 60))) - wanted)
        w -= RATE * (x.T @ gain + DECAY * w * kept)
    return tuple(map(float, w.round(4)))


def crossed(cases: Sequence[Weighed], chooser: Chooser) -> list[tuple[Chooser, Weighed]]:
    """Each case with what was fitted on the other folds: neighbours, of one talk, lie in one."""
    folds = [cases[len(cases) * n // FOLDS : len(cases) * (n + 1) // FOLDS] for n in range(FOLDS)]
    found: list[tuple[Chooser, Weighed]] = []
    for number, fold in enumerate(folds):
        one = fitted([case for other, some in enumerate(folds) if other != number for case in some], chooser)
        found += [(one, case) for case in fold]
    return found


def measured(pairs: Sequence[tuple[Chooser, Weighed]]) -> dict[str, Estimate]:
    """The reader with the model and without it."""
    found: dict[str, Estimate] = {}
    for name in ("without the model", "with it"):
        for group in KINDS:
            some = [pair for pair in pairs if pair[1].kind == group]
            said = [
                one.answers(
                    case.surety,
                    partial(float, case.nothing) if name == "with it" else None,
                    crossed=one.crossed is not None,
                )
                for one, case in some
            ]
            found[f"{group}, nothing read out, {name}"] = _share([each == "not" for each in said])
            found[f"{group}, unsure or nothing, {name}"] = _share([each != "surely" for each in said])
    return found


def _share(hits: Sequence[bool]) -> Estimate:
    return wilson(sum(hits), len(hits))


def run(out: Path) -> int:
    """Fits on the talks held back, writes OUT/reader.json and prints what it reaches there, cross-validated, and in the
    manner that nothing learns from. Raises InputError without the adapter."""
    from ....memory.store.store import Store
    from ....models import registry
    from ....models.embedder.minilm import load_embedder

    chooser, choosing = load(), Choosing(registry.load("embedded+answer"))
    if chooser is None or choosing.adapter is None:
        raise InputError("Train the adapter first: chatmem train choice, then chatmem adapters use.")
    sets = {"held back": [*manner_talks("valid"), *told_talks("valid")], "unseen": unseen_talks()}
    found: dict[str, list[Weighed]] = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        Store.open(Path(folder) / "talks.db", embedder=load_embedder()) as store,
    ):
        for name, talks in sets.items():
            found[name] = _every(cases_of(store, talks, name), chooser, choosing, name)
    made = fitted(found["held back"], chooser)
    out.mkdir(parents=True, exist_ok=True)
    (out / "reader.json").write_text(json.dumps(as_data(made)) + "\n", encoding="utf-8")
    tables = {"held back": crossed(found["held back"], chooser), "unseen": [(made, one) for one in found["unseen"]]}
    for name, pairs in tables.items():
        for group, share in measured(pairs).items():
            print(f"{name}: {group}: {share}")
    print(f"{out / 'reader.json'}: for assets/ranker")
    return 0


def _every(cases: Sequence[Case], chooser: Chooser, choosing: Choosing, name: str) -> list[Weighed]:
    """Each case, and each told one beside it as if its answer had not been told."""
    tell, found = make_progress(f"{name}, questions", len(cases)), list[Weighed]()
    for number, case in enumerate(cases, 1):
        both = [weighed(case, chooser, choosing)]
        both += [weighed(case, chooser, choosing, without=True)] if case.told and case.right.any() else []
        found += [one for one in both if one is not None]
        tell(number)
    return found
