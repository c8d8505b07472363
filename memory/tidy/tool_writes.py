"""The four tools that change the memory. Each runs inside the one transaction of its call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, select

from ..database import tables as t
from ..database.rows import Image, digest, find_memory, line, turn_of
from ..errors import InputError
from ..language import dates
from ..language.words import content
from ..store.memories import FACT_LIMIT, SUBJECT_LIMIT, topic_of
from ..store.writing import Writing, add, retire, supersede, twin
from ..values import JournalEntry, Turn
from .merging import check_grounded, check_kept, common_date, common_topic, merged_text, parts_of, same_subject
from .run import ToolRun
from .tool_reads import shown

Arguments = Mapping[str, Any]
Result = dict[str, Any]
_TOLD = 5
"""Lines looked at as the source of a new memory that names none."""


def manage(tools: ToolRun, db: Connection, writing: Writing, given: Arguments, reason: str | None) -> Result:
    """Create or update."""
    if given["operation"] == "update":
        if "memory_id" not in given:
            raise InputError("to update, give the memory_id: search shows the ids.")
        return _update(tools, db, writing, given, reason)
    if "memory_id" in given:
        raise InputError("a memory that is created has no memory_id yet: leave it out, or update.")
    return _create(tools, db, writing, given, reason)


def _create(tools: ToolRun, db: Connection, writing: Writing, given: Arguments, reason: str | None) -> Result:
    told = given.get("metadata", {})
    fact = line(given["content"], "the content", FACT_LIMIT)
    subject = line(told.get("subject") or tools.limits.subject or tools.user.subject, "the subject", SUBJECT_LIMIT)
    if tools.limits.subject not in (None, subject):
        raise InputError(f"this run is about {tools.limits.subject}: write of them only.")
    turns, facts = _sources(tools, db, given.get("source"), fact)
    check_grounded(fact, [*facts, *(turn.text for turn in turns)], subject)
    if twin(db, tools.user.id, digest(subject, fact)) is not None:
        raise InputError("that is remembered already: search finds it.")
    said_at = turns[-1].said_at if turns else writing.at
    image: Image = {
        "id": None, "subject": subject, "topic": topic_of(told.get("topic", "")), "fact": fact,
        "happened_on": _date(tools, given, told, said_at, turns), "said_at": said_at, "valid_from": writing.at,
        "valid_to": None, "pinned": False, "created_by": tools.author.actor, "replaces": None,
        "evidence": sorted(turn.id for turn in turns),
    }  # fmt: skip
    entry = add(db, writing, image, reason)
    return _result(db, [entry])


def _date(
    tools: ToolRun, given: Arguments, told: Arguments, said_at: str, turns: Sequence[Turn]
) -> str | None:  # fmt: skip
    """The date of a new row: as told, else from its words or its newest line; none for what simply holds."""
    if told.get("happened_on"):
        return dates.require(told["happened_on"], said_at, tools.store.zone)
    if given["memory_type"] == "semantic":
        return None
    for text in (given["content"], *(turn.text for turn in turns[-1:])):
        found = dates.find_dates(text, said_at, tools.store.zone)
        if found:
            return found[0][1]
    return None


def _sources(tools: ToolRun, db: Connection, source: str | None, fact: str) -> tuple[list[Turn], list[str]]:
    """The lines that a new memory comes from, and the facts of the memories that it names as its source."""
    if source:
        ids = [int(word) for word in source.replace(",", " ").replace("#", " ").split() if word.isdigit()]
        if not ids:
            raise InputError("source names the memories whose lines tell it: write their ids, such as 3, 12.")
        rows = [find_memory(db, key) for key in ids]
        if any(row is None or row.user_id != tools.user.id for row in rows):
            raise InputError("there is no such memory in source: search shows the ids.")
        return _lines(db, ids), [row.fact for row in rows if row]
    found = tools.store.search(tools.user.id, fact, limit=_TOLD)
    words = content(fact)
    turns = {
        turn.id: turn
        for item in found.items
        for turn in item.turns
        if 2 * len(words & content(turn.text)) >= len(words)
    }
    return [turns[key] for key in sorted(turns)], []


def _update(tools: ToolRun, db: Connection, writing: Writing, given: Arguments, reason: str | None) -> Result:
    memory = tools.editable(db, given["memory_id"])
    told = given.get("metadata", {})
    fact = line(given["content"], "the content", FACT_LIMIT)
    lines = [turn.text for turn in _lines(db, [memory.id])]
    subject = line(told["subject"], "the subject", SUBJECT_LIMIT) if told.get("subject") else memory.subject
    if tools.limits.subject not in (None, subject):
        raise InputError(f"this run is about {tools.limits.subject}: leave the subject.")
    changes: dict[str, Any] = {"fact": fact, "subject": subject}
    if "topic" in told:
        changes["topic"] = topic_of(told["topic"])
    if told.get("happened_on"):
        changes["happened_on"] = dates.require(told["happened_on"], memory.said_at, tools.store.zone)
    changes = {name: value for name, value in changes.items() if value != getattr(memory, name)}
    if not changes:
        raise InputError(f"memory {memory.id} says just that already: leave it.")
    if "fact" in changes or "subject" in changes:
        check_grounded(fact, [memory.fact, *lines], subject)
        check_grounded(subject, [memory.subject, memory.fact, *lines, *tools.store.facts.subjects(tools.user.id)], "")
        check_kept([memory.fact], [fact, *lines], memory.subject)
        if twin(db, tools.user.id, digest(subject, fact), not_id=memory.id) is not None:
            raise InputError("another memory says just that: merge them.")
    tools.spend([memory.id])
    entry = supersede(db, writing, tools.image(db, memory), changes, reason=reason)
    if "fact" in changes:
        tools.check_found(db, _opened(entry), fact, [memory.fact])
    return _result(db, [entry])


def delete(tools: ToolRun, db: Connection, writing: Writing, given: Arguments, reason: str | None) -> Result:
    """Closes a row."""
    memory = tools.editable(db, given["memory_id"])
    tools.spend([memory.id])
    entry = retire(db, writing, tools.image(db, memory), given.get("reason") or reason)
    return {"entries": [entry], "closed": [memory.id]}


def merge(tools: ToolRun, db: Connection, writing: Writing, given: Arguments, reason: str | None) -> Result:
    """One row of several: the oldest is replaced by the result, the others are closed; all evidence goes along."""
    ids = list(dict.fromkeys(given["memory_ids"]))
    if len(ids) < 2:
        raise InputError("give two different memories at least.")
    memories = sorted((tools.editable(db, key) for key in ids), key=lambda memory: (memory.said_at, memory.id))
    same_subject(memories)
    turns, strategy = _lines(db, ids), given["strategy"]
    lines = [turn.text for turn in turns]
    if given.get("content"):
        fact = line(given["content"], "the content", FACT_LIMIT)
        check_grounded(fact, [*(memory.fact for memory in memories), *lines], memories[0].subject)
        check_kept([memory.fact for memory in memories], [fact, *lines], memories[0].subject)
    else:
        fact = line(merged_text(memories, lines, strategy), "the merged fact", FACT_LIMIT)
    newest = memories[-1]
    held = strategy == "newest"
    changes = {
        "fact": fact, "topic": newest.topic if held and newest.topic else common_topic(memories),
        "happened_on": newest.happened_on if held else common_date(memories), "said_at": newest.said_at,
    }  # fmt: skip
    tools.spend(ids)
    oldest, others = memories[0], memories[1:]
    evidence = [turn.id for turn in turns]
    entries = [supersede(db, writing, tools.image(db, oldest), changes, evidence=evidence, reason=reason)]
    result = _opened(entries[0])
    entries += [retire(db, writing, tools.image(db, other), f"merged into {result}") for other in others]
    tools.check_found(db, result, fact, [newest.fact] if held else [memory.fact for memory in memories])
    return _result(db, entries) | {"closed": [memory.id for memory in memories]}


def split(tools: ToolRun, db: Connection, writing: Writing, given: Arguments, reason: str | None) -> Result:
    """Several rows of one, which is closed; each part has all of its evidence. What is known already is not doubled."""
    memory = tools.editable(db, given["memory_id"])
    names = tools.store.facts.subjects(tools.user.id)
    parts = parts_of(memory, given["split_criteria"], given["max_parts"], names)
    image = tools.image(db, memory)
    check_kept([memory.fact], [fact for _, fact, _ in parts], memory.subject)
    fresh = [part for part in parts if twin(db, tools.user.id, digest(part[0], part[1]), not_id=memory.id) is None]
    if not fresh:
        raise InputError(f"all parts of memory {memory.id} are remembered already: delete it.")
    if tools.limits.subject is not None and any(subject != tools.limits.subject for subject, _, _ in parts):
        raise InputError(f"this run is about {tools.limits.subject}: leave it whole.")
    tools.spend([memory.id])
    entries = [retire(db, writing, image, reason or "split")]
    for subject, fact, date in fresh:
        part = image | {
            "id": None, "subject": subject, "fact": fact, "happened_on": date, "valid_from": writing.at,
            "topic": memory.topic, "created_by": tools.author.actor, "replaces": memory.id,
        }  # fmt: skip
        entries.append(add(db, writing, part, reason))
    tools.check_found(db, _opened(entries[1]), fresh[0][1], [fresh[0][1]])
    return _result(db, entries) | {"closed": [memory.id]}


def _lines(db: Connection, memory_ids: Iterable[int]) -> list[Turn]:
    """The turns that these rows came from, oldest first."""
    evidence = t.memory_evidence.c
    told = select(evidence.turn_id).where(evidence.memory_id.in_(list(memory_ids)))
    return [turn_of(row) for row in db.execute(select(t.turns).where(t.turns.c.id.in_(told)).order_by(t.turns.c.id))]


def _opened(entry: JournalEntry) -> int:
    assert entry.after is not None
    return int(entry.after["id"])


def _result(db: Connection, entries: Sequence[JournalEntry]) -> Result:
    opened = (find_memory(db, one.after["id"]) for one in entries if one.after)
    return {"entries": list(entries), "memories": [shown(memory) for memory in opened if memory]}
