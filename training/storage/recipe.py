"""Trains the storage agent: rows from MSC, LoCoMo and the templates, then supervised fine-tuning."""

from __future__ import annotations

import argparse
import itertools
import random
import sys
from pathlib import Path
from typing import Any

from ..fit import AgentParts
from ..material.files import read_json, read_json_lines
from ..material.split import at_most, split_conversations
from ..material.templates.examples import topic_examples
from ..policy.rows import Rows
from ..recipe import run
from . import own_line_targets, preferences
from .mixture import mixture
from .msc_rows import Topics, msc_rows
from .reward import StorageTask
from .slip_rows import slip_rows
from .template_rows import (
    locomo_rows,
    manner_rows,
    order_rows,
    short_rows,
    template_rows,
    told_rows,
    unnamed_rows,
    week_rows,
)

MSC_ROWS, LOCOMO_ROWS = 13_000, 700
"""Most rows of a source, so that none drowns the others."""
CHANGES = 6
"""Talks for each talk of `--talks` of which only the changes and deletions are kept: they are rare, yet matter most."""


def train(args: argparse.Namespace) -> int:
    """Builds the rows (unless given or resumed) and trains."""
    return run(args, build, PARTS)


def build(args: argparse.Namespace, _scratch: Path) -> tuple[Rows, Rows]:
    """(train, valid), split by conversation; the templates' held-back kinds and words are in valid.

    Each talk has several rows, so no more talks of a kind are read than rows are wanted: a rehearsal wants few, and to
    read all takes a minute.
    """
    from ...models.embedder.minilm import load_embedder

    topics = Topics(load_embedder(), topic_examples())
    talks = list(template_rows(args.seed, args.talks))
    for written in (told_rows, manner_rows, short_rows, week_rows, unnamed_rows):
        talks += written(args.seed, most=args.max_rows)
    talks += slip_rows(args.seed)
    talks += [r for r in template_rows(args.seed + 2, args.talks * CHANGES) if changes(r)]
    sources = {"talks": list(order_rows(args.seed, args.talks)) if args.mixture else talks}
    valid = list(itertools.islice(template_rows(args.seed + 1, 30, "valid"), 60))
    if args.msc:
        print("reading MSC ...", file=sys.stderr)
        chats, held = split_conversations(read_json_lines(args.msc), args.hold_out, args.seed)
        sources["msc"] = at_most(list(msc_rows(chats, topics, args.seed)), MSC_ROWS, args.seed)
        valid += at_most(list(msc_rows(held, topics, args.seed + 1)), 140, args.seed)
    if args.locomo:
        conversations, _ = split_conversations(read_json(args.locomo), args.hold_out, args.seed)
        sources["locomo"] = at_most(list(locomo_rows(conversations, topics, args.seed)), LOCOMO_ROWS, args.seed)
    if args.mixture:
        return mixture(sources, args.mixture, random.Random(args.seed)), valid
    return [row for rows in sources.values() for row in rows], valid


def changes(row: dict[str, Any]) -> bool:
    """Whether a row's SQL changes or deletes what is known."""
    return str(row["completion"]).startswith(("UPDATE", "DELETE"))


def _examples(_valid: Rows) -> Rows:
    """Lines of the templates' held-back kinds: a data set's text has no place in a model card."""
    return list(itertools.islice(template_rows(5, 4, "valid"), 3, None, 4))


PARTS = AgentParts(
    methods=("sft", "rwr", "rloo", "dpo", "grpo", "dapo"),
    sources="MSC (test split, human persona facts), LoCoMo (observations), our own templates",
    task=lambda args, _folder: StorageTask(args.downstream, args.faithful),
    examples=_examples,
    own_lines=own_line_targets.write,
    pairs=preferences.write,
)
