"""A talk without the lines that answer a question: as if it had never been told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...eval.agents.talks.script import matches
from ...memory.values import ASSISTANT
from .templates.talk import Gold, GoldLine, GoldQuestion, GoldTalk


def without(talk: GoldTalk, question: GoldQuestion) -> GoldTalk:
    """The talk without the lines that answer a question, and without the replies to them."""
    golds, gone = list(talk.golds), set[int]()
    wanted = question.needs
    while wanted is not None:
        gone.add(wanted)
        wanted = golds[wanted].replaces
    place, kept, dropped = 0, list[GoldLine](), False
    for line in talk.lines:
        places = range(place, place + len(line.facts))
        place += len(line.facts)
        answers = bool(gone & {*places}) or matches(question.key_words, line.text)
        dropped = answers or (dropped and line.speaker == ASSISTANT)
        kept.append(replace(line, text="", facts=()) if dropped else line)
    return replace(talk, lines=tuple(_renumbered(kept, [line.facts for line in talk.lines])))


def _renumbered(kept: Sequence[GoldLine], before: Sequence[Sequence[Gold]]) -> Iterator[GoldLine]:
    """Lines that are left, the places of what they replace counted anew; what replaces a gone fact stands alone."""
    new: dict[int, int] = {}
    old = count = 0
    for line, facts in zip(kept, before, strict=True):
        if line.text:
            told = list[Gold]()
            for number, gold in enumerate(facts):
                told.append(replace(gold, replaces=None if gold.replaces is None else new.get(gold.replaces)))
                new[old + number] = count
                count += 1
            told = [gold for gold in told if gold.action != "delete" or gold.replaces is not None]
            count -= len(facts) - len(told)
            yield replace(line, facts=tuple(told))
        old += len(facts)
