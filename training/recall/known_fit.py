"""`chatmem train recall --known`: fits what counts as an answer (`memory/search/evidence.py`).

Material: the talks written one by one (`told_*.txt`), the first three fifths to learn from and the rest to measure, and
talks of the templates, of which others are measured. Each has questions whose answer was told and others.
Learned is, for each fact and line found, whether it holds the answer, and for each question, whether any does; a told
question without the pieces that answer it counts as never told, too.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...eval.measures.intervals import Estimate, wilson
from ...eval.measures.text import contained
from ...eval.runs.progress import make_progress
from ...memory.language.kinship import plainly_related
from ...memory.language.question import Question
from ...memory.language.words import terms
from ...memory.search import candidates, lines, ranker
from ...memory.search.evidence import SIGNS, Known, Piece, asked_of, from_data, pieces_of, signs
from ..material.stored import stored_talk
from ..material.templates.generate import generate
from ..material.templates.talk import GoldQuestion, GoldTalk
from ..material.templates.told import told_talks

if TYPE_CHECKING:
    from ...memory.store.store import Store
    from ...memory.values import User

LEARNED = 0.6
"""Share of the talks written one by one that are learned from."""
TALKS = 60
"""Talks of the templates that are learned from."""
REFUSED = 0.01
"""Share of the told questions, among those learned from, for which the floor may find nothing."""
STORED = 0.4
"""Share of the facts that the memory holds: it is to be right where only the line tells, too."""
FOREIGN = 3
"""Questions of other talks that each talk is asked: about matters of which it says nothing at all."""
STEPS, RATE, DECAY = 600, 0.05, 1e-3
WITHOUT, PIECES, UNTOLD = 0.2, 0.5, 0.5
"""Weights: of told questions without their answering pieces; of pieces beside questions; of all never-told questions
together beside all told ones."""


@dataclass(frozen=True, slots=True)
class Case:
    """A question, what was found for it, shape (pieces, signs), and which pieces hold the answer."""

    text: str
    told: bool
    own: bool
    """Whether it was asked after this talk, not after another."""
    signs: np.ndarray
    right: np.ndarray


def fitted(cases: Sequence[Case], refused: float = REFUSED) -> Known:
    """The model, with the floor that refuses this share of the told questions."""
    cases = [case for case in cases if len(case.signs)]
    found, right = np.concatenate([case.signs for case in cases]), np.concatenate([case.right for case in cases])
    told = np.array([case.told for case in cases], float)
    starts = np.cumsum([0, *(len(case.signs) for case in cases[:-1])])
    sizes = np.diff(np.append(starts, len(found)))
    mean, spread = found.mean(0), found.std(0) + 1e-3
    x = np.c_[(found - mean) / spread, np.ones(len(found))]
    weight = np.where(told > 0, 1.0, UNTOLD * told.sum() / max((1 - told).sum(), 1))
    weight /= weight.sum()
    answered = np.add.reduceat(right, starts) > 0
    w = m = v = np.zeros(x.shape[1])
    for step in range(1, STEPS + 1):
        logits = x @ w
        best, share = _best(logits, starts, sizes)
        gain = np.repeat(weight * (_chance(best) - told), sizes) * share
        less, rest = _best(np.where(right > 0, -60.0, logits), starts, sizes)
        gain += np.repeat(WITHOUT * answered * _chance(less) / answered.sum(), sizes) * rest * (right == 0)
        gain += PIECES * (_chance(logits) - right) / len(right)
        slope = x.T @ gain + DECAY * np.append(w[:-1], 0.0)
        m, v = 0.9 * m + 0.1 * slope, 0.99 * v + 0.01 * slope * slope  # Adam (Kingma and Ba 2015)
        w = w - RATE * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.99**step)) + 1e-8)
    known = Known(mean, spread, w[:-1], float(w[-1]), 0.0)
    sure = sorted(known.logit(case.signs) for case in cases if case.told)
    return Known(mean, spread, w[:-1], float(w[-1]), sure[int(refused * len(sure))])


def _chance(logits: np.ndarray) -> np.ndarray:
    found: np.ndarray = 1 / (1 + np.exp(-np.clip(logits, -60, 60)))
    return found


def _best(logits: np.ndarray, starts: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each question the soft maximum of its pieces (as `Known.logit`), and each piece's share in it."""
    top = np.maximum.reduceat(2 * logits, starts)
    each = np.exp(2 * logits - np.repeat(top, sizes))
    total = np.add.reduceat(each, starts)
    return (top + np.log(total)) / 2, each / np.repeat(total, sizes)


def as_data(known: Known) -> dict[str, object]:
    """The model as its file holds it."""
    rounded = {name: getattr(known, name).round(4).tolist() for name in ("mean", "spread", "weights")}
    return {"signs": list(SIGNS), **rounded, "bias": round(known.bias, 4), "floor": round(known.floor, 4)}


def cases_of(store: Store, talks: Sequence[GoldTalk], name: str, seed: int = 1) -> list[Case]:
    """The questions of talks over a memory that holds their lines and most of their facts."""
    rng, found = random.Random(seed), []
    tell = make_progress(f"{name}, talks", len(talks))
    others = [(question, _matter(talk, question)) for talk in talks for question in talk.questions]
    for number, talk in enumerate(talks, 1):
        user = stored_talk(store, f"{name}-{number}", talk, rng, STORED)
        said = {
            *terms(" ".join([*(f"{gold.topic} {gold.fact}" for gold in talk.golds), *(x.text for x in talk.lines)]))
        }
        foreign = [one for one, matter in others if matter and matter.isdisjoint(said)]
        asked = [*talk.questions, *rng.sample(foreign, min(FOREIGN, len(foreign)))]
        found += [_case(store, user, talk, one, one in talk.questions) for one in asked]
        tell(number)
    return found


def _matter(talk: GoldTalk, question: GoldQuestion) -> set[str]:
    """The stems of what a told question is about: its fact's topic; none for one that nobody told, or a name."""
    topic = talk.golds[question.needs].topic if question.needs is not None else ""
    return {*terms(plainly_related(topic))} - {*terms("name job work home age")}


def _case(store: Store, user: User, talk: GoldTalk, question: GoldQuestion, own: bool) -> Case:
    """`own`: it was asked after this very talk; one of another talk is never told here."""
    needs = question.needs if own else None
    pieces = looked_up(store, user, question.text, talk.lines[-1].said_at)
    gold = talk.golds[needs].fact if needs is not None else ""
    right = [
        bool(gold) and (one.text == gold or (needs is not None and _holds(one.text, question.key_words)))
        for one in pieces
    ]
    found = signs(asked_of(question.text, user.subject, pieces), pieces)
    return Case(question.text, needs is not None, own, found, np.array(right, float))


def _holds(text: str, keys: Sequence[str]) -> bool:
    return bool(keys) and all(contained(key, text) for key in keys)


def looked_up(store: Store, user: User, text: str, now: str) -> list[Piece]:
    """What search finds for a question, as it is judged."""
    assert store.embedder is not None
    question = Question(text, user.subject, now)
    plain: Future[np.ndarray] = Future()
    asked: Future[np.ndarray] = Future()
    plain.set_result(store.embedder.embed(question.parts))
    asked.set_result(store.embedder.embed_questions(question.parts))
    ground = store.ground.searcher
    with store.db.read() as connection:
        search = candidates.Search(
            connection,
            user.id,
            question,
            ground.frequencies,
            ground.cache,
            store.embedder.name,
            asked,
            ranker.load(),
            plain,
        )
        best = candidates.facts(search, 30)
        evidence = candidates.evidence_of(search, [fact.memory.id for fact in best])
        sources = {one for ids in evidence.values() for one in ids}
        told = lines.lift(lines.lines(search, 60, sources), best, evidence)
        return pieces_of(search, best, told, evidence)


def held_talks() -> tuple[list[GoldTalk], list[GoldTalk]]:
    """The talks written one by one that are learned from, and the others."""
    talks = [*told_talks("train"), *told_talks("valid")]
    cut = round(LEARNED * len(talks))
    return talks[:cut], talks[cut:]


def measured(known: Known, cases: Sequence[Case]) -> dict[str, Estimate]:
    """Of which questions, and for how many of them nothing reaches the floor, with Wilson's intervals."""
    below = [(case, known.logit(case.signs) < known.floor) for case in cases]
    groups = {
        "never told": [low for case, low in below if not case.told and case.own],
        "of another talk": [low for case, low in below if not case.own],
        "told": [low for case, low in below if case.told],
    }
    return {name: wilson(sum(some), len(some)) for name, some in groups.items()}


def run(out: Path) -> int:
    """Fits, writes OUT/known.json and prints what it reaches on talks that were not learned from."""
    from ...memory.store.store import Store
    from ...models.embedder.minilm import load_embedder

    learned, held = held_talks()
    with (
        tempfile.TemporaryDirectory() as folder,
        Store.open(Path(folder) / "talks.db", embedder=load_embedder()) as store,
    ):
        cases = cases_of(store, learned, "learned")
        cases += cases_of(store, list(generate(seed=5, n=TALKS, split="train")), "templates learned")
        known = from_data(json.loads(json.dumps(as_data(fitted(cases)))))
        tests = {
            "talks held back": cases_of(store, held, "held"),
            "templates held back": cases_of(store, list(generate(seed=77, n=60, split="valid")), "templates held"),
        }
    out.mkdir(parents=True, exist_ok=True)
    (out / "known.json").write_text(json.dumps(as_data(known)) + "\n", encoding="utf-8")
    for name, some in {"learned from": cases, **tests}.items():
        for group, one in measured(known, some).items():
            print(f"{name}: {group}, below the floor: {one}")
    print(f"{out / 'known.json'}: for assets/ranker")
    return 0
