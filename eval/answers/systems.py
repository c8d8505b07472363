"""The systems that are compared: what each gives the answer model for one question about a conversation.

All get the same prompt and the same answer model; they differ in the lines under "Memory:" alone.

none     nothing
full     the whole conversation, dated; what doesn't fit the context window goes, oldest first
summary  one summary a session: official ones, by a model, or each session's last lines
bm25, vectors, rrf   turns ranked by plain BM25, by the embedder, by their rank fusion
search   chatmem's own search over the turns, no facts
sessions the sessions that the learned lines choose, whole ones, best first, up to 8,192 tokens
ranked-sessions   the same, as a ranking model orders them (`--ranker`)
sql      the facts that the storage agent wrote, as the retrieval agent's SELECT finds them
hops     search, and further searches by what it found; with `--hopper` the steps that a model takes
chatmem  all of it fused, as in the chat: search over turns and facts, and the SELECT
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ...memory.values import Memory, Recall, RecallItem, Turn
from ..measures import ranking
from .baselines import make_rankers

if TYPE_CHECKING:
    from ...memory.store.store import Store
    from ...models.chat.answer import Talkers
    from ...models.chat.retrieval import RetrievalAgent
    from ...models.lm import LM
    from ..datasets.cases import Case, Conversation

PLAIN = ("bm25", "vectors", "rrf")
BY_SESSION = ("sessions", "ranked-sessions")
SYSTEMS = ("none", "full", "summary", *PLAIN, *BY_SESSION, "search", "hops", "sql", "chatmem")
RANKED = (*PLAIN, *BY_SESSION, "search", "hops", "sql", "chatmem")
"""The systems that rank turns, so that retrieval alone can be measured."""
WITH_FACTS = ("sql", "chatmem")
DEPTH = 50
"""Turns that each system ranks."""
LIMIT = 40
"""Items of a recall before it is packed into words."""
SUMMARY_WORDS = 80
SUMMARY_TOKENS = 120
SUMMARY_PROMPT = (
    "Summarise this session of a conversation in at most 80 words. Keep names, numbers, dates and places, and say who "
    "said what about themselves."
)


@dataclass(frozen=True, slots=True)
class SystemContext:
    """What a system gives for one question. `ranked`: turn ids, best first (None: it doesn't rank); `rows`: recalled
    memories; `in_time`: the lines are in order of time, so what doesn't fit goes from the front; `sessions`: where it
    ranks them by themselves, each as the part of its turns' ids before the colon; `weights`: of lines in order of time,
    how good what each belongs to is, 0 the best, so that the others go first."""

    lines: tuple[str, ...] = ()
    ranked: tuple[str, ...] | None = None
    rows: tuple[Mapping[str, Any], ...] = ()
    sql: str | None = None
    refused: str | None = None
    in_time: bool = False
    seconds: float = 0.0
    sessions: tuple[str, ...] = ()
    weights: tuple[int, ...] = ()
    recall: Recall | None = None
    """What the lines were made of, for models that are shown it in another form."""


class StoredConversation:
    """A conversation in a store, and what each system finds in it. Systems without facts need a store without them,
    since a fact is a key to its lines. `retrieval`: the model that writes SELECTs."""

    def __init__(
        self, store: Store, talk: Conversation, *,
        words: int = 200, retrieval: LM | None = None, summariser: Callable[[str], str] | None = None,
        fresh: Callable[[], None] = lambda: None,
        by_session: Callable[[str, Case], SystemContext] | None = None,
        hopper: Callable[[], LM | None] = lambda: None,
    ) -> None:  # fmt: skip
        self.hopper = hopper
        self.store, self.talk, self.words, self.summariser, self.fresh = store, talk, words, summariser, fresh
        self.user = replace(store.users.get(talk.id), called=talk.asker)
        kept = sorted(
            (turn for one in store.sessions.all(self.user.id) for turn in store.turns.of(one.id)),
            key=lambda turn: turn.id,
        )
        self.turns = dict(zip((one.id for one in talk.said), kept, strict=True))
        self.names = {turn.id: name for name, turn in self.turns.items()}
        self.retrieval = retrieval
        self._rankers: dict[str, Any] = {}
        self._summaries: list[str] | None = None
        self._selects: dict[str, str] = {}
        self._makers: dict[str, Callable[[Case], SystemContext]] = {
            "none": lambda case: SystemContext(), "full": self._full, "summary": self._summary,
            "search": self._recalled, "hops": self._hops, "sql": self._sql, "chatmem": self._recalled,
            **{name: partial(self._plain, name) for name in PLAIN},
            **({name: partial(by_session, name) for name in BY_SESSION} if by_session else {}),
        }  # fmt: skip

    def give(self, system: str, case: Case) -> SystemContext:
        """What this system puts under "Memory:" for the question. Raises ModelError."""
        if system in PLAIN:
            self._ranker(system)  # making it embeds the whole conversation: not the question's time
        begin = time.perf_counter()
        given = self._makers[system](case)
        return replace(given, seconds=round(time.perf_counter() - begin, 5))

    def scene(self) -> Talkers:
        from ...models.chat.answer import Talkers

        return Talkers(self.talk.me, self.user.subject)

    def _full(self, case: Case) -> SystemContext:
        from ...models.chat.answer import spoken_date

        scene, lines = self.scene(), []
        day = ""
        for turn in self.turns.values():
            if turn.said_at[:10] != day:
                day = turn.said_at[:10]
                lines.append(f"{spoken_date(day)}:")
            lines.append(scene.turn_line(turn, dated=False))
        return SystemContext(tuple(lines), in_time=True)

    def _summary(self, case: Case) -> SystemContext:
        return SystemContext(tuple(self.summaries()), in_time=True)

    def _plain(self, system: str, case: Case) -> SystemContext:
        ranked = self._ranker(system)(case.question)[:DEPTH]
        recall = Recall(case.question, tuple(RecallItem(0.0, None, (self.turns[name],)) for name in ranked))
        return SystemContext(self._packed(recall), tuple(ranked), recall=recall)

    def _sql(self, case: Case) -> SystemContext:
        sql, agent = self._select(case), self._agent()
        if sql is None:
            return SystemContext(ranked=())
        found = agent.joined(Recall(case.question), self.user, sql, self.user.subject)
        rows = tuple(replace(item, turns=()) if item.memory else item for item in found.items)
        alone = Recall(case.question, rows)
        told = self._with_lines(found)
        return SystemContext(
            self._packed(alone), self._ranked(told.items), _rows(told, self.names), sql, found.refused, recall=alone
        )

    def _recalled(self, case: Case) -> SystemContext:
        """As in the chat: a SELECT is written for the questions that want one."""
        agent = self._agent()
        sql = self._select(case) if agent.helps(case.question, self.talk.now) else None
        deep = self._found(case, limit=DEPTH)
        packed = self._found(case, limit=LIMIT, words=self.words)
        if sql is not None:
            deep = agent.joined(deep, self.user, sql, self.user.subject)
            packed = agent.joined(packed, self.user, sql, self.user.subject)
        rows, sessions = _rows(self._with_lines(packed), self.names), self._sessions(deep)
        ranked = self._ranked(self._with_lines(deep).items)
        return SystemContext(
            self._packed(packed), ranked, rows, sql, packed.refused, sessions=sessions, recall=packed
        )  # fmt: skip

    def _hops(self, case: Case) -> SystemContext:
        """Ranked by the steps over whole things; what is shown, by the same steps from the packed recall."""
        from ...models.chat.hops.loop import Hopper, Looked
        from ...models.chat.hops.second import fused

        def looked(first: Recall) -> Recall:
            hopper = Hopper(self.hopper(), self.store, writes=False, depth=DEPTH)
            steps = hopper.run(self.user, case.question, now=self.talk.now, first=first)
            return next(one.recall for one in steps if isinstance(one, Looked))

        deep = looked(self._found(case, limit=DEPTH))
        packed = self._found(case, limit=LIMIT, words=self.words)
        shown = replace(packed, items=fused(packed.items, [deep.items]), hops=deep.hops)
        return SystemContext(self._packed(shown), self._ranked(deep.items), _rows(shown, self.names), recall=shown)

    def summaries(self) -> list[str]:
        """One dated line a session: the data set's own, the summariser's, or the session's last lines."""
        from ...models.chat.answer import spoken_date
        from ...models.prompts.messages import one_line

        if self._summaries is None:
            self._summaries = []
            for place, session in enumerate(self.talk.sessions):
                official = self.talk.summaries[place] if place < len(self.talk.summaries) else ""
                lines = [
                    f"{self.scene().label(s.speaker)}: {one_line(s.text)}" for s in session.turns if s.text.strip()
                ]
                text = official or (self.summariser("\n".join(lines)) if self.summariser else last_words(lines))
                day = f"({spoken_date(session.at[:10])}) " if session.at else ""
                self._summaries.append(f"{day}{one_line(text)}")
        return self._summaries

    def _ranker(self, system: str) -> Callable[[str], list[str]]:
        if system not in self._rankers:
            assert self.store.embedder is not None
            texts = {one.id: f"{one.speaker}: {one.text}" for one in self.talk.said}
            self._rankers |= make_rankers([system], texts, self.store.embedder)
        ranker: Callable[[str], list[str]] = self._rankers[system]
        return ranker

    def _found(self, case: Case, limit: int, words: int | None = None) -> Recall:
        return self.store.search(
            self.user.id, case.question, limit=limit, now=self.talk.now, speaker=self.talk.asker, word_budget=words
        )

    def _agent(self) -> RetrievalAgent:
        from ...models.chat.retrieval import RetrievalAgent

        return RetrievalAgent(self.retrieval, self.store, words=self.words)

    def _select(self, case: Case) -> str | None:
        """The retrieval model's SELECT, asked once a question; None without a model or without facts."""
        if self.retrieval is None or not self.store.facts.subjects(self.user.id):
            return None
        if case.key not in self._selects:
            self.fresh()
            agent: RetrievalAgent = self._agent()
            asked = {"now": self.talk.now, "asker": self.user.subject}
            found = agent.found(self.user, case.question, **asked)
            self._selects[case.key] = agent.propose(self.user, found, **asked)
        return self._selects[case.key]

    def _packed(self, recall: Recall) -> tuple[str, ...]:
        from ...models.chat.answer import memory_lines

        return tuple(memory_lines(recall, self.scene(), self.words))

    def _with_lines(self, recall: Recall) -> Recall:
        """With the lines of each fact, also of those that a SELECT brought, which a prompt shows without them."""
        bare = [item.memory.id for item in recall.items if item.memory and not item.turns]
        lines = self.store.facts.evidence(bare)
        items = (
            replace(item, turns=lines.get(item.memory.id, ())) if item.memory and not item.turns else item
            for item in recall.items
        )
        return replace(recall, items=tuple(items))

    def _ranked(self, items: Iterable[RecallItem]) -> tuple[str, ...]:
        return tuple(ranking.unique(self.names[turn.id] for item in items for turn in item.turns)[:DEPTH])

    def _sessions(self, recall: Recall) -> tuple[str, ...]:
        known = {turn.session_id: name.split(":")[0] for name, turn in self.turns.items()}
        return tuple(known[session] for session, _ in recall.sessions if session in known)


def _rows(recall: Recall, names: Mapping[int, str]) -> tuple[Mapping[str, Any], ...]:
    """The recalled memories with the data set's ids of the turns that they came from."""
    return tuple(_row(item.memory, item.turns, names) for item in recall.items if item.memory)


def _row(memory: Memory, turns: Sequence[Turn], names: Mapping[int, str]) -> Mapping[str, Any]:
    return {
        "id": memory.id, "subject": memory.subject, "topic": memory.topic, "fact": memory.fact,
        "happened_on": memory.happened_on, "evidence": [names[turn.id] for turn in turns],
    }  # fmt: skip


def last_words(lines: Sequence[str], words: int = SUMMARY_WORDS) -> str:
    """The last whole lines that fit into so many words; at least the last one."""
    kept: list[str] = []
    used = 0
    for line in reversed(lines):
        used += len(line.split())
        if kept and used > words:
            break
        kept.insert(0, line)
    return " / ".join(kept)


def fitted(given: SystemContext, fits: Callable[[Sequence[str]], bool]) -> tuple[list[str], int]:
    """As many of the lines as fit, and how many were left out: the newest of a conversation, the best of a recall, of
    sessions the best ones and, where not even that fits whole, its beginning."""
    lines = list(given.lines)
    if given.weights:
        lines, given = _best_sessions(given, fits), replace(given, weights=(), in_time=False)
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        if fits(lines[-middle:] if given.in_time else lines[:middle]):
            low = middle
        else:
            high = middle - 1
    kept = (lines[-low:] if low else []) if given.in_time else lines[:low]
    return kept, len(given.lines) - low


def _best_sessions(given: SystemContext, fits: Callable[[Sequence[str]], bool]) -> list[str]:
    """The lines of as many sessions as fit, at least of the best, in order of time."""
    kept: list[str] = []
    for most in range(max(given.weights) + 1):
        more = [line for line, weight in zip(given.lines, given.weights, strict=True) if weight <= most]
        if kept and not fits(more):
            break
        kept = more
    return kept
