"""What of a line its speaker says in their own voice, and what they quote: told apart before anything is learned of it.

By form first (quotation marks, mail, code, logs, markup), so it holds for any language and any model; then by words
(`en/quoted.toml`, `quoted.toml`). What is doubtful counts as quoted: the line is kept and shown, and the person says
so where the words are theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ...values import ASSISTANT, Turn
from ..language import english
from . import framed, marks, speech
from .vocabulary import HIDDEN, low_words

LONGEST = 20_000
"""Letters of a line that are looked at; what comes after counts as quoted, for nobody types so much."""
CACHED, LONG_CACHED = 2_000, 2
"""Letters of a line of which what was found is kept; and of how many longer ones, which are read part by part."""
_RUN = re.compile(f"{HIDDEN}[{HIDDEN}\\s]*")
_EDGES = " \t\n,;:–—-"


class Whose(NamedTuple):
    """A line in two: `own` is what its speaker says in their own voice, `quoted` what others say, wrote or made up."""

    own: str
    quoted: tuple[str, ...] = ()


def whose(text: str, called: str = "") -> Whose:
    """A line told apart; one that quotes nothing comes back letter for letter. `called`: a name the speaker goes by."""
    return _told_apart(text, called) if len(text) <= CACHED else _long_told_apart(text, called)


def own_words(text: str, called: str = "") -> str:
    """What of a line its speaker says in their own voice; empty for nothing."""
    return whose(text, called).own


@lru_cache(maxsize=1)
def _may() -> re.Pattern[str]:
    """Without any of these a line quotes nothing: most lines of a talk are settled by this."""
    return re.compile(
        r"[\"“”„«»‹›「」『』<>\[\]{}|`=~—―:：♪♫🎵🎶\u200b\u2060-\u2064\ufeff\U000e0000-\U000e007f]"
        r"|(?<!\w)['‘]|\n|-> |\d-\d\d|\(\s*'"
        rf"|(?i:\b(?:{english().alternatives('quoted', 'may_quote')})\b)"
    )


@lru_cache(maxsize=2_048)
def _told_apart(text: str, called: str) -> Whose:
    """Kept, since the same lines compete for many questions."""
    return _whose(text, called)


@lru_cache(maxsize=LONG_CACHED)
def _long_told_apart(text: str, called: str) -> Whose:
    return _whose(text, called)


def _whose(text: str, called: str) -> Whose:
    if not _may().search(text):
        return Whose(text)
    hidden = _hidden(text[:LONGEST], called) + HIDDEN * max(0, len(text) - LONGEST)
    if HIDDEN not in hidden:
        return Whose(text)
    found = (text[run.start() : run.end()].strip() for run in _RUN.finditer(hidden))
    quoted = tuple(part for part in found if low_words(part))
    if not quoted:
        return Whose(_left(hidden) or text)
    return Whose(_left(hidden), quoted)


def _hidden(text: str, called: str) -> str:
    """The text with each letter hidden that isn't the speaker's own: by marks first, for they may hold anything."""
    hidden = text.replace(HIDDEN, " ")
    asked = framed.asks_to_work(hidden)
    for look in (marks.fenced, marks.markup, marks.mail, marks.chat, marks.code, framed.documents, framed.fiction,
                 framed.orders):  # fmt: skip
        hidden = marks.hide(hidden, list(look(hidden)))
    hidden = marks.hide(hidden, list(speech.quotations(hidden, asked=asked)))
    for spans in (speech.told_with_colon, speech.told_by_a_part, framed.media):
        hidden = marks.hide(hidden, list(spans(hidden)))
    return marks.hide(hidden, list(speech.dialogue(hidden, called)))


def _left(hidden: str) -> str:
    """What is left, as sentences; empty where no word is."""
    kept = list(_pieces(hidden))
    return "\n".join(kept)


def _pieces(hidden: str) -> Iterator[str]:
    for line in hidden.splitlines():
        parts = (part.strip(_EDGES) for part in line.split(HIDDEN))
        words = [part for part in parts if low_words(part)]
        if words:
            yield " ".join(words) if HIDDEN in line else line.strip()


def others_words(turn: Turn) -> tuple[str, ...]:
    """What a person's line quotes, pastes or makes up; empty for nothing, and for what they said is their own."""
    return () if turn.storage == "kept" or turn.speaker == ASSISTANT else whose(turn.text, turn.speaker).quoted
