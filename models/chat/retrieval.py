"""The retrieval agent: writes a SELECT for the question; its rows are fused with what plain search finds."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...memory.errors import Refused
from ...memory.guard.view import LINES
from ...memory.language.asked.selecting import asks_only_when, wants_rows, wants_select
from ...memory.language.dates import wall_clock
from ...memory.language.question import Question
from ...memory.values import ASSISTANT, Moment, Recall, RecallItem, Turn, User
from ..files.profiles.profile import profile_of
from ..lm import LM, Message, Options, complete
from ..prompts.draft import unwrap
from ..prompts.looked import Look, asks_of_you, look, wants_few
from ..prompts.tuned import Prompt
from ..storage.later.arrived import come_true
from .telling import asks_when
from .whole import whole

if TYPE_CHECKING:
    from ...memory.store.store import Store

SQL_WEIGHT = 1.0
"""Of the SELECT's rank beside the rank of plain search, in reciprocal rank fusion (Cormack et al. 2009, k = 60)."""
FUSION = 60
LIMIT = 12
KEPT = 9
"""The first things that search found stand before what only the SELECT brought: a SELECT that names a topic too many
costs nothing then, and 200 words hold more than nine of the short rows that look alike (docs/log/retrieval.md)."""

GUIDE = """You look things up in two tables: memory(id, subject, topic, fact, happened_on, said_at), the facts that are
true now, and lines(id, speaker, text, said_at, session), every line that was said. Write one SELECT that finds the rows
which answer the question, in one of the forms
SELECT * FROM memory WHERE subject = 'Ana' ORDER BY about('sister name') DESC LIMIT 8;
SELECT * FROM memory WHERE topic IN ('films') AND coalesce(happened_on, said_at) >= '2023-05' ORDER BY said_at LIMIT 20;
SELECT * FROM lines WHERE speaker = 'Ana' AND said_at >= '2023-05-01' ORDER BY about('pottery class') DESC LIMIT 10;
where about('words') ranks rows by how well they fit the words. Take lines for what was said, by whom and when, memory
for how things are; all rows of a kind where things are counted or listed. Answer with the SELECT alone; where JSON is
asked for, with {"sql": "..."}."""


@dataclass(frozen=True, slots=True)
class Selected:
    """What a SELECT brought, in its order: ids of memories, or of turns when its rows are `lines`."""

    table: str
    ids: tuple[int, ...]


class RetrievalAgent:
    """Recall for the answer agent. A poor SELECT can't lose what search finds: both are fused."""

    def __init__(
        self, lm: LM | None, store: Store, *, words: int | None = 200, limit: int = LIMIT, floor: bool = False,
        language: str | None = None, prompt: Prompt | None = None, wholes: LM | None = None,
    ) -> None:  # fmt: skip
        """`words`: what a recall may hold, lines cut to their best sentences; None: `limit` whole things. `floor`: of a
        question that nothing answers, nothing is recalled. `language`: that of the questions; None: told by each.
        `prompt`: one tuned to a model without an adapter; None: the hand-written guide. `wholes`: makes questions whole
        that lean on the talk (None: `lm`)."""
        self.lm, self.store, self.words, self.limit, self.floor = lm, store, words, limit, floor
        self.language, self.prompt, self.wholes = language, prompt or Prompt(GUIDE), wholes or lm

    def recall(self, user: User, query: str, *, now: Moment, asker: str, before: Sequence[Turn] = ()) -> Recall:
        """What bears on the query, made whole from the talk `before` it. Without a model, or with a refused SELECT,
        plain search alone. Raises ModelError."""
        query = whole(self.wholes, query, before, self.language) if before else query
        found = self.found(user, query, now=now, asker=asker)
        seconds = dict(found.seconds)
        if self.lm is None or not self.helps(query, now) or not self.store.facts.subjects(user.id):
            return come_true(found, now, self.store.zone)
        begin = time.perf_counter()
        sql = self.propose(user, found, now=now, asker=asker)
        seconds["model"] = time.perf_counter() - begin
        begin = time.perf_counter()
        fused = self.joined(found, user, sql, asker, now)
        seconds["select"] = time.perf_counter() - begin
        return come_true(replace(fused, seconds=seconds), now, self.store.zone)

    def found(self, user: User, query: str, *, now: Moment, asker: str) -> Recall:
        """What plain search finds."""
        begin = time.perf_counter()
        found = self.store.search(
            user.id, query, limit=self.limit, now=now, speaker=asker, word_budget=self.words, floor=self.floor
        )
        return replace(found, seconds={**found.seconds, "search": time.perf_counter() - begin})

    def helps(self, query: str, now: Moment) -> bool:
        """Whether a SELECT is written: where rows are counted, listed, ordered or looked for by a period. Elsewhere it
        would cost time and bring what search brings (docs/log/retrieval.md)."""
        return wants_rows(query, wall_clock(now, self.store.zone)) or (
            self.lm is not None and profile_of(self.lm).capable and wants_select(query)
        )

    def joined(self, found: Recall, user: User, sql: str, asker: str, now: Moment | None = None) -> Recall:
        """What search found, fused with the rows of a SELECT; a refused SELECT leaves it as it is and says why."""
        try:
            selected = self.run(user, sql, asker, now)
        except Refused as refusal:
            return replace(found, sql=sql, refused=refusal.reason)
        return replace(self.fused(user, found, selected, now), sql=sql)

    def propose(self, user: User, found: Recall, *, now: Moment, asker: str) -> str:
        """The SELECT for the question of a recall, which search alone made."""
        assert self.lm is not None
        messages, options = self.request(user, found, now=now, asker=asker)
        return unwrap(complete(self.lm, messages, options))

    def request(self, user: User, found: Recall, *, now: Moment, asker: str) -> tuple[list[Message], Options]:
        """Prompt and options of `propose`."""
        seen = self.look(user, found, now)
        messages = seen.messages(asker, found.query, wall_clock(now, self.store.zone)[:10])
        if self.lm is not None and self.lm.adapter is None:
            messages = self.prompt.before(messages)
        return messages, seen.options()

    def look(self, user: User, found: Recall, now: Moment) -> Look:
        """What the model sees beside the question."""
        subjects, topics = self.store.facts.subjects(user.id), self.store.facts.topics(user.id)
        return look(found.query, found, subjects, topics, wall_clock(now, self.store.zone))

    def run(self, user: User, sql: str, asker: str, now: Moment | None = None) -> Selected:
        """What a SELECT brings. Lines that `about` finds unrelated are left out. Raises Refused."""
        asked: list[Mapping[int, float]] = []
        lines = self.store.search.line_relevance(user.id, asker, now)

        def about_lines(words: str) -> Mapping[int, float]:
            asked.append(lines(words))
            return asked[-1]

        about = self.store.search.relevance(user.id, asker)
        rows = self.store.facts.read(user.id, sql, about=about, about_lines=about_lines, limit=20)
        if "id" not in rows.columns or not rows.table:
            return Selected(rows.table, ())
        place = rows.columns.index("id")
        ids = tuple(row[place] for row in rows.rows if isinstance(row[place], int))
        if rows.table == LINES and asked:
            ids = tuple(one for one in ids if any(one in scores for scores in asked))
        return Selected(rows.table, ids)

    def fused(self, user: User, found: Recall, selected: Selected, now: Moment | None = None) -> Recall:
        """What search found and what a SELECT brought, by the sum of both ranks; the first of search first."""
        selected = self._nearest_first(user, found.query, selected, now)
        rank = {one: place for place, one in enumerate(selected.ids)}
        dated, scored = asks_when(found.query), []
        for place, item in enumerate(found.items):
            score, held = 1 / (FUSION + place), [one for one in _ids(item, selected.table) if one in rank]
            if held:
                score += SQL_WEIGHT / (FUSION + min(rank.pop(one) for one in held))
                item = replace(item, why=(*item.why, "sql"), turns=item.turns if dated or not item.memory else ())
            scored.append((place < KEPT, score, item))
        brought = self._brought(user, found.query, replace(selected, ids=tuple(rank)))
        scored += [(False, SQL_WEIGHT / (FUSION + rank[one]), item) for one, item in brought.items()]
        scored.sort(key=lambda one: (not one[0], -one[1]))
        items = tuple(replace(item, score=score) for _, score, item in scored)
        return replace(found, items=items, untold=found.untold and not items, general=found.general and not items)

    def _nearest_first(self, user: User, query: str, selected: Selected, now: Moment | None) -> Selected:
        """Rows of which all are wanted, nearest to the question first: the words may not hold them all. The order stays
        where it tells something: of the first, the last, or a few, and where a period is all that is asked for."""
        moment = wall_clock(now or self.store.now(), self.store.zone)
        if not selected.ids or wants_few(query, moment) or asks_only_when(query, moment):
            return selected
        lines = selected.table == LINES
        relevance = (
            self.store.search.line_relevance(user.id, user.subject, now)
            if lines
            else self.store.search.relevance(user.id, user.subject)
        )
        near = relevance(query)
        return replace(selected, ids=tuple(sorted(selected.ids, key=lambda one: -near.get(one, 0.0))))

    def _brought(self, user: User, query: str, selected: Selected) -> dict[int, RecallItem]:
        """What a recall shows of the rows, by id. A SELECT can call any number "id": only the user's own count."""
        ids = selected.ids
        if selected.table == LINES:
            asked = Question(query, None, "")
            turns = [one for one in self.store.turns.by_id(user.id, ids) if not _echoes(asked, one)]
            return {one.id: RecallItem(0.0, None, (one,), ("sql",)) for one in turns}
        evidence = self.store.facts.evidence(ids) if asks_when(query) else {}
        return {
            one.id: RecallItem(0.0, one, evidence.get(one.id, ()), ("sql",))
            for one in self.store.facts.by_id(ids).values()
            if one.user_id == user.id and one.valid_to is None
        }


def _ids(item: RecallItem, table: str) -> list[int]:
    """What of an item a SELECT on the table could have brought."""
    return [turn.id for turn in item.turns] if table == LINES else [item.memory.id] if item.memory else []


def _echoes(question: Question, turn: Turn) -> bool:
    """Whether a line answers nothing: the question itself, and, unless it asks what the one asked has said, what the
    assistant said, as search has it: mostly an echo, old or wrong, of a fact."""
    asks_back = question.asks_back or asks_of_you(question.text)
    return question.is_said_in(turn.text) or (turn.speaker == ASSISTANT and not asks_back)
