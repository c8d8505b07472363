"""Search: facts with the lines that they came from, and lines, by words and by meaning, best first."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from ..language.question import Question
from ..language.quoted.whose import others_words, own_words
from ..language.words import sentences
from ..values import ASSISTANT, FORGOTTEN, LeftOut, Moment, Recall, RecallItem, Turn
from . import packing, ranker
from .candidates import Fact, Search, evidence_of, facts
from .earlier import ended, overtaken, stale, with_earlier
from .evidence import of_oneself
from .floor import Judged, judged
from .fulltext import Frequencies
from .line_features import tells_time
from .lines import FoundLine, is_assistant, lift, lines, turns_by_id
from .passages import passages
from .shelves.packing import Packing
from .vectors import Embedder, VectorCache, foreign

if TYPE_CHECKING:
    from ..database.engine import Database

FACTS = 30
LINES = 60
"""Best facts and lines that compete for a place."""
FACT_SHARE, FACT_BONUS = 1.6, 3.0
"""Brings facts to the scale of lines (theirs holds their neighbours' shares) and prefers them: they're dense."""
PER_LINE = 25
"""Words of a budget for each line that competes, where that makes more of them: lines of talk are short."""
ORDERED = 500
"""Words of a budget from which lines stand by session and in the order in which they were said: so many are read as
talk, while of few the best come first."""
FILLED, ASIDE = 2_000, 0.02
"""Words of a budget from which the assistant's lines may fill what people's leave, and the share of their chance that
is left to them, so that they come after these: who asks seldom says that it was the assistant who told it."""
PASSAGES, LESSER = 3, 0.5
"""Of a long line, its best passages that are packed, and how much less each is worth than the one before."""
LEFT_OUT = 12
"""Best lines of which it is told which were left out, and why."""
UNDATED = 0.1
"""Share left of the chance of a fact that doesn't say when, where a question asks it: its line, with a date, does."""


class Searcher:
    """What search keeps between queries of one open store. Thread-safe."""

    def __init__(self) -> None:
        self.frequencies = Frequencies()
        self.cache = VectorCache()
        self.packing = Packing(self.cache.directions)
        self._helper = ThreadPoolExecutor(1, "chatmem-embed")  # starts at the first question

    def search(
        self, database: Database, embedder: Embedder | None, user_id: int, query: str, *,
        now: Moment, limit: int = 10, speaker: str | None = None, use_turns: bool = True,
        word_budget: int | None = None, floor: bool = False,
    ) -> Recall:  # fmt: skip
        """What the memory holds on a query. With a word budget, as much as fits in its words instead of `limit` items:
        lines are then cut to the sentences that tell most, and each costs one word more for who said it. `floor`: of a
        question that nothing answers, nothing is shown (`evidence.py`). Raises ModelError when the embedder fails.
        """
        begin = time.perf_counter()
        if not query.strip():
            return Recall(query)
        question = Question(query, speaker, now)
        # Embedding is done by llama.cpp without Python's lock, so words are looked up in the meantime. Facts come
        # first; while they are ranked, lines' vectors are made. A second thread would slow the first on two cores.
        # Facts read like answers to nobody: the encoder of questions, trained on lines of talk, is not for them.
        # Another encoder than the embedded has one way with questions.
        other = embedder is not None and foreign(embedder)
        plain = self._helper.submit(embedder.embed, question.parts) if embedder and not other else None
        asked = embedder and (use_turns or other)
        vectors = self._helper.submit(embedder.embed_questions, question.parts) if embedder and asked else None
        time.sleep(0)  # hands over Python's lock: else the helper starts when this thread first waits, 1.5 ms later
        with database.read() as connection:
            model = embedder.name if embedder else ""
            search = Search(
                connection, user_id, question, self.frequencies, self.cache, model, vectors, ranker.load(), plain
            )
            found = _found(search, limit, use_turns, word_budget, floor)
        self.packing.begin(database, self.cache.much_loose())
        return replace(found, query=query, seconds={"search": time.perf_counter() - begin})

    def close(self) -> None:
        """Ends the helping threads."""
        self.packing.end()
        self._helper.shutdown(wait=False)


def _found(search: Search, limit: int, use_turns: bool, budget: int | None, floor: bool) -> Recall:
    if use_turns:
        search.matches("turn")  # while the question is being embedded
    best = facts(search, max(FACTS, limit))
    evidence = evidence_of(search, [fact.memory.id for fact in best])
    sources = {i for ids in evidence.values() for i in ids}
    most = max(LINES, (budget or 0) // PER_LINE)
    told = lift(lines(search, max(most, limit), sources), best, evidence) if use_turns else []
    sessions = _sessions(told)
    if budget is not None:
        judgement = judged(search, best, told, evidence) if floor else Judged()
        if judgement.below:
            left = _all_left(best, told)
            return Recall("", sessions=sessions, left_out=left, untold=judgement.personal, general=judgement.general)
        turns = [line.turn for line in told]
        over, past = ended(search.driver, turns), search.question.asks_past
        changed = [] if past else overtaken(search.driver, [fact.memory for fact in best], evidence, turns)
        old = set() if past else stale(changed, evidence) | over.keys()
        lines_now = [line for line in told if line.turn.id not in old][:most]
        items = _packed(search, best, lines_now, evidence, budget)
        items = with_earlier(search.driver, search.user_id, items, over) if past else items
        left = _left(search.question, lines_now, budget)
        return Recall("", tuple(items), sessions=sessions, left_out=left, overtaken=tuple(changed))
    by_id = {line.turn.id: line.turn for line in told}
    by_id |= {turn.id: turn for turn in turns_by_id(search, sources - by_id.keys()) if turn.text != FORGOTTEN}
    return Recall("", tuple(_listed(best, told, by_id, evidence, limit)), sessions=sessions)


def _left(question: Question, told: Sequence[FoundLine], budget: int) -> tuple[LeftOut, ...]:
    """Of the best lines those of which no sentence is evidence."""
    lines_left = [
        line.turn
        for line in told[:LEFT_OUT]
        if all(_echo(question, line, sentence, budget) == 0.0 for sentence in sentences(line.turn.text))
    ]
    return tuple(LeftOut(_why_left(turn), turn.text, None, turn.id, turn.said_at) for turn in lines_left)


def _why_left(turn: Turn) -> Literal["assistant", "asked", "quoted"]:
    if turn.speaker == ASSISTANT:
        return "assistant"
    return "quoted" if others_words(turn) else "asked"


def _all_left(best: Sequence[Fact], told: Sequence[FoundLine]) -> tuple[LeftOut, ...]:
    """All that was near, where none of it answers."""
    nearest = [
        LeftOut("unrelated", one.memory.fact, one.memory.id, None, one.memory.said_at) for one in best[:LEFT_OUT]
    ]
    return (
        *nearest,
        *(
            LeftOut("assistant" if turn.speaker == ASSISTANT else "unrelated", turn.text, None, turn.id, turn.said_at)
            for turn in (line.turn for line in told[:LEFT_OUT])
        ),
    )


def _sessions(told: Sequence[FoundLine]) -> tuple[tuple[int, float], ...]:
    """The chance of a session is the sum of its lines' chances: many fair lines may outdo one good line elsewhere."""
    shares: dict[int, float] = {}
    for line in told:
        shares[line.turn.session_id] = shares.get(line.turn.session_id, 0.0) + line.chance
    return tuple(sorted(shares.items(), key=lambda pair: -pair[1]))


def _fact_score(fact: Fact) -> float:
    return FACT_SHARE * fact.score + FACT_BONUS


def _listed(
    best: Sequence[Fact], told: Sequence[FoundLine], by_id: dict[int, Turn], evidence: dict[int, list[int]], limit: int
) -> list[RecallItem]:
    """Whole facts, each as high as the best fitting of its lines and with that one, and lines that no fact brings.

    The other lines of a fact stand where they fit: brought along, they would take the places of better ones.
    """
    heights = {line.turn.id: line.score for line in told}
    speaking = {line.turn.id: line.turn.text[slice(*line.passage)] for line in told}
    ranked: list[tuple[float, Fact | FoundLine]] = [
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
            passage = speaking.get(turns[0].id, "") if turns else ""
            items.append(RecallItem(score, one.memory, turns, one.why, passage))
            shown |= {turn.id for turn in turns}
        elif one.turn.id not in shown:
            items.append(RecallItem(score, None, (one.turn,), one.why, speaking[one.turn.id]))
    return items


def _packed(
    search: Search, best: Sequence[Fact], told: Sequence[FoundLine], evidence: dict[int, list[int]], budget: int
) -> list[RecallItem]:
    """The most telling sentences of lines, and facts, within the budget; a fact's lines stand under it."""
    pieces = _pieces(search, best, told, budget)
    chosen = sorted(packing.pack(pieces, budget), key=lambda one: (one.owner, one.order))
    texts: dict[int, list[str]] = {}
    for one in chosen:
        texts.setdefault(one.owner, []).append(one.text)
    kept = [fact for place, fact in enumerate(best) if place in texts]
    cut = {
        line.turn.id: (line, replace(line.turn, text=" ".join(texts[place]), quoted=_theirs(line.turn, texts[place])))
        for place, line in enumerate(told, len(best))
        if place in texts
    }
    return _in_order(search.question, _assembled(kept, cut, evidence), budget)


def _assembled(
    kept: Sequence[Fact], cut: dict[int, tuple[FoundLine, Turn]], evidence: dict[int, list[int]]
) -> list[RecallItem]:
    items = []
    for fact in kept:
        turns = tuple(cut.pop(i)[1] for i in sorted(evidence.get(fact.memory.id, ())) if i in cut)
        items.append(RecallItem(_fact_score(fact), fact.memory, turns, fact.why))
    items += [RecallItem(line.score, None, (turn,), line.why) for line, turn in cut.values()]
    return sorted(items, key=lambda item: -item.score)


def _in_order(question: Question, items: Sequence[RecallItem], budget: int) -> list[RecallItem]:
    """The packed items as they are to be read: best first; of a large budget, facts and then session after session, the
    best first, each in the order of time; where an order is asked for, all lines so."""
    if budget < ORDERED and not question.asks_order:
        return [*items]
    facts = [item for item in items if item.memory]
    said = [item for item in items if not item.memory]
    sessions = list(dict.fromkeys(item.turns[0].session_id for item in said))
    places = {session: 0 if question.asks_order else place for place, session in enumerate(sessions)}
    return facts + sorted(said, key=lambda item: (places[item.turns[0].session_id], item.turns[0].id))


def _pieces(
    search: Search, best: Sequence[Fact], told: Sequence[FoundLine], budget: int
) -> list[packing.Piece]:  # fmt: skip
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
            packing.sentence_chance(text, line.asked, line.chance) * share * _echo(search.question, line, text, budget),
        )
        for place, line in enumerate(told, len(best))
        for order, text, share in _sentences(line)
    ]  # fmt: skip


def _sentences(line: FoundLine) -> list[tuple[int, str, float]]:
    """The sentences of a line with their place in it, and a factor: those of its second best passage count less."""
    text, spans = line.turn.text, passages(line.turn.text)
    if len(spans) < 2:
        return [(order, one, 1.0) for order, one in enumerate(sentences(text))]
    return [
        (place << 16 | order, one, LESSER**rank)
        for rank, place in enumerate(line.near[:PASSAGES])
        for order, one in enumerate(sentences(text[spans[place][0] : spans[place][1]]))
    ]


def _timeless(question: Question, fact: Fact) -> float:
    """A factor below 1 for a fact that doesn't say when, where that is asked."""
    told = not question.asks_when or fact.memory.happened_on or tells_time(fact.memory.fact)
    return 1.0 if told else UNDATED


def _echo(question: Question, line: FoundLine, sentence: str, budget: int) -> float:
    """0 for what is no evidence: the assistant's lines, unless it is asked what it said or there is much room, what the
    asker asked, and of the asker's own life what they only quoted."""
    if question.asks_back:
        return 1.0
    asked = line.turn.speaker == question.asker and sentence.endswith("?")
    quoted = of_oneself(question) and bool(_theirs(line.turn, (sentence,)))
    if is_assistant(line.turn.speaker):
        return ASIDE if budget >= FILLED else 0.0
    return 0.0 if asked or quoted else 1.0


def _theirs(turn: Turn, parts: Sequence[str]) -> tuple[str, ...]:
    """Those of the sentences of a line that are somebody else's words."""
    if turn.speaker == ASSISTANT or not others_words(turn):
        return ()
    own = " ".join(own_words(turn.text, turn.speaker).split())
    return tuple(part for part in parts if " ".join(part.split()) not in own)
