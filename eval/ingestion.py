"""How a conversation of a data set gets into a store: its turns, then its facts, human notes or the storage agent's.

All turns are kept first, those that the agent is to read as pending; then they are read one by one. So a killed
ingestion goes on at the very turn at which it was killed, and ends with the same memory.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from ..memory.values import ASSISTANT
from .asking import Asking
from .loading import forgetting
from .person import split_facts, to_third_person

if TYPE_CHECKING:
    from ..memory.store import Store
    from ..memory.values import StorageState, Turn, User
    from ..models.lm import LM
    from ..models.prompts import Line
    from ..models.storage import StorageAgent
    from .cases import Talk

Tell = Callable[[int], None]
FRAME = 900
"""Tokens of a storage prompt beside the line itself, the guide for models without an adapter and the scene included."""


def ingest(
    store: Store, user: User, talk: Talk, facts: str = "none", storage: LM | None = None, *,
    parallel: int = 1, tell: Tell = lambda done: None,
) -> None:  # fmt: skip
    """Puts the conversation into the store, or the rest of it; a refused write is journaled, not raised.

    `parallel`: lines that an endpoint reads at once; they are written in order all the same. `tell` is given the number
    of lines that the storage agent has read. Raises ModelError; what is done is kept.
    """
    keep_turns(store, user, talk, facts, pending=storage is not None)
    if storage is not None:
        write_facts(store, user, storage, parallel, tell)
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


def write_facts(store: Store, user: User, storage: LM, parallel: int, tell: Tell) -> None:
    """Has the agent read every pending line, each with the two lines before it."""
    from ..models.prompts import Line
    from ..models.storage import StorageAgent

    agent = StorageAgent(storage, store)
    waiting = store.pending_turns(user.id)
    turns = [turn for one in store.sessions(user.id) for turn in store.turns(one.id)]
    ordered = sorted(turns, key=lambda turn: turn.id)
    places = {turn.id: place for place, turn in enumerate(ordered)}
    done = sum(turn.storage == "done" for turn in turns)
    with Asking(parallel) as asking:
        for number, turn in enumerate(waiting, done + 1):
            before = ordered[max(0, places[turn.id] - 2) : places[turn.id]]
            scene = [Line(one.speaker, one.text) for one in before if one.session_id == turn.session_id]
            work = partial(_proposed, agent, scene, Line(turn.speaker, turn.text))
            if store.journal(user.id, turn_id=turn.id, limit=1):  # a kill came between writing and ticking off
                work = partial(str)
            asking.put(work, partial(_written, store, user, turn, storage, number, tell))
        asking.finish()


def _proposed(agent: StorageAgent, before: list[Line], line: Line) -> str:
    """The SQL for a line; of one that is longer than the model's window (a pasted article), for its beginning."""
    from ..models.budget import Part, fit
    from ..models.storage import MAX_TOKENS

    forgetting(agent.lm)()
    room = agent.lm.context_tokens - MAX_TOKENS - FRAME
    return agent.propose(before, line._replace(text=fit(Part(line.text, cut="head"), room, agent.lm.count_tokens)))


def _written(store: Store, user: User, turn: Turn, lm: LM, number: int, tell: Tell, sql: str) -> None:
    from ..memory.values import Author

    if sql:
        store.claim_turn(turn.id)
        author = Author("agent:storage", lm.name, lm.adapter)
        store.write(user.id, sql, author=author, turn_ids=[turn.id], subjects=[turn.speaker], said_at=turn.said_at)
    store.set_turn(turn.id, storage="done")
    tell(number)
