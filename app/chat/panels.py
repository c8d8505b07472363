"""What the panels of a front end show, as values: the why-panel, the parts of a prompt, a fact's timeline.

Shared by every front end that has panels; each function reads, and none draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...memory.values import JournalEntry, Memory, Moment, Recall, RecallItem, Turn, User
from ...models.prompts.instructed import NOTES
from ..config.safe_text import one_line
from ..shown.chips import Chip, chips_now, current_of
from ..shown.reasons import left_out, path, reasons
from ..shown.render import memory_line
from .state import ChatState
from .talk import material

if TYPE_CHECKING:
    from ...memory.store.store import Store
    from ...models.lm import Message

HEADS = ("Memory:", NOTES)
"""How what memory brought begins in a prompt."""
NO_PROMPT = "No prompt was made yet in this session; say something first."
NO_PROMPT_SINCE = "No prompt was made since this session was opened here; say something first."


@dataclass(frozen=True, slots=True)
class WhyRow:
    """One recalled thing. `found` says in words why; `in_context`: the prompt of the reply held it."""

    text: str
    found: str
    in_context: bool
    memory: Memory | None = None
    evidence: tuple[Turn, ...] = ()
    since: str = ""
    """What became of the memory since ("": it is as it was)."""


@dataclass(frozen=True, slots=True)
class Why:
    """What a reply was built on: the SELECT (or why it was refused) and the rows, best first."""

    query: str
    sql: str | None
    refused: str | None
    rows: tuple[WhyRow, ...]
    seconds: float = 0.0
    thrown: tuple[JournalEntry, ...] = ()
    """What checks or the guard threw away when the line was stored, each with its reason."""
    left_out: tuple[str, ...] = ()
    """What was found and isn't shown as memory: how much, and then each with its reason."""
    steps: tuple[str, ...] = ()
    """The path, where it was looked up in several steps."""


def why(
    recall: Recall, prompt: Sequence[Message] | None = None, lines: Mapping[int, tuple[Turn, ...]] | None = None
) -> Why:
    """The why-panel of a recall. With the prompt, a row is in context when a telling piece of it stands there.

    `lines`: the evidence of memories by id (`Store.evidence`), for rows whose lines the recall left out as repeated.
    """
    said = "\n".join(" ".join(message.content.split()) for message in prompt) if prompt is not None else None
    rows = tuple(_why_row(item, recall.query, said, lines or {}) for item in recall.items)
    return Why(
        recall.query,
        recall.sql,
        recall.refused,
        rows,
        sum(recall.seconds.values()),
        left_out=tuple(left_out(recall)),
        steps=tuple(path(recall)),
    )


def _why_row(item: RecallItem, query: str, said: str | None, lines: Mapping[int, tuple[Turn, ...]]) -> WhyRow:
    text = memory_line(item.memory) if item.memory else "a line that was said"
    pieces = [item.memory.fact] if item.memory else []
    pieces += [turn.text for turn in item.turns]
    held = said is not None and any(" ".join(piece.split()) in said for piece in pieces)
    evidence = lines.get(item.memory.id, item.turns) if item.memory else item.turns
    return WhyRow(text, reasons(item, query), held, item.memory, evidence)


def last_why(c: ChatState) -> Why | None:
    """The why-panel of the last reply, each memory with its lines; None when nothing was looked up yet."""
    if (recall := c.last_recall) is None:
        return None
    lines = {} if c.incognito else c.store.facts.evidence([memory.id for memory in recall.memories])
    found, later = why(recall, last_prompt(c) or None, lines), since(c)
    rows = tuple(replace(row, since=later.get(row.memory.id, "") if row.memory else "") for row in found.rows)
    return replace(found, rows=rows, thrown=thrown_away(c))


def since(c: ChatState) -> dict[int, str]:
    """What became of the memories that the last reply knew, by the numbers they had then; what stands is left out."""
    if c.incognito or (recall := c.last_recall) is None:
        return {}
    return became(c.store, c.user, [memory.id for memory in recall.memories])


def became(store: Store, user: User, ids: Sequence[int]) -> dict[int, str]:
    """What became of memories with these numbers: what they are now, or that nothing is left."""
    now = current_of(store, user.id, ids)
    changed = {key: f"now #{row.id}: {one_line(row.fact, 300)}" for key, row in now.items() if row.id != key}
    return changed | {key: "not remembered any more" for key in ids if key not in now}


def thrown_away(c: ChatState) -> tuple[JournalEntry, ...]:
    """What was refused of what a model wrote for the last line, as the journal has it."""
    turn, _ = c.last_exchange()
    if turn is None or c.incognito:
        return ()
    return tuple(c.store.journal.entries(c.user.id, turn_id=turn.id, kind="refused"))


@dataclass(frozen=True, slots=True)
class PromptPart:
    """A part of a prompt: what it is, its text, its tokens, and its share of all tokens (0 to 1)."""

    name: str
    role: str
    text: str
    tokens: int
    share: float


def last_prompt(c: ChatState) -> Sequence[Message]:
    """The exact prompt of the last reply, made again from what it was made of; empty when there was none (`no_prompt`).

    Loads the models when they are not loaded yet. Raises ModelError.
    """
    c.reread_recent()
    (turn, _), found = c.last_exchange(), c.last_recall
    if turn is None or found is None or found.read_off:
        return []
    agents = c.agents.get()
    recall, recent = material(c, agents, turn, found)
    return agents.answer.prompt(c.last_user or c.user, recall, recent, turn.text, c.now())


def no_prompt(c: ChatState) -> str:
    """Why there is no prompt of the last reply."""
    if (recall := c.last_recall) is not None and recall.read_off:
        return "The last reply was read off the memory without a model, so no prompt was made."
    return NO_PROMPT_SINCE if c.recent else NO_PROMPT


def parts(messages: Sequence[Message], count: Callable[[str], int]) -> list[PromptPart]:
    """A prompt's parts in order; the last message is taken apart into what memory brought and what was said."""
    pieces: list[tuple[str, str, str]] = []
    for at, message in enumerate(messages):
        memory, gap, line = message.content.partition("\n\n")
        if at == len(messages) - 1 and gap and memory.startswith(HEADS):
            pieces += [("memory", message.role, memory), ("your line", message.role, line)]
        elif message.role == "system":
            pieces.append(("instructions", message.role, message.content))
        else:
            name = "your line" if at == len(messages) - 1 else "earlier lines"
            pieces.append((name, message.role, message.content))
    counted = [(name, role, text, count(text)) for name, role, text in pieces]
    whole = sum(tokens for *_, tokens in counted) or 1
    return [PromptPart(name, role, text, tokens, tokens / whole) for name, role, text, tokens in counted]


@dataclass(frozen=True, slots=True)
class TimelineStep:
    """One thing that happened to a fact: when, by whom, from what to what, and the lines it came from."""

    entry_id: int
    at: Moment
    sign: str
    text: str
    who: str
    undone: bool
    can_undo: bool
    sql: str
    evidence: tuple[Turn, ...] = ()


def timeline(store: Store, user: User, memory_id: int) -> list[TimelineStep]:
    """All that happened to a fact, oldest first, under all the ids its row ever had. Raises NotFound."""
    entries = store.journal.history(memory_id, user_id=user.id)
    rows = {int(entry.after["id"]) for entry in entries if entry.after and "id" in entry.after}
    lines = store.facts.evidence(sorted(rows))
    return [_step(entry, chip, lines) for entry, chip in zip(entries, chips_now(store, entries), strict=True)]


def _step(entry: JournalEntry, chip: Chip, lines: dict[int, tuple[Turn, ...]]) -> TimelineStep:
    author = entry.author
    model = "+".join(part for part in (author.model, author.adapter) if part)
    row = entry.after.get("id") if entry.after else None
    who = f"{author.actor}{f' ({model})' if model else ''}"
    text = chip.text + (" (undone)" if chip.undone else "")
    came = lines.get(row or 0, ())
    return TimelineStep(entry.id, entry.at, chip.sign, text, who, chip.undone, chip.can_undo, entry.sql, came)


def merged(memories: Sequence[Memory], entries: Iterable[JournalEntry], now: dict[int, Memory]) -> list[Memory]:
    """A list of current memories after these committed entries; `now` holds the rows they touched, as they are now."""
    touched = {
        int(image["id"]) for entry in entries for image in (entry.before, entry.after) if image and "id" in image
    }
    known = {memory.id: memory for memory in memories if memory.id not in touched}
    known |= {row: now[row] for row in touched if row in now and now[row].valid_to is None}
    return [known[row] for row in sorted(known)]
