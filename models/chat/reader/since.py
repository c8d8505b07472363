"""What was told since, if it holds in place of what is about to be read out.

Not every line that changes something changed the memory: the storage agent may have been unsure, or have missed it. The
reader of ends (`models/storage/changes/ended.py`) reads the later lines once more with the very sentence that answers,
the cross-encoder reads those that may end it with the question, and what then surely holds is told with it: "Your rent
is 1150 a month. Since then you told me: ..." (The weights: `chatmem train recall --later`.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ....memory.language.asked.telling import asks
from ....memory.language.language import english
from ....memory.language.question import Question, asks_still
from ....memory.language.quoted.whose import others_words
from ....memory.language.third_person import to_third_person
from ....memory.language.words import terms
from ....memory.values import JournalEntry, Recall, RecallItem, Turn, User
from ...embedder.cross_encoder import load
from ...prompts.messages import Line
from ...storage.changes.ended import ENDED, bounds_of, read_as
from . import cross_encoder
from .chooser import Later
from .sentences import Sentence, sentences_of

if TYPE_CHECKING:
    from ....memory.store.store import Store

LINES = 12
"""Lines near what is read out that are looked at."""
LIKELIEST = 3
"""Those of them that are read with the question: that end it most likely, from where one would be asked about it."""


class Candidate(NamedTuple):
    """A later line of the user's, and its signs (`chooser.Later`), shape (3,)."""

    turn: Turn
    signs: np.ndarray


def since(store: Store, user: User, recall: Recall, best: Sentence, weights: Later | None) -> Turn | None:
    """The later line that most surely holds in place of what the sentence tells; None: none does, or the question is of
    what was. Raises ModelBroken."""
    if best.turn is not None and not _asks_past(recall.query) and (told := took_its_place(store, user, best.turn)):
        return told
    found = candidates(store, user, recall, best) if weights else []
    if weights is None or not found:
        return None
    logits = weights.holds(np.array([one.signs for one in found]))
    most = int(logits.argmax())
    return found[most].turn if logits[most] >= 0 else None


def took_its_place(store: Store, user: User, line: Turn) -> Turn | None:
    """The later line whose facts took the place of all that the memory had made of this one; None: some of it holds, or
    it was only told more fully."""
    made = [one for one in store.journal.entries(user.id, turn_id=line.id)
            if one.kind in ("insert", "update") and one.memory_id and not one.undone]  # fmt: skip
    instead = [_instead(store, user, one, line) for one in made]
    numbers = [one for one in instead if one]
    if not numbers or len(numbers) < len(made):
        return None
    return next(iter(store.turns.by_id(user.id, [max(numbers)])), None)


def _instead(store: Store, user: User, made: JournalEntry, line: Turn) -> int | None:
    """The number of the line by which the fact is otherwise now."""
    history = store.journal.history(made.memory_id or 0, user_id=user.id)
    later = [one for one in history if not one.undone and one.turn_id and one.turn_id > line.id and one.id > made.id
             and one.kind in ("update", "delete")]  # fmt: skip
    was = {*terms(str((made.after or {}).get("fact", "")))} - {*terms(user.subject), "user"}
    now = {*terms(str((later[-1].after or {}).get("fact", "")))} if later else set()
    return later[-1].turn_id if later and 2 * len(was & now) <= len(was) else None


def _asks_past(question: str) -> bool:
    return Question(question, None, "").asks_past and not asks_still(question)


def candidates(store: Store, user: User, recall: Recall, best: Sentence) -> list[Candidate]:
    """The lines that may hold instead; none where the question is of what was. Raises ModelBroken."""
    ends, answers = load(ENDED), cross_encoder.load()
    if ends is None or answers is None or _asks_past(recall.query):
        return []
    memory = recall.items[best.item].memory
    told = memory.fact if memory else to_third_person(best.text, user.subject)
    lines = _later(store, user, recall, best, told)
    over = [float(ends.logits(read_as(Line(user.subject, one.text)), [told])[0]) for one in lines]
    least = bounds_of(ends).likely
    likeliest = sorted((at for at in range(len(lines)) if over[at] >= least), key=lambda at: -over[at])[:LIKELIEST]
    if not likeliest:
        return []
    said = [sentences_of(Recall(recall.query, (RecallItem(1.0, None, (lines[one],), ()),))) for one in likeliest]
    shown = [best, *(one for some in said for one in some)]
    read = answers.logits(user.subject, recall.query, [cross_encoder.shown_as(user.subject, one) for one in shown])
    found, at = list[Candidate](), 1
    for place, some in zip(likeliest, said, strict=True):
        if some:
            signs = np.array([over[place], read[at : at + len(some)].max(), read[0]])
            found.append(Candidate(lines[place], signs))
        at += len(some)
    return found


def _later(store: Store, user: User, recall: Recall, best: Sentence, told: str) -> list[Turn]:
    """The user's own telling lines near it that were said after it."""
    item = recall.items[best.item]
    own = {turn.id for turn in item.turns} | ({best.turn.id} if best.turn else set())
    source = best.turn or item.memory
    begun = (source.said_at if source else "") or ""
    near = store.search(user.id, told, limit=LINES, speaker=user.subject)
    turns = {turn.id: turn for found in (recall, near) for one in found.items for turn in one.turns}
    return [
        turn
        for turn in turns.values()
        if turn.id not in own and turn.said_at > begun and turn.speaker in (user.subject, "User")
        and not asks(turn.text, english()) and not others_words(turn)
    ]  # fmt: skip
