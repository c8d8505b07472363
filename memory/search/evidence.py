"""Whether what was found answers a question about somebody's life: a small logistic model over each fact and line.

Search always finds something; of a question whose answer nobody told it finds what is nearest. So each of the best
facts and lines of the user is looked at by a few signs (`SIGNS`), and the chance that one of them answers is fitted
on talks with questions that were told and that were not (`chatmem train recall --known`). English; of a question in
another language, and without an embedder, nothing is said.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import ModelBroken
from ..language.asked import expects
from ..language.asked.forms import forms_of
from ..language.asked.personal import unwrapped
from ..language.asked.telling import told_part
from ..language.detect import language_of
from ..language.kinship import plainly_related
from ..language.language import english
from ..language.question import Question
from ..language.quoted.vocabulary import vocabulary
from ..language.quoted.whose import others_words, own_words
from ..language.told.trades import plainly_living
from ..language.words import query_words, stem, terms, tokens
from ..values import ASSISTANT, Recall, Turn
from .candidates import Fact, Search
from .fulltext import weight
from .lines import FoundLine

FILE = Path(__file__).resolve().parents[2] / "assets" / "ranker" / "known.json"
FACTS, LINES = 10, 14
"""Best facts and lines of the user's that are looked at."""
REACH = 3.0
"""Words between an answer and what is asked of, after which it counts a third."""
_FAR = 20
_GROUPS = ("number", "time", "name", "job", "place", "other")
_GROUP = {"person": "name", "reason": "other", "colour": "other"}
SIGNS = (
    "cover", "cover around", "near", "line near", "rank", "fact", "close", "close x cover", "missing", "stranger",
    "new", "near x cover", *(f"close {name}" for name in _GROUPS), *(f"no {name}" for name in _GROUPS),
)  # fmt: skip
"""Of a fact or line: which share of the question's words it holds, weighted by how rare they are in what was found, and
with its topic and lines, too; cosine with what is asked (MiniLM), and of its line (the question encoder); log of its
rank; whether it is a fact; how close a word of the wanted kind of answer stands to the question's words; the rarest
word of the question that it lacks; whether it lacks the names of the question; how much else it tells; how close an
answer stands, and whether it lacks one, by the kind that is wanted."""


class Piece(NamedTuple):
    """A fact or a line to be looked at: `around`: its topic and lines, `when`: it has a date of its own."""

    text: str
    around: str
    when: bool
    near: float
    line_near: float
    fact: bool
    rank: int


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as the signs need it: telling words by weight, names, all words, the kind of answer."""

    weights: Mapping[str, float]
    telling: bool
    """Whether some of them tell what it is about: "how old am I?" only tells which kind of answer is wanted."""
    names: frozenset[str]
    words: frozenset[str]
    kind: str
    most: float
    """The weight of a word that stands nowhere in what was found."""


def asked_of(question: str, asker: str, pieces: Sequence[Piece]) -> Asked:
    """The question, its words weighted by how few of the pieces hold them."""
    core = _alike(unwrapped(question, forms_of("en")))
    generic = {stem(word) for word in expects.generic()}
    held = [{*terms(_alike(f"{one.text} {one.around}"))} for one in pieces]
    stems = list(dict.fromkeys(stem(word) for word in query_words(core)))
    weights = {word: weight(len(held), sum(word in one for one in held)) for word in stems}
    rare = {word: value for word, value in weights.items() if word not in generic}
    named = {word.lower().split("'")[0] for word in expects.words_in(core.replace("’", "'"))[1:] if word[0].isupper()}
    own = {*terms(asker), *tokens(asker)}
    names = named - english().stop - own
    words = frozenset({*tokens(core), *weights, *own})
    none = weight(len(held), 0)
    return Asked(rare or weights, bool(rare), frozenset(names), words, expects.kind_of(core), none)


def _alike(text: str) -> str:
    """The text with one word for each relation, and one for living somewhere."""
    return plainly_related(plainly_living(text))


def speak_of(asked: Asked, pieces: Sequence[Piece]) -> bool:
    """Whether any of the pieces holds a telling word of the question."""
    return any(not asked.weights.keys().isdisjoint(terms(_alike(f"{one.text} {one.around}"))) for one in pieces)


def signs(asked: Asked, pieces: Sequence[Piece]) -> np.ndarray:
    """What `SIGNS` names, shape (pieces, signs)."""
    return np.array([_signs(asked, one) for one in pieces], np.float64).reshape(len(pieces), len(SIGNS))


def _signs(asked: Asked, one: Piece) -> list[float]:
    text = _alike(one.text)
    own = {*terms(text)}
    held = own | {*terms(_alike(one.around))}
    total = sum(asked.weights.values()) or 1.0
    cover = sum(weight for word, weight in asked.weights.items() if word in own) / total
    around = sum(weight for word, weight in asked.weights.items() if word in held) / total
    missing = max((weight for word, weight in asked.weights.items() if word not in held), default=0.0)
    close, placed = _closeness(asked, text, one.when)
    group = _GROUP.get(asked.kind, asked.kind)
    told = {*tokens(text), *tokens(_alike(one.around))}
    return [
        cover, around, one.near, one.line_near, math.log1p(one.rank), float(one.fact), close, close * cover,
        missing / asked.most, float(bool(asked.names) and not asked.names & told),
        min(len(own - asked.words), 8) / 8, one.near * cover,
        *(close if name == group else 0.0 for name in _GROUPS),
        *(float(name == group and not placed) for name in _GROUPS),
    ]  # fmt: skip


def _closeness(asked: Asked, text: str, when: bool) -> tuple[float, bool]:
    """How close a word of the wanted kind stands to the rarest words of the question (0..1); whether there is one."""
    words = expects.words_in(text)
    there = expects.answers_at(asked.kind, words, asked.words)
    if asked.kind == "time" and when and not there:
        there = [len(words) // 2]
    stems = [stem(word.lower().split("'")[0].split("’")[0]) for word in words]
    rarest = 0.7 * max(asked.weights.values(), default=1.0)
    anchors = [place for place, word in enumerate(stems) if asked.weights.get(word, 0.0) >= rarest]
    anchors = anchors or [place for place, word in enumerate(stems) if word in asked.weights]
    distance = min((abs(a - b) for a in there for b in anchors), default=_FAR)
    return math.exp(-min(distance, _FAR) / REACH), bool(there)


@dataclass(frozen=True, slots=True)
class Known:
    """The fitted model: a piece's logit is linear in its signs, a question's their soft maximum."""

    mean: np.ndarray
    spread: np.ndarray
    weights: np.ndarray
    bias: float
    floor: float
    """The logit below which nothing that was found answers."""

    def logit(self, found: np.ndarray) -> float:
        """Of what was found, shape (pieces, signs); nothing found: minus infinity."""
        if not len(found):
            return -math.inf
        each = 2 * (((found - self.mean) / self.spread) @ self.weights + self.bias)
        best = float(each.max())
        return (best + math.log(float(np.exp(each - best).sum()))) / 2


@lru_cache(maxsize=1)
def load(path: Path = FILE) -> Known | None:
    """The shipped model; None when the file is not there. Raises ModelBroken for a file that holds another one."""
    if not path.is_file():
        return None
    try:
        return from_data(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelBroken(
            f"the file {path} of what counts as known can't be used ({error}): reinstall chatmem"
        ) from error


def from_data(data: Mapping[str, Any]) -> Known:
    """A model from its weights by name. Raises KeyError, ValueError."""
    mean, spread, weights = (np.array(data[name], np.float64) for name in ("mean", "spread", "weights"))
    if tuple(data["signs"]) != SIGNS or any(one.shape != (len(SIGNS),) for one in (mean, spread, weights)):
        raise ValueError("made for other signs")
    return Known(mean, spread, weights, float(data["bias"]), float(data["floor"]))


def pieces_of(
    search: Search, best: Sequence[Fact], told: Sequence[FoundLine], evidence: Mapping[int, Sequence[int]]
) -> list[Piece]:
    """The best facts and lines of the user's own, each with what the signs need."""
    if search.vectors is None or search.plain is None:
        return []
    facts, by_id = best[:FACTS], {line.turn.id: line.turn for line in told}
    own = of_oneself(search.question)
    mine = [(line.turn.id, part) for line in told if (part := telling(line.turn, own=own))][:LINES]
    fact_near = search.similarities()[-1].of(_ids(fact.memory.id for fact in facts)).tolist()
    _, asked, plain = search.line_similarities()
    found = []
    for rank, (fact, near) in enumerate(zip(facts, fact_near, strict=True)):
        lines = [i for i in evidence.get(fact.memory.id, ()) if i in by_id]
        line_near = max(asked.of(_ids(lines)).tolist(), default=0.0)
        around = " ".join([fact.memory.topic, *(by_id[i].text for i in lines)])
        found.append(Piece(fact.memory.fact, around, bool(fact.memory.happened_on), near, line_near, True, rank))
    places = _ids(i for i, _ in mine)
    nears = zip(mine, plain.of(places).tolist(), asked.of(places).tolist(), strict=True)
    return found + [Piece(part, "", False, a, b, False, rank) for rank, ((_, part), a, b) in enumerate(nears)]


def _ids(numbers: Iterable[int]) -> np.ndarray:
    return np.array(list(numbers), np.int64)


def telling(turn: Turn, *, own: bool = True) -> str:
    """What of a line may be evidence: the telling part of what a person said in their own voice, nothing of the
    assistant's. Not `own`: what they quoted tells, too, for it isn't they who are asked about."""
    if turn.speaker == ASSISTANT:
        return ""
    told = own_words(turn.text, turn.speaker) if own and others_words(turn) else turn.text
    return told_part(told, language_of(told, thorough=False)) if told else ""


def told_texts(recall: Recall) -> list[str]:
    """The facts, and what people told: of what somebody only asked before nothing is told."""
    lines = (telling(turn) for item in recall.items for turn in item.turns)
    return [*(memory.fact for memory in recall.memories), *filter(None, lines)]


def of_oneself(question: Question) -> bool:
    """Whether the asker asks of themself, and not of what somebody said or wrote: that is answered by what they told
    in their own voice alone."""
    words = {*tokens(question.text)}
    return bool(words & english().first_person) and not words & vocabulary().given
