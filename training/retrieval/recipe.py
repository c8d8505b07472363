"""Trains the retrieval agent: tries SELECTs, keeps those that bring the evidence, then supervised fine-tuning."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ...eval.datasets.locomo import load_locomo
from ...eval.datasets.official_files import good_rows
from ..fit import AgentParts
from ..material.scratch_store import scratch_store
from ..material.split import at_most, split_conversations
from ..policy.rows import Rows
from ..recipe import out_folder, run
from .reward import MEMORY, RetrievalTask
from .rows import locomo_rows, template_rows


def train(args: argparse.Namespace) -> int:
    """Builds the rows (unless given or resumed) and trains."""
    return run(args, build, PARTS)


def build(args: argparse.Namespace, _scratch: Path) -> tuple[Rows, Rows]:
    """(train, valid): the templates' questions, and LoCoMo's when given; their memories stay beside the run."""
    folder = out_folder(args)
    for old in folder.glob(f"{MEMORY}*"):
        old.unlink()
    with scratch_store(folder, MEMORY) as store:
        print("trying SELECTs for the templates' questions ...", file=sys.stderr)
        train = list(template_rows(store, args.seed, args.talks))
        valid = at_most(list(template_rows(store, args.seed + 1, 20, "valid")), 60, args.seed)
        if args.locomo:
            print("trying SELECTs for LoCoMo's questions ...", file=sys.stderr)
            talks, held = split_conversations(good_rows(load_locomo(args.locomo)), args.hold_out, args.seed)
            train += list(locomo_rows(store, talks))
            valid += at_most(list(locomo_rows(store, held)), 60, args.seed)
    return train, valid


def _task(_args: argparse.Namespace, folder: Path) -> RetrievalTask | None:
    return RetrievalTask(folder) if (folder / MEMORY).is_file() else None


def _examples(valid: Rows) -> Rows:
    """The templates' questions: a data set's text has no place in a model card."""
    return [row for row in valid if str(row.get("case", {}).get("user", "")).startswith("talk")]


PARTS = AgentParts(
    methods=("sft", "rwr", "grpo", "dapo"),
    sources="LoCoMo (questions, observations), our own templates",
    task=_task,
    examples=_examples,
)
