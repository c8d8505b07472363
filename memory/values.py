"""The values that travel between the floors: frozen, pure, ids given by the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

ASSISTANT = "assistant"
"""Subject and speaker name of the chatbot itself."""
OWN_NAME = "The user's name is "
"""How the name that a user told is noted, before the name and a full stop; models are trained on these words."""

FORGOTTEN = "[forgotten]"
"""What is left of a turn whose text was forgotten, so that the conversation stays readable."""

TurnStatus = Literal["complete", "stopped", "failed"]
StorageState = Literal["pending", "done", "failed", "skipped", "forgotten", "quoted", "kept"]
"""`forgotten`: memories that came from the turn were forgotten since, so nothing is ever learned from it. `quoted`:
done, and it holds somebody else's words; `kept`: it seemed to, and the person said that they are their own."""
WriteKind = Literal["insert", "update", "delete", "pin", "call", "import", "refused", "undo", "redo"]
"""`call` is a change of the name a user goes by, `import` says what came with a file; `undo` and `redo` are writes
of their own, so nothing is rewritten."""
LINE_LIMIT = 1_000_000
"""Characters of one line of talk."""
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
    quoted: tuple[str, ...] | None = None
    """What was taken out of `text` as somebody else's words, where that was looked for; None: it wasn't."""


@dataclass(frozen=True, slots=True)
class Memory:
    """One fact about one subject. `happened_on` is `YYYY`, `YYYY-MM` or `YYYY-MM-DD`; `valid_to` None: current.

    `certainty`: of an insight, which was concluded, 0 to 1; None: it was told. `rests_on`: the ids of the facts that it
    was concluded from; lines are its evidence, as any fact's.
    """

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
    certainty: float | None = None
    rests_on: tuple[int, ...] = ()

    @property
    def derived(self) -> bool:
        """Whether it was concluded from other rows, not told."""
        return self.certainty is not None


@dataclass(frozen=True, slots=True)
class Author:
    """Who writes: `actor` is `human`, `import`, `tool:NAME`, `agent:storage`, or `check:NAME` for what a check refused;
    model and adapter where an LM wrote."""

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
class Mention:
    """A telling word of what is forgotten that stands elsewhere by right: in a `fact`, a `line`, or the `history` of a
    fact that stays. `id`: of the memory or turn; `text`: what stands there."""

    word: str
    where: Literal["fact", "line", "history"]
    id: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class ForgetPlan:
    """All that holds a matter, as it is shown before the one "yes" that erases it.

    `facts` were asked for, or took the place of what was; `earlier` are their other states; `lines` of the user's told
    it or repeat it, `replies` hold a telling word or number of it; `others` say the same, or stand on no other line.
    """

    user_id: int
    facts: tuple[Memory, ...] = ()
    earlier: tuple[str, ...] = ()
    lines: tuple[Turn, ...] = ()
    replies: tuple[Turn, ...] = ()
    others: tuple[Memory, ...] = ()
    insights: tuple[Memory, ...] = ()
    """What was concluded from it: that goes in any case."""
    titles: tuple[str, ...] = ()
    typed: tuple[str, ...] = ()
    """Names of sessions, and lines of the input history, that hold it."""
    exports: tuple[str, ...] = ()
    """Files that chatmem wrote for the person, and that hold it: they are theirs, and stay."""
    stays: tuple[Mention, ...] = ()
    """Where names, numbers and rare words of it stand by right, and so will be found afterwards."""
    words: tuple[str, ...] = field(default=(), repr=False)
    """What the files are searched for afterwards: words and numbers that stand nowhere else."""
    asked_facts: tuple[int, ...] = ()
    asked_lines: tuple[int, ...] = ()
    """The ids that were asked for: of rows, also of such as stand in the journal alone, and of turns by themselves."""
    keep_lines: bool = False
    keep_others: bool = False
    """Only the facts with their history go, and lines and replies stay; `others` stay, without those lines."""
    asked_parts: tuple[tuple[int, int], ...] = ()
    rests: tuple[tuple[int, str], ...] = ()
    """Of facts that tell several things, the statements that were asked for, by number, and what stays of each fact."""
    keep_apart: bool = False
    """Of further facts from those lines only those go that share a telling word; the rest of them are `apart`."""
    apart: tuple[Memory, ...] = ()
    kept: tuple[Memory, ...] = ()
    unkept: str = ""
    uncut: str = ""
    """Facts that the wish says are to stay ("except his birthday"), or its words: where nothing of it holds them, and
    where only what goes as well does."""
    leaning: tuple[Memory | Turn, ...] = ()
    """What stays and may be about it: lines that go on from one that goes, and their facts."""
    near: bool = False
    unheld: str = ""
    """Nothing held most of the wish's words, this comes nearest; or of several that it names, what nothing holds."""

    @property
    def sure(self) -> bool:
        return not (self.near or self.unkept or self.uncut or self.unheld)

    @property
    def empty(self) -> bool:
        return not (self.facts or self.lines or self.asked_facts or self.earlier)


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """What a forget erased for good, and what was searched afterwards.

    `bytes_checked`: what is in `searched` holds neither the erased texts nor one of the `words` telling words and
    numbers (how many: they are named nowhere).
    """

    rows: int
    journal: int
    turns: int
    """The user's lines."""
    bytes_checked: bool
    replies: int = 0
    typed: int = 0
    """Lines of the input history."""
    words: int = 0
    within: int = 0
    """How many more of them stand only inside other words, numbers or ids that stay, so that bytes prove nothing."""
    elsewhere: int = 0
    """How many more of them stand as words in what stays, such as another user's lines."""
    quoted: int = 0
    own_quoted: tuple[str, ...] = ()
    """How many erased sentences stand in what stays, also of other users; and those in what is the person's own."""
    searched: tuple[str, ...] = ()
    """The "database" (its bytes), if encrypted its "rows"; "texts" (rows, for short words); "typed lines", "log"."""
    found_in: tuple[str, ...] = ()
    """Files in which something of it was found all the same."""
    stays: tuple[Mention, ...] = ()
    exports: tuple[str, ...] = ()
    lines_kept: int = 0
    """Lines and replies that hold it and were to stay."""


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
class Thrown:
    """What was thrown away before the guard saw it: by whom (`check:NAME`), the SQL it would have been, and why."""

    by: str
    sql: str
    reason: str


@dataclass(frozen=True, slots=True)
class Doubt:
    """A memory that may be over by what was said since: the person is asked. `fact`: what would take its place, which
    stands beside it until then; empty: nothing would."""

    row: Memory
    fact: str


@dataclass(frozen=True, slots=True)
class Held:
    """What is written only when the person says so: the facts, the SQL that writes them, and about whom it may."""

    facts: tuple[str, ...]
    sql: str
    subjects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WriteResult:
    """What one batch of SQL did: the journal entries it committed; refused batches hold one `refused` entry.

    `doubts` and `held`: what only the person can tell. `quoted`: what of the line was taken for somebody else's words,
    and so is told nowhere; `secret`: it held a password, a key or the like, which is written nowhere but in the line.
    `again`: nothing came of the line since the model failed at it, and it is to be tried once more later.
    """

    entries: tuple[JournalEntry, ...]
    refused: str | None = None
    doubts: tuple[Doubt, ...] = ()
    held: tuple[Held, ...] = ()
    quoted: tuple[str, ...] = ()
    secret: bool = False
    again: bool = False

    def plus(self, other: WriteResult) -> WriteResult:
        """Both as one, this one first."""
        return WriteResult(
            (*self.entries, *other.entries), self.refused or other.refused, (*self.doubts, *other.doubts),
            (*self.held, *other.held), (*self.quoted, *other.quoted), self.secret or other.secret,
            self.again or other.again,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class RecallItem:
    """One recalled thing: a memory with its evidence lines, or (memory None) a bare turn; `why` names its sources.

    `passage`: of its first turn the part that speaks of what was asked, all of it where it is short; empty where that
    was not looked at."""

    score: float
    memory: Memory | None = None
    turns: tuple[Turn, ...] = ()
    why: tuple[str, ...] = ()
    passage: str = ""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What was found and is no evidence. `reason`: "assistant" said it, it only "asked", it is "unrelated", or it
    is somebody else's words, "quoted"."""

    reason: Literal["assistant", "asked", "unrelated", "quoted"]
    text: str
    memory_id: int | None = None
    turn_id: int | None = None
    said_at: Moment | None = None


@dataclass(frozen=True, slots=True)
class Hop:
    """One step of looking something up in several: which tool (`search`, `sql`, `sessions`, `add_insight`, `finish`)
    was asked what, and what came of it, in words."""

    number: int
    tool: str
    asked: str
    told: str
    failed: bool = False
    seconds: float = 0.0


class Overtaken(NamedTuple):
    """What a later change took out of what a line told of one matter, and what it brought in, as stems."""

    turn_id: int
    gone: tuple[str, ...]
    new: tuple[str, ...]


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
    left_out: tuple[LeftOut, ...] = ()
    """What was near, best first, and isn't shown as memory, each with the reason."""
    untold: bool = False
    """Whether it asks of the user's own life or people, and nothing that was found answers it."""
    general: bool = False
    """Whether it is a question for no memory: not about the user, nor about anything that was told."""
    overtaken: tuple[Overtaken, ...] = ()
    """What of its lines doesn't hold any more, though other things that they tell do."""
    hops: tuple[Hop, ...] = ()
    """The steps by which it was found, where there were several."""
    chosen: str = ""
    """The told sentence, to its asker, where it was cut down to what surely answers."""
    read_off: bool = False
    """Whether the reply was read off it without a model, so that no prompt was made of it."""

    @property
    def memories(self) -> Sequence[Memory]:
        return [item.memory for item in self.items if item.memory]
