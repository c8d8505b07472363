"""What the shipped model of 135 million parameters says of the world: where nothing of the memory is asked.

Of 46 such lines it replied soundly to some eight, nearly all of them plain facts ("The capital of Ghana is Accra."); to
most others it said that it hadn't been told, or promised something (docs/log/chat.md). So what asks for advice, for a
view or for something to be made gets one honest sentence, and so does a fact where its reply can't be one. English.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from ....memory.language.asked import expects
from ....memory.language.asked.forms import forms_of
from ....memory.language.asked.indirect import indirect
from ....memory.language.asked.personal import asks_advice, unwrapped
from ....memory.language.language import english
from ....memory.language.told.promises import claimed_save
from ....memory.language.words import query_words, terms, tokens
from ...lm import Chunk
from .read_off import refuses

SMALL = "I'm a small model: I remember what you tell me and know little else. A larger one can be set with /model."
"""Said of what was never to be told."""
UNKNOWN = "I don't know that: you haven't told me, and I'm a small model that knows little of the world."
"""Said of what may have been to be told, or is known by larger ones: "who is Kurt?", "which day is boule?"."""
AGAIN = "That's more than my small model knows."
"""The same where it was said in this talk."""
_ADDRESSED = frozenset({"you", "your", "yours", "yourself"})
_FIRST = frozenset({"i", "me", "my", "we", "our"})
_PAST = frozenset({"did", "was", "were", "had"})
FEW = 3
"""Words of a reply that names no more than what was asked for."""


def untold(question: str) -> str:
    """What is said of a question that the memory doesn't answer, and what it would need to."""
    what = indirect(unwrapped(question, forms_of("en")))
    return (
        f"You haven't told me {what}, as far as I can find: tell me, and I can answer."
        if what
        else "I don't know; I find nothing about that in what you've told me."
    )


def unsure(question: str) -> str:
    """What is said before what may be the answer: that nothing is found would contradict it."""
    said = untold(question)
    return said if said.startswith("You haven't") else "I'm not sure."


def sound(reply: str, question: str) -> bool:
    """Whether a reply may tell what is asked of the world: it neither refuses, nor promises, nor speaks of one of the
    two, and makes up no number. What is asked of the assistant itself ("are you a robot?") it answers as it likes."""
    if refuses(reply):
        return False
    if _ADDRESSED & {*tokens(question)}:
        return True
    said = {*tokens(reply)}
    made_up = expects.numbers(reply, ordinals=True) - expects.numbers(question, ordinals=True) - {"1"}
    return not (said & (_FIRST | _ADDRESSED) or made_up or claimed_save(reply))


def soundly(replied: Iterator[Chunk], question: str) -> Iterator[Chunk]:
    """The reply; in the place of one that isn't sound it is said that the model is small, of what speaks of the asker
    that it wasn't told."""
    pieces = list(replied)
    if not sound("".join(piece.text for piece in pieces), question):
        pieces = [Chunk(_instead(question), "stop")]
    yield from pieces


def _instead(question: str) -> str:
    words = {*tokens(question)}
    if asks_advice(question, english()) and not words & _PAST:
        return SMALL
    if words & _FIRST:
        return untold(question)
    return SMALL if words & _ADDRESSED else UNKNOWN


def remembered(replied: Iterator[Chunk], question: str, again: Callable[[], Iterator[Chunk]]) -> Iterator[Chunk]:
    """A reply out of the memory to a question that needn't be of it; `again` in the place of one that refuses or speaks
    of something else."""
    pieces = list(replied)
    reply = "".join(piece.text for piece in pieces)
    few = len(reply.split()) <= FEW and not _ADDRESSED & {*tokens(question)}
    of_it = few or {*terms(reply)} & {*terms(" ".join(query_words(question)))}
    yield from again() if refuses(reply) or not of_it else pieces


def shorter(replied: Iterator[Chunk], said: Iterable[str]) -> Iterator[Chunk]:
    """The reply; that the model is small is told at length once in a talk, of which `said` are the replies."""
    for piece in replied:
        yield replace(piece, text=AGAIN) if piece.text == SMALL and SMALL in said else piece
