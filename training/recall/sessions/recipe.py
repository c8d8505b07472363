"""Trains the model that ranks sessions: supervised from where the answers are, then by what its choice does to them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ....eval.ranking.embed import Embedding
from ....eval.ranking.prompt import LARGE_REPLY, SMALL_REPLY, form_of, shown
from ....eval.ranking.rows import Row, read_rows, write_rows
from ....eval.ranking.sources import load_rows
from ....eval.runs.models import WHOLE, load
from ....eval.runs.progress import make_progress
from ....memory.errors import InputError, NotFound
from ....models.files.model_files import cache_folder
from ...fit import AgentParts
from ...material.files import out_folder
from ...material.split import at_most, split_conversations
from ...policy.rows import Rows, training_row
from ...recipe import run
from . import targets
from .task import ROWS, Frozen, RankerTask

HELD = 200
"""Most rows held back."""


def train(args: argparse.Namespace) -> int:
    """Builds the rows (unless given or resumed) and trains. Raises SettingsError, InputError, ModelError."""
    args.reply_tokens = args.reply_tokens or (LARGE_REPLY if args.form == "whole" else SMALL_REPLY)
    return run(args, build, PARTS)


def build(args: argparse.Namespace, _scratch: Path) -> tuple[Rows, Rows]:
    """(train, valid), by conversation, with the prompts that `chatmem rank` gives the base. Rows to learn from show a
    session that holds the answer; held-back rows are as they come, so that what was never shown counts too."""
    train, held = drawn(args)
    train, held = embedded(train), embedded(held)
    lm = load(args.base, args.threads, None, WHOLE)
    try:
        rows = [made(row, lm, args) for row in train]
        valid = [made(row, lm, args) for row in held]
    finally:
        lm.close()
    write_rows(out_folder(args) / ROWS, [*train, *held])
    teaching = [row for row in rows if row["case"]["teaches"]]
    print(f"{len(rows) - len(teaching)} of {len(rows)} prompts show no session with the answer.", file=sys.stderr)
    return teaching, valid


def drawn(args: argparse.Namespace) -> tuple[list[Row], list[Row]]:
    """The rows to learn from, and those of other conversations. Raises InputError, NotFound."""
    if args.ranked:
        if not args.ranked.is_dir():
            raise NotFound(f"There is no folder {args.ranked}; name what `chatmem data rank` wrote.")
        train = [row for path in sorted(args.ranked.glob("train*.*")) for row in read_rows(path)]
        tests = sorted(args.ranked.glob("test.*"))
        held = [row for path in tests for row in read_rows(path)]
        if not train:
            raise InputError(f"{args.ranked} holds no train-0000.parquet; name what `chatmem data rank` wrote.")
        train, held = (train, held) if held else parted(train, args)
    elif args.locomo:
        train, held = parted(load_rows("locomo", args.locomo), args)
    else:
        raise InputError("Give rows to learn from: --ranked DIR (of `chatmem data rank`), or --locomo FILE.")
    told = [row for row in train if row.gold and row.answer]
    return at_most(told, args.max_rows, args.seed), at_most([row for row in held if row.gold], HELD, args.seed)


def parted(rows: Sequence[Row], args: argparse.Namespace) -> tuple[list[Row], list[Row]]:
    """By whole conversations."""
    stamps = sorted({row.haystack.stamp for row in rows})
    if len(stamps) < 2:
        raise InputError("All rows are of one conversation, so none can be held back; give rows of another one, too.")
    _, held = split_conversations(stamps, args.hold_out, args.seed)
    return [row for row in rows if row.haystack.stamp not in held], [row for row in rows if row.haystack.stamp in held]


def embedded(rows: Sequence[Row]) -> list[Row]:
    """The rows with how near their sessions are; those that `chatmem rank embed` went over stay as they are."""
    if all("session_passages" in row.found for row in rows):
        return list(rows)
    worker = Embedding(cache_folder() / "rank" / "vectors.db", lines=False)()
    tell, done = make_progress("embed", len(rows)), []
    try:
        for row in sorted(rows, key=lambda one: one.haystack.stamp):  # a conversation after another
            done.append(row if "session_passages" in row.found else row.told(worker(row)))
            tell(len(done))
    finally:
        worker.close()
    return done


def made(row: Row, lm: Any, args: argparse.Namespace) -> dict[str, Any]:
    """A training row: the prompt, the reply that is right, and what the reward needs to know."""
    form = form_of(lm) if args.form == "auto" else args.form
    asked = shown(row, lm, form)
    case = {"key": row.key, "places": list(asked.places), "form": form, "teaches": targets.teaches(row, asked)}
    return training_row(asked.messages, targets.reply(row, asked)) | {"case": case}


def _task(args: argparse.Namespace, folder: Path) -> RankerTask | None:
    if not (folder / ROWS).is_file():
        return None
    model = None if args.answers == "none" else args.answers
    warm_up = args.steps // 2 if args.warm_up is None else args.warm_up
    return RankerTask(folder, Frozen(model, args.tokens, warm_up, args.threads, args.per_minute))


def _examples(_valid: Rows) -> Rows:
    """None: a data set's text has no place in a model card."""
    return []


PARTS = AgentParts(
    methods=("sft", "rwr", "rloo", "grpo", "dapo"),
    sources="questions with the sessions that answer them (`chatmem data rank`, or LoCoMo)",
    task=_task,
    examples=_examples,
    beside=(ROWS,),
)
