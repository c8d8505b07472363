"""The storage agent: reads a line, writes what is worth remembering as SQL."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ..memory.dates import find_dates
from ..memory.values import ASSISTANT, Author, JournalEntry, Memory, Turn, User, WriteResult
from ..memory.words import terms
from .bulk import Reply, Request, Work, side_by_side, through
from .faithful import facts_of, faults, flipped, inventions, misplaced, tells_details, untold
from .grammars import SQL_SCHEMA, storage_grammar
from .lm import LM, Message, Options
from .others import Told, about_another, apart
from .overtaken import settled, with_changes
from .own_words import ANY_DAY, in_own_words
from .prompts import NOTHING, TEXT, Known, Line, storage_messages
from .strangers import CAPITAL, NEXT, names, related, strangers

if TYPE_CHECKING:
    from ..memory.store import Store

KNOWN_ROWS = 4
"""Current rows shown beside a line."""
MAX_TOKENS = 224
AGAIN = (0.7, 0.7, 1.0)
"""Temperatures of the further tries where the first SQL loses or invents something (what each brings: docs/log.md)."""
MORE_CLAUSES = 2
"""Clauses of one line that are read once more by themselves, where the first reading kept no word of them."""
CHANGED = 0.55
"""Cosine (MiniLM) from which a fact without a common word still counts as the new state of an older one: of the changes
in the training templates every one shares a word with the old fact, of other facts of the same person one in twenty."""
MOST_LIKE = 12
"""Rows that are looked through for somebody's name, or for the state of something before it changed."""
_CHANGE = re.compile(rf"(?:UPDATE memory SET fact = '({TEXT})'.*?|DELETE FROM memory) WHERE id = (\d+);")
_STRING = re.compile(rf"'{TEXT}(?:'|$)")
_LAST_ROW = re.compile(r"\)(?=, \()|\)(?=;)")

GUIDE = """\
You keep the memory table memory(id, subject, topic, fact, happened_on). Read the line after "Store:" and write
SQL for what its speaker tells about themselves that is worth remembering, or exactly "-- nothing". Facts are one
self-contained third-person sentence that keeps names, numbers and places; topic is a short noun phrase; happened_on
the words for a date as they were said, or NULL. Use only the forms
INSERT INTO memory (subject, topic, fact, happened_on) VALUES ('Ana', 'pets', 'Ana has two cats, Nori and Kit.', NULL);
UPDATE memory SET fact = '...' WHERE id = 3;
DELETE FROM memory WHERE id = 3;
with ids of the rows listed as known. Answer with the SQL alone; where JSON is asked for, with {"sql": "..."}."""


class Scene(NamedTuple):
    """A line to be stored, those before it, whom it may be about (the speaker alone by default), and known rows."""

    before: Sequence[Line]
    line: Line
    subjects: Sequence[str] | None = None
    known: Sequence[Known] = ()

    def unknowing(self) -> Scene:
        """The same as if nothing were known."""
        return self._replace(known=())

    def around(self, known: Sequence[Known] = ()) -> list[str]:
        """Where a fact may take words from, beside the line: the line before, which it may answer, and `known`."""
        before = (said for _, said in self.before[-1:])
        return [self.line.speaker, "user", *(self.subjects or ()), *before, *(row.fact for row in known)]

    def heard(self) -> list[str]:
        """All that was said: whoever is spoken of there is no stranger."""
        return [self.line.speaker, self.line.text, *(self.subjects or ()), *(said for _, said in self.before)]

    def told(self) -> list[str]:
        """The facts of the known rows."""
        return [row.fact for row in self.known]

    def related(self, sql: str) -> str:
        """The SQL without relations that nobody told."""
        return related(sql, self.heard(), self.told())

    def faults(self, sql: str) -> int:
        """`faithful.faults` of the SQL, and one more for each stranger.

        Known rows count as heard where the SQL may change them, and where they are about somebody named in the line.
        """
        facts, named = facts_of(sql), names(self.line.text) - {self.line.speaker}
        rows = [row for row in self.known if row.fact not in facts]  # to say one again is not to read the line
        if not _CHANGE.search(sql):
            rows = [row for row in rows if names(row.fact) & named]
        around = self.around(rows)
        return faults(facts, self.line.text, around) + len(strangers(" ".join(facts), [self.line.text, *around]))


class StorageAgent:
    """Writes through `Store.write`, so that guard, journal and undo stand behind each statement."""

    def __init__(self, lm: LM, store: Store, *, max_tokens: int = MAX_TOKENS) -> None:
        self.lm, self.store, self.max_tokens = lm, store, max_tokens

    def run(self, turns: Sequence[Turn], user: User) -> WriteResult:
        """Stores what the person's lines among `turns` hold; what the assistant says is context, never a source.

        Raises ModelError when the model fails; a refused statement is in the result, not raised.
        """
        entries: list[JournalEntry] = []
        refused: str | None = None
        for turn in turns:
            if turn.speaker == ASSISTANT:
                continue
            result = self._store(turn, user)
            entries += result.entries
            refused = refused or result.refused
        return WriteResult(tuple(entries), refused)

    def propose(
        self, before: Sequence[Line], line: Line, known: Sequence[Known] = (), subjects: Sequence[str] | None = None
    ) -> str:
        """The SQL for one line, or `-- nothing`. `subjects`: whom it may write about (the speaker alone by default).

        What an adapter of ours wrote is checked against the line (`faithful`), and drawn anew if it isn't true to it.
        """
        return through(self.lm, self._proposing(Scene(before, line, subjects, known)))[0]

    def propose_all(self, scenes: Sequence[Scene], tell: Callable[[int], None] = lambda done: None) -> list[str]:
        """`propose` for many lines as if nothing were known; side by side where the model can. `tell` is given the
        number of those that are done."""
        done = itertools.count(1)

        def told(scene: Scene) -> Work[str]:
            sql, _ = yield from self._proposing(scene.unknowing())
            tell(next(done))
            return sql

        return side_by_side(self.lm, [told(scene) for scene in scenes])

    def _proposing(self, scene: Scene) -> Work[tuple[str, bool]]:
        """The SQL for the line, and whether what was written is somebody else's; asks the model one thing at a time."""
        line = scene.line
        sql = _written((yield self._request(scene)))
        if self.lm.adapter is None or not (facts_of(sql) or (sql == NOTHING and tells_details(line.text))):
            return sql, False
        sql = yield from self._truest(scene.related(sql), scene)
        told = facts_of(sql)
        others = misplaced(told, line.text, line.speaker)
        if others or flipped(" ".join(told), line.text):
            return NOTHING, others  # the line stays to be found; a memory of what is false would be worse than none
        for clause in untold(told, line.text)[:MORE_CLAUSES]:
            part = scene.unknowing()._replace(line=Line(line.speaker, clause))
            more = scene.related(_written((yield self._request(part))))
            if facts_of(more) and not inventions(facts_of(more), clause, part.around()):
                sql = f"{sql} {more}"
        return in_own_words(sql, line, [*scene.heard(), *scene.told()]), False

    def _truest(self, sql: str, scene: Scene) -> Work[str]:
        """`sql`, or of further readings of the line the first with the fewest faults; for nothing, one without any.

        The first of them knows nothing: known rows may be what leads astray.
        """
        request = self._request(scene)
        again = [self._request(scene.unknowing())] if scene.known else []
        again += [_drawn(request, seed, temperature) for seed, temperature in enumerate(AGAIN, 1)]
        least = scene.faults(sql) if sql != NOTHING else 1
        for one in again:
            if not least:
                break
            other = scene.related(_written((yield one)))
            if facts_of(other) and (count := scene.faults(other)) < least:
                sql, least = other, count
        return sql

    def _request(self, scene: Scene) -> Request:
        return self.request(scene.before, scene.line, scene.known, scene.subjects)

    def request(
        self, before: Sequence[Line], line: Line, known: Sequence[Known] = (), subjects: Sequence[str] | None = None
    ) -> Request:
        """The prompt and the options of `propose`: the adapter's short prompt, or a guide for models without one."""
        messages = storage_messages(before, line, known)
        if self.lm.adapter is None:
            messages = [Message("system", GUIDE), messages[-1]]
        dates = list(dict.fromkeys(words for words, _ in find_dates(line.text, ANY_DAY)))
        grammar = storage_grammar(subjects or [line.speaker], [row.id for row in known], dates)
        return Request(messages, Options(max_tokens=self.max_tokens, grammar=grammar, json_schema=SQL_SCHEMA))

    def _store(self, turn: Turn, user: User) -> WriteResult:
        earlier = [t for t in self.store.turns(turn.session_id, limit=6) if t.id < turn.id][-2:]
        before = [Line(ASSISTANT if t.speaker == ASSISTANT else user.subject, t.text) for t in earlier]
        known = [Known(m.id, m.topic, m.fact) for m in self._related(user, turn)]
        names, subjects = self._people(user, turn), [user.subject]
        text, asides = apart(turn.text, user.subject, names) if self.lm.adapter is not None else (turn.text, [])
        line = Line(user.subject, text)
        before += [Line(user.subject, aside) for aside in asides]  # "her" in the rest may be the one told of there
        sql, others = through(self.lm, self._proposing(Scene(before, line, subjects, known)))
        if self._mistaken(sql, known, line):
            sql = self.propose(before, line, (), subjects)  # as if nothing were known: then it can only insert
        written = [] if sql == NOTHING else [sql]
        for aside in asides or ([text] if sql == NOTHING and self.lm.adapter is not None else []):
            told = about_another(aside, user.subject, names, surely=not others)
            if told is not None:
                rows = self._about(user, told)
                sql = self.propose((), Line(told.name, told.line), rows, [told.name])
                known, subjects = [*known, *rows], [*subjects, told.name]
                written += [] if sql == NOTHING else [sql]
        if not written:
            return WriteResult(())
        author, sql = Author("agent:storage", self.lm.name, self.lm.adapter), " ".join(written)
        return self.store.write(
            user.id, with_changes(sql, self._like(user, sql, known, subjects), turn.text), author=author,
            turn_ids=[turn.id], session_id=turn.session_id, subjects=subjects, said_at=turn.said_at,
        )  # fmt: skip

    def _people(self, user: User, turn: Turn) -> set[str]:
        """Names in what is known of the matter."""
        found = self.store.search(user.id, turn.text, limit=MOST_LIKE, use_turns=False).memories
        return {name for memory in found for name in (memory.subject, *CAPITAL.findall(memory.fact))}

    def _about(self, user: User, told: Told) -> list[Known]:
        """Rows about somebody of whom a line tells by name."""
        found = self.store.search(user.id, f"{told.name} {told.line}", limit=MOST_LIKE, use_turns=False).memories
        about = [m for m in found if told.name == m.subject or told.name in CAPITAL.findall(m.fact)]
        return [Known(m.id, m.topic, m.fact) for m in sorted(about, key=lambda memory: memory.id)[-KNOWN_ROWS:]]

    def _like(self, user: User, sql: str, known: Sequence[Known], subjects: Sequence[str]) -> list[Known]:
        """The known rows and those that are like the facts to be written: "moved to Linz" finds "lives in Graz"."""
        rows = {row.id: row for row in known}
        for fact in facts_of(sql) if self.lm.adapter is not None else ():
            found = self.store.search(user.id, settled(fact), limit=MOST_LIKE, use_turns=False).memories
            rows |= {m.id: Known(m.id, m.topic, m.fact) for m in found if m.subject in subjects}
        return [rows[key] for key in sorted(rows)]

    def _mistaken(self, sql: str, known: Sequence[Known], line: Line) -> bool:
        """Whether the SQL changes or deletes a known row that has nothing to do with what was said."""
        rows = {row.id: row for row in known}
        return any(
            not self._same_matter(fact.replace("''", "'") or line.text, rows[int(number)], line.speaker)
            for fact, number in _CHANGE.findall(sql)
            if int(number) in rows
        )

    def _same_matter(self, text: str, row: Known, speaker: str) -> bool:
        names = {*terms(speaker), *terms("user")}
        old = f"{row.topic}: {row.fact}"
        if (set(terms(text)) & set(terms(old))) - names:
            return True
        if self.store.embedder is None:
            return False
        new_vector, old_vector = self.store.embedder.embed([text, old])
        return float(new_vector @ old_vector) >= CHANGED

    def _related(self, user: User, turn: Turn) -> list[Memory]:
        recall = self.store.search(user.id, turn.text, limit=KNOWN_ROWS, use_turns=False, speaker=user.subject)
        found = [memory for memory in recall.memories if memory.subject == user.subject][:KNOWN_ROWS]
        return sorted(found, key=lambda memory: memory.id)


def _drawn(request: Request, seed: int, temperature: float) -> Request:
    return request._replace(options=replace(request.options, temperature=temperature, top_p=0.95, seed=seed))


def _written(reply: Reply) -> str:
    return whole_rows(reply.text) if reply.finish == "length" else unwrap(reply.text)


def whole_rows(sql: str) -> str:
    """SQL that was cut by the token limit, without its last, broken row; `-- nothing` when no row is whole."""
    outside = _STRING.sub(lambda text: "'" * len(text[0]), sql)  # a string that runs on may hold what ends a row
    cuts = list(_LAST_ROW.finditer(outside))
    done = outside.rfind(";")
    if not cuts or cuts[-1].end() <= done:
        return sql[: done + 1] if done >= 0 else NOTHING
    return sql[: cuts[-1].end()] + ";"


def first_time(sql: str) -> str | None:
    """The SQL without a statement that says again what one before it said; None while nothing is said twice.

    A model that runs in circles is stopped there: the store would take the second one for what it knows already.
    """
    *before, last = NEXT.split(sql)
    return " ".join(before) if last.endswith(";") and last in before else None


def unwrap(text: str) -> str:
    """The SQL of a reply, which endpoints wrap in JSON."""
    text = text.strip()
    if text.startswith("{"):
        try:
            return str(json.loads(text)["sql"]).strip()
        except (ValueError, KeyError, TypeError):
            return NOTHING
    return text or NOTHING
