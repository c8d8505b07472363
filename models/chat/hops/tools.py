"""The five tools of a look-up in several steps: what they are called with, what they do, and what they tell."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ....memory.errors import ChatmemError, InputError
from ....memory.tidy.schemas import check_arguments
from ....memory.values import Author, Memory, Moment, RecallItem, Turn, User
from ...prompts.messages import one_line

if TYPE_CHECKING:
    from ....memory.store.store import Store

FOUND = 8
"""Things that one search brings."""
ROWS, LINES, SESSIONS = 20, 40, 30
"""Most rows of a SELECT, lines of a session and sessions that are told."""
WORDS = 60
"""Of a line or a value, so many words are told."""
_VIEWS = "memory(id, subject, topic, fact, happened_on, said_at) or lines(id, speaker, text, said_at, session)"
_TEXT = {"type": "string", "minLength": 1, "maxLength": 2_000}
TOOLS: Mapping[str, tuple[str, Mapping[str, Mapping[str, Any]], tuple[str, ...]]] = {
    "search": ("Find facts and lines by words and meaning.", {"query": _TEXT}, ("query",)),
    "sql": (
        f"Run one SELECT on {_VIEWS}, for what is counted, listed or dated.",
        {"select": _TEXT},
        ("select",),
    ),
    "sessions": (
        "Read a session's lines by its id; with id 0, the list of sessions.",
        {"id": {"type": "integer", "minimum": 0, "maximum": 10**9}},
        ("id",),
    ),
    "add_insight": (
        "Keep what follows from what was found, its evidence (f12 a fact, l34 a line), and how certain it is, 0 to 1.",
        {
            "text": _TEXT,
            "evidence": {"type": "array", "items": {"type": "string"}, "minItems": 0, "maxItems": 20},
            "certainty": {"type": "number", "minimum": 0, "maximum": 1},
        },
        ("text", "evidence", "certainty"),
    ),
    "finish": ("Answer the question from what was found.", {"answer": _TEXT}, ("answer",)),
}
"""By name: what it is for, its arguments as JSON Schemas, those that are needed."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A call: the tool and its arguments."""

    tool: str
    arguments: Mapping[str, Any]

    @property
    def asked(self) -> str:
        """What is asked, in words."""
        told = (" ".join(map(str, one)) if isinstance(one, list) else str(one) for one in self.arguments.values())
        return one_line("; ".join(told), WORDS)


@dataclass(frozen=True, slots=True)
class Told:
    """What a tool told: a `note` for the model, in a few words for people, and what it found."""

    note: str
    brief: str
    items: tuple[RecallItem, ...] = ()
    failed: bool = False


@dataclass
class Toolset:
    """The tools over one user's memory. `author` writes insights; `depth`: things that a
    search brings; `begun`: the line that is being
    answered, which tells nothing itself."""

    store: Store
    user: User
    now: Moment
    author: Author
    begun: int = 0
    writes: bool = True
    depth: int = FOUND
    insights: list[int] = field(default_factory=list)

    def call(self, wanted: Wanted) -> Told:
        """What came of a call; one that can't be carried out says why, so that the model can mend it."""
        try:
            if wanted.tool not in TOOLS or wanted.tool == "finish":
                raise InputError(f"there is no tool {wanted.tool[:40]!r}; there are {', '.join(TOOLS)}.")
            _, schemas, needed = TOOLS[wanted.tool]
            check_arguments(wanted.tool, wanted.arguments, schemas, needed)
            act = {"search": self._search, "sql": self._sql, "sessions": self._sessions, "add_insight": self._insight}
            return act[wanted.tool](wanted.arguments)
        except ChatmemError as error:
            return Told(f"(that failed: {error})", str(error), failed=True)

    def search(self, query: str) -> tuple[RecallItem, ...]:
        """What a search finds, best first, without the line that is being answered."""
        found = self.store.search(self.user.id, query, limit=self.depth, now=self.now, speaker=self.user.subject)
        return tuple(item for item in found.items if item.memory or item.turns[0].id != self.begun)

    def _search(self, given: Mapping[str, Any]) -> Told:
        items = self.search(given["query"])
        return Told("\n".join(map(shown, items)) or "(nothing)", _count(items), items)

    def _sql(self, given: Mapping[str, Any]) -> Told:
        rows = self.store.facts.read(self.user.id, given["select"], limit=ROWS)
        head = " | ".join(rows.columns)
        body = [" | ".join(one_line("" if cell is None else str(cell), WORDS) for cell in row) for row in rows.rows]
        more = ["(more rows were cut off)"] if rows.truncated else []
        brief = f"{len(rows.rows)} row{'' if len(rows.rows) == 1 else 's'}"
        return Told("\n".join([head, *body, *more]), brief, self._items(rows.table, rows.columns, rows.rows))

    def _items(self, table: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> tuple[RecallItem, ...]:
        """The rows as things recalled, where they are told by their ids; only the user's own count."""
        if "id" not in columns or not table:
            return ()
        ids = [row[columns.index("id")] for row in rows]
        known = [one for one in ids if isinstance(one, int)]
        if table == "lines":
            return tuple(RecallItem(0.0, None, (one,), ("sql",)) for one in self.store.turns.by_id(self.user.id, known))
        own = [one for one in self.store.facts.by_id(known).values() if one.user_id == self.user.id]
        evidence = self.store.facts.evidence([one.id for one in own])
        return tuple(RecallItem(0.0, one, evidence.get(one.id, ()), ("sql",)) for one in own)

    def _sessions(self, given: Mapping[str, Any]) -> Told:
        if not given["id"]:
            every = self.store.sessions.all(self.user.id)
            told = [f"session {one.id}, {one.started_at[:10]}: {one.title}" for one in every[:SESSIONS]]
            more = [f"(and {len(every) - SESSIONS} more)"] if len(every) > SESSIONS else []
            return Told("\n".join([*told, *more]) or "(none)", f"{len(every)} sessions")
        session = self.store.sessions.get(given["id"], user_id=self.user.id)
        turns = [one for one in self.store.turns.of(session.id) if one.id != self.begun]
        more = [f"(and {len(turns) - LINES} more lines)"] if len(turns) > LINES else []
        said = "\n".join([*map(line, turns[:LINES]), *more])
        return Told(said or "(empty)", f"{len(turns)} lines")

    def _insight(self, given: Mapping[str, Any]) -> Told:
        facts, lines = _evidence(given["evidence"])
        if not self.writes:
            raise InputError("nothing can be kept here; go on without.")
        done = self.store.facts.conclude(
            self.user.id, given["text"], certainty=float(given["certainty"]), facts=facts, lines=lines,
            author=self.author, turn_ids=[self.begun] if self.begun else (),
        )  # fmt: skip
        if done.refused:
            return Told(f"(refused: {done.refused})", f"refused: {done.refused}", failed=True)
        self.insights.append(done.entries[0].id)
        return Told(f"(kept as f{done.entries[0].memory_id})", f"kept as #{done.entries[0].memory_id}")


def _evidence(ids: Sequence[str]) -> tuple[list[int], list[int]]:
    """Facts and lines by the names that they were told under: f12, l34. Raises InputError."""
    found: dict[str, list[int]] = {"f": [], "l": []}
    for one in ids:
        kind, number = one[:1].lower(), one[1:]
        if kind not in found or not number.isdecimal() or len(number) > 12:
            raise InputError(f"{one[:20]!r} names no evidence: write f and a fact's number, or l and a line's.")
        found[kind].append(int(number))
    return found["f"], found["l"]


def shown(item: RecallItem) -> str:
    """A thing found, with the names under which it can be told as evidence."""
    return "\n".join([*([fact(item.memory)] if item.memory else []), *map(line, item.turns)])


def fact(memory: Memory) -> str:
    """`f12 (2023-05) Ana has two cats.`"""
    when = f" ({memory.happened_on})" if memory.happened_on else ""
    sure = f" (concluded, {memory.certainty:.0%} sure)" if memory.certainty is not None else ""
    return f"f{memory.id}{when} {one_line(memory.fact, WORDS)}{sure}"


def line(turn: Turn) -> str:
    """`l34 2023-05-08 Ana: I have two cats.`"""
    return f"l{turn.id} {turn.said_at[:10]} {turn.speaker}: {one_line(turn.text, WORDS)}"


def _count(items: Sequence[RecallItem]) -> str:
    facts = sum(item.memory is not None for item in items)
    told = [f"{number} {word}{'' if number == 1 else 's'}"
            for number, word in ((facts, "fact"), (len(items) - facts, "line")) if number]  # fmt: skip
    return " and ".join(told) or "nothing"


def native_tools(names: Sequence[str] = tuple(TOOLS)) -> list[dict[str, Any]]:
    """The tools as OpenAI's API takes them."""
    return [{"type": "function", "function": {"name": name, "description": TOOLS[name][0], "parameters": schema(name)}}
            for name in names]  # fmt: skip


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments."""
    _, schemas, needed = TOOLS[name]
    return {"type": "object", "properties": dict(schemas), "required": list(needed), "additionalProperties": False}


def json_schema(names: Sequence[str] = tuple(TOOLS)) -> str:
    """One call as JSON, for endpoints without tools."""
    properties: dict[str, Any] = {"tool": {"type": "string", "enum": list(names)}}
    for name in names:
        properties |= TOOLS[name][1]
    return json.dumps({"type": "object", "properties": properties, "required": ["tool"]})


def grammar(names: Sequence[str] = tuple(TOOLS)) -> str:
    """One call as JSON in GBNF, with just the arguments that its tool has."""
    kinds = {"string": "text", "integer": "whole", "number": "share", "array": "ids"}
    rules = [f"root ::= {' | '.join(name.replace('_', '-') for name in names)}"]
    for name in names:
        parts = [f'"{{\\"tool\\": \\"{name}\\""']
        for key, one in TOOLS[name][1].items():
            parts += [f'", \\"{key}\\": "', kinds[one["type"]]]
        rules.append(f'{name.replace("_", "-")} ::= {" ".join(parts)} "}}"')
    rules += [
        r'text ::= "\"" ([^"\\\x00-\x1f\x7f] | "\\" ["\\n])+ "\""',
        'whole ::= "0" | [1-9] [0-9]{0,8}',
        'share ::= "0." [0-9] [0-9]? | "1"',
        r'ids ::= "[" (id (", " id){0,19})? "]"',
        r'id ::= "\"" [fl] [1-9] [0-9]{0,8} "\""',
    ]
    return "\n".join(rules) + "\n"
