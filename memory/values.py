"""The values that travel between the floors: frozen, pure, ids given by the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

ASSISTANT = "assistant"
OWN_NAME = "The user's name is "
"""How the name that a user told is noted, before the name and a full stop; models are trained on these words."""
"""Subject and speaker name of the chatbot itself."""

TurnStatus = Literal["complete", "stopped", "failed"]
StorageState = Literal["pending", "done", "failed", "skipped", "forgotten"]
"""`forgotten`: memories that came from the turn were forgotten since, so nothing is ever learned from it."""
WriteKind = Literal["insert", "update", "delete", "pin", "call", "import", "refused", "undo", "redo"]
"""`call` is a change of the name a user goes by, `import` says what came with a file; `undo` and `redo` are writes
of their own, so nothing is rewritten."""
Moment = str
"""A date and time as ISO 8601 text in UTC with seconds, `2026-05-08T13:56:00Z`: sorts as text."""


@dataclass(frozen=True, slots=True)
class User:
    """Whose memory it is. `name` is the namespace key; `called` the name the person goes by (None: not told)."""

    id: int
    name: str
    called: str | None = None

    @property
    def subject(self) -> str:
        """The canonical subject under which facts about this user are stored."""
        return self.called or "User"


@dataclass(frozen=True, slots=True)
class Session:
    """A dated run of turns. `ended_at` is None while it is open."""

    id: int
    user_id: int
    title: str
    started_at: Moment
    ended_at: Moment | None = None
    turns: int = 0


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance of one speaker."""

    id: int
    session_id: int
    user_id: int
    speaker: str
    text: str
    said_at: Moment
    status: TurnStatus = "complete"
    storage: StorageState = "skipped"


@dataclass(frozen=True, slots=True)
class Memory:
    """One fact about one subject. `happened_on` is `YYYY`, `YYYY-MM` or `YYYY-MM-DD`; `valid_to` None: current."""

    id: int
    user_id: int
    subject: str
    topic: str
    fact: str
    happened_on: str | None
    said_at: Moment
    valid_from: Moment
    valid_to: Moment | None = None
    pinned: bool = False
    created_by: str = "human"
    replaces: int | None = None


@dataclass(frozen=True, slots=True)
class Author:
    """Who writes: `actor` is `human`, `import`, `tool:NAME` or `agent:storage`; model and adapter where an LM wrote."""

    actor: str
    model: str | None = None
    adapter: str | None = None


HUMAN = Author("human")


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One committed change of one memory row (or one refused statement). `before`/`after` are rows as dicts."""

    id: int
    user_id: int
    batch: str
    at: Moment
    kind: WriteKind
    author: Author
    sql: str
    memory_id: int | None = None
    turn_id: int | None = None
    session_id: int | None = None
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None
    reason: str | None = None
    undone: bool = False
    undoes: int | None = None
    """For `undo` and `redo`: the id of the write that was taken back or done again."""


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """What a forget erased for good. `bytes_checked`: the files were searched afterwards and hold none of it."""

    rows: int
    journal: int
    turns: int
    bytes_checked: bool


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the guard says of a statement: allowed, or refused because."""

    allowed: bool
    reason: str = ""
    kind: Literal["select", "insert", "update", "delete", ""] = ""
    sql: str = ""
    """The statement(s) in canonical form, rewritten for the sandbox; empty when refused."""
    steps: tuple[tuple[str, str], ...] = ()
    """Per statement: its canonical form and, for the journal, how it was written."""
    about: tuple[str, ...] = ()
    """The words of each `about('words')` of a read on `memory`, numbered as the rewritten calls number them."""
    subjects: tuple[str, ...] | None = None
    """Whose rows a write may touch; None: anyone's of this user."""
    max_rows: int = 20
    """How many rows a write may change."""
    about_lines: tuple[str, ...] = ()
    """As `about`, of the calls on `lines`."""
    table: str = ""
    """What a read brings the rows of: `memory` or `lines`; empty when of both."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The result of a read: column names and rows, `truncated` when a cap cut it."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool = False
    table: str = ""
    """Whose rows they are: those of `memory` or of `lines`; empty when of both."""


@dataclass(frozen=True, slots=True)
class WriteResult:
    """What one batch of SQL did: the journal entries it committed; refused batches hold one `refused` entry."""

    entries: tuple[JournalEntry, ...]
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class RecallItem:
    """One recalled thing: a memory with its evidence lines, or (memory None) a bare turn; `why` names its sources."""

    score: float
    memory: Memory | None = None
    turns: tuple[Turn, ...] = ()
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recall:
    """What retrieval returned for one query. `sql` is the retrieval LM's SELECT, `refused` why it was not run."""

    query: str
    items: tuple[RecallItem, ...] = ()
    sql: str | None = None
    refused: str | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    sessions: tuple[tuple[int, float], ...] = ()
    """Sessions with the chance that the answer was said in them, best first."""

    @property
    def memories(self) -> Sequence[Memory]:
        return [item.memory for item in self.items if item.memory]
