"""The prompts that the agents were trained on. A change here needs new adapters: training and chat both build on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...memory.guard.tokens import quote
from ..lm import Message

STORAGE_SYSTEM = "Write what is worth remembering as SQL."
RETRIEVAL_SYSTEM = "Write the SELECT that finds what the question needs."
ANSWER = "Use the memory; if it doesn't hold the answer, say so."
NOTHING = "-- nothing"
"""What an agent that chooses by number replies where nothing is to be chosen."""

LINE_WORDS = 120
"""A longer line is cut in the storage prompt's context lines, which only set the scene."""


SEAMS = ";,:.!?—–-"
"""Signs behind which a text is best cut."""


class Known(NamedTuple):
    """A current row, as the storage agent sees it."""

    id: int
    topic: str
    fact: str


class Line(NamedTuple):
    """Who said what."""

    speaker: str
    text: str


def one_line(text: str, words: int | None = None) -> str:
    """The text on one line, cut after that many words."""
    parts = text.split()
    return " ".join(parts if words is None else parts[:words])


def excerpt(text: str, words: int) -> str:
    """The text on one line; of more words its beginning, to the last sign of a new clause in the second half of what
    there is room for, with dots for what is left out."""
    parts = text.split()
    if len(parts) <= words:
        return " ".join(parts)
    seam = next((at for at in range(words, words // 2, -1) if parts[at - 1][-1] in SEAMS), words)
    return f"{' '.join(parts[:seam]).rstrip(SEAMS)} …"


def storage_messages(before: Sequence[Line], line: Line, known: Sequence[Known] = ()) -> list[Message]:
    """Up to two earlier lines and some current rows set the scene for the line to be stored."""
    parts = ["Known:", *(f"{row.id} | {row.topic} | {row.fact}" for row in known)] if known else []
    parts += [f"{speaker}: {one_line(text, LINE_WORDS)}" for speaker, text in before[-2:]]
    parts += ["Store:", f"{line.speaker}: {one_line(line.text)}"]
    return [Message("system", STORAGE_SYSTEM), Message("user", "\n".join(parts))]


def retrieval_messages(
    asker: str, question: str, subjects: Sequence[str], topics: Sequence[str], today: str,
    found: Sequence[str] = (), dates: Sequence[str] = (),
) -> list[Message]:  # fmt: skip
    """The subjects and topics that exist, what a first search found, the periods that the question names (each with its
    first day and the first one after it), today's date and the question."""
    parts = [f"Subjects: {', '.join(subjects)}", f"Topics: {', '.join(topics)}"]
    parts += ["Found:", *(f"- {one}" for one in found)] if found else []
    parts += [f"Dates: {'; '.join(dates)}"] if dates else []
    parts += [f"Today: {today}", f"{asker}: {question}"]
    return [Message("system", RETRIEVAL_SYSTEM), Message("user", "\n".join(parts))]


def answer_system(me: str, other: str, today: str, *, memory: bool = True) -> str:
    """Who the answer agent is, whom it talks with and what day it is. Not `memory`: the question isn't one for it."""
    told = f"You are {me}, talking with {other}. Today is {today}."
    return f"{told} {ANSWER}" if memory else told


def answer_messages(
    system: str, recent: Sequence[tuple[str, str]], memory: Sequence[str] | None, text: str
) -> list[Message]:  # fmt: skip
    """`recent` holds (role, text) of the last lines; `memory` the recalled lines, best first; None: no word of it."""
    messages = [Message("system", system)]
    messages += [
        Message("assistant" if role == "assistant" else "user", one_line(said, LINE_WORDS)) for role, said in recent
    ]
    if memory is None:
        return [*messages, Message("user", text)]
    noted = "\n".join(f"- {line}" for line in memory) if memory else "- (nothing)"
    return [*messages, Message("user", f"Memory:\n{noted}\n\n{text}")]


def insert_sql(rows: Sequence[tuple[str, str, str, str | None]]) -> str:
    """The storage agent's INSERT for (subject, topic, fact, date words or None)."""
    values = ", ".join(f"({quote(s)}, {quote(t)}, {quote(f)}, {quote(d) if d else 'NULL'})" for s, t, f, d in rows)
    return f"INSERT INTO memory (subject, topic, fact, happened_on) VALUES {values};"


def update_sql(memory_id: int, fact: str) -> str:
    """The storage agent's UPDATE."""
    return f"UPDATE memory SET fact = {quote(fact)} WHERE id = {memory_id};"


def delete_sql(memory_id: int) -> str:
    """The storage agent's DELETE."""
    return f"DELETE FROM memory WHERE id = {memory_id};"
