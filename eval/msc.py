"""`chatmem eval msc`: one question about earlier sessions (MSC-Self-Instruct, the "DMR" task), and how a conversation
gets into a store: its turns and, when wanted, memories (`human` notes, or what the storage `agent` writes).

Two things are measured: whether the context that a system gives holds the answer's content words, and whether the
model's answer does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..memory.values import ASSISTANT
from .metrics import Estimate, all_words, bootstrap, half_words, token_f1, wilson
from .person import split_facts, to_third_person

if TYPE_CHECKING:
    from ..memory.store import Store
    from ..memory.values import Turn, User
    from ..models.lm import LM
    from .cases import Talk


def ingest(store: Store, user: User, talk: Talk, facts: str = "none", storage: LM | None = None) -> None:
    """Puts the sessions of a conversation into the store; a refused write is journaled, not raised.

    What the assistant says is context, never a source of facts.
    """
    for session in talk.sessions:
        at = session.at or talk.now
        kept = store.start_session(user.id, at=at)
        turns: list[Turn] = []
        for said in session.turns:
            if not said.text.strip():
                continue
            turns.append(store.add_turn(kept.id, said.speaker, " ".join(said.text.split()), said_at=at))
            if facts == "human":
                for fact in split_facts(said.facts) if said.facts.strip() else []:
                    told = to_third_person(fact, said.speaker)
                    store.remember(user.id, said.speaker, "fact", told, turn_ids=[turns[-1].id], said_at=at)
            elif storage is not None and said.speaker != ASSISTANT:
                _store_line(store, user, turns, storage)
        store.end_session(kept.id, at=at)
    store.embed_pending(user.id, limit=10_000)


def _store_line(store: Store, user: User, turns: Sequence[Turn], lm: LM) -> None:
    from ..memory.values import Author
    from ..models.prompts import Line
    from ..models.storage import StorageAgent

    turn = turns[-1]
    before = [Line(t.speaker, t.text) for t in turns[-3:-1]]
    sql = StorageAgent(lm, store).propose(before, Line(turn.speaker, turn.text))
    author = Author("agent:storage", lm.name, lm.adapter)
    store.write(user.id, sql, author=author, turn_ids=[turn.id], subjects=[turn.speaker], said_at=turn.said_at)


def measures(rows: Sequence[Mapping[str, Any]]) -> dict[str, Estimate]:
    """Containment of the gold answer's content words in the context and in the answer, for one system and model."""
    n = len(rows)
    table = {
        "context, all words": wilson(sum(row["held"] == 1 for row in rows), n),
        "context, half": wilson(sum(row["held"] >= 0.5 for row in rows), n),
        "words of context": bootstrap([float(row["context_words"]) for row in rows]),
    }
    said = [(str(row["gold"]), str(row["answer"])) for row in rows if "answer" in row]
    if said:
        table["answer, all words"] = wilson(sum(all_words(gold, text) for gold, text in said), len(said))
        table["answer, half"] = wilson(sum(half_words(gold, text) for gold, text in said), len(said))
        table["answer, token F1"] = bootstrap([token_f1(text, gold) for gold, text in said])
        table["answer, words"] = bootstrap([float(len(text.split())) for _, text in said])
    return table
