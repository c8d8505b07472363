"""Search as the store offers it: vectors caught up first, the user's own time, and what `about('words')` stands for."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

from sqlalchemy import select

from ..database import tables as t
from ..database.engine import raw
from ..errors import ModelError
from ..language.dates import wall_clock
from ..language.words import stem, terms
from ..search.earlier import overtaken, stale
from ..search.vectors import Embedder, fetch, foreign
from ..values import Moment, Recall
from .base import Ground, StorePart
from .vector_upkeep import VectorUpkeep

ABOUT = 50
"""How many rows `about('words')` scores above 0."""
ABOUT_LINES = 150
"""The same of lines, of which a WHERE may leave few."""
AT_ONCE, AT_ONCE_FOREIGN = 32, 4
"""Rows without a vector that a search makes one for; by another encoder than the embedded, which may be slow."""
LOOKED_BACK = 1_024
"""Older rows that each search looks at for some without a vector: at all of them it takes a second for a million."""
RANKS = 60
"""As k in reciprocal rank fusion (Cormack et al. 2009)."""
LEAST_LETTERS, LEAST_RARE, RARE = 4, 12, 40
"""A telling word has so many letters (a name any number), and stands in at most so many lines, or in one of so many."""
NAMES = 1.5
"""How much more a word with a capital tells."""
_WORD = re.compile(r"[^\W\d_][\w'’-]+")
NEAR, AHEAD = 0.32, 0.12
"""The cosine from which a fact may be what words mean, and by how much it must be ahead of the next: of forty
paraphrases ("how much I earn") thirteen find their fact, of twenty matters of which nothing is known none does."""
Relevance = Callable[[str], Mapping[int, float]]
"""What stands behind `about('words')`: scores by id; what is not named scores 0."""


class Searching(StorePart):
    """`store.search(...)`: what the memory holds on a question."""

    def __init__(self, ground: Ground, vectors: VectorUpkeep) -> None:
        super().__init__(ground)
        self._vectors = vectors

    def __call__(
        self, user_id: int, query: str, *,
        limit: int = 10, now: Moment | None = None, speaker: str | None = None,
        use_turns: bool = True, word_budget: int | None = None, floor: bool = False,
    ) -> Recall:  # fmt: skip
        """Facts with their evidence lines, and lines, best first.

        `speaker` is who asks ("my" is theirs). With `word_budget`, as much as fits into that many words (a line costs
        one more, for who said it) instead of `limit` items, lines cut to their most telling sentences. `floor`: where
        nothing that was found answers a question, nothing is shown (`search/evidence.py`). With an encoder that fails,
        search goes by words (`trouble` says why).
        """
        ground = self.ground
        moment = wall_clock(now or self.now(), ground.zone)

        def found(embedder: Embedder | None) -> Recall:
            return ground.searcher.search(
                self.db, embedder, user_id, query, limit=limit, now=moment, speaker=speaker, use_turns=use_turns,
                word_budget=word_budget, floor=floor,
            )  # fmt: skip

        ground.trouble = ""
        if ground.embedder is None or not query.strip():
            return found(None)
        try:
            self._vectors.check()
            some = AT_ONCE_FOREIGN if foreign(ground.embedder) else AT_ONCE
            self._vectors.embed_pending(user_id, limit=some, back=LOOKED_BACK)
            return found(ground.embedder)
        except ModelError as error:
            ground.trouble = str(error)
            return found(None)

    def telling(self, user_id: int, text: str, but: str, most: int) -> list[str]:
        """Words of a row by which more on its matter can be found: those that few of the user's lines hold, but more
        than this one, names first; none that stands in `but` (a question) already."""
        known, forms = set(terms(but)), dict[str, str]()
        for word in _WORD.findall(text):
            if len(word) >= LEAST_LETTERS or word[0].isupper():
                forms.setdefault(stem(word.lower()), word)
        words = {word: word.lower() for key, word in forms.items() if key not in known}
        with self.db.read() as db:
            rows, held = self.ground.searcher.frequencies.of(raw(db), "turn", user_id, [*words.values()])
        counts = {word: held[low] for word, low in words.items()}
        rare = [word for word in words if 2 <= counts[word] <= max(LEAST_RARE, rows // RARE)]
        worth = {word: math.log(rows / counts[word]) * (NAMES if word[0].isupper() else 1) for word in rare}
        return sorted(rare, key=lambda word: (-worth[word], word))[:most]

    def alone_near(self, user_id: int, words: str) -> int | None:
        """The id of the fact that holds now and is near in meaning to words, if it is nearer than any other by far;
        None where none is, or without the embedded encoder."""
        embedder = self.ground.embedder
        if embedder is None or not words.strip():
            return None
        try:
            if foreign(embedder):
                return None
            self._vectors.embed_pending(user_id, limit=AT_ONCE, back=LOOKED_BACK)
            asked = embedder.embed([words])[0]
        except ModelError:
            return None
        mine = (t.memories.c.user_id == user_id, t.memories.c.valid_to.is_(None), t.memories.c.certainty.is_(None))
        with self.db.read() as db:
            ids = list(db.scalars(select(t.memories.c.id).where(*mine)))
            table = fetch(db, embedder.name, ids, embedder.dimensions) @ asked if ids else ()
        ranked = sorted(zip(table, ids, strict=True), reverse=True)
        second = ranked[1][0] if len(ranked) > 1 else 0.0
        found = bool(ranked) and ranked[0][0] >= NEAR and ranked[0][0] - second >= AHEAD
        return ranked[0][1] if found else None

    @property
    def trouble(self) -> str:
        """Why the last search went by words alone, in a sentence; empty when it didn't."""
        return self.ground.trouble

    def relevance(self, user_id: int, speaker: str | None = None) -> Relevance:
        """What stands behind `about('words')`: the scores of a search, by memory id. `speaker` is who asks."""

        def about(words: str) -> Mapping[int, float]:
            found = self(user_id, words, limit=ABOUT, use_turns=False, speaker=speaker)
            return {item.memory.id: item.score for item in found.items if item.memory}

        return about

    def line_relevance(self, user_id: int, speaker: str | None = None, now: Moment | None = None) -> Relevance:
        """The same for lines, by turn id: where a search ranks them, facts leading to their lines; the best scores 1.

        Scores fall as 60 / (60 + rank), so that `about('a') + about('b')` is reciprocal rank fusion. Lines that tell
        only what their memory said before it was changed score 0.
        """

        def about(words: str) -> Mapping[int, float]:
            found = self(user_id, words, limit=ABOUT_LINES, speaker=speaker, now=now)
            turns = {turn.id: turn for item in found.items for turn in item.turns}
            evidence = {item.memory.id: [turn.id for turn in item.turns] for item in found.items if item.memory}
            with self.db.read() as db:
                old = stale(overtaken(raw(db), found.memories, evidence, [*turns.values()]), evidence)
            return {one: RANKS / (RANKS + rank) for rank, one in enumerate(one for one in turns if one not in old)}

        return about
