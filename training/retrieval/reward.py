"""The retrieval agent's reward: r = c (1 + beta 1[n_min <= n <= n_max]), and less than nothing if refused.

A SELECT is judged by what the chat would show with it: its rows fused with what search found, cut to the prompt's
words. `--gate answer`: c is 1 when all that the question needs is shown, else 0; with a frozen model that answers
(`--answerer`) when the known words stand in its reply. `--gate evidence`: c is the share that is shown. n counts the
rows of the SELECT: too few lose evidence, too many fill the prompt. The bonus is gated by c: ungated it pays for any
SELECT of the right size.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ...eval.measures.text import all_words, words
from ...memory.errors import InputError, Refused
from ...memory.store.store import Store
from ...memory.values import Recall, User
from ...models.chat.answer import AnswerAgent
from ...models.chat.retrieval import RetrievalAgent, Selected
from ...models.chat.telling import RECALL_WORDS, Talkers, shown
from ...models.lm import LM, Options
from ...models.prompts.draft import unwrap
from ...models.prompts.looked import Look, left_open
from ..policy.sampling import means

BETA = 0.3
REFUSED = -0.2
MEMORY = "rows.db"
"""The store beside a run's rows, with the memories that its questions are asked over."""
_HEADS = ("Subjects: ", "Topics: ", "Today: ")
"""Lines of a prompt that hold what a SELECT may name."""
Gate = Literal["answer", "evidence"]


def bounds(needed: int) -> tuple[int, int]:
    """(n_min, n_max): as many rows as are needed, and at most so many beside them."""
    return needed, 2 * needed + 2


def reward(c: float, rows: int, needed: int) -> float:
    """c (1 + beta) where the number of rows is in its range, else c."""
    least, most = bounds(needed)
    return c * (1 + BETA * (least <= rows <= most))


class _Asked(NamedTuple):
    """A row's question over its memory: who asks, what search found, (turn, memory) of each thing that is needed."""

    user: User
    found: Recall
    units: list[tuple[int, int | None]]


class RetrievalTask:
    """Rewards for rows with a "case": {"user", "now", "question", "units", "keys", "kind"} of the store in the run's
    folder. What the same rows earned is remembered, so a model answers once for each set of rows."""

    measure = "shown"

    def __init__(self, folder: Path, gate: Gate = "evidence", answerer: LM | None = None) -> None:
        from ...models.embedder.minilm import load_embedder

        if not (folder / MEMORY).is_file():
            raise InputError(
                f"There is no {MEMORY} beside the rows; let `train retrieval` build them (without --rows)."
            )
        self.store = Store.open(folder / MEMORY, embedder=load_embedder())
        self.agent = RetrievalAgent(None, self.store)
        self.gate, self.answerer = gate, answerer
        self._asked: dict[tuple[str, str], _Asked] = {}
        self._scored: dict[Any, tuple[float, float]] = {}

    def accepts(self, row: dict[str, Any]) -> bool:
        """Whether the row says what its question needs."""
        return bool(row.get("case", {}).get("units"))

    def options(self, row: dict[str, Any]) -> Options:
        """As the agent itself asks: the choices are those of the prompt."""
        told = [line for line in row["messages"][-1][1].split("\n") if line.startswith(_HEADS)]
        parts = dict(line.split(": ", 1) for line in told)
        subjects, topics = (tuple(parts.get(name, "").split(", ")) for name in ("Subjects", "Topics"))
        question, now = row["messages"][-1][1].rpartition(": ")[2], parts.get("Today", "1970-01-01")
        return Look(subjects, topics, (), (), *left_open(question, now)).options()

    def score(self, row: dict[str, Any], text: str) -> dict[str, float]:
        """Runs the SELECT over the case's memory."""
        case, asked = row["case"], self._of(row["case"])
        try:
            selected = self.agent.run(asked.user, unwrap(text), asked.user.subject, case["now"])
        except Refused:
            return {"reward": REFUSED, "valid": 0.0, "shown": 0.0, "c": 0.0}
        key = (case["user"], case["question"], selected.table, selected.ids)
        if key not in self._scored:
            self._scored[key] = self._gated(case, asked, selected)
        c, share = self._scored[key]
        rows = len(selected.ids)
        least, most = bounds(len(asked.units))
        return {
            "reward": reward(c, rows, len(asked.units)), "shown": share, "c": c, "rows": float(rows),
            "in range": float(least <= rows <= most), "valid": 1.0,
        }  # fmt: skip

    def _of(self, case: dict[str, Any]) -> _Asked:
        key = (case["user"], case["question"])
        if key not in self._asked:
            user = self.store.users.get(case["user"])
            found = self.agent.found(user, case["question"], now=case["now"], asker=user.subject)
            self._asked[key] = _Asked(user, found, [(turn, memory) for turn, memory in case["units"]])
        return self._asked[key]

    def _gated(self, case: dict[str, Any], asked: _Asked, selected: Selected) -> tuple[float, float]:
        """(c, share of the needed things that is shown)."""
        recall = self.agent.fused(asked.user, asked.found, selected, case["now"])
        told = shown(recall, Talkers(other=asked.user.subject), RECALL_WORDS)
        memories, turns = {memory for _, memory, _ in told}, {turn for _, _, turn in told}
        units = asked.units
        share = sum(turn in turns or (memory is not None and memory in memories) for turn, memory in units) / len(units)
        if self.gate == "evidence":
            return share, share
        return (float(share == 1.0) if self.answerer is None else self._answered(case, asked, recall)), share

    def _answered(self, case: dict[str, Any], asked: _Asked, recall: Recall) -> float:
        """1 when the frozen model's reply to the question holds the known words."""
        assert self.answerer is not None
        agent = AnswerAgent(self.answerer)
        reply = "".join(chunk.text for chunk in agent.reply(asked.user, recall, (), case["question"], case["now"]))
        return float(holds(reply, case["kind"], case["keys"]))

    def summary(self, scores: Sequence[dict[str, float]]) -> dict[str, float]:
        """Means over the rows that have the term."""
        return means(scores, self.measure)

    def close(self) -> None:
        """Closes the store and the model that answers."""
        self.store.close()
        if self.answerer is not None:
            self.answerer.close()


def holds(reply: str, kind: str, keys: Sequence[str]) -> bool:
    """Whether a reply holds the number of what was counted, or the words of all that was asked for."""
    if kind == "count":
        return str(len(keys)) in words(reply)
    return all(all_words(key, reply) for key in keys)
