"""Answer rows from LoCoMo's questions: its short golds, over what search brings of the conversation.

Asked by the encoder that ships, a question finds its answer more surely than any new question will, since it was among
those that the encoder learned from. With a run of `chatmem train recall` each conversation is asked by the encoder that
was trained without it. Where nothing of the answer was found the row would teach guessing, and is left out.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...eval.datasets.cases import Case, Conversation, locomo_cases
from ...eval.datasets.locomo import LocomoTalk
from ...eval.ingestion.ingest import ingest
from ...memory.errors import InputError
from ...memory.values import HUMAN, Recall
from ...models.chat.answer import Talkers, memory_lines
from ...models.prompts.messages import answer_messages
from ..policy.rows import training_row
from ..recall.rows import folds, turn_ids
from .rows import UNKNOWN, key_words

if TYPE_CHECKING:
    from ...memory.search.vectors import Embedder
    from ...memory.store.store import Store

BUDGETS = (120, 160, 200, 200)
"""Words of recalled context; each question is asked under two of them."""
SHOWN = 0.5
"""Share of an answer's telling words (of a list's entry) that the context must hold."""
ASKED_WRONG = 0.35
"""Share of the adversarial questions that are asked; the honest answer is not to know."""
LISTS, TOLD_OUT = 1, 4
"""LoCoMo's categories: several lines together, a single line."""


class HeldBack:
    """The chat's embedder; but questions that a recall run knows are embedded as trained without their conversation."""

    def __init__(self, embedder: Embedder, folder: Path | None, talks: Sequence[str]) -> None:
        self._embedder, self._vectors = embedder, dict[str, np.ndarray]()
        self.name, self.dimensions = embedder.name, embedder.dimensions
        self._files = sorted(folder.glob("fold-*.npz")) if folder else []
        if folder and not self._files:
            raise InputError(f"{folder} holds no fold-*.npz; give the --out of a finished `chatmem train recall`.")
        groups = folds(talks, len(self._files)) if self._files else []
        self._fold = {talk: place for place, group in enumerate(groups) for talk in group}

    def about(self, talk: str) -> None:
        """Questions are about this conversation from now on."""
        if self._files:
            with np.load(self._files[self._fold[talk]]) as known:
                self._vectors = dict(zip(known["texts"].tolist(), known["vectors"], strict=True))

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        return self._embedder.embed(texts)

    def embed_questions(self, texts: Sequence[str]) -> np.ndarray:
        known = self._vectors
        made = [known[one] if one in known else self._embedder.embed_questions([one])[0] for one in texts]
        return np.stack(made)


def locomo_rows(
    store: Store, talks: Sequence[LocomoTalk], seed: int, about: Callable[[str], None] = lambda talk: None
) -> Iterator[dict[str, Any]]:
    """Rows of all questions. `about` is told each conversation before its questions are asked."""
    rng = random.Random(seed)
    for talk in talks:
        cases = locomo_cases([talk])
        if not cases:
            continue
        ids = _heard(store, talk, cases[0].talk)
        about(talk.id)
        for case in cases:
            if case.abstain and rng.random() > ASKED_WRONG:
                continue
            evidence = {ids[name] for name in case.evidence if name in ids}
            for words in rng.sample(BUDGETS, 1 if case.abstain else 2):
                if made := _asked(store, case, evidence, words, rng):
                    yield made


def _heard(store: Store, talk: LocomoTalk, plain: Conversation) -> dict[str, int]:
    """The conversation in the store, with its observations of every other session as facts; ids of its lines."""
    user = store.users.get(plain.id)
    ingest(store, user, plain)
    ids = dict(zip((one.id for one in plain.said), turn_ids(store, user.id), strict=True))
    noted = {turn.id for session in talk.sessions[::2] for turn in session.turns}
    for one in talk.observed:
        if noted.issuperset(one.evidence):
            turns = [ids[name] for name in one.evidence if name in ids]
            store.facts.remember(user.id, one.subject, "fact", one.fact, author=HUMAN, turn_ids=turns)
    store.vectors.embed_pending(user.id, limit=1_000_000)
    return ids


def _asked(store: Store, case: Case, evidence: Set[int], words: int, rng: random.Random) -> dict[str, Any] | None:
    user, now = store.users.get(case.talk.id), case.talk.now
    recall = store.search(user.id, case.question, word_budget=words, now=now)
    scene = Talkers(case.talk.me, user.subject)
    lines = memory_lines(recall, scene, words)
    answer = rng.choice(UNKNOWN) if case.abstain else told(case, lines, _shows(recall, evidence))
    return training_row(answer_messages(scene.system(now), [], lines, case.question), answer) if answer else None


def _shows(recall: Recall, evidence: Set[int]) -> bool:
    return any(turn.id in evidence for item in recall.items for turn in item.turns)


def told(case: Case, lines: Sequence[str], shown: bool) -> str:
    """What the lines tell of the gold answer: of a list, the entries that are there; "" where they don't tell it.
    `shown`: whether a line of the evidence is among them."""
    held = key_words(" ".join(lines))

    def there(text: str) -> bool:
        wanted = key_words(text)
        return bool(wanted) and len(wanted & held) >= SHOWN * len(wanted)

    gold = case.gold.split(";")[0].strip()
    if case.category == LISTS:
        return ", ".join(part.strip() for part in gold.split(",") if there(part))
    return gold if shown or (case.category == TOLD_OUT and there(gold)) else ""
