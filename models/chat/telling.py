"""How what was recalled is told in a prompt: who said it, on which day, in which words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, tzinfo
from functools import lru_cache

from ...memory.language.dates import day_of, find_dates, last_told
from ...memory.language.detect import language_of
from ...memory.language.language import Language, english
from ...memory.language.quoted.whose import others_words
from ...memory.language.told.plainer import affirmed
from ...memory.language.words import alternatives, word_count
from ...memory.values import ASSISTANT, Memory, Moment, Recall, RecallItem, Turn
from ..prompts.messages import answer_system, one_line

RECALL_WORDS = 200
YEAR = 365
"""Days from now within which a date needs no year."""
ME, YOU = "me", "you"
OWN = "Assistant"
"""What the assistant is called in notes, which name both sides."""
QUOTING = " (quoting somebody)"
"""After who said a line whose words are somebody else's."""
_ASKS_WHEN = re.compile(rf"\b({english().alternatives('questions', 'when')})\b", re.IGNORECASE)


def spoken_date(iso: str) -> str:
    """`2023-05-07` as people say it: 7 May 2023; `2023-05` as May 2023."""
    parts = [int(part) for part in iso[:10].split("-")]
    if len(parts) == 1:
        return str(parts[0])
    day = date(*parts, *([1] * (3 - len(parts))))
    return f"{day.day} {day:%B %Y}" if len(parts) == 3 else f"{day:%B %Y}"


def date_beside(row: Memory, now: Moment | None = None, zone: tzinfo | None = None) -> str:
    """The date of a fact as it is told beside its text, " (7 May 2023)"; "" where that says it itself, or says another.
    `now`: then a date without its year is said, too, if it is less than a year away; else only one with its year."""
    if not row.happened_on:
        return ""
    found = find_dates(row.fact, row.said_at, zone)
    outright = [_outright(words) for words, _ in found]
    same = [_same(words, day, row.happened_on) for words, day in found]
    known = any(
        one and fits and (_YEAR.search(words) or (now and _is_near(row.happened_on, now)))
        for (words, _), one, fits in zip(found, outright, same, strict=True)
    )
    at_odds = found and all(outright) and not any(same) and not any(row.happened_on.startswith(day) for _, day in found)
    return "" if known or at_odds else f" ({spoken_date(row.happened_on)})"


def days_meant(
    text: str, said_at: Moment, zone: tzinfo | None = None, language: Language | None = None, last: str | None = None,
    now: Moment | None = None,
) -> list[str]:  # fmt: skip
    """What the first two words for a date in a line mean, "tomorrow = 8 May 2023", but for those that say it outright.
    `last`: the date that was told last before the line. `now`: as for `date_beside`."""
    found = find_dates(text, said_at, zone, language, last=last)[:2]
    return [
        f"{words} = {spoken_date(day)}"
        for words, day in found
        if not (_outright(words) and (_YEAR.search(words) or (now and _is_near(day, now))))
    ]


def told_before(turn: Turn, before: Sequence[Turn], zone: tzinfo | None = None) -> str | None:
    """The date that the speaker's line just before a turn tells last."""
    own = [one for one in before if one.speaker == turn.speaker][-1:]
    return next((last_told(one.text, one.said_at, zone) for one in own), None)


_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|['’./]\d\d$")


def _outright(words: str) -> bool:
    """Whether words for a date name its day and month, or its month or year alone: "12 Jan"; not "on Friday", "on the
    15th", "last May"."""
    return bool(_named_outright().search(words)) and not re.search(r"\b(?:last|past|this|next)\b", words.lower())


@lru_cache(maxsize=1)
def _named_outright() -> re.Pattern[str]:
    months = alternatives(english().months)
    return re.compile(rf"\d[./-]\d|\b(?:{months})\b|(?<!\d)(?:19|20)\d\d(?!\d)", re.IGNORECASE)


def _same(words: str, day: str, told: str) -> bool:
    """Whether a date in a text is the one that is told of it, or less or more exactly so; its year may be another where
    the words don't tell it."""
    exact = day == told or (len(day) > len(told) and day.startswith(told))
    return exact or (not _YEAR.search(words) and len(told) > 4 and day[5:].startswith(told[5:]) and len(day) > 4)


def _is_near(day: str, now: Moment) -> bool:
    return len(day) > 4 and abs(date.fromisoformat(f"{day}-01"[:10]) - day_of(now)).days < YEAR


class Talkers:
    """Who talks with whom: the agent's own lines are "me", the asker's "you", others go by name."""

    def __init__(self, me: str = ASSISTANT, other: str = "User", zone: tzinfo | None = None) -> None:
        self.me, self.other, self.zone = me, other, zone
        self.turned = False
        """Whether notes of the asker's own lines speak to them: a small model copies "I live in Graz" as it stands."""

    def label(self, speaker: str) -> str:
        asker = speaker == self.other or (self.me == ASSISTANT and speaker == "User")
        return ME if speaker == self.me else YOU if asker else speaker

    def named(self, speaker: str) -> str:
        """Who said a line, by name: in a line of theirs, a model takes "I" and "you" for the wrong one."""
        who = {ME: self.me, YOU: self.other}.get(self.label(speaker), speaker)
        return OWN if who == ASSISTANT else who

    def day(self, now: Moment) -> str:
        """The day as people say it, with the day of the week."""
        day = day_of(now, self.zone)
        return f"{day:%A}, {spoken_date(day.isoformat())}"

    def system(self, now: Moment, *, memory: bool = True) -> str:
        me = "a friendly assistant" if self.me == ASSISTANT else self.me
        return answer_system(me, self.other, spoken_date(day_of(now, self.zone).isoformat()), memory=memory)

    def turn_line(self, turn: Turn, dated: bool, last: str | None = None) -> str:
        """A recalled line; with dates where the question asks for one, relative words resolved. Of "not the violin but
        the viola" the viola is told: a small model takes either."""
        said = f"{self.label(turn.speaker)}{QUOTING if quotes(turn) else ''}"
        text = f"{said}: {one_line(affirmed(turn.text))}"
        if not dated:
            return text
        language = language_of(turn.text, thorough=False)
        meant = days_meant(turn.text, turn.said_at, self.zone, language, last)
        said = spoken_date(day_of(turn.said_at, self.zone).isoformat())
        return f"({said}) {text}" + (f" ({'; '.join(meant)})" if meant else "")

    def item_lines(self, item: RecallItem, dated: bool) -> list[str]:
        lines = []
        if item.memory:
            when = date_beside(item.memory, zone=self.zone)
            sure = " (concluded, not told)" if item.memory.derived else ""
            over = item.memory.valid_to and spoken_date(day_of(item.memory.valid_to, self.zone).isoformat())
            lines.append(f"{f'Until {over}: ' if over else ''}{one_line(item.memory.fact)}{when}{sure}")
        last = item.memory.happened_on if item.memory else None
        return lines + [self.turn_line(turn, dated, last) for turn in item.turns]


def quotes(turn: Turn) -> bool:
    """Whether what is shown of a line is in somebody else's words."""
    return bool(others_words(turn) if turn.quoted is None else turn.quoted) and turn.speaker != ASSISTANT


def asks_when(question: str) -> bool:
    """Whether a date may be the answer."""
    return bool(_ASKS_WHEN.search(question))


def memory_lines(recall: Recall, scene: Talkers, words: int = RECALL_WORDS) -> list[str]:
    """The recall as lines of a prompt, best first, each once, at most about `words` words."""
    return list(dict.fromkeys(line for line, _, _ in shown(recall, scene, words)))


def shown(recall: Recall, scene: Talkers, words: int = RECALL_WORDS) -> list[tuple[str, int | None, int | None]]:
    """The same with where each line comes from: (line, id of the memory or None, id of the turn or None)."""
    dated = asks_when(recall.query)
    lines: set[str] = set()
    told: list[tuple[str, int | None, int | None]] = []
    used = 0
    for item in recall.items:
        sources = [(item.memory.id, None)] if item.memory else []
        for line, source in zip(
            scene.item_lines(item, dated), [*sources, *((None, turn.id) for turn in item.turns)], strict=True
        ):
            size = word_count(line)
            if line in lines:
                told.append((line, *source))
            elif used + size <= words or not lines:
                lines.add(line)
                told.append((line, *source))
                used += size
    return told
