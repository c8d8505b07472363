"""The third step: the best sessions fill the answering model's context, and it answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...memory.errors import InputError
from ...models.lm import Message, Options, complete
from ..datasets.cases import NOW, letters, with_options
from ..measures.text import contained
from ..runs.models import WHOLE, alone, is_local, load
from ..runs.requests import Pace
from .order import best_order, order
from .prompt import digest, one_line
from .rows import Row

CONTEXT = 8_192
"""Tokens of sessions that an answer is made from."""
SHARE = 0.5
"""Of what is left, the most that the passages of a session take that doesn't fit whole."""
LEAST = 48
"""Tokens of passages below which a session is left out."""
FRAME = 32


@dataclass(frozen=True, slots=True)
class Answering:
    """What makes the workers of this step. `order`: one of `order.ORDERS`, or `best`: the model's ranking where there
    is one, else the learned lines; `tokens`: of sessions; `model`: None to fill contexts and ask nobody."""

    model: str | None
    order: str = "best"
    tokens: int = CONTEXT
    threads: int | None = None
    context: int | None = None
    per_minute: float | None = None

    def __call__(self) -> Answered:
        return Answered(self)


class Answered:
    """A worker: gives a row's generated_text, and which sessions it was made from."""

    def __init__(self, step: Answering) -> None:
        self.step = step
        self.lm = load(step.model, step.threads, step.context, WHOLE) if step.model else None
        self._pace = Pace(None if step.model is None or is_local(step.model) else step.per_minute)

    def __call__(self, row: Row) -> dict[str, Any]:
        """Raises ModelError; InputError for a row without the order that was asked for."""
        name, places = self._order(row)
        texts, lines = self._context(row, places)
        found = {
            "answered_from": sorted(texts), "answer_order": name,
            "context_words": len(" ".join(lines).split()), "held": round(contained(row.answer, " ".join(lines)), 4),
        }  # fmt: skip
        if self.lm is None:
            return found
        return found | {"generated_text": self._asked(row, lines), "answer_model": self.step.model}

    def from_sessions(self, row: Row, places: Sequence[int]) -> str:
        """The model's answer from these sessions alone, whatever their order (those nearest to the question go first
        where not all fit): what a ranking is rewarded by. Raises ModelError."""
        near = row.found["similarities"]
        return self._asked(row, self._context(row, sorted(set(places), key=lambda place: (-near[place], place)))[1])

    def _context(self, row: Row, places: Sequence[int]) -> tuple[dict[int, list[str]], list[str]]:
        """The lines of each session that fits, and all of them in order of time."""
        count = self.lm.count_tokens if self.lm else about
        room = self.step.tokens if self.lm is None else min(self.step.tokens, self._room(row))
        texts = filled(row, places, room, count)
        return texts, [line for place in sorted(texts) for line in dated(row, place, texts[place])]

    def _asked(self, row: Row, lines: Sequence[str]) -> str:
        assert self.lm is not None
        self._pace.wait()
        options = Options(max_tokens=_most(), repeat_penalty=1.05, grammar=letters(row.options))
        with alone(self.lm):
            return complete(self.lm, prompt(row, lines), options).strip()

    def close(self) -> None:
        """Lets go of the model."""
        if self.lm is not None:
            self.lm.close()

    def _order(self, row: Row) -> tuple[str, Sequence[int]]:
        if self.step.order == "best":
            return best_order(row)
        found = order(row, self.step.order)
        if found is None:
            raise InputError(f"row {row.key} has no order {self.step.order}: run the steps before on it first.")
        return self.step.order, found

    def _room(self, row: Row) -> int:
        assert self.lm is not None
        used = sum(self.lm.count_tokens(one.content) + 8 for one in prompt(row, []))
        return self.lm.context_tokens - _most() - used - FRAME


def _most() -> int:
    from ...models.chat.answer import MAX_TOKENS

    return MAX_TOKENS


def about(text: str) -> int:
    """About how many tokens a text has, where no model counts."""
    return -(-len(text.encode("utf-8", "replace")) // 4)


def filled(row: Row, places: Sequence[int], room: int, count: Callable[[str], int]) -> dict[int, list[str]]:
    """The lines of each session that is given: whole ones, best first, while they fit; of one that doesn't, the
    passages nearest to the question, in at most half of what is left, so that the next ones get their share."""
    found: dict[int, list[str]] = {}
    left = room
    for place in places:
        lines = [f"{who}: {one_line(text)}" for who, text in row.haystack.sessions[place]]
        size = _tokens(dated(row, place, lines), count)
        if lines and size > left:
            part = int(left * SHARE)
            lines = digest(row, place, part, count).split("\n") if part >= LEAST else []
            size = _tokens(dated(row, place, lines), count)
        if any(lines) and size <= left:
            found[place] = lines
            left -= size
        if left < LEAST:
            break
    return found


def _tokens(lines: Sequence[str], count: Callable[[str], int]) -> int:
    return sum(count(line) + 3 for line in lines)  # each is an item of a list


def dated(row: Row, place: int, lines: Sequence[str]) -> list[str]:
    """A session's lines below its date."""
    from ...models.chat.answer import spoken_date

    day = row.haystack.dates[place][:10]
    return [f"{spoken_date(day)}:" if day else "Earlier:", *lines]


def prompt(row: Row, lines: Sequence[str]) -> list[Message]:
    """The one prompt of all evaluations of answers: the answer agent's."""
    from ...models.chat.answer import Talkers
    from ...models.prompts.messages import answer_messages

    scene = Talkers(row.me, row.asker or "User")
    labelled = [_labelled(scene, line) for line in lines]
    recent = [("assistant" if who == row.me else "user", text) for who, text in row.talk]
    return answer_messages(scene.system(row.asked_at or NOW), recent, labelled, with_options(row.question, row.options))


def _labelled(scene: Any, line: str) -> str:
    who, colon, text = line.partition(": ")
    return f"{scene.label(who)}: {text}" if colon else line
