"""Questions that somebody wrote about MSC's chats, each with the lines that answer it.

DMR asks one thing of a conversation; a person who reads a chat can ask five. Such a file teaches the answer agent what
to pick out of a recall, and the question encoder which line answers. One JSON object a line:
`{"chat": MSC's id, "asker": "Speaker 2", "turns": [8], "question": ..., "answer": ...}`; turns count from 0 through
all sessions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...memory.errors import InputError
from .files import read_json_lines

SPEAKERS = ("Speaker 1", "Speaker 2")


@dataclass(frozen=True, slots=True)
class ChatQuestion:
    """What `asker` asks the other speaker of a chat; `turns` hold the answer, counted from 0 through all sessions."""

    chat: str
    asker: str
    turns: tuple[int, ...]
    question: str
    answer: str


def turn_counts(chats: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """How many turns each chat has, by its id."""
    return {chat["id"]: sum(len(session["turns"]) for session in chat["sessions"]) for chat in chats}


def read_questions(path: Path, lengths: Mapping[str, int]) -> dict[str, list[ChatQuestion]]:
    """The file's questions by chat; of chats that aren't in `lengths` (id -> turns) none. Raises InputError that names
    the first bad line."""
    found = defaultdict[str, list[ChatQuestion]](list)
    for number, row in enumerate(read_json_lines(path), 1):
        try:
            turns = tuple(int(place) for place in row["turns"])
            asked = ChatQuestion(row["chat"], row["asker"], turns, row["question"].strip(), row["answer"].strip())
            good = asked.asker in SPEAKERS and bool(turns and asked.question and asked.answer)
            good = good and all(0 <= place < lengths.get(asked.chat, max(turns) + 1) for place in turns)
        except (KeyError, TypeError, ValueError, AttributeError):
            good = False
        if not good:
            raise InputError(
                f'{path.name}, question {number}: needs {{"chat", "asker": "Speaker 1" or "Speaker 2", "turns": '
                '[numbers of lines of that chat], "question", "answer"}; mend or drop it.'
            )
        if asked.chat in lengths:
            found[asked.chat].append(asked)
    if not found:
        raise InputError(f"{path.name} asks nothing about the chats of --msc; give the file whose ids it names.")
    return dict(found)
