"""The talks written one by one, with long replies put in between: a kind of talk of its own for the ranker.

What the assistant says in these talks is short, and a real one's replies are long: each begins with what the person
said, as replies do, and goes on at length about this and that (`replies.txt`, or the replies of other talks at hand).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ...memory.values import ASSISTANT
from ..material.templates.talk import GoldTalk
from .rows import MOST, EvidenceQuestion

if TYPE_CHECKING:
    from ...memory.store.store import Store
    from ...memory.values import User

PARTS = 4, 9
"""Paragraphs of a reply."""
ASKED = 3
"""Questions about the replies of a talk."""
_SWAPPED = {
    "i": "you", "i'm": "you're", "i've": "you've", "i'll": "you'll", "i'd": "you'd", "my": "your", "me": "you",
    "mine": "yours", "am": "are", "we": "you", "our": "your", "myself": "yourself",
}  # fmt: skip
_OPENINGS = ("It sounds like {}.", "Thanks for telling me that {}.", "Great question! {}.", "So {}. Let's look at it.")


class Paragraph(NamedTuple):
    """A part of replies, and a question about it."""

    text: str
    question: str


@cache
def paragraphs() -> tuple[Paragraph, ...]:
    """What replies are made of. In the file, a line "Q: ..." before a paragraph asks for it."""
    text = Path(__file__).with_name("replies.txt").read_text(encoding="utf-8")
    found = []
    for part in (part.strip() for part in text.split("\n\n") if part.strip()):
        head, _, rest = part.partition("\n")
        found.append(Paragraph(rest, head[3:]) if head.startswith("Q: ") else Paragraph(part, ""))
    return tuple(found)


def reply(said: str, rng: random.Random, parts: Sequence[Paragraph]) -> tuple[str, list[Paragraph]]:
    """A long reply to a line: the line in the second person, then paragraphs; and these."""
    words = [_SWAPPED.get(word.lower(), word) for word in said.rstrip(" .!?").replace("’", "'").split()]
    opening = rng.choice(_OPENINGS).format(" ".join(words))
    chosen = rng.sample(parts, rng.randint(*PARTS))
    return "\n\n".join([opening[:1].upper() + opening[1:], *(one.text for one in chosen)]), chosen


def replied_talks(store: Store, talks: Sequence[GoldTalk], names: Sequence[str]) -> list[EvidenceQuestion]:
    """Puts the talks into the store with long replies, and gives their told questions, and some about the replies; talk
    n is user `names[n]`."""
    found = []
    for talk, name in zip(talks, names, strict=True):
        user = store.users.call(store.users.get(name).id, talk.user)
        told, replies = _told(store, talk, user.id, random.Random(f"0 {name}"))
        while store.vectors.embed_pending(user.id, limit=10_000):
            pass

        def asked(question: str, answer: str, *lines: int, user: User = user, name: str = name) -> EvidenceQuestion:
            return EvidenceQuestion(name, user.id, question, lines, 0, answer, user.subject, kind="replied")

        found += [
            asked(one.text, one.answer, told[one.needs])
            for one in talk.questions
            if one.needs is not None and one.needs in told
        ]
        few = [(part, lines) for part, lines in replies.items() if part.question and len(lines) <= MOST]
        found += [asked(part.question, "", *lines) for part, lines in few[:ASKED]]
    return found


def _told(
    store: Store, talk: GoldTalk, user_id: int, rng: random.Random
) -> tuple[dict[int, int], dict[Paragraph, list[int]]]:
    """Stores what is missing of the talk; the turn that tells each fact, and the turns that hold each paragraph."""
    told: dict[int, int] = {}
    replies: dict[Paragraph, list[int]] = {}
    session, place = _session(store, user_id, talk.lines[0].said_at), 0
    there = [turn.id for turn in store.turns.of(session)][::-1]

    def kept(speaker: str, text: str, said_at: str) -> int:
        return there.pop() if there else store.turns.add(session, speaker, text, said_at=said_at).id

    for line in talk.lines:
        places, place = range(place, place + len(line.facts)), place + len(line.facts)
        if line.speaker == ASSISTANT:
            continue
        turn = kept(line.speaker, line.text, line.said_at)
        told |= {at: turn for at, gold in zip(places, line.facts, strict=True) if gold.action != "delete"}
        text, parts = reply(line.text, rng, paragraphs())
        answer = kept(ASSISTANT, text, line.said_at)
        for part in parts:
            replies.setdefault(part, []).append(answer)
    return told, replies


def _session(store: Store, user_id: int, at: str) -> int:
    """The session that an earlier run, perhaps interrupted, began, or a new one."""
    there = store.sessions.all(user_id)
    return there[0].id if there else store.sessions.start(user_id, at=at).id
