"""Trains the editor: rows from memories spoiled on purpose, their answers known by construction or found by search."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...eval.datasets.spoiled import Spoiled, dump
from ..fit import AgentParts, Columns
from ..material.files import out_folder, read_json_lines
from ..material.split import at_most, split_conversations
from ..policy.rows import MEMORIES, Rows
from ..recipe import run
from . import held_reward
from .episode_grpo import EpisodeGrpo
from .reward import EditorTask
from .rows import mended_rows, msc_people, people_rows, spoiled_memories, template_rows

if TYPE_CHECKING:
    from ...memory.search.vectors import Embedder

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
    return run(args, build, PARTS)


def build(args: argparse.Namespace, _scratch: Path) -> tuple[Rows, Rows]:
    """(train, valid); the templates' held-back kinds, wordings and values are in valid."""
    from ...models.embedder.minilm import load_embedder

    embedder = load_embedder()
    print("spoiling memories ...", file=sys.stderr)
    train, valid = searched(args) if args.rows_by == "search" else constructed(args, embedder)
    if args.msc:
        print("reading MSC ...", file=sys.stderr)
        chats, _ = split_conversations(read_json_lines(args.msc), args.hold_out, args.seed)
        train += at_most(list(people_rows(msc_people(chats, args.seed), embedder, args.seed)), PEOPLE_ROWS, args.seed)
    return balanced(train, args.max_rows, args.seed), valid


def constructed(args: argparse.Namespace, embedder: Embedder) -> tuple[Rows, Rows]:
    """Every proposal about the memories as they are, with the answer that is right by construction."""
    kept: list[Spoiled] = []
    train = list(template_rows(args.seed, max(1, args.talks // FACTS_A_MEMORY), embedder, "train", kept))
    held = template_rows(args.seed + 1, 5, embedder, "valid", kept)
    valid: list[dict[str, Any]] = at_most(list(held), 160, args.seed)
    write_memories(out_folder(args) / MEMORIES, kept)
    return train, valid


def searched(args: argparse.Namespace) -> tuple[Rows, Rows]:
    """Trajectories found by search; what needs words that no list holds is taught by construction."""
    from .search import agreement, searched_rows

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
    return [row for answer, found in by_answer.items() for row in at_most(found, int(MOST[answer] * most), seed)]


def _task(args: argparse.Namespace, folder: Path) -> EditorTask | None:
    if not (folder / MEMORIES).is_file():
        return None
    if args.evaluator != "judge":
        return EditorTask(folder, args.evaluator)
    from ...models import registry

    return EditorTask(folder, args.evaluator, registry.load(args.judge))


def _gains(args: argparse.Namespace, task: EditorTask, columns: Columns, rows: Rows) -> str:
    found = held_reward.earned(args.base, task, columns, rows, args.threads) if rows else {}
    return held_reward.as_markdown(rows, found)


PARTS = AgentParts(
    methods=("sft", "rwr", "grpo", "dapo", "epg"),
    sources="memories spoiled on purpose from our own templates, MSC (human facts, to be kept)",
    task=_task,
    gains=_gains,
    episodes=EpisodeGrpo,
    beside=(MEMORIES,),
)
