"""What was told since, if it ends what is about to be read out.

Not every line that changes something changed the memory: the storage agent may have been unsure, or have missed it. The
reader of ends (`models/storage/changes/ended.py`) reads the later lines once more with the very sentence that answers,
and what surely ends it is told with it: "Your rent is 1150 a month. Since then you told me: ..."
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....memory.language.asked.telling import asks
from ....memory.language.language import english
from ....memory.language.question import Question
from ....memory.language.quoted.whose import others_words
from ....memory.language.third_person import to_third_person
from ....memory.values import Recall, Turn, User
from ...embedder.cross_encoder import load
from ...prompts.messages import Line
from ...storage.changes.ended import NAME, bounds_of, read_as
from .sentences import Sentence

if TYPE_CHECKING:
    from ....memory.store.store import Store

LINES = 12
"""Lines near what is read out that are looked at."""
SURER = 0.7
"""How much surer than of one line it must be: of so many, one looks like an end more easily."""


def since(store: Store, user: User, recall: Recall, best: Sentence) -> Turn | None:
    """The later line of the user's that ends what the sentence tells, most surely; None: none does, or the question is
    of what was. Raises ModelBroken."""
    encoder = load(NAME)
    if encoder is None or Question(recall.query, None, "").asks_past:
        return None
    memory = recall.items[best.item].memory
    told = memory.fact if memory else to_third_person(best.text, user.subject)
    lines = _later(store, user, recall, best, told)
    if not lines:
        return None
    logits = [float(encoder.logits(read_as(Line(user.subject, one.text)), [told])[0]) for one in lines]
    most = max(range(len(lines)), key=logits.__getitem__)
    return lines[most] if logits[most] >= bounds_of(encoder).sure + SURER else None


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
        if turn.id not in own and turn.said_at >= begun and turn.speaker in (user.subject, "User")
        and not asks(turn.text, english()) and not others_words(turn)
    ]  # fmt: skip
