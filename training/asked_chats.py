"""Questions that somebody wrote about MSC's chats, each with the lines that answer it.

DMR asks one thing of a conversation; a person who reads a chat can ask five. Such a file teaches the answer agent what
to pick out of a recall, and the question encoder which line answers. One JSON object a line:
`{"chat": MSC's id, "asker": "Speaker 2", "turns": [8], "question": ..., "answer": ...}`; turns count from 0 through
all sessions.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..memory.errors import InputError
from .answer_data import NOW, Heard, hear, question_row
from .names import pair
from .session import read_json_lines

if TYPE_CHECKING:
    from ..memory.store import Store

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


def asked_rows(
    store: Store, chats: Sequence[Mapping[str, Any]], asked: Mapping[str, Sequence[ChatQuestion]], seed: int
) -> Iterator[dict[str, Any]]:
    """An answer row for each question whose answer search recalls, under one word budget each."""
    rng = random.Random(seed)
    for chat in chats:
        if questions := asked.get(chat["id"]):
            heard = hear_chat(store, chat, f"asked{seed}-{chat['id']}", rng)
            other = Heard(replace(heard.user, called=heard.me), heard.you, heard.me, heard.turns)
            for one in questions:
                side = heard if one.asker == SPEAKERS[1] else other
                if made := question_row(store, side, one.question, one.answer, rng):
                    yield made


def hear_chat(store: Store, chat: Mapping[str, Any], key: str, rng: random.Random) -> Heard:
    """A chat of MSC in the store, mostly under names; Speaker 2 is the one who asks."""
    me, you = pair(rng, plain=0.5)
    names = dict(zip(SPEAKERS, (me, you), strict=True))
    sessions = [(NOW, [(names[t["speaker"]], t["text"]) for t in s["turns"]]) for s in chat["sessions"]]
    return hear(store, key, sessions, me, you)
