"""What a look-up in several steps knows so far, as the model is shown it, and how that is kept within a budget of
tokens: it is condensed by the model, never cut in silence."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field

from ...lm import LM, Message, Options, complete

CONDENSE = """Condense these notes to what may bear on the question. Keep names, numbers, dates, and the ids (f12, l34)
of what matters. Leave out what is said twice and what has nothing to do with it. Answer with the notes alone."""
SHARE = 4
"""Condensed notes may have one token of so many that they had."""
LEAST = 48
"""Tokens that they may have in any case."""
FRAME = 160
"""Tokens of a prompt that condenses, beside question and notes."""
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Condensed:
    """Notes were condensed, from so many tokens of state to so many; `dropped`: notes that the model could not make
    shorter, and that were left out for it."""

    before: int
    after: int
    dropped: int = 0


@dataclass
class State:
    """The question and the notes of each step, oldest first. `budget`: most tokens of it, by the model's own count."""

    lm: LM
    question: str
    budget: int
    notes: list[str] = field(default_factory=list)

    def text(self) -> str:
        """As the model reads it."""
        return "\n\n".join([f"Question: {self.question}", *(self.notes or ["(nothing was looked up yet)"])])

    @property
    def tokens(self) -> int:
        return self.lm.count_tokens(self.text())

    def fit(self) -> Iterator[Condensed]:
        """Condenses until the state fits, the oldest notes first; tells both sizes each time. Raises ModelError."""
        while (before := self.tokens) > self.budget and self.notes:
            dropped = self._shorter()
            done = Condensed(before, self.tokens, dropped)
            _LOG.info("notes condensed from %d to %d tokens, %d left out", done.before, done.after, done.dropped)
            yield done

    def _shorter(self) -> int:
        """One round: the oldest notes, at least half of all, become one. The notes that were left out."""
        sizes = [self.lm.count_tokens(note) for note in self.notes]
        count = next(n for n in range(1, len(sizes) + 1) if 2 * sum(sizes[:n]) >= sum(sizes))
        old, self.notes = self.notes[:count], self.notes[count:]
        pieces = [piece for note in old for piece in self._pieces(note)]
        made = [self._condensed(piece) for piece in pieces]
        kept = [short for short in made if short]
        self.notes[:0] = ["\n".join(["(notes, condensed)", *kept])] if kept else []
        return len(made) - len(kept)

    def _pieces(self, note: str) -> list[str]:
        """A note in parts that the model can read beside what it is to write."""
        asked = self.lm.count_tokens(self.question) + FRAME
        room = max(LEAST, (min(self.budget, self.lm.context_tokens) - asked) * SHARE // (SHARE + 1))
        pieces: list[list[str]] = []
        used = room + 1
        for part in self._lines(note, room):
            size = self.lm.count_tokens(part) + 1  # a line's end
            if used + size > room:
                pieces, used = [*pieces, []], 0
            pieces[-1].append(part)
            used += size
        return ["\n".join(piece) for piece in pieces]

    def _lines(self, note: str, room: int) -> Iterator[str]:
        """Its lines, each that is too long in halves."""
        waiting = note.split("\n")[::-1]
        while waiting:
            one = waiting.pop()
            if self.lm.count_tokens(one) > room and len(one) > 1:
                waiting += [one[len(one) // 2 :], one[: len(one) // 2]]
            else:
                yield one

    def _condensed(self, piece: str) -> str:
        """Shorter than it was, or empty."""
        size = self.lm.count_tokens(piece)
        messages = [Message("system", CONDENSE), Message("user", f"Question: {self.question}\n\nNotes:\n{piece}")]
        options = Options(max_tokens=max(LEAST, size // SHARE), repeat_penalty=1.05)
        short = complete(self.lm, messages, options).strip()
        return short if self.lm.count_tokens(short) < size else ""
