"""Questions about a memory's series that plain search can't answer, each with the lines that hold the answer."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

from ....eval.agents.asked.memory import Asked, AskedMemory
from ....memory.language.asked.periods import periods
from ....memory.values import ASSISTANT
from .series import Happened, Part, Series, phrasings

KINDS = ("count", "list", "first", "last", "few", "besides", "order", "told", "did", "assistant")
SHARES = (6, 6, 3, 3, 2, 2, 2, 5, 4, 2)
MOST = 12
"""Things that an answer names: more is no answer to read."""
PER_MEMORY = 20
SIDES = ("in_month", "in_words", "since", "before", "after", "between", "on")
NUMBERS = {2: "two", 3: "three", 4: "four"}


class Window(NamedTuple):
    """A period as a question says it, and its bounds as text (None: open)."""

    words: str = ""
    since: str | None = None
    until: str | None = None

    def holds(self, day: str) -> bool:
        return (self.since is None or day >= self.since) and (self.until is None or day < self.until)


def questions(
    memory: AskedMemory, told: Sequence[Happened], people: Sequence[str], part: Part, rng: random.Random
) -> Iterator[Asked]:
    """Up to `PER_MEMORY` questions, of different wordings."""
    asker = _Asker(memory, told, people, part, rng)
    seen: set[str] = set()
    for _ in range(PER_MEMORY * 6):
        if len(seen) >= PER_MEMORY:
            return
        kind = rng.choices(KINDS, SHARES)[0]
        asked = asker.one(kind)
        if asked and 1 <= len(asked.needs) <= MOST and asked.text not in seen:
            seen.add(asked.text)
            yield asked


class _Asker:
    def __init__(
        self, memory: AskedMemory, told: Sequence[Happened], people: Sequence[str], part: Part, rng: random.Random
    ) -> None:  # fmt: skip
        self.memory, self.told, self.people, self.part, self.rng = memory, told, people, part, rng
        self.ways = phrasings(part)

    def one(self, kind: str) -> Asked | None:
        """A question of the kind, or None where the memory has nothing for it."""
        if kind in ("told", "did", "assistant"):
            return self._period(kind)
        series, who = self.rng.choice([(one.series, one.who) for one in self.told if one.who != ASSISTANT])
        mine = [one for one in self.told if one.series is series and one.who == who]
        if kind in ("few", "besides"):
            return self._few(series, who, mine) if kind == "few" else self._besides(series, who, mine)
        window = self._window(mine) if len(mine) > MOST or self.rng.random() < 0.5 else Window()
        if window is None:
            return None
        held = [one for one in mine if window.holds(one.day.isoformat())]
        if len(held) < (2 if kind in ("first", "last", "order") else 1):
            return None
        held.sort(key=lambda one: one.day)
        needed = held[:1] if kind == "first" else held[-1:] if kind == "last" else held
        if kind in ("first", "last") and [one.day for one in held].count(needed[0].day) > 1:
            return None
        order = {"first": "ASC", "last": "DESC", "order": "ASC"}.get(kind, "")
        return self._asked(kind, series, who, needed, window, order=order, limit=1 if order and kind != "order" else 20)

    def _few(self, series: Series, who: str, mine: list[Any]) -> Asked | None:
        number = self.rng.choice(list(NUMBERS))
        latest = sorted(mine, key=lambda one: one.day, reverse=True)
        if len(latest) <= number or latest[number - 1].day == latest[number].day:
            return None
        more = {"n": NUMBERS[number]}
        return self._asked("few", series, who, latest[:number], Window(), order="DESC", limit=number, more=more)

    def _besides(self, series: Series, who: str, mine: list[Any]) -> Asked | None:
        left = self.rng.choice(mine)
        window = self._window(mine) if len(mine) > MOST else Window()
        if window is None:
            return None
        needed = [one for one in mine if one.value != left.value and window.holds(one.day.isoformat())]
        return self._asked("besides", series, who, needed, window, limit=20, more={"V": left.value}, besides=left.value)

    def _period(self, kind: str) -> Asked | None:
        who = (
            ASSISTANT if kind == "assistant" else self.memory.asker if kind == "told" else self.rng.choice(self.people)
        )
        lines = self._tellings(who, kind)
        window = self._window([self.rng.choice(lines)] * 2 + lines) if lines else None
        if window is None:
            return None
        held = [one for one in lines if window.holds(one.day.isoformat())]
        return self._asked(kind, None, who, held, window, order="ASC", limit=20)

    def _tellings(self, who: str, kind: str) -> list[Any]:
        """What somebody told or did, by the day of the telling or of the deed; lines of the written talks, too."""
        found = [one for one in self.told if one.who == who]
        if kind == "did":
            return found
        moved = [_Told(one.line, one.value, self._day(one.line)) for one in found]
        if kind == "assistant":
            return moved
        own = {one.line for one in moved}
        noted = {one.line: one.fact for one in self.memory.facts if self.memory.lines[one.line].speaker == who}
        return moved + [_Told(line, fact, self._day(line)) for line, fact in noted.items() if line not in own]

    def _day(self, line: int) -> date:
        return date.fromisoformat(self.memory.lines[line].said_at[:10])

    def _window(self, held: Sequence[Any]) -> Window | None:
        """A period that holds some of these things; None where none was found in a few tries."""
        today = date.fromisoformat(self.memory.now[:10])
        for _ in range(8):
            side = self.rng.choice(SIDES)
            day = self.rng.choice(held).day
            other = min(day + timedelta(days=self.rng.randint(32, 100)), today)
            words = self.rng.choice(self.ways[side]).format(M=f"{day:%B}", M2=f"{other:%B}", Y=day.year, d=day.day, n=2)
            named = periods(words, self.memory.now)
            if not named or (side == "between" and (len(named) < 2 or named[0].since >= named[1].since)):
                continue
            window = bounded(words, side, named[0], named[-1])
            if any(window.holds(one.day.isoformat()) for one in held):
                return window
        return None

    def _asked(
        self, kind: str, series: Series | None, who: str, needed: Sequence[Any], window: Window, *,
        order: str = "", limit: int = 20, more: dict[str, str] | None = None, besides: str = "",
    ) -> Asked | None:  # fmt: skip
        subject = "I" if who == self.memory.asker else who
        words = {"S": subject, "T": f" {window.words}" if window.words else "", **(more or {})}
        if series:
            words |= {"P": series.plural, "O": series.one, "past": series.past, "base": series.base}
        ways = self.ways[kind] if window.words or kind in ("few", "besides") else _undated(self.ways[kind])
        text = _sentence(self.rng.choice(ways).format(**words))
        hints = {
            "who": who, "topics": list(series.topics) if series else [], "words": series.plural if series else "",
            "since": window.since, "until": window.until, "told": kind in ("told", "assistant"), "order": order,
            "limit": limit, "besides": besides,
        }  # fmt: skip
        return Asked(kind, text, tuple(one.line for one in needed), tuple(one.value for one in needed), hints)


class _Told(NamedTuple):
    line: int
    value: str
    day: date


def bounded(words: str, side: str, first: Any, last: Any) -> Window:
    """The period that words like "since" make of what they name."""
    if side in ("since",):
        return Window(words, first.since, None)
    if side == "before":
        return Window(words, None, first.since)
    if side == "after":
        return Window(words, first.since if words.startswith("from") else first.until, None)
    return Window(words, first.since, last.until)


def _undated(ways: Sequence[str]) -> list[str]:
    """Those that need no period to stand at their beginning."""
    return [way for way in ways if not way.startswith("{T}")]


def _sentence(text: str) -> str:
    text = " ".join(text.split()).replace(" ,", ",").replace(" .", ".")
    return text[:1].upper() + text[1:] if text[:3] != "how" else text
