"""Questions with the lines that answer them, for the question encoder and the ranker of search.

LoCoMo tells the lines, and so does who writes questions about MSC's chats. DMR does not: there the lines of the one
who answers count that hold every word of the answer.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...eval.datasets.beam import USER, BeamTalk
from ...eval.datasets.locomo import LocomoTalk
from ...eval.datasets.msc import DmrRow, MscChat
from ...eval.datasets.sessions import Utterance
from ...eval.measures.text import all_words
from ...memory.database.engine import raw
from ...memory.search.nearest.numbers import SHIFT
from ...memory.values import Moment

if TYPE_CHECKING:
    from ...memory.store.store import Store
    from ..material.chat_questions import ChatQuestion

ASKER, TELLER = "Speaker 2", "Speaker 1"
"""Of DMR: Speaker 2 asks, Speaker 1 answers."""
NOW = "2024-06-12T12:00:00Z"
MOST = 3
"""Lines with the answer's words beyond which a DMR question tells nothing about where its answer is."""


@dataclass(frozen=True, slots=True)
class EvidenceQuestion:
    """A question of the user `talk`; `lines`: ids of the turns that hold the answer; category 0: not LoCoMo's; `kind`:
    of which kind of talk."""

    talk: str
    user_id: int
    text: str
    lines: tuple[int, ...]
    category: int = 0
    answer: str = ""
    asker: str | None = None
    now: Moment = NOW
    kind: str = "locomo"

    @property
    def adversarial(self) -> bool:
        """Whether it is about what nobody said so."""
        return self.kind == "locomo" and self.category == 5


def locomo_questions(store: Store, talks: Iterable[LocomoTalk]) -> list[EvidenceQuestion]:
    """LoCoMo's questions, adversarial ones too: their evidence is what they are about. The talks must be ingested."""
    return _by_ids(store, talks, "locomo", None)


def beam_questions(store: Store, talks: Iterable[BeamTalk]) -> list[EvidenceQuestion]:
    """BEAM's questions whose evidence is told, asked by the user. The talks must be ingested."""
    return _by_ids(store, talks, "beam", USER)


def _by_ids(
    store: Store, talks: Iterable[LocomoTalk | BeamTalk], kind: str, asker: str | None
) -> list[EvidenceQuestion]:  # fmt: skip
    found = []
    for talk in talks:
        user = store.users.get(talk.id).id
        said = [turn.id for session in talk.sessions for turn in session.turns if turn.text.strip()]
        ids = dict(zip(said, turn_ids(store, user), strict=True))
        for one in talk.questions:
            lines = tuple(ids[i] for i in one.evidence if i in ids)
            if lines:
                found.append(
                    EvidenceQuestion(talk.id, user, one.question, lines, one.category, one.answer, asker, kind=kind)
                )
    return found


def dmr_questions(store: Store, rows: Sequence[DmrRow], names: Sequence[str]) -> list[EvidenceQuestion]:
    """DMR's questions; row n was ingested as user `names[n]`."""
    found = []
    for row, name in zip(rows, names, strict=True):
        user = store.users.get(name).id
        told = [turn for session in store.sessions.all(user) for turn in store.turns.of(session.id)]
        lines = tuple(turn.id for turn in told if turn.speaker == TELLER and all_words(row.answer, turn.text))
        found.append(EvidenceQuestion(name, user, row.question, lines, answer=row.answer, asker=ASKER, kind="dmr"))
    return found


def msc_questions(
    store: Store, rows: Sequence[MscChat], names: Sequence[str], questions: Mapping[str, Sequence[ChatQuestion]]
) -> list[EvidenceQuestion]:
    """Questions that somebody wrote about MSC's chats; chat n was ingested as user `names[n]`."""
    found = []
    for chat, name in zip(rows, names, strict=True):
        user = store.users.get(name).id
        said = [place for place, turn in enumerate(turns(chat)) if turn.text.strip()]
        ids = dict(zip(said, turn_ids(store, user), strict=True))
        for one in questions[chat.id]:
            lines = tuple(ids[place] for place in one.turns if place in ids)
            found.append(
                EvidenceQuestion(name, user, one.question, lines, answer=one.answer, asker=one.asker, kind="msc")
            )
    return found


def turns(chat: MscChat) -> list[Utterance]:
    """Of all sessions."""
    return [turn for session in chat.sessions for turn in session.turns]


def telling(asked: Sequence[EvidenceQuestion]) -> list[EvidenceQuestion]:
    """Those that tell where the answer is: of DMR, those whose answer stands in few lines."""
    return [one for one in asked if (one.category and one.lines) or 0 < len(one.lines) <= MOST]


def turn_ids(store: Store, user_id: int) -> list[int]:
    """The ids of a user's turns in the order in which they were said."""
    with store.db.read() as db:
        return [i for (i,) in raw(db).execute("SELECT id FROM turns WHERE user_id = ? ORDER BY id", (user_id,))]


def session_of_turns(store: Store) -> dict[int, int]:
    """The session of each turn."""
    with store.db.read() as db:
        return dict(raw(db).execute("SELECT id, session_id FROM turns"))


def said_lines(store: Store) -> dict[int, tuple[str, str]]:
    """Speaker and text of each turn."""
    with store.db.read() as db:
        return {i: (who, text) for i, who, text in raw(db).execute("SELECT id, speaker, text FROM turns")}


def line_vectors(store: Store, user_id: int, model: str) -> tuple[list[int], np.ndarray]:
    """Ids and vectors (float32, shape (n, dimensions)) of a user's turns: of each that of its first passage."""
    query = (
        "SELECT ref_id, data FROM vectors WHERE user_id = ? AND kind = 'passage' AND model = ? "
        f"AND ref_id & {(1 << SHIFT) - 1} = 0 ORDER BY ref_id"
    )
    with store.db.read() as db:
        rows = raw(db).execute(query, (user_id, model)).fetchall()
    vectors = np.stack([np.frombuffer(data, np.float16) for _, data in rows]).astype(np.float32)
    return [number >> SHIFT for number, _ in rows], vectors


def folds(talks: Sequence[str], count: int) -> list[list[str]]:
    """The conversations in `count` groups of neighbours; each is held back once."""
    size = max(1, -(-len(talks) // max(count, 1)))
    return [list(talks[at : at + size]) for at in range(0, len(talks), size)]


def personal(text: str, speakers: Sequence[str], rng: random.Random) -> str:
    """The question as one of the two would ask it: "Ana's cat" as "my cat" or "your cat", when it names one of them."""
    named = [name for name in speakers if re.search(rf"\b{re.escape(name)}\b", text)]
    if len(named) != 1:
        return text
    who, whose = rng.choice((("I", "my"), ("you", "your")))
    name = re.escape(named[0])
    return re.sub(rf"\b{name}\b", who, re.sub(rf"\b{name}['’]s?", whose, text))
