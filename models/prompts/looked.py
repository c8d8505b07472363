"""What the retrieval agent sees before it writes a SELECT: what a first search found, and what one can ask by.

A SELECT that knows only the question's words brings what search brings (docs/log/retrieval.md). This one knows how the
rows that were found are filed and told, whose they are, and between which days the question asks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ...memory.language.asked.periods import Bounds, bounds_of, periods
from ...memory.language.asked.selecting import asks_only_when
from ...memory.language.language import english
from ...memory.language.words import stem, tokens
from ...memory.values import ASSISTANT, Moment, Recall, RecallItem
from ..lm import Message, Options
from .grammars import SQL_SCHEMA, rows_grammar
from .messages import one_line, retrieval_messages

MAX_TOKENS = 160
SHOWN = 5
"""Rows of the first search in the prompt, so many `WORDS` of each: a small model reads some hundred tokens a second."""
WORDS = 9
TOPICS = 10
FRAME = (
    "SELECT * FROM memory WHERE subject = '", " coalesce(happened_on, said_at)", " topic IN ('", " LIMIT 20;",
    " ORDER BY coalesce(happened_on, said_at)", " lines WHERE speaker = '",
)  # fmt: skip
"""What a SELECT mostly consists of."""


_BUT = re.compile(r"\b(?:besides|apart from|other than|except|excluding|without|but not|\w+n['’]t)\b", re.IGNORECASE)
"""That something is to be left out."""
_YOU_SAID = re.compile(
    r"\b(?:you (?:\w+ )?(?:recommend|suggest|advise|propose|say|said|mention)\w*|(?:did|do) you (?:\w+ )?(?:recommend|"
    r"suggest|advise|propose|mention)|(?:suggestions|recommendations|proposals) (?:that )?you (?:made|gave)|"
    r"your (?:suggestions?|recommendations?|advice))\b", re.IGNORECASE,
)  # fmt: skip
"""That what the assistant said is asked for."""


_END = re.compile(rf"\b(?:{english().alternatives('questions', 'few')})\b", re.IGNORECASE)
"""That one row, or a few, may be wanted: what is counted or listed wants all."""
_NEW = re.compile(r"\b(?:last|latest|newest|most recent(?:ly)?)\b", re.IGNORECASE)
_OLD = re.compile(r"\b(?:first|oldest|earliest)\b", re.IGNORECASE)


class Look(NamedTuple):
    """The choices of a SELECT: whose rows, on which topics, from and before which days; and some rows there are."""

    subjects: tuple[str, ...]
    topics: tuple[str, ...]
    rows: tuple[str, ...]
    dates: tuple[str, ...]
    bounds: Bounds
    filed: bool = True
    """Whether topics may be named: not where a period is all that is told of what is wanted."""
    without: bool = True
    """Whether something is to be left out."""
    said_by: str = ""
    """Who is asked for what they said: the one who is asked."""
    few: bool = True
    """Whether less than ten rows may be wanted."""
    newest: bool | None = None
    """Whether the newest are asked for (the oldest: False); None: neither, or both."""

    def messages(self, asker: str, question: str, today: str) -> list[Message]:
        """The prompt."""
        return retrieval_messages(asker, question, self.subjects, self.topics, today, self.rows, self.dates)

    def options(self) -> Options:
        """Every SELECT that can be written passes the guard and names only what is there."""
        speakers = tuple(dict.fromkeys((*self.subjects, ASSISTANT)))
        topics = self.topics if self.filed else ()
        grammar = rows_grammar(
            self.subjects, (self.said_by,) if self.said_by else speakers, topics, self.bounds.since, self.bounds.until,
            without=self.without, lines_alone=bool(self.said_by), few=self.few, newest=self.newest,
        )  # fmt: skip
        return Options(max_tokens=MAX_TOKENS, grammar=grammar, json_schema=SQL_SCHEMA, likely=FRAME)


def look(question: str, found: Recall, subjects: Sequence[str], topics: Sequence[str], now: Moment) -> Look:
    """What is shown for a question: `found` by the first search, `subjects` and `topics` of the memory, at `now`."""
    named = periods(question, now)
    filed = [item.memory.topic for item in found.items if item.memory and item.memory.topic]
    words = {stem(word) for word in tokens(question)}
    near = [topic for topic in topics if words & {stem(word) for word in tokens(topic)}]
    return Look(
        tuple(subjects),
        tuple(dict.fromkeys([*near, *filed, *topics]))[:TOPICS],
        tuple(_row(item) for item in found.items[:SHOWN]),
        tuple(f"{one.words} = {one.since} to {one.until}" for one in named),
        *left_open(question, now),
    )


def left_open(question: str, now: Moment) -> tuple[Bounds, bool, bool, str, bool, bool | None]:
    """What a question leaves to a SELECT: (days, whether topics, whether words to leave out, who said it, whether a
    few rows may do, whether the newest come first)."""
    said_by, few = ASSISTANT if asks_of_you(question) else "", wants_few(question, now)
    bounds, without, untimed = bounds_of(question, now), bool(_BUT.search(question)), _untimed(question, now)
    new, old = bool(_NEW.search(untimed)), bool(_OLD.search(untimed))
    return bounds, not asks_only_when(question, now), without, said_by, few, new if new != old else None


def wants_few(question: str, now: Moment) -> bool:
    """Whether less than ten rows may be wanted: the first, the last three. What is counted or listed wants all."""
    return bool(_END.search(_untimed(question, now)))


def _untimed(question: str, now: Moment) -> str:
    """The question without its periods: "in the last two weeks"."""
    for one in periods(question, now):
        question = question.replace(one.words, " ")
    return question


def asks_of_you(question: str) -> bool:
    """Whether what the assistant said is asked for, so that its lines are evidence."""
    return bool(_YOU_SAID.search(question))


def _row(item: RecallItem) -> str:
    if item.memory:
        return f"{item.memory.topic}: {one_line(item.memory.fact, WORDS)}"
    return f"{item.turns[0].speaker} said: {one_line(item.turns[0].text, WORDS)}"
