"""Trains the editor: rows from memories spoiled on purpose, their answers known by construction or found by search."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..eval.spoiled import Spoiled, dump
from .editor_data import mended_rows, msc_people, people_rows, spoiled_memories, template_rows
from .editor_reward import EditorTask
from .rows import MEMORIES
from .session import Rows, held_out, out_folder, read_json_lines, run, some

if TYPE_CHECKING:
    from ..memory.vectors import Embedder

MOST = {
    "both": 0.28,
    "keep": 0.17,
    "same": 0.2,
    "changed": 0.15,
    "drop": 0.1,
    "say": 0.05,
    "topic": 0.03,
    "split": 0.02,
}
"""Most rows of an answer, as a share of `--max-rows`: in life nine of ten pairs are to be kept."""
PEOPLE_ROWS = 1_600
"""Most rows from people's facts: they only teach to keep."""
VALID_MEMORIES = 16
"""Memories that a search goes through for held-back rows."""
FACTS_A_MEMORY = 4
"""Talks of `--talks` for each spoiled memory, which holds as many facts as several talks."""


def train(args: argparse.Namespace) -> int:
    """Builds the rows (unless given or resumed) and trains."""
    return run(args, build)


def build(args: argparse.Namespace, _scratch: str) -> tuple[Rows, Rows]:
    """(train, valid); the templates' held-back kinds, wordings and values are in valid."""
    from ..models.embedder import load_embedder

    embedder = load_embedder()
    print("spoiling memories ...", file=sys.stderr)
    train, valid = searched(args) if args.rows_by == "search" else constructed(args, embedder)
    if args.msc:
        print("reading MSC ...", file=sys.stderr)
        chats, _ = held_out(read_json_lines(args.msc), args.hold_out, args.seed)
        train += some(list(people_rows(msc_people(chats, args.seed), embedder, args.seed)), PEOPLE_ROWS, args.seed)
    return balanced(train, args.max_rows, args.seed), valid


def constructed(args: argparse.Namespace, embedder: Embedder) -> tuple[Rows, Rows]:
    """Every proposal about the memories as they are, with the answer that is right by construction."""
    kept: list[Spoiled] = []
    train = list(template_rows(args.seed, max(1, args.talks // FACTS_A_MEMORY), embedder, "train", kept))
    held = template_rows(args.seed + 1, 5, embedder, "valid", kept)
    valid: list[dict[str, Any]] = some(list(held), 160, args.seed)
    write_memories(out_folder(args) / MEMORIES, kept)
    return train, valid


def searched(args: argparse.Namespace) -> tuple[Rows, Rows]:
    """Trajectories found by search; what needs words that no list holds is taught by construction."""
    from .editor_search import agreement, searched_rows

    folder = out_folder(args)
    train = list(spoiled_memories(args.seed, max(1, args.talks // FACTS_A_MEMORY), "train"))
    valid = list(spoiled_memories(args.seed + 1, min(VALID_MEMORIES, len(train)), "valid"))
    write_memories(folder / MEMORIES, [*train, *valid])
    task = EditorTask(folder, args.evaluator)
    try:
        found = searched_rows(folder, "train", task, range(len(train)))
        held = searched_rows(folder, "held-back", task, range(len(train), len(train) + len(valid)))
    finally:
        task.close()
    print("\n".join(agreement(found)), file=sys.stderr)
    return found + list(mended_rows(args.seed, train)), held


def write_memories(path: Path, memories: Sequence[Spoiled]) -> None:
    """The memories that the rows' cases ask about, beside the rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{dump(memory)}\n" for memory in memories), encoding="utf-8")


def balanced(rows: Rows, most: int, seed: int) -> Rows:
    """Rows by answer, none above its share."""
    by_answer: dict[str, Rows] = {}
    for row in rows:
        by_answer.setdefault(row["completion"].split()[0], []).append(row)
    return [row for answer, found in by_answer.items() for row in some(found, int(MOST[answer] * most), seed)]
