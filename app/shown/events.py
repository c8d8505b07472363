"""What happens in a chat, as typed values. Every front end is a view over these; none holds logic of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import PurePath
from typing import Any, Literal

from ...memory.values import ForgetPlan, ForgetReport, Hop, JournalEntry, Memory, Recall, Session, Turn, User

Level = Literal["info", "warning"]


@dataclass(frozen=True, slots=True)
class Event:
    """Root of all events."""


@dataclass(frozen=True, slots=True)
class SessionStarted(Event):
    """A session was made by its first line, or taken up again."""

    session: Session
    user: User
    resumed: bool = False


@dataclass(frozen=True, slots=True)
class SessionEnded(Event):
    """The chat is over; `waiting` lines are kept to be turned into memories at the next start."""

    session_id: int | None
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class UserChanged(Event):
    """Another user's memory is in use now, or this user told the name they go by (`told`; `before`: the old one)."""

    user: User
    told: bool = False
    before: str | None = None


@dataclass(frozen=True, slots=True)
class IncognitoChanged(Event):
    """On: from here on nothing is read from the memory and nothing is written to it."""

    on: bool


@dataclass(frozen=True, slots=True)
class TurnSaved(Event):
    """The user's line is committed."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class Recalled(Event):
    """What the memory brought for this line; `seconds` is the time it took."""

    recall: Recall
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class HopTaken(Event):
    """A step of looking a line up in several is done."""

    hop: Hop


@dataclass(frozen=True, slots=True)
class NotesCondensed(Event):
    """What the steps noted was more than the budget of tokens, and was condensed by the model; `dropped`: parts that it
    could not make shorter, which were left out."""

    before: int
    after: int
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class ReplyStarted(Event):
    """The model is at work."""

    model: str


@dataclass(frozen=True, slots=True)
class ReplyChunk(Event):
    """A piece of the reply that is committed already."""

    text: str


@dataclass(frozen=True, slots=True)
class ReplyThought(Event):
    """A piece of what the model thinks before it replies; it is no part of the reply, and not kept."""

    text: str


@dataclass(frozen=True, slots=True)
class ReplyFinished(Event):
    """The reply is whole; token counts are the model's own. `writing`: the seconds without loading and looking up."""

    turn: Turn
    seconds: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    truncated: bool = False
    writing: float = 0.0


@dataclass(frozen=True, slots=True)
class ReplyStopped(Event):
    """The user stopped the reply; `turn` keeps what was shown (None: nothing was)."""

    turn: Turn | None


@dataclass(frozen=True, slots=True)
class MemoryWritten(Event):
    """Writes that are committed, read back from the journal."""

    turn_id: int | None
    entries: tuple[JournalEntry, ...]


@dataclass(frozen=True, slots=True)
class MemoryRefused(Event):
    """The guard, or a check (`checked`), refused what the storage model wrote; the journal keeps it with the reason."""

    turn_id: int | None
    reason: str
    sql: str = ""
    checked: bool = False


@dataclass(frozen=True, slots=True)
class MemoryDelayed(Event):
    """The storage model failed; the line is kept, searchable, and will be tried again."""

    turn_id: int
    reason: str


@dataclass(frozen=True, slots=True)
class ClaimUnkept(Event):
    """The reply says that it will remember, yet nothing was written."""

    turn_id: int | None
    claim: str


@dataclass(frozen=True, slots=True)
class Waiting(Event):
    """`lines` are still being turned into memories."""

    lines: int


@dataclass(frozen=True, slots=True)
class Tidied(MemoryWritten):
    """The editor changed something; `reason` is why."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Forgotten(Event):
    """Erased for good: what, what was searched for it afterwards, and what stays."""

    report: ForgetReport
    everything: bool = False


@dataclass(frozen=True, slots=True)
class Explained(Event):
    """Why the last reply knew what it knew: the SELECT, the rows, the evidence lines; and what checks or the guard
    threw away when the last line was stored."""

    recall: Recall
    thrown: tuple[JournalEntry, ...] = ()
    since: Mapping[int, str] = field(default_factory=dict)
    """What became of memories of the recall since, by the numbers that they had then."""


@dataclass(frozen=True, slots=True)
class Listed(Event):
    """A table for the user: `empty` is what to say when it has no rows."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    empty: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class MemoriesListed(Event):
    """Memories for the user."""

    title: str
    memories: tuple[Memory, ...]
    empty: str = ""


@dataclass(frozen=True, slots=True)
class Asked(Event):
    """A question before something is erased; submit `command` when the answer is yes."""

    question: str
    command: str
    plan: ForgetPlan | None = None
    """Of a question whether to forget: all that would go."""
    word: str = ""
    """What is to be typed where a yes by habit would cost too much; empty where a yes will do."""
    line: str = ""
    """The line that was taken for a wish to forget by its sense alone: without a yes it is told like any other."""

    @property
    def again(self) -> str:
        """The line that asks it once more."""
        return self.command.removesuffix("--yes").rstrip()


@dataclass(frozen=True, slots=True)
class Notice(Event):
    """Something the user should know."""

    text: str
    level: Level = "info"


@dataclass(frozen=True, slots=True)
class Untyped(Notice):
    """The line that was typed for it is typed history no more: whoever shows that reads it anew."""


@dataclass(frozen=True, slots=True)
class NameAsked(Notice):
    """A line may have told the user's name ("I'm Ana"): a line that only says yes takes it, any other goes on."""

    name: str = ""
    turn_id: int = 0


@dataclass(frozen=True, slots=True)
class ChangeAsked(Notice):
    """What was said may end a memory, and only the person can tell: a line that only says yes ends it, by `no` it stays
    and any other line goes on. `fact`: what was written beside it and would take its place."""

    memory_id: int = 0
    fact: str = ""
    turn_id: int = 0
    others: tuple[ChangeAsked, ...] = ()
    """What is asked after a no: several memories could be meant."""


@dataclass(frozen=True, slots=True)
class FactAsked(Notice):
    """A fact that is written only after a line that says yes, for its line holds somebody else's words, too. `sql`
    writes it, about `subjects` alone."""

    facts: tuple[str, ...] = ()
    sql: str = ""
    subjects: tuple[str, ...] = ()
    turn_id: int = 0
    others: tuple[FactAsked | ChangeAsked, ...] = ()
    """What is asked afterwards, whatever the answer."""


@dataclass(frozen=True, slots=True)
class Quoted(Event):
    """Somebody else's words in a line: kept and found, and no facts. `command` takes them for one's own."""

    turn_id: int
    words: tuple[str, ...]

    @property
    def command(self) -> str:
        return f"/mine {self.turn_id}"


@dataclass(frozen=True, slots=True)
class Failed(Event):
    """What was asked for did not happen; `text` says why and what to do."""

    text: str


@dataclass(frozen=True, slots=True)
class Left(Event):
    """The user wants to leave the chat; the front end calls `Controller.bye`."""


def name_of(event: Event) -> str:
    """`ReplyChunk` -> `reply_chunk`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", type(event).__name__).lower()


def as_dict(event: Event) -> dict[str, Any]:
    """The event as plain JSON values, `event` naming it."""
    return {"event": name_of(event), **plain(event)}


def plain(value: Any) -> Any:
    """Dataclasses, mappings and tuples as JSON values."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, PurePath):
        return str(value)
    if hasattr(value, "items"):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, bytes):
        return value.hex()
    return value
