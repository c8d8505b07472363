"""Whether a question is answered from a memory: the best five rows, a frozen model's reply to them, and its score.

1 where the reply has the words of the right answer and no others, else .6 of their token F1 and .4 of a judge's word
(MemUpdate). The judge is the strict measure by words (every content word of the answer stands in the reply),
or a model that grades. A reply hangs on question and rows alone, the model's cache is emptied before each: so it is
given once and remembered, here and in a file. Most rows that an editor touches are recalled for few of the questions,
so of what a memory is asked again most is remembered.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ....memory.values import Moment, Recall, User
from ....models.chat.answer import AnswerAgent
from ...measures.answers import exact_match
from ...measures.text import all_words, token_f1
from ...runs.models import forgetting
from .episodes import Ask

if TYPE_CHECKING:
    from ....memory.store.store import Store
    from ....models.lm import LM

TOP = 5
"""Rows that a reply sees."""
F1, JUDGED = 0.6, 0.4
ENOUGH = 0.95
"""P from which a memory needs no tidying: an episode stops there."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A reply, its score (0..1), and the ids of the rows that it saw, best first."""

    score: float
    reply: str
    rows: tuple[int, ...]


class Found(NamedTuple):
    """What a question recalls, and the key of its answer."""

    recall: Recall
    key: str


class Rag:
    """Asks memories. `lm`: the frozen model that replies; `judge`: one that grades (None: by words); `kept`: the file
    of what was answered. `asked` counts questions, `fresh` those that the model had to be asked for."""

    def __init__(self, lm: LM, judge: LM | None = None, kept: Path | None = None) -> None:
        self.lm, self.judge, self.kept = lm, judge, kept
        self.agent = AnswerAgent(lm)
        self.asked = self.fresh = 0
        self._told: dict[str, dict[str, Any]] = _kept(kept)

    def answer(self, store: Store, user: User, ask: Ask, now: Moment) -> Answered:
        """What the memory, as it is now, has for a question. Raises ModelError, StoreError."""
        found = self._found(store, user, ask, now)
        self.asked += 1
        if found.key not in self._told:
            self.fresh += 1
            forgetting(self.lm)()
            chunks = self.agent.reply(user, found.recall, (), ask.question, now)
            reply = "".join(chunk.text for chunk in chunks).strip()
            self._keep({"key": found.key, "question": ask.question, "reply": reply, "judged": self._judged(ask, reply)})
        return self._read(found, ask)

    def reaches(self, store: Store, user: User, asks: Sequence[Ask], now: Moment) -> bool:
        """Whether P, the mean score, is `ENOUGH`. What is remembered is looked at first, and no further than it takes
        to know that it isn't: most of the time the model isn't asked."""
        left, new = len(asks) * (1 - ENOUGH) + 1e-9, []
        for ask in asks:
            found = self._found(store, user, ask, now)
            if found.key not in self._told:
                new.append(ask)
                continue
            left -= 1 - self._read(found, ask).score
            if left < 0:
                return False
        for ask in new:
            left -= 1 - self.answer(store, user, ask, now).score
            if left < 0:
                return False
        return bool(asks)

    def _found(self, store: Store, user: User, ask: Ask, now: Moment) -> Found:
        """The best rows for a question, and what its answer is remembered by: the prompt, the answer, the models."""
        found = store.search(user.id, ask.question, limit=TOP, use_turns=False)
        items = tuple(replace(item, turns=(), passage="") for item in found.items if item.memory)
        recall = Recall(ask.question, items)
        prompt = [one.content for one in self.agent.prompt(user, recall, (), ask.question, now)]
        models = [self.lm.name, self.lm.adapter, self.judge.name if self.judge else None]
        return Found(recall, hashlib.sha256(json.dumps([models, ask.gold, prompt]).encode()).hexdigest()[:24])

    def _read(self, found: Found, ask: Ask) -> Answered:
        told = self._told[found.key]
        rows = tuple(memory.id for memory in found.recall.memories)
        return Answered(scored(told["reply"], ask.gold, float(told["judged"])), str(told["reply"]), rows)

    def _judged(self, ask: Ask, reply: str) -> float:
        if self.judge is None:
            return float(all_words(ask.gold, reply))
        from ...judge.judge import Item, judge_one

        return float(judge_one(self.judge, "lenient", Item("", ask.question, ask.gold, reply), 1, 0)[0].verdict is True)

    def _keep(self, told: dict[str, Any]) -> None:
        self._told[told["key"]] = told
        if self.kept is not None:
            self.kept.parent.mkdir(parents=True, exist_ok=True)
            with self.kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps(told, ensure_ascii=False) + "\n")

    def close(self) -> None:
        """Lets go of the models."""
        self.lm.close()
        if self.judge is not None:
            self.judge.close()


def scored(reply: str, gold: str, judged: float) -> float:
    """1 for the exact answer, else .6 F1 + .4 `judged` (0..1)."""
    return 1.0 if exact_match(reply, gold) else F1 * token_f1(reply, gold) + JUDGED * judged


def _kept(path: Path | None) -> dict[str, dict[str, Any]]:
    """What was kept by its key; a last line that a kill cut off is passed over, and ended so that the next one is
    whole."""
    if path is None or not path.is_file():
        return {}
    text = path.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        path.write_text(whole, encoding="utf-8")
    rows: list[Mapping[str, Any]] = [json.loads(line) for line in whole.splitlines()]
    return {str(row["key"]): dict(row) for row in rows}
