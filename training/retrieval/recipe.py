"""Trains the retrieval agent: tries SELECTs and keeps what brings most, then goes on by what its SELECTs bring."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ...eval.runs.models import load
from ..fit import AgentParts
from ..material.files import out_folder
from ..material.scratch_store import scratch_store
from ..policy.rows import Rows
from ..recipe import run
from .reward import MEMORY, RetrievalTask
from .rows import listed_rows

HELD = 8
"""Memories of the validation's own people and things."""


def train(args: argparse.Namespace) -> int:
    """Builds the rows (unless given or resumed) and trains."""
    return run(args, build, PARTS)


def build(args: argparse.Namespace, _scratch: Path) -> tuple[Rows, Rows]:
    """(train, valid): questions over `--talks` memories of our own; the memories stay beside the run."""
    folder = out_folder(args)
    for old in folder.glob(f"{MEMORY}*"):
        old.unlink()
    with scratch_store(folder, MEMORY) as store:
        print("trying SELECTs for the questions of each memory ...", file=sys.stderr)
        return list(listed_rows(store, args.seed, args.talks)), list(listed_rows(store, args.seed, HELD, "valid"))


def _task(args: argparse.Namespace, folder: Path) -> RetrievalTask | None:
    if not (folder / MEMORY).is_file():
        return None
    return RetrievalTask(folder, args.gate, load(args.answerer, args.threads) if args.answerer else None)


PARTS = AgentParts(
    methods=("sft", "rwr", "grpo", "dapo"),
    sources="memories and questions of our own (training/material/listed)",
    task=_task,
    beside=(MEMORY,),
)
