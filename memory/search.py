"""Search: facts with the lines that they came from, and lines, by words and by meaning, best first."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

from . import packing, ranker
from .candidates import Fact, Line, Search, evidence_of, facts, lift, lines, turns_by_id
from .lexical import Frequencies
from .linesigns import tells_time
from .question import Question
from .stale import stale
from .values import ASSISTANT, Moment, Recall, RecallItem, Turn
from .vectors import Embedder, VectorCache
from .words import sentences

if TYPE_CHECKING:
    from .database import Database

FACTS = 30
LINES = 60
"""Best facts and lines that compete for a place."""
FACT_SHARE, FACT_BONUS = 1.6, 3.0
"""Brings facts to the scale of lines (theirs holds their neighbours' shares) and prefers them: they're dense."""
ECHO = 0.25
"""Share left of the chance of what the assistant said and the asker asked: mostly an echo, old or wrong, of a fact."""
UNDATED = 0.1
"""Share left of the chance of a fact that doesn't say when, where a question asks it: its line, with a date, does."""


class Searcher:
    """What search keeps between queries of one open store. Thread-safe."""

    def __init__(self) -> None:
        self.frequencies = Frequencies()
        self.cache = VectorCache()
        self._helper = ThreadPoolExecutor(1, "chatmem-embed")  # starts at the first question

    def search(
        self, database: Database, embedder: Embedder | None, user_id: int, query: str, *,
        now: Moment, limit: int = 10, speaker: str | None = None, use_turns: bool = True,
        word_budget: int | None = None,
    ) -> Recall:  # fmt: skip
        """What the memory holds on a query. With a word budget, as much as fits in its words instead of `limit` items:
        lines are then cut to the sentences that tell most, and each costs one word more for who said it.
        """
        begin = time.perf_counter()
        if not query.strip():
            return Recall(query)
        question = Question(query, speaker, now)
        # Embedding is done by llama.cpp without Python's lock, so words are looked up in the meantime. Facts come
        # first; while they are ranked, lines' vectors are made. A second thread would slow the first on two cores.
        # Facts read like answers to nobody: the encoder of questions, trained on lines of talk, is not for them.
        plain = self._helper.submit(embedder.embed, question.parts) if embedder else None
        vectors = self._helper.submit(embedder.embed_questions, question.parts) if embedder and use_turns else None
        time.sleep(0)  # hands over Python's lock: else the helper starts when this thread first waits, 1.5 ms later
        with database.read() as connection:
            model = embedder.name if embedder else ""
            search = Search(
                connection, user_id, question, self.frequencies, self.cache, model, vectors, ranker.load(), plain
            )
            items, sessions = _found(search, limit, use_turns, word_budget)
        return Recall(query, tuple(items), seconds={"search": time.perf_counter() - begin}, sessions=sessions)

    def close(self) -> None:
        """Ends the helping thread."""
        self._helper.shutdown(wait=False)


def _found(
    search: Search, limit: int, use_turns: bool, budget: int | None
) -> tuple[Sequence[RecallItem], tuple[tuple[int, float], ...]]:
    if use_turns:
        search.matches("turn")  # while the question is being embedded
    best = facts(search, max(FACTS, limit))
    evidence = evidence_of(search, [fact.memory.id for fact in best])
    sources = {i for ids in evidence.values() for i in ids}
    told = lift(lines(search, max(LINES, limit), sources), best, evidence) if use_turns else []
    if budget is not None:
        old = stale(search.driver, [fact.memory for fact in best], evidence, [line.turn for line in told])
        lines_now = [line for line in told if line.turn.id not in old]
        return _packed(search, best, lines_now[:LINES], evidence, budget), _sessions(told)
    by_id = {line.turn.id: line.turn for line in told}
    by_id |= {turn.id: turn for turn in turns_by_id(search, sources - by_id.keys())}
    return _listed(best, told, by_id, evidence, limit), _sessions(told)


def _sessions(told: Sequence[Line]) -> tuple[tuple[int, float], ...]:
    """The chance of a session is the sum of its lines' chances: many fair lines may outdo one good line elsewhere."""
    shares: dict[int, float] = {}
    for line in told:
        shares[line.turn.session_id] = shares.get(line.turn.session_id, 0.0) + line.chance
    return tuple(sorted(shares.items(), key=lambda pair: -pair[1]))


def _fact_score(fact: Fact) -> float:
    return FACT_SHARE * fact.score + FACT_BONUS


def _listed(
    best: Sequence[Fact], told: Sequence[Line], by_id: dict[int, Turn], evidence: dict[int, list[int]], limit: int
) -> list[RecallItem]:
    """Whole facts, each as high as the best fitting of its lines and with that one, and lines that no fact brings.

    The other lines of a fact stand where they fit: brought along, they would take the places of better ones.
    """
    heights = {line.turn.id: line.score for line in told}
    ranked: list[tuple[float, Fact | Line]] = [
        (max([_fact_score(fact), *(heights.get(i, -99.0) for i in evidence.get(fact.memory.id, ()))]), fact)
        for fact in best
    ]
    ranked += [(line.score, line) for line in told]
    ranked.sort(key=lambda pair: -pair[0])
    items: list[RecallItem] = []
    shown: set[int] = set()
    for score, one in ranked:
        if len(items) >= limit:
            break
        if isinstance(one, Fact):
            own = [i for i in evidence.get(one.memory.id, ()) if i in by_id]
            turns = tuple(by_id[i] for i in sorted(own, key=lambda i: (-heights.get(i, -99.0), -i))[:1])
            items.append(RecallItem(score, one.memory, turns, one.why))
            shown |= {turn.id for turn in turns}
        elif one.turn.id not in shown:
            items.append(RecallItem(score, None, (one.turn,), one.why))
    return items


def _packed(
    search: Search, best: Sequence[Fact], told: Sequence[Line], evidence: dict[int, list[int]], budget: int
) -> list[RecallItem]:
    """The most telling sentences of lines, and facts, within the budget; a fact's lines stand under it."""
    pieces = _pieces(search, best, told)
    chosen = sorted(packing.pack(pieces, budget), key=lambda one: (one.owner, one.order))
    texts: dict[int, list[str]] = {}
    for one in chosen:
        texts.setdefault(one.owner, []).append(one.text)
    kept = [fact for place, fact in enumerate(best) if place in texts]
    cut = {
        line.turn.id: (line, replace(line.turn, text=" ".join(texts[place])))
        for place, line in enumerate(told, len(best))
        if place in texts
    }
    return _assembled(kept, cut, evidence)


def _assembled(
    kept: Sequence[Fact], cut: dict[int, tuple[Line, Turn]], evidence: dict[int, list[int]]
) -> list[RecallItem]:
    items = []
    for fact in kept:
        turns = tuple(cut.pop(i)[1] for i in sorted(evidence.get(fact.memory.id, ())) if i in cut)
        items.append(RecallItem(_fact_score(fact), fact.memory, turns, fact.why))
    items += [RecallItem(line.score, None, (turn,), line.why) for line, turn in cut.values()]
    return sorted(items, key=lambda item: -item.score)


def _pieces(search: Search, best: Sequence[Fact], told: Sequence[Line]) -> list[packing.Piece]:
    """Facts whole, lines cut into sentences, each with its chance to hold the answer."""
    whole = [
        packing.piece(
            place, 0, fact.memory.fact,
            packing.fact_chance(fact.memory.fact, _fact_score(fact), fact.asked) * _timeless(search.question, fact),
        )
        for place, fact in enumerate(best)
    ]  # fmt: skip
    return whole + [
        packing.piece(
            place, order, text,
            packing.sentence_chance(text, line.asked, line.chance) * _echo(search.question, line, text),
        )
        for place, line in enumerate(told, len(best))
        for order, text in enumerate(sentences(line.turn.text))
    ]  # fmt: skip


def _timeless(question: Question, fact: Fact) -> float:
    """A factor below 1 for a fact that doesn't say when, where that is asked."""
    told = not question.asks_when or fact.memory.happened_on or tells_time(fact.memory.fact)
    return 1.0 if told else UNDATED


def _echo(question: Question, line: Line, sentence: str) -> float:
    """A factor below 1 for what rather echoes the question than answers it; of the asker's own things none is kept."""
    if question.asks_back:
        return 1.0
    asked = line.turn.speaker == question.asker and sentence.endswith("?")
    if asked or line.turn.speaker == ASSISTANT:
        return 0.0 if question.about_asker else ECHO
    return 1.0
