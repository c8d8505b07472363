"""What the generator yields: short chats with their gold facts and questions. All values are frozen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Action = Literal["add", "update", "delete"]
Split = Literal["train", "valid"]


@dataclass(frozen=True, slots=True)
class Gold:
    """One change of memory that a line asks for.

    `fact` is a third-person sentence (empty for a deletion). `date_phrase` is what the speaker said ("last Friday"),
    `happened_on` the same resolved against the line's date (`YYYY`, `YYYY-MM` or `YYYY-MM-DD`). `replaces` is the
    place in `Talk.golds` of the fact that this one updates or deletes.
    """

    action: Action
    subject: str
    topic: str
    fact: str
    date_phrase: str | None = None
    happened_on: str | None = None
    replaces: int | None = None


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question about the talk. `needs` is the place in `Talk.golds` of the fact it asks for; None: never told.

    `text`/`answer` belong together; `variants` and `answers` hold the other wordings. `key_words` must all stand in a
    right answer (empty when the honest answer is "I don't know").
    """

    text: str
    answer: str
    variants: tuple[str, ...]
    answers: tuple[str, ...]
    key_words: tuple[str, ...]
    needs: int | None


@dataclass(frozen=True, slots=True)
class GoldLine:
    """One utterance. `said_at` is ISO 8601 in UTC. `question` is set where the user asks for a fact told before."""

    speaker: str
    text: str
    said_at: str
    facts: tuple[Gold, ...] = ()
    question: GoldQuestion | None = None


@dataclass(frozen=True, slots=True)
class GoldTalk:
    """A chat of `user` ("User" when unnamed) with the assistant, and questions that can be asked after it. `asides`:
    questions on its matters that ask for advice, the world or a text, so that nothing told answers them."""

    user: str
    lines: tuple[GoldLine, ...]
    questions: tuple[GoldQuestion, ...]
    asides: tuple[str, ...] = ()

    @property
    def golds(self) -> tuple[Gold, ...]:
        """All changes in the order they were told; `replaces` and `needs` count in this tuple."""
        return tuple(gold for line in self.lines for gold in line.facts)

    @property
    def live(self) -> dict[int, Gold]:
        """The facts that hold at the end, by their place in `golds`."""
        golds = self.golds
        gone = {gold.replaces for gold in golds if gold.replaces is not None}
        return {i: gold for i, gold in enumerate(golds) if gold.action != "delete" and i not in gone}
