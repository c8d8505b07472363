"""Trains the editor on LoCoMo's conversations: which episodes are for training, which are held back to be played."""

from __future__ import annotations

import argparse
import random
from pathlib import Path

from ....eval.agents.tidied.episodes import read
from ....eval.agents.tidied.rag import Rag
from ....eval.runs.models import WHOLE, load
from ....memory.errors import InputError, SettingsError
from ....models import registry
from ...fit import AgentParts
from ...loop.loop import RunConfig, TrainingRun
from ...methods.grpo import GrpoConfig
from ...policy.rows import Rows
from ...recipe import run
from ..episode_grpo import EpisodeGrpo
from .decision_grpo import DecisionGrpo
from .task import LocomoTask

ANSWERER = "embedded+answer"
LEAST = 4
"""Fewest rollouts of an episode: their mean is what each is compared with."""
PLAYED = 4
"""Episodes of conversations that are held back, played at each measurement."""


def train(args: argparse.Namespace) -> int:
    """Plays the episodes (or goes on) and learns from them. Raises SettingsError."""
    if args.samples < LEAST:
        raise SettingsError(
            f"--samples {args.samples}: an episode's rollouts are compared with each other, {LEAST} at least."
        )
    return run(args, build, parts_of(args))


def build(args: argparse.Namespace, _scratch: Path) -> tuple[Rows, Rows]:
    """(train, valid) of `train.parquet` by whole conversations: from three on, some are held back. `test.parquet` is
    left alone. Raises InputError, NotFound."""
    found = read(args.locomo_episodes, "train")
    names = sorted({str(row["talk"]) for row in found})
    if not names:
        raise InputError(f"{args.locomo_episodes}/train.parquet holds no episodes.")
    random.Random(f"episodes {args.seed}").shuffle(names)
    held = set(names[: max(1, round(len(names) * args.hold_out))] if len(names) > 2 else ())
    rows = [
        {"messages": [["user", row["episode"]]], "completion": "", "case": {"memory": place}, "talk": row["talk"]}
        for place, row in enumerate(found)
    ]
    train = [row for row in rows if row["talk"] not in held]
    valid = random.Random(args.seed).sample(rows, len(rows))
    return train, [row for row in valid if row["talk"] in held][:PLAYED]


def parts_of(args: argparse.Namespace) -> AgentParts[LocomoTask]:
    """What `fit` asks of this agent, as these arguments mean it."""

    def task(args: argparse.Namespace, folder: Path) -> LocomoTask:
        judge = registry.load(args.judge) if args.judge else None
        lm = load(args.answerer or ANSWERER, args.threads, reading=WHOLE)
        rag = Rag(lm, judge, folder / "answers.jsonl")
        return LocomoTask(folder, args.locomo_episodes, rag, args.ask, args.asks)

    def episodes(config: RunConfig, task: LocomoTask, how: GrpoConfig) -> TrainingRun:
        if args.acts == "tools":
            return EpisodeGrpo(config, task, how)
        return DecisionGrpo(config, task, how, args.looks, args.credit)

    return AgentParts(
        methods=("grpo", "dapo"),
        sources="LoCoMo's conversations, rewarded by the answers of a frozen model before and after",
        task=task,
        episodes=episodes,
    )
