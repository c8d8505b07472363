"""Trains the ranker of lines (`memory/search/ranker.py`) on questions with their evidence.

The loss is ListNet's top-one cross entropy (Cao et al. 2007): the softmax over the lines that compete for a question
against the lines that hold its answer. Several networks are trained and written as one, since their mean ranks a little
better than any of them and a hidden layer of all their units computes just that mean.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...memory.language.question import Question
from ...memory.search import candidates, lines
from ...memory.search.line_features import NAMES
from ...memory.search.ranker import CLIP
from .rows import EvidenceQuestion

if TYPE_CHECKING:
    from ...memory.store.store import Store

STILL = 1e-3
"""Spread at or below which a sign counts as the same everywhere."""
FAR = 1.5
"""Times the share of signs far from their mean that the strangest question of a hundred has, of those learned from."""
KEPT = 200
"""Best lines by the sum of signs that are learned from."""
DEFAULTS = {"lr": 4e-3, "dropout": 0.2, "start": 0.6}


@dataclass(frozen=True, slots=True)
class RankerConfig:
    """`even`: how far kinds of talk with few questions are weighed up, 0 (each question alike) to 1 (each kind)."""

    hidden: int = 32
    nets: int = 3
    epochs: int = 8
    batch: int = 32
    even: float = 0.7
    decay: float = 0.1
    blend: float = 0.5


@dataclass(frozen=True, slots=True)
class Ranked:
    """The lines that compete for a question, shape (lines, signs), and which of them hold the answer."""

    asked: EvidenceQuestion
    ids: Sequence[int]
    signs: np.ndarray

    @property
    def right(self) -> np.ndarray:
        return np.isin(np.array(self.ids), self.asked.lines)


def look(store: Store, asked: EvidenceQuestion, model: str, vectors: np.ndarray, plain: np.ndarray) -> Ranked:
    """What search sees for a question, whose parts have these vectors by the encoder of questions and that of lines."""
    ready, lines_ready = Future[np.ndarray](), Future[np.ndarray]()
    ready.set_result(vectors)
    lines_ready.set_result(plain)
    question = Question(asked.text, asked.asker, asked.now)
    with store.db.read() as connection:
        search = candidates.Search(
            connection,
            asked.user_id,
            question,
            store.ground.searcher.frequencies,
            store.ground.searcher.cache,
            model,
            ready,
            None,
            lines_ready,
        )
        ids, signs = lines.ranked_signs(search)
    best = np.argsort(-signs[:, 0], kind="stable")[:KEPT]
    return Ranked(asked, [ids[place] for place in best], signs[best])


def train(rows: Sequence[Ranked], config: RankerConfig, seed: int = 0) -> dict[str, Any]:
    """The weights in the form that `memory/search/ranker.py` reads; rows in which no line is right teach nothing."""
    import torch

    rows = [row for row in rows if row.right.any()]
    signs, right, there = _padded(rows)
    every = signs[there]
    mean, spread = every.mean(0), every.std(0).clamp_min(STILL)
    signs = ((signs - mean) / spread).clamp(-CLIP, CLIP)
    worth = torch.from_numpy(_worth(rows, config.even))
    parts = [
        _fit(signs, right * worth[:, None], there, float(spread[0]), config, seed + number, torch)
        for number in range(config.nets)
    ]
    for part in parts:  # what never differed was never learned: it must not speak, as at random it would
        part["linear"], part["hidden"] = part["linear"].detach(), part["hidden"].detach()
        part["linear"][spread <= STILL], part["hidden"][:, spread <= STILL] = 0.0, 0.0
    shares = [float(((torch.from_numpy(row.signs) - mean).abs() / spread > CLIP).float().mean()) for row in rows]
    far = FAR * float(np.quantile(shares, 0.99))
    linear = sum(part["linear"] for part in parts) / config.nets
    return {
        "signs": list(NAMES), "mean": _plain(mean), "spread": _plain(spread), "linear": _plain(linear),
        "hidden": _plain(torch.cat([part["hidden"] for part in parts])),
        "bias": _plain(torch.cat([part["bias"] for part in parts])),
        "out": _plain(torch.cat([part["out"] for part in parts]) / config.nets),
        "far": round(far, 5), "blend": config.blend,
    }  # fmt: skip


def _worth(rows: Sequence[Ranked], even: float) -> np.ndarray:
    """How much each question counts, 1 on average, float32, shape (rows,)."""
    counts = Counter(row.asked.kind for row in rows)
    worth = np.array([counts[row.asked.kind] ** -even for row in rows], np.float32)
    evened: np.ndarray = worth / worth.mean()
    return evened


def _plain(tensor: Any) -> list[Any]:
    found: list[Any] = np.asarray(tensor.detach(), np.float64).round(5).tolist()
    return found


def _padded(rows: Sequence[Ranked]) -> tuple[Any, Any, Any]:
    """Signs (rows, KEPT, signs), which lines are right, and which places hold a line, as tensors."""
    import torch

    signs = np.zeros((len(rows), KEPT, len(NAMES)), np.float32)
    right = np.zeros((len(rows), KEPT), np.float32)
    there = np.zeros((len(rows), KEPT), bool)
    for place, row in enumerate(rows):
        count = len(row.ids)
        signs[place, :count], right[place, :count], there[place, :count] = row.signs, row.right, True
    return torch.from_numpy(signs), torch.from_numpy(right), torch.from_numpy(there)


def _fit(signs: Any, right: Any, there: Any, spread: float, config: RankerConfig, seed: int, torch: Any) -> Any:
    """One network; it starts as the sum of signs that it is to do better than."""
    torch.manual_seed(seed)
    width, units = signs.shape[-1], config.hidden
    weights = {
        "linear": torch.zeros(width), "hidden": torch.randn(units, width) / width**0.5,
        "bias": torch.zeros(units), "out": torch.zeros(units),
    }  # fmt: skip
    weights["linear"][0] = spread * DEFAULTS["start"]
    for weight in weights.values():
        weight.requires_grad = True
    optimizer = torch.optim.AdamW(weights.values(), lr=DEFAULTS["lr"], weight_decay=config.decay)
    total, step = config.epochs * -(-len(signs) // config.batch), 0
    for _ in range(config.epochs):
        for some in torch.randperm(len(signs)).split(config.batch):
            x = signs[some]
            inner = torch.dropout(torch.relu(x @ weights["hidden"].T + weights["bias"]), DEFAULTS["dropout"], True)
            logits = (x @ weights["linear"] + inner @ weights["out"]).masked_fill(~there[some], -1e9)
            shares = right[some] / (right[some] > 0).sum(1, keepdim=True)  # each question's worth, over its lines
            loss = -(torch.log_softmax(logits, 1) * shares).sum(1).mean()
            for group in optimizer.param_groups:
                group["lr"] = DEFAULTS["lr"] * max(0.02, 1 - step / total)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
    return weights


def write(weights: dict[str, Any], path: Path) -> None:
    """The file that ships."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(weights, separators=(",", ":")) + "\n", encoding="utf-8")


def held_back(
    rows: Sequence[Ranked],
    groups: Sequence[Sequence[str]],
    config: RankerConfig,
    seed: int = 0,
) -> list[np.ndarray]:
    """The scores of each row's lines by a ranker that was trained without its conversation's group."""
    from ...memory.search.ranker import from_data

    found: dict[int, np.ndarray] = {}
    for group in groups:
        ranker = from_data(train([row for row in rows if row.asked.talk not in group], config, seed))
        for place, row in enumerate(rows):
            if row.asked.talk in group:
                found[place] = ranker.safe(row.signs)
    return [found[place] for place in sorted(found)]
