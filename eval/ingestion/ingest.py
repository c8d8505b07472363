"""How a conversation of a data set gets into a store: its turns, then its facts, human notes or the storage agent's.

All turns are kept first, those that the agent is to read as pending; then they are read, by endpoints one by one, by
local models a block at a time. So a killed ingestion goes on at the very turn or block at which it was killed, and ends
with the same memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ...memory.language.third_person import split_facts, to_third_person
from ...memory.values import ASSISTANT
from ..runs.models import forgetting
from ..runs.requests import Asking

if TYPE_CHECKING:
    from ...memory.store.store import Store
    from ...memory.values import StorageState, Turn, User
    from ...models.lm import LM
    from ...models.storage.agent import StorageAgent
    from ...models.storage.told.scene import Scene
    from ..datasets.cases import Conversation

Tell = Callable[[int], None]
BLOCK = 64
"""Lines that a local model reads at once: sixteen replies grow side by side, the last ones of a block with fewer."""
EMBEDDED = 500
"""Vectors made at a time."""
FRAME = 900
"""Tokens of a storage prompt beside the line itself, the guide for models without an adapter and the scene included."""


def ingest(
    store: Store, user: User, talk: Conversation, facts: str = "none", storage: LM | None = None, *,
    parallel: int = 1, tell: Tell = lambda done: None,
) -> None:  # fmt: skip
    """Puts the conversation into the store, or the rest of it; a refused write is journaled, not raised.

    `parallel`: lines that an endpoint reads at once; they are written in order all the same. `tell` is given the number
    of lines that the storage agent has read. Raises ModelError; what is done is kept.
    """
    keep_turns(store, user, talk, facts, pending=storage is not None)
    if storage is not None:
        write_facts(store, user, storage, parallel, tell)
    while store.vectors.embed_pending(user.id, limit=EMBEDDED):  # each portion is kept, should it be killed
        pass


def keep_turns(store: Store, user: User, talk: Conversation, facts: str, *, pending: bool) -> None:
    """The sessions and turns that are not there yet. What the assistant says is context, never a source of facts."""
    there = sorted(store.sessions.all(user.id), key=lambda one: one.id)
    for place, session in enumerate(talk.sessions):
        at = session.at or talk.now
        kept = there[place] if place < len(there) else store.sessions.start(user.id, at=at)
        said = [one for one in session.turns if one.text.strip()]
        for one in said[len(store.turns.of(kept.id)) :]:
            state: StorageState = "pending" if pending and one.speaker != ASSISTANT else "skipped"
            turn = store.turns.add(kept.id, one.speaker, one.text.strip(), said_at=at, storage=state)
            for fact in split_facts(one.facts) if facts == "human" and one.facts.strip() else ():
                told = to_third_person(fact, one.speaker)
                store.facts.remember(user.id, one.speaker, "fact", told, turn_ids=[turn.id], said_at=at)
        if kept.ended_at is None:
            store.sessions.end(kept.id, at=at)


def write_facts(store: Store, user: User, storage: LM, parallel: int, tell: Tell) -> None:
    """Has the agent read every pending line, each with the two lines before it."""
    from ...models.decoding.batched_work import Bulk
    from ...models.storage.agent import StorageAgent

    agent = StorageAgent(storage, store)
    turns = [turn for one in store.sessions.all(user.id) for turn in store.turns.of(one.id)]
    ordered = sorted(turns, key=lambda turn: turn.id)
    scenes = [(turn, _scene(agent, ordered, place)) for place, turn in enumerate(ordered) if turn.storage != "skipped"]
    waiting = {turn.id for turn in store.queue.pending(user.id)}
    tell(len(scenes) - len(waiting))
    if isinstance(storage, Bulk):
        for at in range(0, len(scenes), BLOCK):
            if any(turn.id in waiting for turn, _ in scenes[at : at + BLOCK]):
                _read_block(agent, user, scenes[at : at + BLOCK], at, tell)
        return
    with Asking(parallel) as asking:
        for number, (turn, scene) in enumerate(scenes, 1):
            if turn.id in waiting:
                work = partial(_proposed, agent, scene)
                if store.journal.entries(user.id, turn_id=turn.id, limit=1):  # killed between writing and ticking off
                    work = partial(str)
                asking.put(work, partial(_taken, store, user, turn, storage, number, tell))
        asking.finish()


def _read_block(agent: StorageAgent, user: User, scenes: Sequence[tuple[Turn, Scene]], first: int, tell: Tell) -> None:
    """Has a block of lines read at once, and writes those that wait to be written.

    A block is always read whole, since the numbers of a line's reply depend in their last digits on what is read beside
    it: so a run that was killed and goes on writes the same as one that was not.
    """
    store, lm = agent.store, agent.lm
    forgetting(lm)()
    told = agent.propose_all([scene for _, scene in scenes], lambda done: tell(first + done))
    waiting = {turn.id for turn in store.queue.pending(user.id)}
    for (turn, _), draft in zip(scenes, told, strict=True):
        if turn.id in waiting:
            _written(
                store, user, turn, lm, "" if store.journal.entries(user.id, turn_id=turn.id, limit=1) else draft.sql()
            )


def _scene(agent: StorageAgent, ordered: Sequence[Turn], place: int) -> Scene:
    """Of a line that is longer than the model's window (a pasted article) its beginning is read."""
    from ...models.decoding.budget import fit
    from ...models.prompts.messages import Line
    from ...models.storage.reading import MAX_TOKENS
    from ...models.storage.told.scene import Scene

    turn = ordered[place]
    before = [one for one in ordered[max(0, place - 2) : place] if one.session_id == turn.session_id]
    room = agent.lm.context_tokens - MAX_TOKENS - FRAME
    text = fit(turn.text, room, agent.lm.count_tokens, "head")
    return Scene([Line(one.speaker, one.text) for one in before], Line(turn.speaker, text))


def _proposed(agent: StorageAgent, scene: Scene) -> str:
    forgetting(agent.lm)()
    return agent.propose(scene.before, scene.line).sql()


def _taken(store: Store, user: User, turn: Turn, lm: LM, number: int, tell: Tell, sql: str) -> None:
    _written(store, user, turn, lm, sql)
    tell(number)


def _written(store: Store, user: User, turn: Turn, lm: LM, sql: str) -> None:
    from ...memory.values import Author

    if sql:
        store.queue.claim(turn.id)
        author = Author("agent:storage", lm.name, lm.adapter)
        store.facts.write(
            user.id, sql, author=author, turn_ids=[turn.id], subjects=[turn.speaker], said_at=turn.said_at
        )
    store.turns.set(turn.id, storage="done")
