"""What the ranking model reads and writes, the same in use and in training: sessions, the question, then
`<think>...</think><ranking>4,0,...</ranking>`. (MemSifter has one prompt for training and another one for use.)

A small window gets digests of the nearest sessions, and a grammar that holds the reply; a large one whole sessions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ...models.decoding.budget import fit
from ...models.lm import Message, Options
from .rows import Haystack, Row, Turns

if TYPE_CHECKING:
    from ...models.lm import LM

MOST = 10
"""Sessions that a ranking names at most."""
DIGESTS = 12
"""Sessions of which a small window gets digests."""
LEAST = 24
"""Tokens of a digest below which fewer sessions are told."""
SMALL = 16_384
"""Tokens of a window below which sessions are told in digests."""
SMALL_REPLY, LARGE_REPLY = 160, 4_096
"""Tokens of a reply."""
TEMPERATURE = 0.6
"""Of a model that thinks over whole sessions."""
NAMED, TOLD = 3, 80
"""Sessions that a small model's thought names at most, and letters that it says of each."""
NOWHERE = "None of them tells it; the nearest come first."
"""The thought where no session that is shown tells it."""
FRAME = 24
"""Tokens of a chat template's marks."""
Form = Literal["digest", "whole"]
SYSTEM = """You choose the earlier sessions of a conversation that help most to answer a question. Judge each by:
1. topic: does it speak of what the question is about?
2. continuity of need: does it go on with what the person wants, or with an earlier form of it?
3. overlap of details: does it hold the same names, places, times or things?
4. completeness: does it hold the whole answer, not a part of it?
Reply with <think>, what the sessions that help say of it, the most helpful first, </think>, then <ranking>, the \
numbers of these sessions in that order with commas between them, </ranking>, and nothing else."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A prompt and how to ask it. `places`: the session behind each number, from 0, as the prompt counts them."""

    messages: tuple[Message, ...]
    options: Options
    places: tuple[int, ...]


def shown(row: Row, lm: LM, form: Form, seed: int = 0) -> Shown:
    """The prompt of an embedded row for a model, within its window. Raises nothing: what doesn't fit is left out."""
    return _digests(row, lm, seed) if form == "digest" else _whole(row, lm, seed)


def form_of(lm: LM) -> Form:
    """Digests for a small window, whole sessions for a large one."""
    return "digest" if lm.context_tokens < SMALL else "whole"


def nearest(row: Row) -> list[int]:
    """The prefiltered sessions, nearest first."""
    similarities = row.found["similarities"]
    return sorted(row.found["prefiltered_session_idx"], key=lambda place: (-similarities[place], place))


def _digests(row: Row, lm: LM, seed: int) -> Shown:
    near, share = nearest(row)[:DIGESTS], 0
    while True:
        places = sorted(near)
        room = lm.context_tokens - SMALL_REPLY - FRAME - _size(lm, messages(row, places, [""] * len(places)))
        share = max(0, room // max(1, len(places)) - 2)  # a session's text and the line's end after it
        if share >= LEAST or len(near) <= 1:
            break
        near = near[:-1]
    texts = [digest(row, place, share, lm.count_tokens) for place in places]
    options = Options(max_tokens=SMALL_REPLY, seed=seed, grammar=grammar(len(places)))
    return Shown(tuple(messages(row, places, texts)), options, tuple(places))


def _whole(row: Row, lm: LM, seed: int) -> Shown:
    """As many whole sessions as fit, nearest first; one that doesn't fit is passed over."""
    reply = min(LARGE_REPLY, lm.context_tokens // 4)
    kept: list[int] = []
    left = lm.context_tokens - reply - FRAME - _size(lm, messages(row, [], []))
    for place in nearest(row):
        size = _size(lm, messages(row, [place], [said(row.haystack.sessions[place])])[-1:]) - 8
        if size <= left:
            kept.append(place)
            left -= size
    kept.sort()
    texts = [said(row.haystack.sessions[place]) for place in kept]
    options = Options(max_tokens=reply, temperature=TEMPERATURE, seed=seed)
    return Shown(tuple(messages(row, kept, texts)), options, tuple(kept))


def messages(row: Row, places: Sequence[int], texts: Sequence[str]) -> list[Message]:
    """The prompt over these sessions, whose texts are given."""
    parts = [
        f"<session{number}> {_date(row.haystack, place)}\n{text}\n</session>"
        for number, (place, text) in enumerate(zip(places, texts, strict=True))
    ]
    talk = f"<talk>\n{said(row.talk)}\n</talk>\n" if row.talk else ""
    day = f" (asked on {row.asked_at[:10]})" if row.asked_at else ""
    last = f"{talk}<question>{one_line(row.question)}</question>{day}\nWhich sessions help most to answer it?"
    return [Message("system", SYSTEM), Message("user", "\n".join([*parts, last]))]


def _date(stack: Haystack, place: int) -> str:
    return f"<date>{stack.dates[place][:10] or 'unknown'}</date>"


def said(turns: Turns) -> str:
    """A session's turns, a line each."""
    return "\n".join(f"{who}: {one_line(text)}" for who, text in turns)


def one_line(text: str) -> str:
    """Without line ends, and without marks that the prompt itself has."""
    return " ".join(text.replace("<", "‹").replace(">", "›").split())


def digest(row: Row, place: int, room: int, count: Callable[[str], int]) -> str:
    """The passages of a session nearest to the question that fit into `room` tokens, in order; of the nearest at least
    the beginning."""
    turns, kept = row.haystack.sessions[place], list[tuple[int, int, int]]()
    text = ""
    for span in row.found["session_passages"][place]:
        more = _lines(turns, sorted([*kept, (span[0], span[1], span[2])]))
        if count(more) <= room:
            kept, text = [*kept, (span[0], span[1], span[2])], more
        elif not kept:
            return fit(more, room, count, "head")
    return text


def _lines(turns: Turns, spans: Sequence[tuple[int, int, int]]) -> str:
    """Passages of one turn stand in one line."""
    found: dict[int, list[str]] = {}
    for turn, begin, end in spans:
        found.setdefault(turn, []).append(one_line(turns[turn][1][begin:end]))
    return "\n".join(f"{turns[turn][0]}: {' ... '.join(parts)}" for turn, parts in found.items())


def grammar(count: int) -> str:
    """A thought of one line, then up to min(10, count) numbers of sessions; which come twice is seen in parsing.

    The thought begins with a session and what that tells, and the ranking with the same session: asked for any thought
    and for ten numbers, small models repeat the question and count.
    """
    count, more = max(1, count), max(0, min(MOST, count) - 1)
    rest = f'more{{0,{NAMED - 1}}} "</think><ranking>'
    ways = [f'"<think>Session {one}" told {rest}{one}"' for one in range(count)]
    numbers = " | ".join(f'"{number}"' for number in range(count))
    rules = [
        f'root ::= ({" | ".join(ways)} | nowhere) ("," number){{0,{more}}} "</ranking>"',
        f'nowhere ::= "<think>{NOWHERE}</think><ranking>" number',
        f'told ::= (" tells of " | " says that ") letter{{2,{TOLD}}} "."',
        'more ::= " Session " number told',
        "letter ::= [^.<>\\n]",
        f"number ::= {numbers}",
    ]
    return "\n".join(rules) + "\n"


def _size(lm: LM, some: Sequence[Message]) -> int:
    return sum(lm.count_tokens(message.content) + 8 for message in some)
