"""Lines as a storage model reads them: what is the person's own of each, and a long message, such as a paste of many
lines, in parts one after the other.

A model writes a few facts for what it reads, however long that is: of two hundred lines at once it would keep five.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from ...memory.errors import InputError
from ...memory.language.own_name import ToldName, told_name, without_fine
from ...memory.language.quoted.speech import unlabelled
from ...memory.language.quoted.whose import whose
from ...memory.language.told.plainer import plainer
from ...memory.language.words import sentences
from ...memory.values import ASSISTANT, JournalEntry, Turn, User, WriteResult
from ..embedder.punctuation.restored import with_marks

LINE_CHARS = 8_000
"""Most characters of a message that is read for facts, unless a setting says otherwise."""
WHOLE_CHARS = 600
WHOLE_LINES = 5
"""A message of no more is read whole, as what people say in a chat mostly is."""
PART_CHARS = 280
_JOINS = r"(?:and|but|so|because|since|while|then|or|though|although)(?: then| now| maybe)?"
_DOES, _OF = r"(?:I|we|he|she|they|it|there|you)(?:['’]\w+)?", r"(?:my|our|his|her|their|the|this|that)"
_SEAMS = (
    re.compile(rf"[;:–—] |, (?={_JOINS} (?:{_DOES}|{_OF})\b)", re.IGNORECASE),
    re.compile(rf" (?=(?:and|but|so|because)(?: then| now| maybe)? {_DOES}\b)", re.IGNORECASE),
    re.compile(rf", (?={_JOINS} )| (?=(?:and|but|so) {_OF}\b)", re.IGNORECASE),
    re.compile(r"[;,，、] ?(?=\D)"),
)
"""Signs of a new clause, the surest first."""


class Reader(Protocol):
    """Turns lines into memories: a storage agent."""

    def run(self, turns: Sequence[Turn], user: User) -> WriteResult: ...


@dataclass(frozen=True, slots=True)
class Parts:
    """What is read of a message for facts, and the rest of it, which is kept and found but read for none."""

    read: tuple[str, ...]
    unread: str = ""

    @property
    def several(self) -> bool:
        return len(self.read) > 1 or bool(self.unread)


def parts_of(text: str, most: int) -> Parts:
    """The parts of a message; of one that is longer than `most` characters those of its beginning. One without marks
    gets them first: else it would be cut in the middle of a sentence. Raises ModelError."""
    lines = sum(bool(line.strip()) for line in text.splitlines())
    if len(text) <= min(WHOLE_CHARS, most) and lines <= WHOLE_LINES:
        return Parts((text,))
    head = _beginning(text, most)
    read: list[str] = []
    for piece, begins in _pieces(with_marks(head)):
        if read and len(read[-1]) + len(piece) < PART_CHARS and not (begins and len(piece) > PART_CHARS // 2):
            read[-1] += ("\n" if begins else " ") + piece
        else:
            read.append(piece)
    return Parts(tuple(read), text[len(head) :].strip())


def _beginning(text: str, most: int) -> str:
    """At most so many characters, to the end of a line if one ends in their second half, else of a word."""
    if len(text) <= most:
        return text
    ends = (text.rfind(gap, most // 2, most) for gap in ("\n", " "))
    return text[: next((at for at in ends if at > 0), most)]


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """Lines, or the sentences of longer ones; with whether a line begins there."""
    for line in text.splitlines():
        if not line.strip():
            continue
        if len(line) <= PART_CHARS:
            yield line.strip(), True
            continue
        for place, sentence in enumerate(sentences(line)):
            for cut, piece in enumerate(_cut(sentence)):
                yield piece, not place and not cut


def _cut(sentence: str) -> Iterator[str]:
    """A sentence, at a seam between its clauses where it is too long: else between words, and within a word where that
    is."""
    while len(sentence) > PART_CHARS:
        space = sentence.rfind(" ", 1, PART_CHARS)
        at = _seam(sentence[: PART_CHARS + 1]) or (space if space > 0 else PART_CHARS)
        yield sentence[:at].strip()
        sentence = sentence[at:].strip()
    if sentence:
        yield sentence


def _seam(text: str) -> int:
    """Where its last clause begins, in its last two thirds, by the surest sign that it has of one; 0: it has none."""
    for sign in _SEAMS:
        if places := [found.end() for found in sign.finditer(text, len(text) // 3)]:
            return places[-1]
    return 0


def told_apart(turn: Turn) -> Turn:
    """A person's line with what is their own, and with what was taken out of it."""
    own, quoted = ("", ()) if turn.speaker == ASSISTANT else whose(turn.text, turn.speaker)
    return turn if turn.speaker == ASSISTANT else replace(turn, text=own, quoted=quoted)


def as_own(turn: Turn) -> Turn:
    """A line with what it seems to quote, as it is read once the person said that this is their own. Raises InputError
    for a line that quotes nothing."""
    quoted = whose(turn.text, turn.speaker).quoted
    if turn.speaker == ASSISTANT or not quoted:
        raise InputError(f"Line {turn.id} holds nobody else's words, so there is nothing to take for yours.")
    return replace(turn, text="\n".join(map(unlabelled, quoted)), quoted=())


class PartByPart:
    """The storage agent, given a long message in parts. `only`: it reads just this one of them, counted from zero.
    `brought`: each part that was read with the number of writes it led to."""

    def __init__(self, agent: Reader, parts: Parts, only: int | None = None) -> None:
        self._agent, self._parts = agent, parts
        self._read = parts.read if only is None else parts.read[only : only + 1]
        self.brought: list[tuple[str, int]] = []

    def run(self, turns: Sequence[Turn], user: User) -> WriteResult:
        if not self._parts.several:
            return self._agent.run(_without_names(turns, user), user)
        entries: list[JournalEntry] = []
        done = WriteResult(())
        for part in self._read:
            told = _without_names([replace(turns[0], text=part), *turns[1:]], user)
            result = self._agent.run(told, user) if told[:1] and told[0].speaker != ASSISTANT else WriteResult(())
            entries += result.entries
            done = together(done, result)
            self.brought.append((part, sum(entry.kind != "refused" for entry in result.entries)))
        return replace(done, entries=tuple(entries))


def together(done: WriteResult, result: WriteResult) -> WriteResult:
    """What came of the parts so far and of one more; the writes are the first's."""
    return replace(
        done, refused=done.refused or result.refused, doubts=(*done.doubts, *result.doubts),
        held=(*done.held, *result.held), secret=done.secret or result.secret, again=done.again or result.again,
    )  # fmt: skip


def _without_names(turns: Sequence[Turn], user: User) -> list[Turn]:
    """The lines without the clause that told the name the user goes by, which is a fact already."""
    if user.called:
        turns = [replace(turn, text=without_fine(turn.text, user.called)) for turn in turns]
    rests = [(turn, _told_name(turn.text) if turn.speaker != ASSISTANT else None) for turn in turns]
    taken = [replace(turn, text=told.rest) if told and told.name == user.called else turn for turn, told in rests]
    return [turn for turn in taken if turn.text or turn.quoted]


def _told_name(text: str) -> ToldName | None:
    """The name that a line tells, as a small model reads it; one that is told in small letters behind a greeting isn't
    seen in that alone."""
    plain, typed = plainer(text), told_name(text)
    if typed is not None and text != plain and typed.name not in plain:
        plain = re.sub(rf"\b{re.escape(typed.name)}\b", typed.name, plain, count=1, flags=re.IGNORECASE)
    return told_name(plain)
