"""What the panels of a front end show, as values: chips, the why-panel, the parts of a prompt, a fact's timeline.

Shared by every front end that has panels; each function reads, and none draws. Chips are made of journal entries, never
of what a model said, so that a chip and a committed row are the same thing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..memory.errors import NotFound
from ..memory.undo import REVERSIBLE
from ..memory.values import JournalEntry, Memory, Moment, Recall, RecallItem, Turn, User
from .history import sign
from .render import chip as chip_text
from .render import memory_line
from .talk import without_turns

if TYPE_CHECKING:
    from ..memory.store import Store
    from ..models.lm import Message
    from .controller import Controller


@dataclass(frozen=True, slots=True)
class Chip:
    """One write under a reply. `memory_id` is the row that can be edited (None: nothing is left to edit)."""

    entry_id: int
    sign: str
    text: str
    before: str
    after: str
    memory_id: int | None
    turn_id: int | None
    undone: bool
    can_undo: bool

    @property
    def can_edit(self) -> bool:
        return self.memory_id is not None and not self.undone


def chip_of(entry: JournalEntry) -> Chip:
    """The chip of a committed entry; one that is undone says so."""
    fact_before, fact_after = _fact(entry.before), _fact(entry.after)
    row = entry.after.get("id") if entry.after and "fact" in entry.after else None
    return Chip(
        entry.id, sign(entry), chip_text(entry) + (" (undone)" if entry.undone else ""), fact_before, fact_after,
        int(row) if row is not None else None, entry.turn_id, entry.undone,
        entry.kind in REVERSIBLE and not entry.undone,
    )  # fmt: skip


def _fact(image: object) -> str:
    return str(dict(image).get("fact", "")) if image else ""  # type: ignore[call-overload]


def chips_of_session(store: Store, user_id: int, session_id: int) -> dict[int, list[Chip]]:
    """The chips of a session's turns, by turn: read from the journal, so they outlive the process that showed them."""
    chips: dict[int, list[Chip]] = {}
    for entry in store.journal(user_id, session_id=session_id):
        if entry.turn_id is not None and entry.kind in REVERSIBLE:
            chips.setdefault(entry.turn_id, []).append(chip_of(entry))
    return chips


def chips_again(store: Store, user_id: int, entry_ids: Iterable[int]) -> list[Chip]:
    """The chips of these entries as they stand now; those whose memory was forgotten are gone."""
    found = []
    for entry_id in entry_ids:
        with suppress(NotFound):
            found.append(chip_of(store.entry(entry_id, user_id=user_id)))
    return found


@dataclass(frozen=True, slots=True)
class WhyRow:
    """One recalled thing. `in_context`: the prompt of the reply held it; `why` names who found it."""

    text: str
    score: float
    why: tuple[str, ...]
    in_context: bool
    memory: Memory | None = None
    evidence: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class Why:
    """What a reply was built on: the SELECT (or why it was refused) and the rows, best first."""

    query: str
    sql: str | None
    refused: str | None
    rows: tuple[WhyRow, ...]
    seconds: float = 0.0


def why(
    recall: Recall, prompt: Sequence[Message] | None = None, lines: Mapping[int, tuple[Turn, ...]] | None = None
) -> Why:
    """The why-panel of a recall. With the prompt, a row is in context when a telling piece of it stands there.

    `lines`: the evidence of memories by id (`Store.evidence`), for rows whose lines the recall left out as repeated.
    """
    said = "\n".join(" ".join(message.content.split()) for message in prompt) if prompt is not None else None
    rows = tuple(_why_row(item, said, lines or {}) for item in recall.items)
    return Why(recall.query, recall.sql, recall.refused, rows, sum(recall.seconds.values()))


def _why_row(item: RecallItem, said: str | None, lines: Mapping[int, tuple[Turn, ...]]) -> WhyRow:
    text = memory_line(item.memory) if item.memory else "a line that was said"
    pieces = [item.memory.fact] if item.memory else []
    pieces += [turn.text for turn in item.turns]
    held = said is not None and any(" ".join(piece.split()) in said for piece in pieces)
    evidence = lines.get(item.memory.id, item.turns) if item.memory else item.turns
    return WhyRow(text, item.score, item.why, held, item.memory, evidence)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a prompt: what it is, its text, its tokens, and its share of all tokens (0 to 1)."""

    name: str
    role: str
    text: str
    tokens: int
    share: float


def last_prompt(c: Controller) -> Sequence[Message]:
    """The exact prompt of the last reply, made again from what it was made of; empty when there was none.

    Loads the models when they are not loaded yet. Raises ModelError.
    """
    turn, _ = c.last_exchange()
    if turn is None or c.last_recall is None:
        return []
    recent = c.recent[: c.recent.index(turn)]
    recall = without_turns(c.last_recall, {each.id for each in recent})
    return c.agents.get().answer.prompt(c.user, recall, recent, turn.text, c.now())


def parts(messages: Sequence[Message], count: Callable[[str], int]) -> list[Part]:
    """A prompt's parts in order; the last message is taken apart into what memory brought and what was said."""
    pieces: list[tuple[str, str, str]] = []
    for at, message in enumerate(messages):
        memory, gap, line = message.content.partition("\n\n")
        if at == len(messages) - 1 and gap and memory.startswith("Memory:"):
            pieces += [("memory", message.role, memory), ("your line", message.role, line)]
        elif message.role == "system":
            pieces.append(("instructions", message.role, message.content))
        else:
            name = "your line" if at == len(messages) - 1 else "earlier lines"
            pieces.append((name, message.role, message.content))
    counted = [(name, role, text, count(text)) for name, role, text in pieces]
    whole = sum(tokens for *_, tokens in counted) or 1
    return [Part(name, role, text, tokens, tokens / whole) for name, role, text, tokens in counted]


@dataclass(frozen=True, slots=True)
class Step:
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


def timeline(store: Store, user: User, memory_id: int) -> list[Step]:
    """All that happened to a fact, oldest first, under all the ids its row ever had. Raises NotFound."""
    entries = store.history(memory_id, user_id=user.id)
    rows = {int(entry.after["id"]) for entry in entries if entry.after and "id" in entry.after}
    lines = store.evidence(sorted(rows))
    return [_step(entry, lines) for entry in entries]


def _step(entry: JournalEntry, lines: dict[int, tuple[Turn, ...]]) -> Step:
    chip, author = chip_of(entry), entry.author
    model = "+".join(part for part in (author.model, author.adapter) if part)
    came = lines.get(chip.memory_id, ()) if chip.memory_id is not None else ()
    who = f"{author.actor}{f' ({model})' if model else ''}"
    return Step(entry.id, entry.at, chip.sign, chip.text, who, chip.undone, chip.can_undo, entry.sql, came)


def merged(memories: Sequence[Memory], entries: Iterable[JournalEntry], now: dict[int, Memory]) -> list[Memory]:
    """A list of current memories after these committed entries; `now` holds the rows they touched, as they are now."""
    touched = {
        int(image["id"]) for entry in entries for image in (entry.before, entry.after) if image and "id" in image
    }
    known = {memory.id: memory for memory in memories if memory.id not in touched}
    known |= {row: now[row] for row in touched if row in now and now[row].valid_to is None}
    return [known[row] for row in sorted(known)]
