"""The reward of a ranking of sessions: what the sessions at its top do to the answer.

A frozen model answers without sessions (s_0) and with the best k of them (s_k), for k of 1, 2, 3, 5, 8 as far as there
are so many; R = sum of w_k (s_k - s_0), where w_k = C(k) - C(next k), the last keeps C(k), and C(k) = 1 / log2(k + 1)
is the discount of DCG. So the weights sum to C(1) = 1, and a session is worth more the higher it stands (MemSifter; its
public code leaves out the first tier). A reply in another form earns less than the worst ranking can.
"""

from __future__ import annotations

import hashlib
import json
import math
import threading
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....eval.measures.ranking import ndcg_at
from ....eval.measures.text import token_f1
from ....eval.ranking.parse import parse_ranking
from ....eval.ranking.prompt import MOST
from ....memory.errors import EndpointError, InputError

if TYPE_CHECKING:
    from ....eval.ranking.rows import Row

TIERS = (1, 2, 3, 5, 8)
"""Sessions that the frozen model is given."""
MALFORMED = -1.2
"""Of a reply that is no ranking: below -1, the worst that a ranking can earn."""
Answer = Callable[["Row", Sequence[int]], str]
"""The frozen model's answer to a row from these sessions. Raises EndpointError."""


def discount(k: int) -> float:
    """C(k): what the place k counts in DCG."""
    return 1 / math.log2(k + 1)


def tiers(count: int) -> tuple[int, ...]:
    """The tiers for a prompt of `count` sessions, of which a ranking names at most ten."""
    return tuple(k for k in TIERS if k <= max(1, min(MOST, count)))


def weights(some: Sequence[int]) -> tuple[float, ...]:
    """What each tier counts; they sum to 1."""
    found = [discount(k) - discount(after) for k, after in pairwise(some)]
    return (*found, discount(some[-1]))


def outcome(without: float, scores: Sequence[float], some: Sequence[int]) -> float:
    """R of the scores s_k of these tiers, from s_0 `without` sessions: -1 to 1."""
    return sum(weight * (score - without) for weight, score in zip(weights(some), scores, strict=True))


def share_of(step: int, warm_up: int) -> float:
    """a: how much of the reward is the answer's after so many steps, from 0 to 1; the rest is NDCG@10."""
    return 1.0 if warm_up <= 0 else min(1.0, max(0.0, step / warm_up))


class SessionReward:
    """Rewards of replies. What the frozen model answered is kept in `kept` (JSON lines) by its name, the question and
    the set of sessions, so it is asked once; the file may be shared by runs, and a torn last line is passed over."""

    def __init__(self, answer: Answer, model: str, kept: Path | None = None) -> None:
        self._answer, self._model, self._kept = answer, model, kept
        self._lock = threading.Lock()
        self._scores = _read(kept) if kept is not None else {}

    def __call__(self, row: Row, reply: str, places: Sequence[int], share: float = 1.0) -> dict[str, float] | None:
        """The reward and its terms of a reply to the prompt over the sessions `places`; `share`: as `share_of` gives.

        None where an endpoint failed: the sample says nothing then, and another reward would teach something else.
        """
        numbers = parse_ranking(reply, len(places))
        if numbers is None:
            return {"reward": MALFORMED, "malformed": 1.0}
        ranked = [places[number] for number in numbers][:MOST]
        gold = row.gold_places
        order = ndcg_at(ranked, gold, 10) if gold else 0.0
        if share <= 0:
            return {"reward": order, "NDCG@10": order, "malformed": 0.0}
        try:
            without = self.score(row, ())
            some = tiers(len(places))
            scores = [self.score(row, ranked[:k]) for k in some]
        except EndpointError:
            return None
        gain = outcome(without, scores, some)
        reward = (1 - share) * order + share * gain if gold else gain
        told = {f"F1@{k}": score for k, score in zip(some, scores, strict=True)}
        return {"reward": reward, "outcome": gain, "NDCG@10": order, "F1@0": without, **told, "malformed": 0.0}

    def score(self, row: Row, places: Sequence[int]) -> float:
        """F1 of the frozen model's answer from a set of sessions, over multisets of words. Raises EndpointError."""
        key = self._key(row, places)
        with self._lock:
            known = self._scores.get(key)
        if known is None:
            known = round(token_f1(self._answer(row, sorted(set(places))), row.answer), 6)
            self._keep(key, known)
        return known

    def _key(self, row: Row, places: Sequence[int]) -> str:
        told = json.dumps([self._model, row.question, row.answer, row.haystack.stamp, sorted(set(places))])
        return hashlib.sha256(told.encode()).hexdigest()[:24]

    def _keep(self, key: str, score: float) -> None:
        with self._lock:
            self._scores[key] = score
            if self._kept is None:
                return
            try:
                self._kept.parent.mkdir(parents=True, exist_ok=True)
                with self._kept.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"key": key, "score": score}) + "\n")
            except OSError as error:
                raise InputError(f"{self._kept} can't be written ({error.strerror}); make room and go on.") from error


def _read(path: Path) -> dict[str, float]:
    found: dict[str, float] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            row: Any = json.loads(line)
            found[str(row["key"])] = float(row["score"])
        except (ValueError, KeyError, TypeError):
            continue  # a kill tore it, or what was written behind it: it is asked again
    return found
