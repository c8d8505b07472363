"""What a ranking model is trained and measured by: its reply is parsed, and its choice is worth what the frozen model
answers from it (`reward.py`)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....eval.ranking.answer import Answered, Answering
from ....eval.ranking.prompt import LARGE_REPLY, SMALL_REPLY, TEMPERATURE, grammar
from ....eval.ranking.rows import Row, read_rows
from ....memory.errors import InputError
from ....models.lm import Options
from ...policy.sampling import means
from .reward import SessionReward, share_of

ROWS = "sessions.jsonl"
"""The questions with their sessions, beside the rows of a run."""
ANSWERS = "answers.jsonl"
"""What the frozen model's answers scored, by question and set of sessions: asked once."""
_SESSION = re.compile(r"^<session\d+> ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Frozen:
    """The frozen model: its spec (None: NDCG@10 alone is the reward), the tokens of sessions that it reads, and as how
    many steps the reward goes over from the one to the other."""

    model: str | None
    tokens: int = 8_192
    warm_up: int = 0
    threads: int | None = None
    per_minute: float | None = None


class RankerTask:
    """Rewards for rows with a "case": {"key", "places", "form"} of the sessions in the run's folder."""

    measure = "reward"

    def __init__(self, folder: Path, frozen: Frozen) -> None:
        if not (folder / ROWS).is_file():
            raise InputError(f"There is no {ROWS} beside the rows; let `train ranker` build them (without --rows).")
        self.rows = {row.key: row for row in read_rows(folder / ROWS)}
        self.frozen = frozen
        self.reward = SessionReward(self._answer, str(frozen.model), folder / ANSWERS)
        self._answerer: Answered | None = None
        self.at(None)

    def at(self, step: int | None) -> None:
        """How much of the reward is the answers' from now on; all of it when the agent is measured (None)."""
        whole = 1.0 if step is None else share_of(step, self.frozen.warm_up)
        self.share = whole if self.frozen.model is not None else 0.0

    def accepts(self, row: dict[str, Any]) -> bool:
        """Whether the row says which question it is about."""
        return row.get("case", {}).get("key") in self.rows

    def options(self, row: dict[str, Any]) -> Options:
        """As `chatmem rank` asks: digests are answered under a grammar, whole sessions are thought over."""
        if row.get("case", {}).get("form") == "whole":
            return Options(max_tokens=LARGE_REPLY, temperature=TEMPERATURE)
        return Options(max_tokens=SMALL_REPLY, grammar=grammar(len(_SESSION.findall(row["messages"][-1][1]))))

    def score(self, row: dict[str, Any], text: str) -> dict[str, float]:
        """The reward of a reply and its terms; NaN where an endpoint failed, which says nothing of the reply."""
        case = row["case"]
        found = self.reward(self.rows[case["key"]], text, case["places"], self.share)
        return found if found is not None else {"reward": math.nan}

    def summary(self, scores: Sequence[Mapping[str, float]]) -> dict[str, float]:
        """Means over the replies that could be scored. Raises InputError where none could."""
        known = [terms for terms in scores if not math.isnan(terms["reward"])]
        if not known:
            raise InputError(f"{self.frozen.model} answered nothing, so nothing is measured; see that it runs.")
        return means(known, self.measure)

    def close(self) -> None:
        """Lets go of the frozen model."""
        if self._answerer is not None:
            self._answerer.close()

    def _answer(self, row: Row, places: Sequence[int]) -> str:
        """Raises EndpointError; the model is loaded when it is first asked."""
        if self._answerer is None:
            how = self.frozen
            step = Answering(how.model, tokens=how.tokens, threads=how.threads, per_minute=how.per_minute)
            self._answerer = Answered(step)
        return self._answerer.from_sessions(row, places)
