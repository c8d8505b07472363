"""`chatmem train recall --reader`: fits which told sentence answers (`models/chat/reader/`).

Material: the talks that ship, written one by one, in the manners that are learned from. A sentence is right where all
key words of the answer stand in it. Two models: a softmax over the sentences of a recall
(likelihood of the right ones together), and whether the best answers at all: never-told questions against told ones,
and told ones without the lines that answer them. Measured on the talks that are held back, and on the manner that
nothing learns from.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ....eval.measures.intervals import Estimate, wilson
from ....eval.measures.text import contained
from ....eval.runs.progress import make_progress
from ....memory.language.asked.telling import told_part
from ....memory.language.language import english
from ....models.chat.reader.chooser import Chooser, Linear, as_data, beside, from_data
from ....models.chat.reader.cross_encoder import shown_as
from ....models.chat.reader.reply import EARLIER
from ....models.chat.reader.sentences import SIGNS, lateness, sentences_of, table
from ...material.stored import stored_talk
from ...material.templates.talk import GoldQuestion, GoldTalk
from ...material.templates.told import asked_more, manner_talks, told_talks, unseen_talks

if TYPE_CHECKING:
    from ....memory.store.store import Store
    from ....memory.values import User

WORDS, LIMIT = 200, 12
"""Of the recall, as the chat asks for it."""
NONE, UNSURE = 0.01, 0.12
"""Share of the told questions, among those learned from, of which nothing is read out, and which are read out as
unsure."""
MISSED = 0.4
"""Share of the facts that a line ended and that stand in the memory all the same, as where the agent misses it."""
STEPS, RATE, DECAY = 800, 0.02, 1e-2
NEVER, WITHOUT = 0.6, 0.4
"""Weight of the never-told questions, and of the told ones without what answers them, beside all told ones."""


@dataclass(frozen=True, slots=True)
class Case:
    """A question, its sentences' signs, shape (sentences, signs), which are right, and which stand in the lines of
    those that are; who asks, the sentences themselves, and as a cross-encoder is shown them. `aside`: it asks for
    advice or of the world; `late`: how late each was said."""

    text: str
    told: bool
    signs: np.ndarray
    right: np.ndarray
    near: np.ndarray
    asker: str = ""
    sentences: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    aside: bool = False
    late: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def seen(self, *, without: bool) -> tuple[np.ndarray, np.ndarray]:
        """The signs, and the places of their sentences; `without`: as if nothing that answers had been told."""
        return (self.without, np.flatnonzero(~self.near)) if without else (self.signs, np.arange(len(self.signs)))

    @property
    def without(self) -> np.ndarray:
        """The signs as if nothing that answers had been told."""
        left: np.ndarray = self.signs[~self.near]
        half = self.signs.shape[1] // 2
        if not len(left):
            return np.empty((0, self.signs.shape[1]))
        beside: np.ndarray = np.c_[left[:, :half], left[:, :half] - left[:, :half].max(axis=0)]
        return beside


def fitted(cases: Sequence[Case]) -> Chooser:
    """Both models, with the bounds at which these shares of the told questions lie below."""
    best = _best([one for one in cases if one.told and one.right.any()])
    rows = [(beside(best, one.signs), 1.0, 1.0) for one in cases if one.told and one.right.any()]
    rows += [(beside(best, one.signs), 0.0, NEVER) for one in cases if not one.told and len(one.signs)]
    rows += [(beside(best, one.without), 0.0, WITHOUT) for one in cases if one.told and len(one.without)]
    told = _told(rows)
    sure = sorted(float(told(row[None])[0]) for row, wanted, _ in rows if wanted)
    return Chooser(best, told, sure[int(NONE * len(sure))], sure[int(UNSURE * len(sure))])


def _scaled(rows: np.ndarray) -> Linear:
    return Linear(rows.mean(0), rows.std(0) + 1e-3, np.zeros(rows.shape[1]))


def _best(cases: Sequence[Case]) -> Linear:
    """Softmax over each case's sentences: the gradient is its share less that of the right ones among themselves."""
    scale = _scaled(np.concatenate([one.signs for one in cases]))
    most = max(len(one.signs) for one in cases)
    x, right, there = (np.zeros((len(cases), most, *rest)) for rest in ((len(scale.mean),), (), ()))
    for place, one in enumerate(cases):
        size = len(one.signs)
        x[place, :size] = (one.signs - scale.mean) / scale.spread
        right[place, :size], there[place, :size] = one.right, 1

    def slope(weights: np.ndarray) -> np.ndarray:
        logits = np.where(there > 0, x @ weights[:-1], -np.inf)
        each = np.exp(logits - logits.max(1, keepdims=True))
        wanted = each * right
        gain = each / each.sum(1, keepdims=True) - wanted / np.maximum(wanted.sum(1, keepdims=True), 1e-300)
        return np.append(np.einsum("nk,nkd->d", gain, x) / len(cases), 0.0)

    return _with(scale, _descend(slope, len(scale.mean)))


def _told(rows: Sequence[tuple[np.ndarray, float, float]]) -> Linear:
    scale = _scaled(np.array([row for row, _, _ in rows]))
    x = np.c_[(np.array([row for row, _, _ in rows]) - scale.mean) / scale.spread, np.ones(len(rows))]
    wanted, kind = np.array([one for _, one, _ in rows]), np.array([one for _, _, one in rows])
    weight = kind / np.array([float((kind == one).sum()) for one in kind])
    weight /= weight.sum()

    def slope(weights: np.ndarray) -> np.ndarray:
        gain = weight * (1 / (1 + np.exp(-np.clip(x @ weights, -60, 60))) - wanted)
        found: np.ndarray = x.T @ gain
        return found

    return _with(scale, _descend(slope, len(scale.mean)))


def _with(scale: Linear, weights: np.ndarray) -> Linear:
    return Linear(scale.mean, scale.spread, weights[:-1], float(weights[-1]))


def _descend(slope: Callable[[np.ndarray], np.ndarray], size: int) -> np.ndarray:
    """Adam (Kingma and Ba 2015) from zero, with L2 decay of all but the bias."""
    w = m = v = np.zeros(size + 1)
    for step in range(1, STEPS + 1):
        now = slope(w) + DECAY * np.append(w[:-1], 0.0)
        m, v = 0.9 * m + 0.1 * now, 0.99 * v + 0.01 * now * now
        w = w - RATE * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.99**step)) + 1e-8)
    return w


def asides(talk: GoldTalk) -> list[str]:
    """Questions that nothing told answers: those written for it, and what is asked in it beside all telling."""
    asked = [one.text for one in talk.lines if one.speaker == talk.user and not one.facts and not one.question]
    return [*talk.asides, *(one for one in asked if "?" in one and not told_part(one, english()))]


def cases_of(
    store: Store, talks: Sequence[GoldTalk], name: str, *, signed: bool = True, beside: bool = False
) -> list[Case]:
    """The questions of talks over a memory that holds their lines and most of their facts. `signed`: with the signs,
    which take longer than all else; `beside`: with those that ask for advice or of the world."""
    found, tell = list[Case](), make_progress(f"{name}, talks", len(talks))
    for number, talk in enumerate(talks, 1):
        drawn = random.Random(f"{name}-{number}")
        user = stored_talk(store, f"{name}-{number}", talk, drawn, missed=MISSED)
        found += [case for one in talk.questions if (case := _case(store, user, talk, one, signed))]
        others = [GoldQuestion(one, "", (one,), ("",), (), None) for one in (asides(talk) if beside else ())]
        made = [_case(store, user, talk, one, signed) for one in others]
        found += [replace(one, aside=True) for one in made if one]
        tell(number)
    return found


def _case(store: Store, user: User, talk: GoldTalk, asked: GoldQuestion, signed: bool) -> Case | None:
    """None where nothing is recalled."""
    assert store.embedder is not None
    now = talk.lines[-1].said_at
    recall = store.search(
        user.id, asked.text, speaker=user.subject, word_budget=WORDS, limit=LIMIT, now=now, floor=True
    )
    found = sentences_of(recall, lambda turn: store.turns.before(turn, EARLIER))
    if not found:
        return None
    told = asked.needs is not None
    right = [told and all(contained(key, one.text) for key in asked.key_words) for one in found]
    lines = [{one.around, *(turn.text for turn in recall.items[one.item].turns)} for one in found]
    gone = set[str]().union(*(some for some, holds in zip(lines, right, strict=True) if holds))
    near = [bool(some & gone) for some in lines]
    made = table(asked.text, user.subject, found, store.embedder) if signed else np.empty((len(found), len(SIGNS)))
    return Case(asked.text, told, made, np.array(right, bool),
                np.array(near, bool), user.subject, tuple(one.text for one in found),
                tuple(shown_as(user.subject, one) for one in found), late=lateness(asked.text, found))  # fmt: skip


def measured(chooser: Chooser, cases: Sequence[Case]) -> dict[str, Estimate]:
    """How often the best sentence is right, and of which questions something is said to be unsure or untold."""
    told, never = [one for one in cases if one.told], [one for one in cases if not one.told and len(one.signs)]
    without = [one.without for one in told if one.right.any() and len(one.without)]
    best = [bool(one.right[int(chooser.best(one.signs).argmax())]) for one in told]
    found = {"the best sentence is right": wilson(sum(best), len(best))}
    found["the first sentence is right"] = wilson(sum(bool(one.right[0]) for one in told), len(told))
    groups = {"told": [one.signs for one in told], "never told": [one.signs for one in never], "taken out": without}
    for name, some in groups.items():
        surety = [chooser.surety(one) for one in some]
        found[f"{name}, nothing read out"] = wilson(sum(one < chooser.none for one in surety), len(surety))
        found[f"{name}, unsure or nothing"] = wilson(sum(one < chooser.unsure for one in surety), len(surety))
    return found


def run(out: Path) -> int:
    """Fits, writes OUT/reader.json and prints what it reaches on talks that were not learned from."""
    from ....memory.store.store import Store
    from ....models.embedder.minilm import load_embedder

    sets = {"manners": manner_talks("train"), "talks": told_talks("train"), "more questions": asked_more("train")}
    tests = {"manners held back": manner_talks("valid"), "talks held back": told_talks("valid")}
    with (
        tempfile.TemporaryDirectory() as folder,
        Store.open(Path(folder) / "talks.db", embedder=load_embedder()) as store,
    ):
        cases = [case for name, some in sets.items() for case in cases_of(store, some, name)]
        chooser = from_data(json.loads(json.dumps(as_data(fitted(cases)))))
        held = {name: cases_of(store, some, name) for name, some in tests.items()}
        held["the manner that nothing learns from"] = cases_of(store, unseen_talks(), "unseen")
    out.mkdir(parents=True, exist_ok=True)
    (out / "reader.json").write_text(json.dumps(as_data(chooser)) + "\n", encoding="utf-8")
    for name, some in {"learned from": cases, **held}.items():
        for group, one in measured(chooser, some).items():
            print(f"{name}: {group}: {one}")
    print(f"{out / 'reader.json'}: for assets/ranker")
    return 0
