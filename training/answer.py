"""Trains the answer agent: questions over what search recalls, small talk, next turns; supervised fine-tuning."""

from __future__ import annotations

import argparse
import sys

from ..eval.loaders import load_locomo
from ..eval.progress import good_rows
from ..models.embedder import load_embedder
from . import answer_data as data
from . import answer_talks as talks
from .answer_locomo import HeldBack, locomo_rows
from .session import Rows, held_out, read_json_lines, run, scratch_store, some

MSC_CHATS = 90
"""Chats of MSC that questions are made from."""


def train(args: argparse.Namespace) -> int:
    """Builds the rows (unless given or resumed) and trains."""
    return run(args, build)


def build(args: argparse.Namespace, scratch: str) -> tuple[Rows, Rows]:
    """(train, valid), split by conversation."""
    train = some(list(talks.template_rows(args.seed, args.talks)), 900, args.seed)
    train += some(list(talks.reply_rows(args.seed + 5, args.talks)), 1250, args.seed)
    valid = some(list(talks.template_rows(args.seed + 1, 20, "valid")), 30, args.seed)
    with scratch_store(scratch) as store:
        print("recalling for the templates' questions ...", file=sys.stderr)
        train += some(list(talks.recalled_rows(store, args.seed + 2, args.talks)), 1600, args.seed)
        valid += some(list(talks.recalled_rows(store, args.seed + 3, 12, "valid")), 40, args.seed)
        train += list(talks.name_rows(store, args.seed + 4, args.talks // 2))
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
            train += _locomo(args, scratch)
    return train, valid


def _locomo(args: argparse.Namespace, scratch: str) -> Rows:
    """LoCoMo's questions but those of the conversations held back, in a store of their own: its questions may be
    embedded by other encoders than the rest."""
    talks = list(good_rows(load_locomo(args.locomo)))
    kept, _ = held_out(talks, args.hold_out, args.seed)
    embedder = HeldBack(load_embedder(), args.recall_run, [talk.id for talk in talks])
    with scratch_store(scratch, "locomo.db", embedder) as store:
        return list(locomo_rows(store, kept, args.seed, embedder.about))
