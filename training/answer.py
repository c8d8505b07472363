"""Trains the answer agent: questions over what search recalls, small talk, next turns; supervised fine-tuning."""

from __future__ import annotations

import argparse
import sys
from tempfile import TemporaryDirectory

from . import answer_data as data
from . import answer_talks as talks
from .session import Rows, fit, held_out, keep_rows, out_folder, read_json, read_json_lines, scratch_store
from .storage import some

MSC_CHATS = 90
"""Chats of MSC that questions are made from."""


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
    """(train, valid), split by conversation."""
    train = some(list(talks.template_rows(args.seed, args.talks)), 900, args.seed)
    valid = some(list(talks.template_rows(args.seed + 1, 20, "valid")), 30, args.seed)
    with scratch_store(scratch) as store:
        print("recalling for the templates' questions ...", file=sys.stderr)
        train += some(list(talks.recalled_rows(store, args.seed + 2, args.talks)), 1600, args.seed)
        valid += some(list(talks.recalled_rows(store, args.seed + 3, 12, "valid")), 40, args.seed)
        if args.dmr:
            print("recalling for DMR's questions ...", file=sys.stderr)
            rows, held = held_out(read_json_lines(args.dmr), max(args.hold_out, 0.25), args.seed)
            train += list(data.dmr_rows(store, rows, args.seed))
            valid += some(list(data.dmr_rows(store, held[:40], args.seed + 1)), 60, args.seed)
        if args.msc:
            print("recalling for MSC's facts ...", file=sys.stderr)
            chats, _ = held_out(read_json_lines(args.msc), args.hold_out, args.seed)
            train += list(data.msc_rows(store, chats[:MSC_CHATS], args.seed))
        if args.locomo:
            print("recalling for LoCoMo's questions ...", file=sys.stderr)
            conversations, _ = held_out(read_json(args.locomo), args.hold_out, args.seed)
            train += list(talks.locomo_rows(store, conversations, args.seed))
    return train, valid
