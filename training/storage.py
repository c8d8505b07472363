"""Trains the storage agent: rows from MSC, LoCoMo and the templates, then supervised fine-tuning."""

from __future__ import annotations

import argparse
import itertools
import sys
from typing import Any

from .session import Rows, held_out, read_json, read_json_lines, run, some
from .storage_data import Topics, msc_rows
from .storage_talks import locomo_rows, template_rows, told_rows
from .templates.examples import topic_examples

MSC_ROWS, LOCOMO_ROWS = 13_000, 700
"""Most rows of a source, so that none drowns the others."""
CHANGES = 6
"""Talks for each talk of `--talks` of which only the changes and deletions are kept: they are rare, yet matter most."""


def train(args: argparse.Namespace) -> int:
    """Builds the rows (unless given or resumed) and trains."""
    return run(args, build)


def build(args: argparse.Namespace, _scratch: str) -> tuple[Rows, Rows]:
    """(train, valid), split by conversation; the templates' held-back kinds and words are in valid."""
    from ..models.embedder import load_embedder

    topics = Topics(load_embedder(), topic_examples())
    train = list(template_rows(args.seed, args.talks))
    train += told_rows(args.seed)
    train += [r for r in template_rows(args.seed + 2, args.talks * CHANGES) if changes(r)]
    valid = list(itertools.islice(template_rows(args.seed + 1, 30, "valid"), 60))
    if args.msc:
        print("reading MSC ...", file=sys.stderr)
        chats, held = held_out(read_json_lines(args.msc), args.hold_out, args.seed)
        train += some(list(msc_rows(chats, topics, args.seed)), MSC_ROWS, args.seed)
        valid += some(list(msc_rows(held, topics, args.seed + 1)), 140, args.seed)
    if args.locomo:
        conversations, _ = held_out(read_json(args.locomo), args.hold_out, args.seed)
        train += some(list(locomo_rows(conversations, topics, args.seed)), LOCOMO_ROWS, args.seed)
    return train, valid


def changes(row: dict[str, Any]) -> bool:
    """Whether a row's SQL changes or deletes what is known."""
    return str(row["completion"]).startswith(("UPDATE", "DELETE"))
