"""The answer agent: replies from what was recalled, and says so when memory doesn't hold it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date, tzinfo

from ...memory.language.dates import day_of, find_dates
from ...memory.language.detect import language_of
from ...memory.language.quoted.whose import others_words
from ...memory.language.words import word_count
from ...memory.values import ASSISTANT, Moment, Recall, RecallItem, Turn, User
from ..lm import LM, Chunk, Message, Options
from ..prompts.messages import answer_messages, answer_system, one_line
from ..prompts.tuned import Prompt

BUDGET = 20_000
"""Most tokens of a prompt, whatever the context window allows (seed 000's limit, here counted and enforced)."""
MAX_TOKENS = 160
RECALL_WORDS = 200
RECENT = 6
"""Lines of the running talk in the prompt."""
ME, YOU = "me", "you"
QUOTING = " (quoting somebody)"
"""After who said a line whose words are somebody else's."""
_ASKS_WHEN = re.compile(
    r"\b(when|dates?|(?:what|which) (?:day|month|year)|how long|ago|since|birthday|anniversary)\b", re.IGNORECASE
)


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

    def label(self, speaker: str) -> str:
        asker = speaker == self.other or (self.me == ASSISTANT and speaker == "User")
        return ME if speaker == self.me else YOU if asker else speaker

    def system(self, now: Moment, *, memory: bool = True) -> str:
        me = "a friendly assistant" if self.me == ASSISTANT else self.me
        return answer_system(me, self.other, spoken_date(day_of(now, self.zone).isoformat()), memory=memory)

    def turn_line(self, turn: Turn, dated: bool) -> str:
        """A recalled line; with dates where the question asks for one, relative words resolved."""
        said = f"{self.label(turn.speaker)}{QUOTING if _quotes(turn) else ''}"
        text = f"{said}: {one_line(turn.text)}"
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
            over = item.memory.valid_to and spoken_date(day_of(item.memory.valid_to, self.zone).isoformat())
            lines.append(f"{f'Until {over}: ' if over else ''}{one_line(item.memory.fact)}{when}")
        return lines + [self.turn_line(turn, dated) for turn in item.turns]


def _quotes(turn: Turn) -> bool:
    """Whether what is shown of a line is in somebody else's words."""
    return bool(others_words(turn) if turn.quoted is None else turn.quoted) and turn.speaker != ASSISTANT


def memory_lines(recall: Recall, scene: Talkers, words: int = RECALL_WORDS) -> list[str]:
    """The recall as lines of a prompt, best first, each once, at most about `words` words."""
    dated = bool(_ASKS_WHEN.search(recall.query))
    lines: dict[str, None] = {}
    used = 0
    for item in recall.items:
        for line in scene.item_lines(item, dated):
            size = word_count(line)
            if line not in lines and (used + size <= words or not lines):
                lines[line] = None
                used += size
    return list(lines)


class AnswerAgent:
    """Replies as `me` (the assistant by default) from the recall and the running talk. `zone`: whose days are told;
    `prompt`: one tuned to a model without an adapter."""

    def __init__(
        self, lm: LM, *,
        budget: int = BUDGET, words: int = RECALL_WORDS, me: str = ASSISTANT, zone: tzinfo | None = None,
        prompt: Prompt | None = None,
    ) -> None:  # fmt: skip
        self.lm, self.budget, self.words, self.me, self.zone = lm, budget, words, me, zone
        self.tuned = prompt if lm.adapter is None else None

    def prompt(self, user: User, recall: Recall, recent_turns: Sequence[Turn], text: str, now: Moment) -> list[Message]:
        """The exact prompt. What doesn't fit the token budget goes, oldest talk first, then the weakest memories."""
        scene = Talkers(self.me, user.subject, self.zone)
        recent = [("assistant" if turn.speaker == self.me else "user", turn.text) for turn in recent_turns[-RECENT:]]
        lines = memory_lines(recall, scene, self.words)
        while True:
            memory = None if recall.general and not lines else lines
            messages = answer_messages(scene.system(now, memory=memory is not None), recent, memory, text)
            messages = self.tuned.in_answer(messages) if self.tuned else messages
            if self._fits(messages) or not (recent or lines):
                return messages
            if recent:
                recent.pop(0)
            else:
                lines.pop()

    def reply(
        self, user: User, recall: Recall, recent_turns: Sequence[Turn], text: str, now: Moment, *, attempt: int = 0
    ) -> Iterator[Chunk]:
        """Streams the reply; `attempt` above 0 asks for another wording. Raises ModelError."""
        options = Options(max_tokens=MAX_TOKENS, repeat_penalty=1.05)
        if attempt:
            options = replace(options, temperature=0.7, top_p=0.9, seed=attempt)
        yield from self.lm.generate(self.prompt(user, recall, recent_turns, text, now), options)

    def _fits(self, messages: Sequence[Message]) -> bool:
        room = min(self.budget, self.lm.context_tokens - MAX_TOKENS)
        count: Callable[[str], int] = self.lm.count_tokens
        return sum(count(message.content) + 6 for message in messages) <= room
