"""Trains the answer agent: questions over what search recalls, small talk, next turns; supervised fine-tuning."""

from __future__ import annotations

import argparse
import sys
from itertools import chain
from typing import TYPE_CHECKING

from ..eval.loaders import load_locomo
from ..eval.progress import good_rows
from ..memory.errors import InputError
from ..models.embedder import load_embedder
from . import answer_data as data
from . import answer_talks as talks
from .answer_locomo import HeldBack, locomo_rows
from .asked_chats import asked_rows, read_questions, turn_counts
from .session import Rows, held_out, read_json_lines, run, scratch_store, some
from .templates.generate import generate
from .templates.told import told_talks

if TYPE_CHECKING:
    from ..memory.store import Store

MSC_CHATS = 90
"""Chats of MSC that questions are made from."""
TOLD_ASKED = 10
"""Questions of each talk that was written whole."""
TOLD_REPLIES = 8
"""Replies of each of them."""


def train(args: argparse.Namespace) -> int:
    """Builds the rows (unless given or resumed) and trains."""
    return run(args, build)


def build(args: argparse.Namespace, scratch: str) -> tuple[Rows, Rows]:
    """(train, valid), split by conversation. Raises InputError for questions without the chats that they are about."""
    if args.questions and not args.msc:
        raise InputError("--questions asks about the chats of --msc; give that file, too.")
    train, valid = _lines(args)
    with scratch_store(scratch) as store:
        for rows, held in (_talks(args, store), _dmr(args, store), _chats(args, store)):
            train += rows
            valid += held
    if args.locomo:
        print("recalling for LoCoMo's questions ...", file=sys.stderr)
        train += _locomo(args, scratch)
    return train, valid


def _lines(args: argparse.Namespace) -> tuple[Rows, Rows]:
    """Questions over a talk's own facts, and replies to statements."""
    made = generate(args.seed + 5, args.talks)
    train = some(list(talks.template_rows(args.seed, args.talks)), 900, args.seed)
    train += some(list(talks.reply_rows(args.seed + 5, made)), 1250, args.seed)
    train += list(talks.reply_rows(args.seed + 6, told_talks(), most=TOLD_REPLIES))
    return train, some(list(talks.template_rows(args.seed + 1, 20, "valid")), 30, args.seed)


def _talks(args: argparse.Namespace, store: Store) -> tuple[Rows, Rows]:
    """Questions over what search recalls of our own talks."""
    print("recalling for the talks' questions ...", file=sys.stderr)
    made = generate(args.seed + 2, args.talks)
    train = some(list(talks.recalled_rows(store, args.seed + 2, made)), 1600, args.seed)
    train += list(talks.recalled_rows(store, args.seed + 7, told_talks(), most=TOLD_ASKED))
    train += list(talks.name_rows(store, args.seed + 4, args.talks // 2))
    held = chain(generate(args.seed + 3, 12, "valid"), told_talks("valid"))
    return train, some(list(talks.recalled_rows(store, args.seed + 3, held, "valid")), 60, args.seed)


def _dmr(args: argparse.Namespace, store: Store) -> tuple[Rows, Rows]:
    if not args.dmr:
        return [], []
    print("recalling for DMR's questions ...", file=sys.stderr)
    rows, held = held_out(read_json_lines(args.dmr), max(args.hold_out, 0.25), args.seed)
    train = list(data.dmr_rows(store, rows, args.seed))
    return train, some(list(data.dmr_rows(store, held[:40], args.seed + 1)), 60, args.seed)


def _chats(args: argparse.Namespace, store: Store) -> tuple[Rows, Rows]:
    """Questions made from MSC's facts by rule, and those that somebody wrote (`--questions`)."""
    if not args.msc:
        return [], []
    print("recalling for MSC's facts ...", file=sys.stderr)
    rows = read_json_lines(args.msc)
    chats, held = held_out(rows, args.hold_out, args.seed)
    train = list(data.msc_rows(store, chats[:MSC_CHATS], args.seed))
    if not args.questions:
        return train, []
    print("recalling for the questions about MSC's chats ...", file=sys.stderr)
    asked = read_questions(args.questions, turn_counts(rows))
    train += list(asked_rows(store, chats, asked, args.seed))
    return train, some(list(asked_rows(store, held, asked, args.seed)), 80, args.seed)


def _locomo(args: argparse.Namespace, scratch: str) -> Rows:
    """LoCoMo's questions but those of the conversations held back, in a store of their own: its questions may be
    embedded by other encoders than the rest."""
    talks = list(good_rows(load_locomo(args.locomo)))
    kept, _ = held_out(talks, args.hold_out, args.seed)
    embedder = HeldBack(load_embedder(), args.recall_run, [talk.id for talk in talks])
    with scratch_store(scratch, "locomo.db", embedder) as store:
        return list(locomo_rows(store, kept, args.seed, embedder.about))
