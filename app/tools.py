"""What other assistants may do with a person's memory: search, remember, forget, and ask why. No protocol in here.

Each tool is data (name, description, schema) with the function that does it. Whose memory it is stands fixed before the
first call; no argument names a user, so none can name another's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ..memory.toolspec import check_arguments
from ..memory.values import Author, Memory, Turn, User
from ..memory.writing import new_batch
from .events import plain

if TYPE_CHECKING:
    from ..memory.store import Store

AUTHOR = Author("tool:mcp")
Arguments = Mapping[str, Any]
Answer = dict[str, Any]
MOST_LISTED = 1000
"""Memories in the listing; search finds the others."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `arguments` are JSON Schemas by name; `erases`: what it does can't be undone."""

    name: str
    title: str
    description: str
    arguments: Mapping[str, Mapping[str, Any]]
    required: tuple[str, ...]
    run: Callable[[Store, User, Arguments], Answer]
    writes: bool = False
    erases: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of all arguments."""
        properties = {name: dict(schema) for name, schema in self.arguments.items()}
        required = list(self.required)
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def tools(*, read_only: bool = False) -> dict[str, Tool]:
    """The tools by name; with `read_only` those that change nothing."""
    return {tool.name: tool for tool in TOOLS if not (read_only and tool.writes)}


def call(tool: Tool, store: Store, user: User, arguments: Arguments) -> Answer:
    """Checks the arguments and does it. Raises ChatmemError with what to do."""
    given = {name: value for name, value in arguments.items() if value is not None}
    check_arguments(tool.name, given, tool.arguments, tool.required)
    return tool.run(store, user, given)


def listing(store: Store, user: User) -> list[Answer]:
    """The current memories as rows, newest first, at most `MOST_LISTED`."""
    return [_fact(memory) for memory in store.memories(user.id, limit=MOST_LISTED, newest=True)]


def _search(store: Store, user: User, given: Arguments) -> Answer:
    found = store.search(user.id, given["query"], limit=given.get("limit", 10), speaker=user.subject)
    items = [
        {
            "memory": _fact(item.memory) if item.memory else None, "lines": [_line(turn) for turn in item.turns],
            "score": round(item.score, 4), "found_by": list(item.why),
        }
        for item in found.items
    ]  # fmt: skip
    return {"items": items}


def _remember(store: Store, user: User, given: Arguments) -> Answer:
    batch = new_batch()
    entry = store.remember(
        user.id, given.get("subject") or user.subject, given.get("topic", ""), given["fact"],
        happened_on=given.get("date"), author=AUTHOR, batch=batch,
    )  # fmt: skip
    memory = store.memory(entry.memory_id or 0, user_id=user.id)
    return {"memory": _fact(memory), "write": entry.id, "known_before": entry.batch != batch}


def _forget(store: Store, user: User, given: Arguments) -> Answer:
    """All that is named must be this user's, or nothing is erased."""
    memories = [store.memory(key, user_id=user.id) for key in dict.fromkeys(given["ids"])]
    report = store.forget(user.id, [memory.id for memory in memories], with_evidence_text=given.get("lines", False))
    return {
        "removed": [_fact(memory) for memory in memories], "rows": report.rows, "journal_entries": report.journal,
        "lines_blanked": report.turns, "proven_gone": report.bytes_checked,
    }  # fmt: skip


def _why(store: Store, user: User, given: Arguments) -> Answer:
    memory = store.memory(given["id"], user_id=user.id)
    lines = store.evidence([memory.id]).get(memory.id, ())
    history = [
        {
            "write": one.id, "at": one.at, "by": one.author.actor, "kind": one.kind, "undone": one.undone,
            "fact": (one.after or one.before or {}).get("fact"),
        }
        for one in store.history(memory.id, user_id=user.id)
    ]  # fmt: skip
    return {"memory": _fact(memory), "lines": [_line(turn) for turn in lines], "history": history}


def _fact(memory: Memory) -> Answer:
    kept = {"id", "subject", "topic", "fact", "happened_on", "said_at", "pinned", "created_by"}
    told = {name: value for name, value in plain(memory).items() if name in kept}
    return told | {"current": memory.valid_to is None}


def _line(turn: Turn) -> Answer:
    return {
        "turn": turn.id, "session": turn.session_id, "speaker": turn.speaker, "text": turn.text,
        "said_at": turn.said_at,
    }  # fmt: skip


def _schema(kind: str, description: str, **limits: Any) -> Mapping[str, Any]:
    return {"type": kind, "description": description, **limits}


_text = partial(_schema, "string", minLength=1)
_ID = _schema("integer", "a memory's id, from search or from the listing", minimum=1, maximum=2**53)

TOOLS = (
    Tool(
        "search", "Search the memory",
        "What the memory holds on a question: facts with the lines they came from, and lines, best first.",
        {
            "query": _text("the question, or words, as the person would put them", maxLength=2000),
            "limit": _schema("integer", "how many at most (10)", minimum=1, maximum=50, default=10),
        },
        ("query",), _search,
    ),
    Tool(
        "remember", "Remember a fact",
        "Remembers one fact about the person or somebody they named. It stands in the journal and can be undone.",
        {
            "fact": _text("one sentence in the third person that says it all: Ana has two cats, Nori and Kit.",
                          maxLength=2000),
            "subject": _text("whom it is about, by name; left out: the person whose memory this is", maxLength=100),
            "topic": _text("a short noun: pets, job", maxLength=100),
            "date": _text("when it happened: 2026, 2026-05, 2026-05-08 or words such as yesterday", maxLength=60),
        },
        ("fact",), _remember, writes=True,
    ),
    Tool(
        "forget", "Forget memories for good",
        "Erases memories with their history, for good; search for their ids first. Says what it removed. All or none.",
        {
            "ids": _schema("array", "the memories' ids", items=_ID, minItems=1, maxItems=100),
            "lines": _schema("boolean", "blank the lines that they came from, too (false)", default=False),
        },
        ("ids",), _forget, writes=True, erases=True,
    ),
    Tool(
        "why", "Why is this remembered",
        "Where a memory comes from: the lines in which it was said, and all that happened to it, by whom and when.",
        {"id": _ID}, ("id",), _why,
    ),
)  # fmt: skip
