"""The told sentences that may be of the one whom a question asks of, by what the facts tell of who is who."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ....memory.language.kinship import relations
from ....memory.language.words import tokens
from ....memory.values import User
from ..told.overview import introduced
from ..told.people import namings
from .asked_of import Who, asked_of, may_ask, of_another, of_name, rest_of
from .kinds import matter_of
from .owner import another_s, names_in, of_oneself, owner_of
from .sentences import Sentence

if TYPE_CHECKING:
    from ....memory.store.store import Store


_LEANING = re.compile(r"(?:he|she|they|his|her|their)\b", re.IGNORECASE)
_MINE = re.compile(r"(?:I['’]s|I|we|my|our)\b(?P<mine>(?: [\w-]+){0,2})", re.IGNORECASE)


def own(store: Store, user: User, question: str, found: Sequence[Sentence]) -> list[Sentence]:
    """Those that aren't surely somebody else's; all, where the form of the question doesn't say whose it asks for."""
    others = others_than_asked(store, user, question, [one.text for one in found])
    return [one for one in found if not others(one.text, one.before)]


def others_than_asked(store: Store, user: User, question: str, texts: Sequence[str]) -> Callable[[str, str], bool]:
    """Whether a sentence is surely of somebody else than a question asks of; `texts`: what was found, with which it is
    told who is who. The second text is what stood before the sentence, where that leans on it."""
    owner, matter = owner_of(question), matter_of(question, names_in(texts))
    if owner is None and matter is None and not may_ask(question):
        return lambda text, before: False
    known = _known(store, user, texts)
    people = names_in(texts) | {word for _, name in known for word in tokens(name)}
    matter = matter or matter_of(question, people)
    asked = asked_of(question, known) if owner is None else None
    asked = of_name(matter.name, known) if matter and matter.name else asked

    def others(text: str, before: str) -> bool:
        if owner is not None:
            leans = not owner.kin and bool(_LEANING.match(text)) and not of_oneself(text)
            return leans or another_s(owner, text, user.subject, people)
        if asked is None:
            return False
        leant = f"{before} {_LEANING.sub('', text, count=1)}" if before and _LEANING.match(text) else text
        return of_another(asked, leant, user.subject, people, matter=matter is not None)

    return others


def thing_of(store: Store, user: User, question: str, sentence: str) -> frozenset[str] | None:
    """The stems of what is asked for of somebody of whom the sentence surely tells; None: it doesn't surely."""
    text = re.sub(rf"\b(?:The user|User|{re.escape(user.subject)})\b", "I", sentence)
    if (owner := owner_of(question)) is not None:
        begins = _MINE.match(text)
        kin = relations(begins["mine"]) if begins else set[str]()
        return owner.words if begins and kin == owner.kin else None
    asked = asked_of(question, _known(store, user, [sentence])) if may_ask(question) else None
    if asked is None or not (asked.names & {*tokens(text)} or asked.kin & relations(text)):
        return None
    return rest_of(question)


def _known(store: Store, user: User, texts: Sequence[str]) -> list[Who]:
    """Who is what to the user, by the facts and these texts."""
    told = [(kind, name) for kind, name, _ in introduced(store.facts.all(user.id, derived=False), user.subject)]
    return [*told, *((one.kind, name) for text in texts for one in namings(text) for name in one.names)]
