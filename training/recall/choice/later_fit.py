"""`chatmem train recall --later`: when a later line is told beside what is read out, for it holds in its place.

A logistic model over three signs (`models/chat/reader/since.py`), fitted on talks that neither the reader of ends nor
the cross-encoder learned from, over memories in which a part of what ended stands all the same.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ....eval.measures.intervals import Estimate, wilson
from ....eval.measures.text import contained
from ....eval.runs.progress import make_progress
from ....memory.errors import InputError
from ....models.chat.reader import cross_encoder
from ....models.chat.reader.chooser import Chooser, Later, as_data, load
from ....models.chat.reader.reply import EARLIER
from ....models.chat.reader.sentences import Sentence, lateness, sentences_of, table
from ....models.chat.reader.since import candidates
from ...material.stored import stored_talk
from ...material.templates.talk import GoldQuestion, GoldTalk
from ...material.templates.told import further_talks, short_talks, unseen_week_talks, week_talks
from .logistic import evenly, logistic
from .reader_fit import LIMIT, MISSED, WORDS

if TYPE_CHECKING:
    from ....memory.store.store import Store
    from ....memory.values import Recall, User

BESIDE = 0.03
"""Of the questions whose answer was read out and holds: what is told beside it, for nothing."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of which something is read out surely. `right`: that answers it; `signs`: of the later lines, shape
    (lines, 3); `holds`: which of these answer it."""

    right: bool
    signs: np.ndarray
    holds: np.ndarray


def asked_of(store: Store, talks: Sequence[GoldTalk], name: str, chooser: Chooser) -> list[Asked]:
    """The questions of talks that the reader answers surely, told or not."""
    found, tell = list[Asked](), make_progress(f"{name}, talks", len(talks))
    for number, talk in enumerate(talks, 1):
        drawn = random.Random(f"{name}-{number}")
        user = stored_talk(store, f"{name}-{number}", talk, drawn, missed=MISSED)
        found += [one for asked in talk.questions if (one := _asked(store, user, talk, asked, chooser))]
        tell(number)
    return found


def _asked(store: Store, user: User, talk: GoldTalk, asked: GoldQuestion, chooser: Chooser) -> Asked | None:
    now = talk.lines[-1].said_at
    recall = store.search(
        user.id, asked.text, speaker=user.subject, word_budget=WORDS, limit=LIMIT, now=now, floor=True
    )
    best = _surely(store, user, recall, chooser)
    if best is None:
        return None
    told = asked.needs is not None

    def answers(text: str) -> bool:
        return told and all(contained(key, text) for key in asked.key_words)

    some = candidates(store, user, recall, best)
    signs = np.array([one.signs for one in some]).reshape(len(some), 3)
    return Asked(answers(best.text), signs, np.array([answers(one.turn.text) for one in some], bool))


def _surely(store: Store, user: User, recall: Recall, chooser: Chooser) -> Sentence | None:
    """What the reader reads out of a recall, if it is sure of it."""
    crossing, embedder = cross_encoder.load(), store.embedder
    assert crossing is not None and embedder is not None
    found = sentences_of(recall, lambda turn: store.turns.before(turn, EARLIER))
    if not found:
        return None

    def logits(places: Sequence[int]) -> np.ndarray:
        shown = [cross_encoder.shown_as(user.subject, found[place]) for place in places]
        return crossing.logits(user.subject, recall.query, shown)

    signs = table(recall.query, user.subject, found, embedder)
    judged = chooser.judge(signs, lateness(recall.query, found), logits)
    sure = chooser.answers(judged.surety, crossed=True) == "surely"
    return found[int(judged.shares.argmax())] if sure else None


def fitted(cases: Sequence[Asked]) -> Later:
    """The weights, and the bound above which this share of the questions that are answered lie. For these what says the
    same once more is as idle as what says something else."""
    rows = [(signs, holds) for one in cases if not one.right
            for signs, holds in zip(one.signs, one.holds, strict=True)]  # fmt: skip
    rows += [(signs, np.False_) for one in cases if one.right for signs in one.signs]
    x = np.array([(*signs, 1.0) for signs, _ in rows]).reshape(len(rows), 4)
    wanted = np.array([float(holds) for _, holds in rows])
    ends, answers, answered, bias = logistic(x, wanted, evenly(wanted))
    made = Later((ends, answers, answered, bias), 0.0)
    most = sorted(float(made.holds(one.signs).max()) if len(one.signs) else -np.inf for one in cases if one.right)
    highest = most[min(int((1 - BESIDE) * len(most)), len(most) - 1)] if most else -np.inf
    return replace(made, bound=(highest if np.isfinite(highest) else 0.0) + 1e-6)


def measured(cases: Sequence[Asked], weights: Later) -> dict[str, Estimate]:
    """What is answered with and without what was told since, and what is told for nothing."""
    shown = [int(logits.argmax()) if len(one.signs) and (logits := weights.holds(one.signs)).max() >= 0 else None
             for one in cases]  # fmt: skip
    holds = [at is not None and bool(one.holds[at]) for at, one in zip(shown, cases, strict=True)]
    right = [one.right for one in cases]
    vain = [at is not None for at, one in zip(shown, cases, strict=True) if one.right]
    wrong = [at is not None for at, one in zip(shown, cases, strict=True) if not one.right and not one.holds.any()]
    return {
        "answered": wilson(sum(right), len(right)),
        "answered by that or by what was told since": wilson(
            sum(one or other for one, other in zip(right, holds, strict=True)), len(right)
        ),
        "answered, and something told beside": wilson(sum(vain), len(vain)),
        "not answered by either, and something told beside": wilson(sum(wrong), len(wrong)),
    }


def run(out: Path, start: Path | None = None) -> int:
    """Fits, writes OUT/reader.json and prints what it reaches on talks held back, in halves, and on an unread writer's.
    Raises InputError without a reader."""
    from ....memory.store.store import Store
    from ....models.embedder.minilm import load_embedder

    chooser = load(start / "reader.json") if start else load()
    if chooser is None or chooser.crossed is None:
        raise InputError("Fit the reader first: chatmem train recall --reader, then --cross-encoder.")
    held = [one for kind in (short_talks, further_talks, week_talks) for one in kind("valid")]
    with (
        tempfile.TemporaryDirectory() as folder,
        Store.open(Path(folder) / "talks.db", embedder=load_embedder()) as store,
    ):
        cases = asked_of(store, held, "held back", chooser)
        unread = asked_of(store, unseen_week_talks(), "unread", chooser)
    weights = fitted(cases)
    out.mkdir(parents=True, exist_ok=True)
    data = as_data(replace(chooser, later=weights))
    (out / "reader.json").write_text(json.dumps(data) + "\n", encoding="utf-8")
    first, second = cases[: len(cases) // 2], cases[len(cases) // 2 :]
    for name, some, made in (
        ("held back, one half", first, fitted(second)), ("held back, the other", second, fitted(first)),
        ("an unread writer", unread, weights),
    ):  # fmt: skip
        for group, share in measured(some, made).items():
            print(f"{name}: {group}: {share}")
    print(f"{out / 'reader.json'}: for assets/ranker")
    return 0
