"""What a user put right in their memory, as training cases: edits, undos and `/remember`, read from the journal.

The agent's write of a line is followed to what the user made of it: an edited row is what it should have written, a
write that was undone should not have been there, a fact that was remembered by hand should have been found in the line
that tells it. Whatever was forgotten teaches nothing: not the line, and from a memory in which something was ever
forgotten no line is shown as the scene of another. Lines that hold secrets are left out, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...eval.agents.corrections import CorrectionCase, told
from ...memory.language.dates import find_dates
from ...memory.language.words import terms
from ...memory.store.forget import FORGOTTEN
from ...memory.store.queue import STORAGE
from ...memory.values import ASSISTANT, JournalEntry, Memory, Turn, User
from ...models.prompts.messages import NOTHING, Known, Line, delete_sql, insert_sql, update_sql
from ...models.storage.agent import KNOWN_ROWS
from ...models.storage.own_evidence import telling_turn

if TYPE_CHECKING:
    from ...memory.store.store import Store
    from .msc_rows import Topics

LOOK_BACK = 3
"""Lines of the user in which a fact remembered by hand is looked for."""
TOLD = 0.6
"""Share of such a fact's telling words that the line must hold."""
_SECRET = re.compile(
    r"\b(?:pass(?:word|code|phrase|wort)|pin(?: (?:code|number))?|cvv|cvc|iban|ssn|social security|api[ -]?key|"
    r"secret key|private key|access token|credit card|kontonummer)\b"
    r"|\b(?:sk|pk|ghp|gho|xox[bap])[-_][\w-]{8,}|\b[0-9a-fA-F]{32,}\b|\b[A-Z]{2}\d{2}(?: ?\w{4}){3,}"
    r"|\b(?:\d[ -]?){13,19}\b|-----BEGIN",
    re.IGNORECASE,
)


@dataclass
class Found:
    """The cases, those of lines whose memories nobody put right, and how many turns were left out and why."""

    cases: list[CorrectionCase] = field(default_factory=list)
    fine: list[CorrectionCase] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)

    def skip(self, why: str) -> None:
        self.left_out[why] = self.left_out.get(why, 0) + 1


@dataclass
class _Journal:
    """A user's journal, sorted by what is looked up in it."""

    written: dict[int, list[JournalEntry]]
    edits: dict[int, JournalEntry]
    undone_by: dict[int, str]
    remembered: dict[int, list[JournalEntry]]
    redacted: set[int]

    def put_right(self, turn_id: int) -> bool:
        """Whether something was added to what was written for a line, taken back or edited."""
        entries = self.written.get(turn_id, [])
        edited = any(entry.after and int(entry.after["id"]) in self.edits for entry in entries)
        return edited or turn_id in self.remembered or any(entry.undone for entry in entries)


def is_secret(text: str) -> bool:
    """Whether a line seems to hold a password, a key, or the number of a card or an account."""
    return bool(_SECRET.search(text))


def find(store: Store, user: User, topics: Topics | None = None) -> Found:
    """The corrections of a user, a case for each line, oldest first, and the lines that need none.

    `topics` names the topic of facts that were remembered without one. The rows shown as known are those of that moment
    that are nearest to the line, with those that the SQL changes.
    """
    found, turns = Found(), _turns(store, user)
    journal = _sorted(store.journal.entries(user.id), turns)
    scenes = not any(_is_forgotten(turn) for turn in turns.values())
    for turn_id in sorted(set(journal.written) | set(journal.remembered)):
        turn = turns.get(turn_id)
        if turn is None or _is_forgotten(turn) or turn_id in journal.redacted:
            found.skip("something of it was forgotten")
            continue
        case = _case(store, user, turn, journal, topics, turns if scenes else {})
        if not isinstance(case, str) and any(map(is_secret, _texts(case))):
            case = "it seems to hold a secret"
        if not isinstance(case, str):
            (found.cases if case.kinds else found.fine).append(case)
        elif journal.put_right(turn_id):
            found.skip(case)
    return found


def _turns(store: Store, user: User) -> dict[int, Turn]:
    return {turn.id: turn for session in store.sessions.all(user.id) for turn in store.turns.of(session.id)}


def _is_forgotten(turn: Turn) -> bool:
    return turn.storage == "forgotten" or FORGOTTEN in turn.text


def _texts(case: CorrectionCase) -> Iterable[str]:
    return [case.line.text, case.wanted, case.written, *(b.text for b in case.before), *(k.fact for k in case.known)]


def _sorted(entries: Sequence[JournalEntry], turns: dict[int, Turn]) -> _Journal:
    journal = _Journal({}, {}, {}, {}, set())
    for entry in entries:
        if entry.sql.startswith(f"-- {FORGOTTEN}") and entry.turn_id is not None:
            journal.redacted.add(entry.turn_id)
        if entry.author.actor == STORAGE and entry.turn_id and entry.kind in ("insert", "update", "delete"):
            journal.written.setdefault(entry.turn_id, []).append(entry)
        elif entry.kind == "undo" and entry.undoes is not None:
            journal.undone_by[entry.undoes] = entry.author.actor
        elif entry.author.actor == "human" and not entry.undone:
            if entry.kind == "update" and entry.before:
                journal.edits[int(entry.before["id"])] = entry
            elif entry.kind == "insert" and entry.after and (turn := _teller(entry, turns)) is not None:
                journal.remembered.setdefault(turn.id, []).append(entry)
    return journal


def _teller(entry: JournalEntry, turns: dict[int, Turn]) -> Turn | None:
    """The line before a fact was remembered by hand that tells it, if one of the last does."""
    assert entry.after is not None
    wanted = set(terms(str(entry.after["fact"]))) - set(terms(str(entry.after["subject"])))
    said = [t for t in turns.values() if t.said_at <= entry.at and t.speaker != ASSISTANT][-LOOK_BACK:]
    scores = [(len(wanted & set(terms(turn.text))) / max(1, len(wanted)), turn.id, turn) for turn in said]
    best = max(scores, default=None, key=lambda one: one[:2])
    return best[2] if best and best[0] >= TOLD else None


def _case(
    store: Store, user: User, turn: Turn, journal: _Journal, topics: Topics | None, scene: dict[int, Turn]
) -> CorrectionCase | str:
    """The case of a turn, without kinds when all of it was right; a sentence when it can't be learned from."""
    entries = journal.written.get(turn.id, [])
    added = journal.remembered.get(turn.id, [])
    after = [image for entry in (*entries, *added) if (image := entry.after or entry.before)]
    speaker = str(after[0]["subject"]) if after else user.subject
    heard = turn if turn.storage == "kept" else telling_turn(turn)
    if heard is None:
        return "nothing in it is told by the user in words of their own"
    line = Line(speaker, heard.text)
    draft = _Draft(turn, line)
    for entry in entries:
        if (why := draft.follow(entry, journal)) is not None:
            return why
    for entry in added:
        draft.remember(entry, topics)
    if draft.wanted == draft.written:
        draft.kinds.clear()
    first = min(entry.id for entry in (*entries, *added))
    rows = [row for row in store.journal.before_write(user.id, first) if row.subject == speaker]
    known = _known(store, line, rows, draft.needed)
    if known is None:
        return "a row that it changed is not known any more"
    return CorrectionCase(f"turn {turn.id}", tuple(sorted(draft.kinds)), _before(turn, scene, speaker), line, known,
                          draft.written, draft.wanted)  # fmt: skip


@dataclass
class _Draft:
    """What was written for a line and what should have been, statement by statement."""

    turn: Turn
    line: Line
    kinds: set[str] = field(default_factory=set)
    needed: set[int] = field(default_factory=set)
    rows: tuple[list[Any], list[Any]] = field(default_factory=lambda: ([], []))
    parts: tuple[list[str], list[str]] = field(default_factory=lambda: ([], []))

    @property
    def written(self) -> str:
        return self._sql(0)

    @property
    def wanted(self) -> str:
        return self._sql(1)

    def _sql(self, side: int) -> str:
        inserted = [insert_sql(self.rows[side])] if self.rows[side] else []
        return " ".join([*inserted, *self.parts[side]]) or NOTHING

    def follow(self, entry: JournalEntry, journal: _Journal) -> str | None:
        """Adds a write as it was and as it should have been; a sentence when that can't be said."""
        if entry.undone:
            if journal.undone_by.get(entry.id) != "human":
                return "not a person took it back"
            self.kinds.add("undo")
        final, image = None if entry.undone else entry.after, entry.after
        while final is not None and (edit := journal.edits.get(int(final["id"]))) is not None:
            final = edit.after
        if final is not None and final["subject"] != self.line.speaker:
            return "it was put under another person"
        if final is not None and image is not None and final["id"] != image["id"]:
            self.kinds.add("edit")
        if entry.kind == "insert":
            self._add(0, image)
            self._add(1, final)
        elif entry.before is not None:
            self._change(0, int(entry.before["id"]), entry.before, image)
            self._change(1, int(entry.before["id"]), entry.before, entry.before if entry.undone else final)
        return None

    def remember(self, entry: JournalEntry, topics: Topics | None) -> None:
        """A fact that was added by hand and that this line tells."""
        image = dict(entry.after or {})
        if image["subject"] != self.line.speaker or any(row[2] == image["fact"] for row in self.rows[1]):
            return
        if not image["topic"] and topics is not None:
            image["topic"] = topics.of([str(image["fact"])])[0][0]
        self.kinds.add("remember")
        self._add(1, image)

    def _add(self, side: int, image: Any) -> None:
        if image is not None:
            row = (image["subject"], image["topic"], image["fact"], self._words(image["happened_on"]))
            self.rows[side].append(row)

    def _words(self, day: str | None) -> str | None:
        """The words of the line that mean the day."""
        return next((words for words, iso in find_dates(self.line.text, self.turn.said_at) if iso == day), None)

    def _change(self, side: int, memory_id: int, before: Any, after: Any) -> None:
        self.needed.add(memory_id)
        if after is None:
            self.parts[side].append(delete_sql(memory_id))
        elif after["fact"] != before["fact"]:
            self.parts[side].append(update_sql(memory_id, str(after["fact"])))


def _known(store: Store, line: Line, rows: Sequence[Memory], needed: set[int]) -> tuple[Known, ...] | None:
    """The rows that the agent was shown; None when one that it changed is not there."""
    if not needed <= {row.id for row in rows}:
        return None
    scores = {row.id: 0.0 for row in rows}
    if store.embedder is not None and rows:
        line_vector, *vectors = store.embedder.embed([line.text, *(f"{row.topic}: {row.fact}" for row in rows)])
        scores = {row.id: float(vector @ line_vector) for row, vector in zip(rows, vectors, strict=True)}
    best = sorted(rows, key=lambda row: (row.id not in needed, -scores[row.id]))[: max(KNOWN_ROWS, len(needed))]
    return tuple(Known(row.id, row.topic, row.fact) for row in sorted(best, key=lambda row: row.id))


def _before(turn: Turn, scene: dict[int, Turn], speaker: str) -> tuple[Line, ...]:
    """The two lines before it in its session; a reply counts only when the line that it answers is still there."""
    earlier = [one for one in scene.values() if one.session_id == turn.session_id and one.id < turn.id][-3:]
    lines: list[Line] = []
    for place, one in enumerate(earlier):
        answers = place > 0 and earlier[place - 1].speaker != ASSISTANT
        if one.speaker == ASSISTANT and not answers:
            lines.clear()
        else:
            lines.append(Line(ASSISTANT if one.speaker == ASSISTANT else speaker, one.text))
    return tuple(lines[-2:])


def topic_edits(cases: Sequence[CorrectionCase]) -> dict[str, list[str]]:
    """Topics that the user put right: old -> the new ones, one for each time; "" for a row that was taken back."""
    pairs: dict[str, list[str]] = {}
    for case in cases:
        then, wanted = told(case.written), told(case.wanted)
        if len(then) > len(wanted):
            for old in then:
                if old.topic and old not in wanted:
                    pairs.setdefault(old.topic, []).append("")
        for old, new in zip(then, wanted, strict=False):
            if len(then) == len(wanted) and old.topic and old.fact == new.fact and old.topic != new.topic:
                pairs.setdefault(old.topic, []).append(new.topic)
    return pairs
