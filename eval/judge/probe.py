"""Answers made up to try a judge: deliberately wrong, deliberately vague, and the gold answer itself; and, of questions
whose answer isn't known, one that says so, which is right, and an invented one.

Built from the record alone, without a model: another question's gold, or words of the question dressed up as an answer.
What share of the wrong ones a judge accepts is its false-accept rate; a judge that accepts many measures nothing.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..measures.text import STOP_WORDS, contained, content_words, token_f1, words
from .judge import Item

WRONG, VAGUE, GOLD = "wrong", "vague", "gold"
KNOWN = (VAGUE, WRONG, GOLD)
"""Of a question whose answer is known; the last is right."""
INVENTED, UNKNOWN = "invented", "unknown"
NOT_KNOWN = (INVENTED, UNKNOWN)
"""Of one whose answer isn't; the last is right."""
KINDS = (*KNOWN, *NOT_KNOWN)
SHARE = 3
"""One in so many questions is one whose answer isn't known."""
UNTOLD = (
    "I don't know.",
    "You haven't told me that.",
    "That was not mentioned, so I don't know.",
    "There is no information available on that.",
)
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
    """Three made-up answers for each of up to `number` questions of the record, and two for a third as many whose
    answer isn't known; a question for which no fair probe can be made (its gold stands in the question, say) is passed
    over."""
    asked = {str(row["case"]): row for row in rows if row["gold"] and not row.get("abstain")}
    cases = sorted(asked)
    rng = random.Random(seed)
    rng.shuffle(cases)
    made: list[Item] = []
    for case in cases:
        if len(made) >= number * len(KNOWN):
            break
        row = asked[case]
        vague, wrong = vague_answer(row["question"], row["gold"], rng), wrong_answer(row, list(asked.values()), rng)
        if vague and wrong:
            made += [
                Item(case, row["question"], row["gold"], text, category=row["category"], probe=kind)
                for kind, text in ((VAGUE, vague), (WRONG, wrong), (GOLD, row["gold"]))
            ]
    questions = len(made) // len(KNOWN)
    return made + (_not_known(rows, [asked[case] for case in cases], max(1, questions // SHARE), rng) if made else [])


def _not_known(
    rows: Sequence[Mapping[str, Any]], asked: Sequence[Mapping[str, Any]], number: int, rng: random.Random
) -> list[Item]:
    """Answers to questions whose right answer is that nobody told it: those of the record, and where these are too few
    others of which the judge is told so. Invented is another question's gold, or what was the question's own."""
    never = {str(row["case"]): row for row in rows if row.get("abstain") or not row["gold"]}
    cases = sorted(never)
    rng.shuffle(cases)
    golds = sorted({str(row["gold"]) for row in asked})
    pairs = [(never[case], rng.choice(golds)) for case in cases]
    pairs += [(row, str(row["gold"])) for row in reversed(asked)]  # the last were tried least
    return [
        Item(str(row["case"]), row["question"], "", text, category=row["category"], probe=kind)
        for row, invented in pairs[:number]
        for kind, text in ((INVENTED, invented), (UNKNOWN, rng.choice(UNTOLD)))
    ]


def separation(done: Sequence[Mapping[str, Any]], kind: str) -> float | None:
    """How much oftener the judge accepts a right answer than the others (Youden's J): 1 is a perfect judge, 0 one that
    doesn't look. The smaller of two, of questions whose answer is known and of those whose answer isn't: a judge that
    fails at either is none. None without a probe."""
    told = [row for row in done if row["probe"] and row["prompt"] == kind and row["verdict"] is not None]
    both = [_youden(told, kinds) for kinds in (KNOWN, NOT_KNOWN)]
    return min((one for one in both if one is not None), default=None)


def _youden(told: Sequence[Mapping[str, Any]], kinds: Sequence[str]) -> float | None:
    """Of the answers of these kinds, of which the last is right."""
    right = [bool(row["verdict"]) for row in told if row["probe"] == kinds[-1]]
    others = [bool(row["verdict"]) for row in told if row["probe"] in kinds[:-1]]
    return sum(right) / len(right) - sum(others) / len(others) if right and others else None


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
