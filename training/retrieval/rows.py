"""Training rows of the retrieval agent: for each question the SELECT, of all that could be meant, that brings most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...eval.agents.asked.measure import brought, precise
from ...eval.agents.asked.memory import Asked, AskedMemory, Places, tell
from ...memory.guard.tokens import quote
from ...memory.store.store import Store
from ...memory.values import Recall
from ...models.chat.retrieval import RetrievalAgent
from ...models.prompts.looked import Look
from ..material.listed.memories import written
from ..material.listed.series import Part
from ..policy.rows import training_row

DAY = "coalesce(happened_on, said_at)"
RANKED = 12
"""Rows that a SELECT by words asks for: fewer lose some, more fill the prompt."""


def listed_rows(store: Store, seed: int, count: int, part: Part = "train") -> Iterator[dict[str, Any]]:
    """A row for each question of `count` memories that some SELECT answers."""
    agent = RetrievalAgent(None, store)
    for memory in written(part, seed, count):
        places = tell(store, memory)
        for number, asked in enumerate(memory.asked):
            if row := asked_row(agent, memory, places, number, asked):
                yield row


def asked_row(
    agent: RetrievalAgent, memory: AskedMemory, places: Places, number: int, asked: Asked
) -> dict[str, Any] | None:  # fmt: skip
    """The row of a question, with what a reward needs; None where no SELECT brings anything."""
    user = places.user
    found = agent.found(user, asked.text, now=memory.now, asker=user.subject)
    messages, _ = agent.request(user, found, now=memory.now, asker=user.subject)
    best = best_select(agent, memory, places, asked, found)
    if best is None:
        return None
    case = {"user": user.name, "now": memory.now, "question": asked.text, "keys": list(asked.keys), "kind": asked.kind,
            "units": [list(unit) for unit in places.units(asked)]}  # fmt: skip
    return {**training_row(messages, best), "case": case}


def best_select(
    agent: RetrievalAgent, memory: AskedMemory, places: Places, asked: Asked, found: Recall
) -> str | None:  # fmt: skip
    """The candidate with which the recall shows most of what is needed; among equals the more exact one."""
    seen = agent.look(places.user, found, memory.now)
    best, chosen = 0.0, None
    for place, sql in enumerate(candidates(asked, seen)):
        selected = agent.run(places.user, sql, places.user.subject, memory.now)
        both = brought(agent.fused(places.user, found, selected, memory.now), places, asked)
        score = both + 0.1 * precise(selected.ids, selected.table, places, asked) - 1e-3 * place
        if selected.ids and score > best + 1e-9:
            best, chosen = score, sql
    return chosen


def candidates(asked: Asked, seen: Look) -> list[str]:
    """SELECTs that a question can mean, by the filters that it names, by topic, by words, and from lines."""
    hints = asked.hints
    topics = [topic for topic in seen.topics if topic in hints["topics"]][:3]
    named = quote(hints["words"])
    way = " DESC" if hints["order"] == "DESC" else ""
    found = []
    for column in ("said_at",) if hints["told"] else (DAY, "said_at"):
        who = [f"subject = {quote(hints['who'])}"] if hints["who"] in seen.subjects else []
        bounds = _bounds(column, hints)
        left = [f"fact NOT LIKE {quote('%' + hints['besides'] + '%')}"] if hints["besides"] else []
        if topics:
            filed = [f"topic IN ({', '.join(map(quote, topics))})"]
            found.append(_select("memory", [*who, *filed, *bounds, *left], f"{column}{way}", hints["limit"]))
            for one in topics if len(topics) > 1 else ():
                filed = [f"topic IN ({quote(one)})"]
                found.append(_select("memory", [*who, *filed, *bounds, *left], f"{column}{way}", hints["limit"]))
        elif not hints["words"] and who:
            found.append(_select("memory", [*who, *bounds], f"{column}{way}", hints["limit"]))
        if hints["words"] and column != "said_at":
            found.append(_select("memory", [*who, *bounds, *left], f"about({named}) DESC", RANKED))
    return list(dict.fromkeys([*found, *_line_candidates(hints, named)]))


def _line_candidates(hints: dict[str, Any], named: str) -> list[str]:
    who, bounds = [f"speaker = {quote(hints['who'])}"], _bounds("said_at", hints)
    left = [f"text NOT LIKE {quote('%' + hints['besides'] + '%')}"] if hints["besides"] else []
    if hints["words"]:
        return [_select("lines", [*who, *bounds, *left], f"about({named}) DESC", RANKED)]
    return [
        _select("lines", [*who, *bounds], "said_at", hints["limit"]),
        _select("lines", [*who, *bounds], "about('what did you recommend or suggest?') DESC", RANKED),
    ][: 2 if hints["who"] == "assistant" else 1]


def _bounds(column: str, hints: dict[str, Any]) -> list[str]:
    since = [f"{column} >= {quote(hints['since'])}"] if hints["since"] else []
    return since + ([f"{column} < {quote(hints['until'])}"] if hints["until"] else [])


def _select(table: str, where: Sequence[str], order: str, limit: int) -> str:
    told = f" WHERE {' AND '.join(where)}" if where else ""
    return f"SELECT * FROM {table}{told} ORDER BY {order} LIMIT {limit};"
