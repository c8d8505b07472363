"""Trains the retrieval agent: tries SELECTs, keeps those that bring the evidence, then supervised fine-tuning."""

from __future__ import annotations

import argparse
import sys

from . import retrieval_data as data
from .retrieval_reward import MEMORY
from .session import Rows, held_out, out_folder, read_json, run, scratch_store, some
from .storage_data import Topics
from .templates.examples import topic_examples


def train(args: argparse.Namespace) -> int:
    """Builds the rows (unless given or resumed) and trains."""
    return run(args, build)


def build(args: argparse.Namespace, _scratch: str) -> tuple[Rows, Rows]:
    """(train, valid): the templates' questions, and LoCoMo's when given; their memories stay beside the run."""
    folder = out_folder(args)
    for old in folder.glob(f"{MEMORY}*"):
        old.unlink()
    with scratch_store(str(folder), MEMORY) as store:
        print("trying SELECTs for the templates' questions ...", file=sys.stderr)
        train = list(data.template_rows(store, args.seed, args.talks))
        valid = some(list(data.template_rows(store, args.seed + 1, 20, "valid")), 60, args.seed)
        if args.locomo:
            print("trying SELECTs for LoCoMo's questions ...", file=sys.stderr)
            from ..models.embedder import load_embedder

            topics = Topics(load_embedder(), topic_examples())
            conversations, held = held_out(read_json(args.locomo), args.hold_out, args.seed)
            train += list(data.locomo_rows(store, conversations, topics))
            valid += some(list(data.locomo_rows(store, held, topics)), 60, args.seed)
    return train, valid
