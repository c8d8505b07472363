"""What was recalled as notes for a model that reads ordinary words: dated, with who said it, told to the user."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...memory.language.asked.telling import asks
from ...memory.language.dates import day_of
from ...memory.language.detect import language_of
from ...memory.language.question import Question
from ...memory.language.words import word_count
from ...memory.values import Memory, Recall, RecallItem, Turn
from ..embedder.cross_encoder import ANSWERS, load
from ..prompts.messages import one_line
from .second_person import to_asker, to_second_person
from .telling import QUOTING, YOU, Talkers, asks_when, date_beside, days_meant, quotes, spoken_date

_SPEAKS_TO = re.compile(r"\b(?:you|your|yours)\b|\?\s*$|[\"“”«»]", re.IGNORECASE)
FIRST, READ = 3, 2
"""Notes that search puts first, and that the reader does, for a model of less than three billion parameters."""
NOTE_CHARS = 300
"""Of a note, so much the reader reads."""
LONG_LINES = 2
"""A turn of more lines is shown as it was written: code and lists lose their sense on one line."""


def without_turns(recall: Recall, ids: Collection[int]) -> Recall:
    """The recall without lines that the prompt holds anyway."""
    items: list[RecallItem] = []
    for item in recall.items:
        turns = tuple(turn for turn in item.turns if turn.id not in ids)
        if item.memory or turns:
            items.append(replace(item, turns=turns))
    return replace(recall, items=tuple(items))


def without_told(recall: Recall, turn_id: int, evidence: Mapping[int, Sequence[Turn]]) -> Recall:
    """The recall without memories that only this line told: they were made of it, not found for it."""
    told = {key for key, turns in evidence.items() if {turn.id for turn in turns} == {turn_id}}
    return replace(recall, items=tuple(item for item in recall.items if not (item.memory and item.memory.id in told)))


def notes(recall: Recall, scene: Talkers, words: int) -> list[str]:
    """The recall as notes, best first, each once, at most about `words` words; none is cut."""
    found: dict[str, None] = {}
    used, dated = 0, asks_when(recall.query)
    for item in recall.items:
        for note in item_notes(item, scene, dated):
            size = word_count(note)
            if note not in found and (used + size <= words or not found):
                found[note] = None
                used += size
    return list(found)


def few(given: Sequence[str], recall: Recall, asker: str) -> list[str]:
    """Of the notes, best first, those that a small model is shown: the first, and of a question in English those, too,
    that the reader thinks to answer it best. Rows that a SELECT brought stay all. Raises ModelBroken."""
    if recall.sql is not None or len(given) <= FIRST:
        return list(given)
    language = language_of(recall.query, thorough=False)
    if language.code != "en":
        return list(given[: FIRST + READ])
    reader = load(ANSWERS) if asks(recall.query, language) else None
    if reader is None:
        return list(given[:FIRST])
    asked = f"{asker}: {Question(recall.query, None, '').parts[-1]}"
    order = np.argsort(-reader.logits(asked, [one[:NOTE_CHARS] for one in given]), kind="stable")
    return [given[place] for place in dict.fromkeys([*range(FIRST), *order[:READ].tolist()])]


def item_notes(item: RecallItem, scene: Talkers, dated: bool) -> list[str]:
    """A fact with its date, and the lines that it comes from or that were found by themselves; `dated`: with theirs."""
    facts = [_fact(item.memory, scene)] if item.memory else []
    last = item.memory.happened_on if item.memory else None
    return facts + [_line(turn, scene, dated, last) for turn in item.turns]


def _fact(memory: Memory, scene: Talkers) -> str:
    told = to_second_person(one_line(memory.fact), scene.other)
    over = memory.valid_to and _day(memory.valid_to, scene)
    when = date_beside(memory, zone=scene.zone).strip(" ()")
    source = "concluded, not told" if memory.derived else f"told {_day(memory.said_at, scene)}"
    return f"{f'Until {over}: ' if over else ''}{told} ({f'{when}; ' if when else ''}{source})"


def _line(turn: Turn, scene: Talkers, dated: bool, last: str | None) -> str:
    """A line with who said it; where it is asked for, when, and which days its words mean (`last`: the day of what came
    of it)."""
    quoting, when = QUOTING if quotes(turn) else "", _when(turn, scene, last) if dated else ""
    if scene.turned and (told := _turned(turn, scene)) is not None:
        return f"You said{when}: {told}"
    head = f"{scene.named(turn.speaker)} said{quoting}{when}"
    if turn.text.count("\n") >= LONG_LINES:
        return f"{head}:\n{turn.text.strip()}"
    return f'{head}: "{one_line(turn.text)}"'


def _turned(turn: Turn, scene: Talkers) -> str | None:
    """A line of the asker's own as it is said to them; None: it isn't theirs alone, speaks to somebody, or is long."""
    if scene.label(turn.speaker) != YOU or quotes(turn) or turn.text.count("\n") >= LONG_LINES:
        return None
    if _SPEAKS_TO.search(turn.text) or language_of(turn.text, thorough=False).code != "en":
        return None
    return to_asker(one_line(turn.text))


def _when(turn: Turn, scene: Talkers, last: str | None) -> str:
    language = language_of(turn.text, thorough=False)
    meant = "; ".join(days_meant(turn.text, turn.said_at, scene.zone, language, last))
    return f" on {_day(turn.said_at, scene)}{f' ({meant})' if meant else ''}"


def _day(moment: str, scene: Talkers) -> str:
    return spoken_date(day_of(moment, scene.zone).isoformat())
