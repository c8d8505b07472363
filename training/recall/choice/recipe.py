"""Trains the agent that chooses by number (`models/decoding/choosing.py`), by examples alone: which of the known facts
a line ends."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ....models.lm import Options
from ....models.prompts.messages import NONE
from ...fit import AgentParts
from ...policy.rows import Rows
from ...recipe import run
from .ended_rows import ended_rows


def train(args: argparse.Namespace) -> int:
    """Builds the rows (unless given or resumed) and trains."""
    return run(args, build, PARTS)


def build(args: argparse.Namespace, _scratch: Path) -> tuple[Rows, Rows]:
    """(train, valid); scenes, pairs and talks that are held back are in valid."""
    return ended_rows(args.seed), ended_rows(args.seed, "valid")


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
    sources="our own: scenes and pairs of known facts with lines that end them or don't, and whole talks",
    task=lambda args, _folder: ChoiceTask(),
)
