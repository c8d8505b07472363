"""LoCoMo's conversations as memories: what was said as turns, observations as rows with the lines that they cite."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...memory.values import Author
from ..datasets.locomo import LocomoTalk

if TYPE_CHECKING:
    from ...memory.store.store import Store
    from ...memory.values import User
    from ...models.lm import LM

Row = dict[str, Any]


def lines_of(talk: LocomoTalk) -> list[Row]:
    """What was said, in order."""
    return [
        {"talk": talk.id, "line": turn.id, "at": sitting.at or "", "speaker": turn.speaker, "text": turn.text}
        for sitting in talk.sessions for turn in sitting.turns
    ]  # fmt: skip


def observations(item: Mapping[str, Any], lines: Sequence[Row]) -> list[Row]:
    """The starting memory of a conversation of LoCoMo's file, each row with the cited lines that exist."""
    known, rows = {line["line"]: line for line in lines}, []
    for by_speaker in item.get("observation", {}).values():
        for speaker, found in by_speaker.items():
            for fact, cited in found:
                ids = [str(one) for one in (cited if isinstance(cited, list) else [cited]) if str(one) in known]
                at = known[ids[-1]]["at"] if ids else ""
                told = {"talk": str(item["sample_id"]), "subject": speaker, "fact": str(fact)}
                rows.append({**told, "evidence": ids, "at": at})
    return rows


def noted(store: Store, name: str, lines: Sequence[Row], lm: LM, tell: Callable[[int], None]) -> list[Row]:
    """The starting memory as a storage agent writes it, in the form of `observations`.

    What a killed run has read of the conversation stays in the store, and the next one goes on. Raises ModelError.
    """
    from .ingest import write_facts

    user = store.users.get(name)
    session = next(iter(store.sessions.all(user.id)), None) or store.sessions.start(user.id, title="told")
    for row in lines[len(store.turns.of(session.id)) :]:
        text, at = row["text"] or "-", row["at"] or None
        store.turns.add(session.id, row["speaker"], text, said_at=at, storage="pending")
    write_facts(store, user, lm, 1, tell)
    names = {turn.id: row["line"] for turn, row in zip(store.turns.of(session.id), lines, strict=True)}
    memories = store.facts.all(user.id)
    told = store.facts.evidence([memory.id for memory in memories])
    return [
        {
            "talk": name, "subject": memory.subject, "fact": memory.fact,
            "evidence": [names[turn.id] for turn in told.get(memory.id, ())], "at": memory.said_at,
        }
        for memory in memories
    ]  # fmt: skip


def fill(store: Store, name: str, lines: Sequence[Row], memories: Sequence[Row]) -> tuple[User, dict[str, int]]:
    """A conversation's lines and starting memory under a user's name; the turn id of each line."""
    user = store.users.get(name)
    session = store.sessions.start(user.id, title="told")
    turns = {
        row["line"]: store.turns.add(session.id, row["speaker"], row["text"] or "-", said_at=row["at"] or None).id
        for row in lines
    }
    for row in memories:
        cited = [turns[line] for line in row["evidence"] if line in turns]
        author = Author("agent:storage")
        store.facts.remember(
            user.id, row["subject"], "", row["fact"], turn_ids=cited, author=author, said_at=row["at"] or None
        )
    return user, turns
