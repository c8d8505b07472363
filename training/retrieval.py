"""Trains the retrieval agent: tries SELECTs, keeps those that bring the evidence, then supervised fine-tuning."""

from __future__ import annotations

import argparse
import sys

from ..eval.loaders import load_locomo
from ..eval.progress import good_rows
from . import retrieval_data as data
from .retrieval_reward import MEMORY
from .session import Rows, held_out, out_folder, run, scratch_store, some


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
            talks, held = held_out(good_rows(load_locomo(args.locomo)), args.hold_out, args.seed)
            train += list(data.locomo_rows(store, talks))
            valid += some(list(data.locomo_rows(store, held)), 60, args.seed)
    return train, valid
