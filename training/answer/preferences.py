"""Preference pairs for the answer agent: right and grounded replies against the policy's own wrong ones.

Wrong are: another recalled line, words that the recall doesn't hold, "I don't know" where it holds the answer, and any
answer where the lines that hold it were taken out of the recall (there "I don't know" is chosen). So no pair ever
prefers what isn't in the recall.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ...eval.measures.locomo_score import says_unknown
from ...eval.measures.text import content_words, half_words
from ...models.lm import LM
from ..policy.mistakes import Pairs, drawn_twice, with_few, write_pairs
from ..policy.rows import read_rows
from ..policy.sampling import Draws, Sample, in_blocks
from .reward import AnswerTask, grounded, memory_of
from .rows import UNKNOWN, key_words

LACKING = 0.25
"""Share of the questions from whose recall the answer is taken out."""
HONEST = 0.3
"""Most of the pairs in which the honest "I don't know" is preferred."""
SAMPLES = 4
TEMPERATURE = 0.8


def write(args: argparse.Namespace, path: Path, train: Path, start: Path | None, task: AnswerTask) -> None:
    """Pairs out of the policy's own mistakes."""
    rows = askable(read_rows(train), task)

    def tries(lm: LM, some: Pairs, begin: int) -> Iterator[dict[str, Any] | None]:
        yield from pairs(lm, some, task, args.seed, begin)

    write_pairs(args, path, start, rows, tries, lambda found: balanced(found, args.seed))


def pairs(
    lm: LM, rows: Sequence[dict[str, Any]], task: AnswerTask, seed: int, begin: int = 0
) -> Iterator[dict[str, Any] | None]:
    """For each row from `begin` on, a pair, or None where the policy makes no mistake."""
    for at, block in in_blocks(rows, begin):
        asked = [_maybe_lacking(row, random.Random(f"{seed}/{place}")) for place, row in enumerate(block, at)]
        wanted = [Draws(row["messages"], task.options(row)) for row in asked]
        drawn = drawn_twice(lm, wanted, SAMPLES - 1, TEMPERATURE, seed, at)
        for place, (row, samples) in enumerate(zip(asked, drawn, strict=True), at):
            if place >= begin:
                yield pair(row, samples, task)


def _maybe_lacking(row: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    if not says_unknown(row["completion"]) and rng.random() < LACKING:
        return without_answer(row, rng) or row
    return row


def pair(row: dict[str, Any], samples: Sequence[Sample], task: AnswerTask) -> dict[str, Any] | None:
    """The shortest right and grounded sample (else the row's own answer) against the likeliest wrong sample."""
    gold = row["completion"]
    texts = [s.text.strip() for s in samples if not s.clipped and s.text.strip()]
    scores = {text: task.score(row, text) for text in texts}
    wrong = [text for text in texts if not scores[text]["right"] and (says_unknown(gold) or not half_words(gold, text))]
    if not wrong:
        return None
    right = [t for t in texts if scores[t]["right"] and scores[t].get("grounded", 1.0) and len(t) <= 3 * len(gold)]
    chosen = min(right, key=len, default=gold)
    return {"messages": row["messages"], "chosen": chosen, "rejected": wrong[0], "why": why(row, wrong[0])}


def why(row: dict[str, Any], text: str) -> str:
    """The kind of a wrong answer."""
    if says_unknown(row["completion"]):
        return "answered what the recall lacks"
    if says_unknown(text):
        return "didn't know what the recall holds"
    return "another recalled line" if grounded(text, row) else "not in the recall"


def without_answer(row: dict[str, Any], rng: random.Random) -> dict[str, Any] | None:
    """The row with every line taken out that holds a word of the answer which the question doesn't say."""
    lines, asked = memory_of(row)
    telling = key_words(row["completion"]) - key_words(asked)
    kept = [line for line in lines if not telling & key_words(line)]
    recent = " ".join(said for _, said in row["messages"][1:-1])
    if not telling or telling & key_words(recent):
        return None
    noted = "\n".join(f"- {line}" for line in kept or ["(nothing)"])
    messages = [*row["messages"][:-1], (row["messages"][-1][0], f"Memory:\n{noted}\n\n{asked}")]
    return {**row, "messages": messages, "completion": rng.choice(UNKNOWN)}


def askable(rows: Sequence[dict[str, Any]], task: AnswerTask) -> list[dict[str, Any]]:
    """The rows that can be judged, each prompt once."""
    found = {row["messages"][-1][1]: row for row in rows if task.accepts(row) and content_words(row["completion"])}
    return list(found.values())


def balanced(found: Sequence[dict[str, Any]], seed: int) -> list[dict[str, Any]]:
    """The pairs, with at most `HONEST` of them preferring "I don't know": more, and the agent learns to refuse."""
    return with_few(found, lambda one: says_unknown(one["chosen"]), HONEST, seed)
