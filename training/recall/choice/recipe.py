"""Trains the agent that chooses by number (`models/decoding/choosing.py`), by examples alone: which of the known facts
a line ends, and which of the told sentences answers a question."""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ....models.lm import Options
from ....models.prompts.messages import NONE
from ...fit import AgentParts
from ...material.templates.told import asked_more, manner_talks, told_talks
from ...policy.rows import Rows
from ...recipe import run
from .ended_rows import ended_rows


def train(args: argparse.Namespace) -> int:
    """Builds the rows (unless given or resumed) and trains."""
    return run(args, build, PARTS)


def build(args: argparse.Namespace, scratch: Path) -> tuple[Rows, Rows]:
    """(train, valid); scenes, pairs and talks that are held back are in valid."""
    from ....memory.store.store import Store
    from ....models.chat.reader.chooser import load
    from ....models.embedder.minilm import load_embedder
    from .answer_rows import answer_rows
    from .reader_fit import cases_of

    rng, chooser = random.Random(args.seed), load()
    train, valid = ended_rows(args.seed), ended_rows(args.seed, "valid")
    if chooser is None:
        return train, valid
    with Store.open(scratch / "talks.db", embedder=load_embedder()) as store:
        told = [*told_talks("train"), *manner_talks("train"), *asked_more("train")]
        train += answer_rows(cases_of(store, told, "talks"), chooser, rng)
        held = [*told_talks("valid"), *manner_talks("valid")]
        valid += answer_rows(cases_of(store, held, "held back"), chooser, rng)
    return train, valid


class ChoiceTask:
    """The number of what is asked for, or that none is."""

    measure = "right"

    def accepts(self, row: dict[str, Any]) -> bool:
        """Every row says what is right."""
        return True

    def options(self, row: dict[str, Any]) -> Options:
        """A number or one word."""
        return Options(max_tokens=2)

    def score(self, row: dict[str, Any], text: str) -> dict[str, float]:
        """Whether it chose right, and whether that was so where something is to be chosen, or where nothing is."""
        wanted, said = str(row["completion"]), text.strip()
        return {"reward": float(said == wanted), NONE if wanted == NONE else "one": float(said == wanted)}

    def summary(self, scores: Sequence[dict[str, float]]) -> dict[str, float]:
        """Shares of the rows that are right: of all, of those where something is to be chosen, and of the others."""
        shares = {
            name: [score[key] for score in scores if key in score]
            for name, key in (("right", "reward"), ("one", "one"), (NONE, NONE))
        }
        return {name: sum(some) / len(some) for name, some in shares.items() if some}

    def close(self) -> None:
        """Holds nothing."""


PARTS = AgentParts(
    methods=("sft",),
    sources="our own: scenes and pairs of known facts with lines that end them or don't, and whole talks with their "
    "changes and questions",
    task=lambda args, _folder: ChoiceTask(),
)
