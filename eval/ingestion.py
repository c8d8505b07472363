"""How a conversation of a data set gets into a store: its turns, then its facts, human notes or the storage agent's.

All turns are kept first, those that the agent is to read as pending; then they are read one by one. So a killed
ingestion goes on at the very turn at which it was killed, and ends with the same memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..memory.values import ASSISTANT
from .loading import forgetting
from .person import split_facts, to_third_person

if TYPE_CHECKING:
    from ..memory.store import Store
    from ..memory.values import StorageState, Turn, User
    from ..models.lm import LM
    from ..models.prompts import Line
    from .cases import Talk

Tell = Callable[[int], None]


def ingest(
    store: Store, user: User, talk: Talk, facts: str = "none", storage: LM | None = None,
    tell: Tell = lambda done: None,
) -> None:  # fmt: skip
    """Puts the conversation into the store, or the rest of it; a refused write is journaled, not raised.

    `tell` is given the number of lines that the storage agent has read. Raises ModelError; what is done is kept.
    """
    keep_turns(store, user, talk, facts, pending=storage is not None)
    if storage is not None:
        write_facts(store, user, storage, tell)
    store.embed_pending(user.id, limit=10_000)


def keep_turns(store: Store, user: User, talk: Talk, facts: str, *, pending: bool) -> None:
    """The sessions and turns that are not there yet. What the assistant says is context, never a source of facts."""
    there = sorted(store.sessions(user.id), key=lambda one: one.id)
    for place, session in enumerate(talk.sessions):
        at = session.at or talk.now
        kept = there[place] if place < len(there) else store.start_session(user.id, at=at)
        said = [one for one in session.turns if one.text.strip()]
        for one in said[len(store.turns(kept.id)) :]:
            state: StorageState = "pending" if pending and one.speaker != ASSISTANT else "skipped"
            turn = store.add_turn(kept.id, one.speaker, " ".join(one.text.split()), said_at=at, storage=state)
            for fact in split_facts(one.facts) if facts == "human" and one.facts.strip() else ():
                told = to_third_person(fact, one.speaker)
                store.remember(user.id, one.speaker, "fact", told, turn_ids=[turn.id], said_at=at)
        if kept.ended_at is None:
            store.end_session(kept.id, at=at)


def write_facts(store: Store, user: User, storage: LM, tell: Tell) -> None:
    """Has the agent read every pending line, each with the two lines before it."""
    from ..models.prompts import Line

    waiting = store.pending_turns(user.id)
    turns = [turn for one in store.sessions(user.id) for turn in store.turns(one.id)]
    ordered = sorted(turns, key=lambda turn: turn.id)
    places = {turn.id: place for place, turn in enumerate(ordered)}
    done = sum(turn.storage == "done" for turn in turns)
    for number, turn in enumerate(waiting, done + 1):
        before = ordered[max(0, places[turn.id] - 2) : places[turn.id]]
        scene = [Line(one.speaker, one.text) for one in before if one.session_id == turn.session_id]
        if not store.journal(user.id, turn_id=turn.id, limit=1):  # a kill may have come between writing and ticking off
            _write(store, user, turn, scene, storage)
        store.set_turn(turn.id, storage="done")
        tell(number)


def _write(store: Store, user: User, turn: Turn, before: list[Line], lm: LM) -> None:
    from ..memory.values import Author
    from ..models.prompts import Line
    from ..models.storage import StorageAgent

    forgetting(lm)()
    sql = StorageAgent(lm, store).propose(before, Line(turn.speaker, turn.text))
    store.claim_turn(turn.id)
    author = Author("agent:storage", lm.name, lm.adapter)
    store.write(user.id, sql, author=author, turn_ids=[turn.id], subjects=[turn.speaker], said_at=turn.said_at)
