"""What the ranker of lines looks at: the signs of each line, of its neighbours, and of the session around it.

None tells where in a conversation a line stands: beginnings hold more answers in some data sets, which proves nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..language.language import english
from ..language.points import letters as re
from ..language.question import WHEN

_MAY_TELL = frozenset({"this", "going"})
_WORD = re.compile(r"\w+")
NUMBER = re.compile(r"\d")
NAME = re.compile(r" (?<=[a-z,;:] )[A-Z][a-z]")
_RULE_BEGINS = r"(?:please )?(?:always|never|from now on|whenever|make sure|don't ever)\b"
RULE = re.compile(rf"^{_RULE_BEGINS}|\b(?:i|we)(?:'d| would| really)? prefer\b|\bwhen(?:ever)? i ask\b", re.IGNORECASE)
"""Lines that tell how something is to be done from now on: they bear on what is asked later without its words."""
_RULE = re.compile(_RULE_BEGINS)
LISTS = re.compile(rf"\b(?:{english().alternatives('search', 'several')})\b", re.IGNORECASE)
"""Questions that want several things."""
_FAR = 2
"""Lines further away than this speak for a session apart from the line itself."""
BEST = 3
"""Lines of a session of which the mean is taken."""
TOP = 20
"""Best lines whose number is counted by session."""
NAMES = (
    "sum", "own", "words", "meaning", "asked", "before", "after", "before2", "after2", "cover", "rare", "named",
    "pointed", "dated", "length", "asks", "answers", "after asks", "time", "when", "time when asked", "number", "name",
    "both named", "none named", "session best", "session all", "session mean", "session count", "session cover",
    "session other", "session meaning", "plain", "assistant", "assistant asked", "passages", "reply", "talk",
    "rank words", "rank meaning", "rank plain", "fusion", "rule", "lists", "asks back",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Seen:
    """Candidate lines in the order of their ids, each array of shape (lines,)."""

    question: str
    texts: Sequence[str]
    keys: Sequence[tuple[int, int]]
    """(session, id of the turn)."""
    total: np.ndarray
    """The sum of weighted signs by which lines are ranked without a ranker."""
    own: np.ndarray
    words: np.ndarray
    meaning: np.ndarray
    asked: np.ndarray
    plain: np.ndarray
    """As `asked`, by the encoder of lines."""
    named: np.ndarray
    pointed: np.ndarray
    dated: np.ndarray
    length: np.ndarray
    assistant: np.ndarray
    """Whether the assistant said it."""
    passages: np.ndarray
    """Log of how many passages the whole line has."""
    asks_back: bool
    """Whether the question asks what the assistant said."""
    people: int
    """How many of those who speak the question names."""
    query: Mapping[str, float]
    """Weighted stems of the question."""
    terms: Sequence[Set[str]]
    """Of each line, which of them it holds."""


@lru_cache(maxsize=1)
def _times() -> frozenset[str]:
    language = english()
    return language.words("dates", "time_words") | {*language.weekdays, *language.month_names}


@lru_cache(maxsize=1)
def _time() -> re.Pattern[str]:
    words, this = "|".join(sorted(_times())), english().alternatives("dates", "this")
    return re.compile(rf"\b(?:{words}|this (?:{this})|going to|\d{{4}})\b", re.IGNORECASE)


def tells_time(text: str) -> bool:
    """Whether a line says when, in the words of `_times`. Most lines are settled by their words, ten times as fast."""
    if text.isascii():  # other alphabets have letters that lower() leaves and the pattern takes for ours
        found = set(_WORD.findall(text.lower()))
        if not found.isdisjoint(_times()):
            return True
        if found.isdisjoint(_MAY_TELL) and not NUMBER.search(text):
            return False
    return bool(_time().search(text))


def tells_rule(text: str) -> bool:
    """Whether `RULE` is in a line. Most lines are settled by what it can't do without, ten times as fast."""
    if text.isascii():
        low = text.lower()
        return bool((("prefer" in low or "i ask" in low) and RULE.search(text)) or _RULE.match(low))
    return bool(RULE.search(text))


@lru_cache(maxsize=16_384)
def form(text: str) -> tuple[bool, bool, bool, bool, bool]:
    """Whether a line asks, says when, has a number, a name, tells a rule. Kept, since the same lines compete for many
    questions."""
    asks, rule = text.rstrip().endswith("?"), tells_rule(text)
    return asks, tells_time(text), bool(NUMBER.search(text)), bool(NAME.search(text)), rule


def neighbours(keys: np.ndarray, step: int, assistant: np.ndarray | None = None) -> np.ndarray:
    """The place of the turn `step` further in the same session, -1 where it is not there, shape (turns,).

    `keys` are (session, id of the turn), shape (turns, 2), in the order of ids. `assistant`: who replies between the
    lines of people is no neighbour of these: there the step goes from one person's line to the next.
    """
    sessions, ids = keys[:, 0], keys[:, 1]
    if not len(ids):
        return np.empty(0, np.int64)

    def further(by: int) -> np.ndarray:
        at = np.minimum(np.searchsorted(ids, ids + by), len(ids) - 1)
        return np.where((ids[at] == ids + by) & (sessions[at] == sessions), at, -1)

    found = further(step)
    if assistant is None or not assistant.any():
        return found
    side = further(1 if step > 0 else -1)
    replied = (side >= 0) & assistant[side] & ~assistant
    found = np.where(replied, further(2 * step), found)
    return np.where((found >= 0) & assistant[found] & ~assistant, -1, found)


def signs(seen: Seen) -> np.ndarray:
    """What `NAMES` names, float32, shape (lines, signs)."""
    count = len(seen.texts)
    if not count:
        return np.empty((0, len(NAMES)), np.float32)
    asks, time, number, name, rule = np.array([form(text) for text in seen.texts], float).T
    keys = np.array(seen.keys, np.int64).reshape(count, 2)
    places = {step: neighbours(keys, step, seen.assistant) for step in (-1, 1, -2, 2)}
    reply = np.where(seen.assistant, -1, _replies(keys, seen.assistant))
    when = float(bool(WHEN.search(seen.question)))
    weight = max(sum(seen.query.values()), 1e-9)
    cover = np.array([sum(seen.query[term] for term in found) for found in seen.terms]) / weight
    rare = np.array([max((seen.query[term] for term in found), default=0.0) for found in seen.terms])
    columns = [
        seen.total - seen.total.max(), seen.own, seen.words, seen.meaning, seen.asked,
        *(_taken(seen.own, at) for at in places.values()),
        cover, rare / max(max(seen.query.values(), default=1.0), 1e-9), seen.named, seen.pointed, seen.dated,
        seen.length, asks, _taken(asks, places[-1]), _taken(asks, places[1]),
        time, np.full(count, when), when * time, number, name,
        np.full(count, float(seen.people > 1)), np.full(count, float(seen.people == 0)),
        *_of_sessions(seen, weight),
        seen.plain, seen.assistant, seen.assistant * float(seen.asks_back), seen.passages, _taken(seen.own, reply),
        np.full(count, float(seen.assistant.mean())), _rank(seen.words), _rank(seen.meaning), _rank(seen.plain),
        _even(seen.words) + _even(seen.meaning) + _even(seen.plain),
        rule * ~seen.assistant,
        np.full(count, float(bool(LISTS.search(seen.question)))), np.full(count, float(seen.asks_back)),
    ]  # fmt: skip
    return np.stack(columns, 1).astype(np.float32)


def _taken(values: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The values at these places; 0 where there is none (-1)."""
    taken: np.ndarray = np.append(values, 0.0)[places]
    return taken


def _replies(keys: np.ndarray, assistant: np.ndarray) -> np.ndarray:
    """The place of the assistant's reply to each line; -1 where there is none."""
    at = neighbours(keys, 1)
    found: np.ndarray = np.where((at >= 0) & assistant[at], at, -1)
    return found


def _rank(values: np.ndarray) -> np.ndarray:
    """Log of the place of each among all, the best 0: the same for whatever kind of talk."""
    places = np.empty(len(values))
    places[np.argsort(-values, kind="stable")] = np.arange(len(values))
    return np.log1p(places)


def _even(values: np.ndarray) -> np.ndarray:
    """In standard deviations of these candidates."""
    found: np.ndarray = (values - values.mean()) / max(float(values.std()), 1e-6)
    return found


def _of_sessions(seen: Seen, weight: float) -> list[np.ndarray]:
    """Of the session that a line stands in: its best line, all of them together, the mean of the best three, how many
    of the best of all, the share of the question that they cover together, its best line further away, the nearest
    meaning."""
    keys = np.array(seen.keys, np.int64).reshape(len(seen.keys), 2)
    total = seen.total - seen.total.max()
    # Sorted by session, the best line of each first; a loop over hundreds of sessions would cost more than the scan.
    order = np.lexsort((-total, keys[:, 0]))
    sessions, scores = keys[order, 0], total[order]
    starts = np.flatnonzero(np.diff(sessions, prepend=sessions[0] - 1))
    sizes = np.diff(np.append(starts, len(order)))
    level = np.partition(total, -TOP)[-TOP] if len(total) > TOP else total.min()
    rank = np.arange(len(order)) - np.repeat(starts, sizes)
    told = np.array([[term in found for term in seen.query] for found in seen.terms], bool).reshape(len(total), -1)
    together = np.logical_or.reduceat(told[order], starts, axis=0) @ np.array([*seen.query.values()])
    of_each = [
        scores[starts],
        np.log(np.add.reduceat(np.exp(scores / 2), starts)),
        np.add.reduceat(np.where(rank < BEST, scores, 0.0), starts) / np.minimum(sizes, BEST),
        np.add.reduceat((scores > level).astype(float), starts),
        together / weight,
        np.maximum.reduceat(seen.meaning[order], starts),
    ]
    found = np.empty((7, len(total)))
    for row, values in zip((0, 1, 2, 3, 4, 6), of_each, strict=True):
        found[row, order] = np.repeat(values, sizes)
    one, other = np.nonzero(keys[:, None, 0] == keys[None, :, 0])
    apart = np.abs(keys[one, 1] - keys[other, 1]) > _FAR
    found[5] = total.min()
    np.maximum.at(found[5], one[apart], total[other[apart]])
    return list(found)
