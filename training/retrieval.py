"""Trains the retrieval agent: tries SELECTs, keeps those that bring the evidence, then supervised fine-tuning."""

from __future__ import annotations

import argparse
import sys
from tempfile import TemporaryDirectory

from . import retrieval_data as data
from .session import Rows, fit, held_out, keep_rows, out_folder, read_json, scratch_store
from .storage import some
from .storage_data import Topics
from .templates.examples import topic_examples


def train(args: argparse.Namespace) -> int:
    """Builds the rows (unless given or resumed) and trains."""
    folder = out_folder(args)
    if args.rows:
        return fit(args, args.rows, folder / "none")
    if not (args.resume and (folder / "train.jsonl").is_file()):
        with TemporaryDirectory() as scratch:
            keep_rows(args, *build(args, scratch))
    return fit(args, folder / "train.jsonl", folder / "valid.jsonl")


def build(args: argparse.Namespace, scratch: str) -> tuple[Rows, Rows]:
    """(train, valid): the templates' questions, and LoCoMo's when given."""
    with scratch_store(scratch) as store:
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
