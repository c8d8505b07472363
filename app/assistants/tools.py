"""What other assistants may do with a person's memory: search, remember, forget, and ask why. No protocol in here.

Each tool is data (name, description, schema) with the function that does it. Whose memory it is stands fixed before the
first call; no argument names a user, so none can name another's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ...memory import plugins
from ...memory.errors import SettingsError
from ...memory.store.writing import new_batch
from ...memory.tidy.schemas import check_arguments
from ...memory.values import Author, ForgetPlan, RecallItem, Turn
from ...memory.values import Memory as Row
from ..shown.events import plain
from ..shown.forgetting import nothing_of, question, sentence
from ..shown.reasons import LOOKED_THROUGH, telling_first, told_part

if TYPE_CHECKING:
    from ...models.api import Memory

AUTHOR = Author("tool:mcp")
"""Whose each write of a tool is."""
Arguments = Mapping[str, Any]
Answer = dict[str, Any]
CONFIRM = (
    "Nothing is erased yet. Show the person all that would go; if they agree, call forget again with the same "
    "arguments, `confirm` true and `plan` as it is told here."
)
CHANGED = "What would go is not what was shown before. "
MOST_LISTED = 1000
"""Memories in the listing; search finds the others."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `arguments` are JSON Schemas by name; `writes`: it may change the memory, unless it says that it
    doesn't; `erases`: what it does can't be undone."""

    name: str
    title: str
    description: str
    arguments: Mapping[str, Mapping[str, Any]]
    required: tuple[str, ...]
    run: Callable[[Memory, Arguments], Answer]
    writes: bool = True
    erases: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of all arguments."""
        properties = {name: dict(schema) for name, schema in self.arguments.items()}
        required = list(self.required)
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def tools(*, read_only: bool = False) -> dict[str, Tool]:
    """The tools by name, those of other packages (entry points `chatmem.tools`) after ours; with `read_only` those that
    change nothing. Raises SettingsError when a package's tool can't be loaded or takes a name that is ours."""
    found = {tool.name: tool for tool in TOOLS}
    for name, tool in plugins.load_all("chatmem.tools").items():
        if not isinstance(tool, Tool) or tool.name in found:
            why = "has the name of another" if isinstance(tool, Tool) else "is no chatmem Tool"
            raise SettingsError(f"The tool {name!r} of an installed package {why}: remove that package or mend it.")
        found[tool.name] = tool
    return {name: tool for name, tool in found.items() if not (read_only and tool.writes)}


def call(tool: Tool, memory: Memory, arguments: Arguments) -> Answer:
    """Checks the arguments and does it. Raises ChatmemError with what to do."""
    given = {name: value for name, value in arguments.items() if value is not None}
    check_arguments(tool.name, given, tool.arguments, tool.required)
    return tool.run(memory, given)


def listing(memory: Memory) -> list[Answer]:
    """The current memories as rows, newest first, at most `MOST_LISTED`."""
    return [_fact(row) for row in memory.facts(limit=MOST_LISTED)]


def _search(memory: Memory, given: Arguments) -> Answer:
    limit = given.get("limit", 10)
    found = memory.store.search(
        memory.user.id, given["query"], limit=max(limit, LOOKED_THROUGH), speaker=memory.user.subject
    )
    found = telling_first(found, limit)
    items = [
        {
            "memory": _fact(item.memory) if item.memory else None, "lines": [_found(item, turn) for turn in item.turns],
            "score": round(item.score, 4), "found_by": list(item.why),
        }
        for item in found.items
    ]  # fmt: skip
    trouble = memory.store.search.trouble
    return {"items": items} | ({"note": f"Search went by words alone: {trouble}"} if trouble else {})


def _remember(memory: Memory, given: Arguments) -> Answer:
    batch = new_batch()
    entry = memory.remember(
        given["fact"], subject=given.get("subject"), topic=given.get("topic", ""), date=given.get("date"),
        batch=batch,
    )  # fmt: skip
    return {
        "memory": _fact(memory.get(entry.memory_id or 0)), "write": entry.id, "known_before": entry.batch != batch,
    }  # fmt: skip


def _forget(memory: Memory, given: Arguments) -> Answer:
    """Without `confirm` all that would go, and nothing is erased. All that is named must be this user's. More may hold
    it by the time that it is confirmed: what goes is what was shown, else it is shown anew."""
    plan = memory.to_forget(
        *given.get("ids", ()), words=given.get("words", ""), keep_lines=given.get("keep_lines", False),
        keep_others=given.get("keep_others", False),
    )  # fmt: skip
    if plan.empty:
        return {"forgotten": False, "would_remove": _shown(plan), "next": nothing_of(plan)}
    mark, seen, sure = _mark(plan), given.get("plan"), given.get("confirm", False)
    if not sure or seen != mark:
        then = (CHANGED if sure and seen is not None else "") + CONFIRM
        return {
            "forgotten": False,
            "would_remove": _shown(plan),
            "question": question(plan),
            "plan": mark,
            "next": then,
        }
    report = memory.forget(plan)
    return {
        "forgotten": True, "removed": [_fact(row) for row in (*plan.facts, *plan.others, *plan.insights)],
        "rows": report.rows, "journal_entries": report.journal, "lines_blanked": report.turns + report.replies,
        "proven_gone": report.bytes_checked and not (plan.keep_lines or report.quoted or report.exports),
        "said": sentence(report),
    }  # fmt: skip


def _mark(plan: ForgetPlan) -> str:
    """Differs where something else would go."""
    rows = [
        sorted(one.id for one in some) for some in (plan.facts, plan.others, plan.insights, plan.lines, plan.replies)
    ]
    told = (rows, plan.earlier, plan.rests, plan.titles, plan.typed, plan.keep_lines)
    return hashlib.sha256(repr(told).encode()).hexdigest()[:12]


def _shown(plan: ForgetPlan) -> Answer:
    """All that a plan names, as data: what goes, and which words of it stay elsewhere."""
    return {
        "memories": [_fact(row) for row in plan.facts], "other_memories": [_fact(row) for row in plan.others],
        "insights": [_fact(row) for row in plan.insights], "earlier": list(plan.earlier),
        "lines": [_line(turn) for turn in (*plan.lines, *plan.replies)], "lines_stay": plan.keep_lines,
        "titles": list(plan.titles), "typed_lines": list(plan.typed), "exports": list(plan.exports),
        "stays": [{"word": one.word, "where": one.where, "id": one.id} for one in plan.stays],
    }  # fmt: skip


def _why(memory: Memory, given: Arguments) -> Answer:
    found = memory.why(given["id"])
    history = [
        {
            "write": one.id, "at": one.at, "by": one.author.actor, "kind": one.kind, "undone": one.undone,
            "fact": (one.after or one.before or {}).get("fact"),
        }
        for one in found.history
    ]  # fmt: skip
    return {"memory": _fact(found.row), "lines": [_line(turn) for turn in found.lines], "history": history}


def _fact(memory: Row) -> Answer:
    kept = {"id", "subject", "topic", "fact", "happened_on", "said_at", "pinned", "created_by"}
    told = {name: value for name, value in plain(memory).items() if name in kept}
    return told | {"current": memory.valid_to is None}


def _line(turn: Turn) -> Answer:
    return {
        "turn": turn.id, "session": turn.session_id, "speaker": turn.speaker, "text": turn.text,
        "said_at": turn.said_at,
    }  # fmt: skip


def _found(item: RecallItem, turn: Turn) -> Answer:
    """A line as search found it: of a long one the passage that speaks of what was asked."""
    first = turn == item.turns[0] and bool(item.passage)
    return _line(replace(turn, text=told_part(item))) if first else _line(turn)


def _schema(kind: str, description: str, **limits: Any) -> Mapping[str, Any]:
    return {"type": kind, "description": description, **limits}


_text = partial(_schema, "string", minLength=1)
_ID = _schema("integer", "a memory's id, from search or from the listing", minimum=1, maximum=2**53)

TOOLS = (
    Tool(
        "search", "Search the memory",
        "What the memory holds on a question: facts with the lines they came from, and lines, best first; of a long "
        "line the passage that speaks of it.",
        {
            "query": _text("the question, or words, as the person would put them", maxLength=2000),
            "limit": _schema("integer", "how many at most (10)", minimum=1, maximum=50, default=10),
        },
        ("query",), _search, writes=False,
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
        ("fact",), _remember,
    ),
    Tool(
        "forget", "Forget memories for good",
        "Erases memories for good, with their history, the lines that told them and the replies that repeat them. "
        "Name them by `ids`, or in `words` as the person put it. Without `confirm` it only says what would go: show "
        "all of that to the person, and ask.",
        {
            "ids": _schema("array", "the memories' ids", items=_ID, minItems=1, maxItems=100),
            "words": _text("instead of ids, what to forget, in words: my locker number, that I hate flying, everything "
                           "about Tom", maxLength=300),
            "confirm": _schema("boolean", "the person has seen what would go, and agrees (false)", default=False),
            "plan": _text("with `confirm`: `plan` of the answer that the person has seen", maxLength=20),
            "keep_lines": _schema("boolean", "lines and replies stay, and still hold it (false)", default=False),
            "keep_others": _schema("boolean", "other facts from the same lines stay (false)", default=False),
        },
        (), _forget, erases=True,
    ),
    Tool(
        "why", "Why is this remembered",
        "Where a memory comes from: the lines in which it was said, and all that happened to it, by whom and when.",
        {"id": _ID}, ("id",), _why, writes=False,
    ),
)  # fmt: skip
