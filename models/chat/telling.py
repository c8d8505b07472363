"""How what was recalled is told in a prompt: who said it, on which day, in which words."""

from __future__ import annotations

import re
from datetime import date, tzinfo

from ...memory.language.dates import day_of, find_dates
from ...memory.language.detect import language_of
from ...memory.language.language import english
from ...memory.language.quoted.whose import others_words
from ...memory.language.told.plainer import affirmed
from ...memory.language.words import word_count
from ...memory.values import ASSISTANT, Moment, Recall, RecallItem, Turn
from ..prompts.messages import answer_system, one_line

RECALL_WORDS = 200
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

    def turn_line(self, turn: Turn, dated: bool) -> str:
        """A recalled line; with dates where the question asks for one, relative words resolved. Of "not the violin but
        the viola" the viola is told: a small model takes either."""
        said = f"{self.label(turn.speaker)}{QUOTING if quotes(turn) else ''}"
        text = f"{said}: {one_line(affirmed(turn.text))}"
        if not dated:
            return text
        language = language_of(turn.text, thorough=False)
        found = find_dates(turn.text, turn.said_at, self.zone, language)
        meant = [f"{words} = {spoken_date(iso)}" for words, iso in found[:2]]
        said = spoken_date(day_of(turn.said_at, self.zone).isoformat())
        return f"({said}) {text}" + (f" ({'; '.join(meant)})" if meant else "")

    def item_lines(self, item: RecallItem, dated: bool) -> list[str]:
        lines = []
        if item.memory:
            when = f" ({spoken_date(item.memory.happened_on)})" if item.memory.happened_on else ""
            sure = " (concluded, not told)" if item.memory.derived else ""
            over = item.memory.valid_to and spoken_date(day_of(item.memory.valid_to, self.zone).isoformat())
            lines.append(f"{f'Until {over}: ' if over else ''}{one_line(item.memory.fact)}{when}{sure}")
        return lines + [self.turn_line(turn, dated) for turn in item.turns]


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
