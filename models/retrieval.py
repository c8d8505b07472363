"""The retrieval agent: writes a SELECT for the question; its rows are fused with what plain search finds."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..memory.dates import wall_clock
from ..memory.errors import Refused
from ..memory.values import Moment, Recall, RecallItem, User
from .grammars import SQL_SCHEMA, retrieval_grammar
from .lm import LM, Message, Options, complete
from .prompts import retrieval_messages
from .storage import unwrap

if TYPE_CHECKING:
    from ..memory.store import Store

MAX_TOKENS = 64
TOPICS = 12
"""Topics shown to the model; more would cost more to read than they help."""
SQL_WEIGHT = 0.6
"""Of the SELECT's rank beside the rank of plain search, in reciprocal rank fusion (Cormack et al. 2009, k = 60)."""
SMALL_WEIGHT = 0.05
"""The same for an adapter of the small base, whose SELECTs find less than search does: more only cost (log.md)."""
FUSION = 60
LIMIT = 12
FRAME = ("SELECT * FROM memory WHERE subject = '", "' ORDER BY about('", "') DESC LIMIT 8;")
"""What a SELECT mostly consists of."""

GUIDE = """You look things up in the table memory(id, subject, topic, fact, happened_on, said_at). Write one SELECT that
finds the rows which answer the question, in the form
SELECT * FROM memory WHERE subject = 'Ana' ORDER BY about('sister name') DESC LIMIT 8;
where about('words') ranks rows by how well they fit the words. Answer with the SELECT alone; where JSON is asked for,
with {"sql": "..."}."""


class RetrievalAgent:
    """Recall for the answer agent. A poor SELECT can't lose what search finds: both are fused."""

    def __init__(self, lm: LM | None, store: Store, *, words: int = 200) -> None:
        self.lm, self.store, self.words = lm, store, words

    def recall(self, user: User, query: str, *, now: Moment, asker: str) -> Recall:
        """What bears on the query. Without a model, or with a refused SELECT, plain search alone. Raises ModelError."""
        begin = time.perf_counter()
        found = self.store.search(user.id, query, limit=LIMIT, now=now, speaker=asker, word_budget=self.words)
        seconds = {**found.seconds, "search": time.perf_counter() - begin}
        if self.lm is None or not self.store.subjects(user.id):
            return replace(found, seconds=seconds)
        begin = time.perf_counter()
        sql = self.propose(user, query, now=now, asker=asker)
        seconds["model"] = time.perf_counter() - begin
        begin = time.perf_counter()
        fused = self.joined(found, user, sql, asker)
        seconds["select"] = time.perf_counter() - begin
        return replace(fused, seconds=seconds)

    def joined(self, found: Recall, user: User, sql: str, asker: str) -> Recall:
        """What search found, fused with the rows of a SELECT; a refused SELECT leaves it as it is and says why."""
        try:
            ids = self.run(user, sql, asker)
        except Refused as refusal:
            return replace(found, sql=sql, refused=refusal.reason)
        return replace(found, items=self._fuse(found.items, ids), sql=sql)

    def propose(self, user: User, query: str, *, now: Moment, asker: str) -> str:
        """The SELECT for a question."""
        assert self.lm is not None
        subjects, topics = self.store.subjects(user.id), self.store.topics(user.id)
        messages, options = self.request(
            asker, query, subjects, near(query, topics), wall_clock(now, self.store.zone)[:10]
        )
        return unwrap(complete(self.lm, messages, options))

    def request(
        self, asker: str, query: str, subjects: Sequence[str], topics: Sequence[str], today: str
    ) -> tuple[list[Message], Options]:
        """Prompt and options of `propose`."""
        messages = retrieval_messages(asker, query, subjects, topics, today)
        if self.lm is not None and self.lm.adapter is None:
            messages = [Message("system", GUIDE), messages[-1]]
        return messages, Options(
            max_tokens=MAX_TOKENS, grammar=retrieval_grammar(subjects), json_schema=SQL_SCHEMA, likely=FRAME
        )

    def run(self, user: User, sql: str, asker: str) -> list[int]:
        """The ids that a SELECT brings, in its order. Raises Refused."""
        rows = self.store.read(user.id, sql, about=self.store.relevance(user.id, asker), limit=20)
        if "id" not in rows.columns:
            return []
        place = rows.columns.index("id")
        return [int(row[place]) for row in rows.rows]

    def _fuse(self, items: Sequence[RecallItem], ids: Sequence[int]) -> tuple[RecallItem, ...]:
        rank = {memory_id: place for place, memory_id in enumerate(ids)}
        weight = SQL_WEIGHT if self.lm is None or self.lm.adapter is None else SMALL_WEIGHT
        scored = []
        for place, item in enumerate(items):
            score = 1 / (FUSION + place)
            if item.memory and item.memory.id in rank:
                score += weight / (FUSION + rank.pop(item.memory.id))
                item = replace(item, why=(*item.why, "sql"))
            scored.append((score, item))
        memories, evidence = self.store.memories_by_id(list(rank)), self.store.evidence(list(rank))
        for memory_id, place in rank.items():
            if memory_id in memories:
                item = RecallItem(0.0, memories[memory_id], evidence.get(memory_id, ()), ("sql",))
                scored.append((weight / (FUSION + place), item))
        scored.sort(key=lambda pair: -pair[0])
        return tuple(replace(item, score=score) for score, item in scored)


def near(query: str, topics: Sequence[str]) -> list[str]:
    """The topics to show: those that share a word with the question first, then the first of the rest."""
    words = set(re.findall(r"[a-z]+", query.lower()))
    return sorted(topics, key=lambda topic: not words & set(topic.lower().split()))[:TOPICS]
