"""Answers made up to try a judge: deliberately wrong, deliberately vague, and the gold answer itself.

Built from the record alone, without a model: another question's gold, or words of the question dressed up as an answer.
What share of the first two a judge accepts is its false-accept rate; a judge that accepts many measures nothing.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..measures.text import STOP_WORDS, contained, content_words, token_f1, words
from .judge import Item

WRONG, VAGUE, GOLD = "wrong", "vague", "gold"
KINDS = (VAGUE, WRONG, GOLD)
TEMPLATES = (
    "They talked about this: {topic}. It was something that mattered to them.",
    "It had to do with {topic}, as far as the conversation goes.",
    "There was some talk of {topic}, and they seemed to have a view on it.",
    "That came up in connection with {topic}.",
)
USELESS = 0.5
"""Below this separation, a judge's scores are not worth reading."""
NONSENSE = 0.1
"""A larger share of replies without a verdict is a failure (`eval judge --max-nonsense`, unless told)."""
_WORD = re.compile(r"[\w'’-]+")
_ASKING = {"hey", "remember", "time", "talked", "talk", "mentioned", "mention", "told", "tell", "said"}
_ASKING |= {"kind", "type", "many", "much", "long"}


def probes(rows: Sequence[Mapping[str, Any]], number: int, seed: int) -> list[Item]:
    """Three made-up answers for each of up to `number` questions of the record; a question for which no fair probe can
    be made (its gold stands in the question, say) is passed over."""
    asked = {str(row["case"]): row for row in rows if row["gold"] and not row.get("abstain")}
    cases = sorted(asked)
    rng = random.Random(seed)
    rng.shuffle(cases)
    made: list[Item] = []
    for case in cases:
        if len(made) >= number * len(KINDS):
            break
        row = asked[case]
        vague, wrong = vague_answer(row["question"], row["gold"], rng), wrong_answer(row, list(asked.values()), rng)
        if vague and wrong:
            made += [
                Item(case, row["question"], row["gold"], text, category=row["category"], probe=kind)
                for kind, text in ((VAGUE, vague), (WRONG, wrong), (GOLD, row["gold"]))
            ]
    return made


def separation(done: Sequence[Mapping[str, Any]], kind: str) -> float | None:
    """How much oftener the judge accepts a gold answer than a vague or wrong one (Youden's J): 1 is a perfect judge, 0
    one that doesn't look. None without a probe."""
    told = [row for row in done if row["probe"] and row["prompt"] == kind and row["verdict"] is not None]
    golds = [bool(row["verdict"]) for row in told if row["probe"] == "gold"]
    others = [bool(row["verdict"]) for row in told if row["probe"] != "gold"]
    return sum(golds) / len(golds) - sum(others) / len(others) if golds and others else None


def vague_answer(question: str, gold: str, rng: random.Random) -> str | None:
    """An answer that names the question's topic and nothing of the gold; None when that can't be."""
    gone = {*content_words(gold), *words(gold)}
    topic = [
        word
        for word in _WORD.findall(question)
        if word.lower() not in STOP_WORDS | _ASKING and not gone & {*content_words(word), *words(word)}
    ]
    if not topic:
        return None
    text = rng.choice(TEMPLATES).format(topic=" ".join(topic))
    return text if contained(gold, text) == 0 else None


def wrong_answer(row: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], rng: random.Random) -> str | None:
    """Another question's gold that shares no word with this one's, of the same category and form where there is one."""
    others = [
        str(other["gold"])
        for other in sorted(rows, key=lambda other: other["category"] != row["category"])
        if token_f1(str(other["gold"]), str(row["gold"])) == 0 and contained(str(row["gold"]), str(other["gold"])) == 0
    ]
    if not others:
        return None
    alike = [gold for gold in others if _form(gold) == _form(str(row["gold"]))]
    return rng.choice((alike or others)[:20])


def _form(text: str) -> tuple[bool, bool]:
    """Whether it holds a number, and whether it is long."""
    return any(letter.isdigit() for letter in text), len(text.split()) > 4
