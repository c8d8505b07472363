"""The retrieval agent's reward: c * (1 + beta * in-range), c the share of the evidence that its SELECT brings.

The range is on the number of rows that come back: too few lose evidence, too many fill the prompt. The bonus is gated
by c: ungated it pays for any SELECT of the right size (seed 003). A refused statement earns less than nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...memory.errors import InputError, Refused
from ...memory.guard.view import LINES
from ...memory.store.store import Store
from ...models.chat.retrieval import MAX_TOKENS, RetrievalAgent
from ...models.lm import Options
from ...models.prompts.draft import unwrap
from ...models.prompts.grammars import retrieval_grammar

BETA = 0.3
LEAST, MOST = 3, 10
"""The range of rows that earns the bonus."""
REFUSED = -0.2
FOUND_AT = 10
MEMORY = "rows.db"
"""The store beside a run's rows, with the memories that its questions are asked over."""


def reward(found: Sequence[int], gold: Sequence[int]) -> dict[str, float]:
    """The reward (0 to 1 + beta) and its terms for the ids that came back."""
    c = sum(one in found for one in gold) / len(gold)
    within = float(LEAST <= len(found) <= MOST)
    first = next((1 / place for place, one in enumerate(found, 1) if one in gold), 0.0)
    top = sum(one in found[:FOUND_AT] for one in gold) / len(gold)
    return {
        "reward": c * (1 + BETA * within), "evidence": c, "in range": within, "rows": float(len(found)),
        "recall@10": top, "reciprocal rank": first, "valid": 1.0,
    }  # fmt: skip


class RetrievalTask:
    """Rewards for rows with a "case": {"user", "asker", "gold", "lines"} of the store in the run's folder.

    `gold` are the memories that hold the answer, `lines` the turns; a SELECT is judged by those of its table.
    """

    measure = "recall@10"

    def __init__(self, folder: Path) -> None:
        from ...models.embedder.minilm import load_embedder

        if not (folder / MEMORY).is_file():
            raise InputError(
                f"There is no {MEMORY} beside the rows; let `train retrieval` build them (without --rows)."
            )
        self.store = Store.open(folder / MEMORY, embedder=load_embedder())
        self.agent = RetrievalAgent(None, self.store)

    def accepts(self, row: dict[str, Any]) -> bool:
        """Whether the row says what its question's evidence is."""
        case = row.get("case", {})
        return bool(case.get("gold") or case.get("lines"))

    def options(self, row: dict[str, Any]) -> Options:
        """As the agent itself asks."""
        subjects = row["messages"][-1][1].split("\n")[0].removeprefix("Subjects: ").split(", ")
        return Options(max_tokens=MAX_TOKENS, grammar=retrieval_grammar(subjects))

    def score(self, row: dict[str, Any], text: str) -> dict[str, float]:
        """Runs the SELECT over the case's memory."""
        case = row["case"]
        user = self.store.users.get(case["user"])
        try:
            found = self.agent.run(user, unwrap(text), case["asker"])
            gold = case.get("lines") if found.table == LINES else case["gold"]
            return reward(found.ids if gold else (), gold or case["gold"] or case["lines"])
        except Refused:
            return {"reward": REFUSED, "valid": 0.0, "evidence": 0.0, "recall@10": 0.0}

    def summary(self, scores: Sequence[dict[str, float]]) -> dict[str, float]:
        """Means over the rows that have the term."""
        names = dict.fromkeys([self.measure, *(name for terms in scores for name in terms)])
        held = {name: [terms[name] for terms in scores if name in terms] for name in names}
        return {name: sum(values) / len(values) for name, values in held.items() if values}

    def close(self) -> None:
        """Closes the store."""
        self.store.close()
