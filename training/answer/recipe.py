"""Trains the answer agent: questions over what search recalls, small talk, next turns; supervised fine-tuning."""

from __future__ import annotations

import argparse
import sys
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from ...eval.datasets.locomo import load_locomo
from ...eval.datasets.official_files import good_rows
from ...memory.errors import InputError
from ...models.embedder.minilm import load_embedder
from ..fit import AgentParts
from ..material.chat_questions import read_questions, turn_counts
from ..material.files import read_json_lines
from ..material.scratch_store import scratch_store
from ..material.split import at_most, split_conversations
from ..material.templates.generate import generate
from ..material.templates.told import told_talks
from ..policy.rows import Rows
from ..recipe import run
from . import preferences, talks
from .locomo import HeldBack, locomo_rows
from .reward import AnswerTask
from .rows import asked_rows, dmr_rows, msc_rows

if TYPE_CHECKING:
    from ...memory.store.store import Store

MSC_CHATS = 90
"""Chats of MSC that questions are made from."""
TOLD_ASKED = 10
"""Questions of each talk that was written whole."""
TOLD_REPLIES = 8
"""Replies of each of them."""


def train(args: argparse.Namespace) -> int:
    """Builds the rows (unless given or resumed) and trains."""
    return run(args, build, PARTS)


def build(args: argparse.Namespace, scratch: Path) -> tuple[Rows, Rows]:
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
    train = at_most(list(talks.template_rows(args.seed, args.talks)), 900, args.seed)
    train += at_most(list(talks.reply_rows(args.seed + 5, made)), 1250, args.seed)
    train += list(talks.reply_rows(args.seed + 6, told_talks(), most=TOLD_REPLIES))
    return train, at_most(list(talks.template_rows(args.seed + 1, 20, "valid")), 30, args.seed)


def _talks(args: argparse.Namespace, store: Store) -> tuple[Rows, Rows]:
    """Questions over what search recalls of our own talks."""
    print("recalling for the talks' questions ...", file=sys.stderr)
    made = generate(args.seed + 2, args.talks)
    train = at_most(list(talks.recalled_rows(store, args.seed + 2, made)), 1600, args.seed)
    train += list(talks.recalled_rows(store, args.seed + 7, told_talks(), most=TOLD_ASKED))
    train += list(talks.name_rows(store, args.seed + 4, args.talks // 2))
    held = chain(generate(args.seed + 3, 12, "valid"), told_talks("valid"))
    return train, at_most(list(talks.recalled_rows(store, args.seed + 3, held, "valid")), 60, args.seed)


def _dmr(args: argparse.Namespace, store: Store) -> tuple[Rows, Rows]:
    if not args.dmr:
        return [], []
    print("recalling for DMR's questions ...", file=sys.stderr)
    rows, held = split_conversations(read_json_lines(args.dmr), max(args.hold_out, 0.25), args.seed)
    train = list(dmr_rows(store, rows, args.seed))
    return train, at_most(list(dmr_rows(store, held[:40], args.seed + 1)), 60, args.seed)


def _chats(args: argparse.Namespace, store: Store) -> tuple[Rows, Rows]:
    """Questions made from MSC's facts by rule, and those that somebody wrote (`--questions`)."""
    if not args.msc:
        return [], []
    print("recalling for MSC's facts ...", file=sys.stderr)
    rows = read_json_lines(args.msc)
    chats, held = split_conversations(rows, args.hold_out, args.seed)
    train = list(msc_rows(store, chats[:MSC_CHATS], args.seed))
    if not args.questions:
        return train, []
    print("recalling for the questions about MSC's chats ...", file=sys.stderr)
    asked = read_questions(args.questions, turn_counts(rows))
    train += list(asked_rows(store, chats, asked, args.seed))
    return train, at_most(list(asked_rows(store, held, asked, args.seed)), 80, args.seed)


def _locomo(args: argparse.Namespace, scratch: Path) -> Rows:
    """LoCoMo's questions but those of the conversations held back, in a store of their own: its questions may be
    embedded by other encoders than the rest."""
    conversations = list(good_rows(load_locomo(args.locomo)))
    kept, _ = split_conversations(conversations, args.hold_out, args.seed)
    embedder = HeldBack(load_embedder(), args.recall_run, [talk.id for talk in conversations])
    with scratch_store(scratch, "locomo.db", embedder) as store:
        return list(locomo_rows(store, kept, args.seed, embedder.about))


def _examples(_valid: Rows) -> Rows:
    """Questions of the templates' held-back kinds: a data set's text has no place in a model card."""
    return list(islice(talks.template_rows(5, 4, "valid"), 0, None, 3))


PARTS = AgentParts(
    methods=("sft", "dpo", "rwr", "grpo", "dapo"),
    sources="MSC-Self-Instruct (DMR), MSC (facts and next turns), LoCoMo (questions), our own templates",
    task=lambda _args, _folder: AnswerTask(),
    examples=_examples,
    pairs=preferences.write,
)
