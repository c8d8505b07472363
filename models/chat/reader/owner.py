"""Whose it is: a question about the asker is not answered by what was told of somebody else.

"When is my birthday?" has most in common with "My neighbour Aukje has her birthday on 3 March", and "what is my wife's
job?" with "my wife's sister runs a pharmacy": by words and by meaning these are near, by their grammar they are another
person's. English.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ....memory.language.asked.forms import forms_of
from ....memory.language.asked.personal import unwrapped
from ....memory.language.kinship import pattern, relations
from ....memory.language.language import english
from ....memory.language.points import letters as re
from ....memory.language.words import stem, terms, tokens

_MINE = re.compile(
    r"(?:(?:what|when|where|which|how|since when|until when)\b.*?"
    r"(?:\b(?:is|are|was|were|am|do|did|have|had)|['’]s)|is|are|was|were|am|do|did|have|had) "
    r"(?:I\b(?P<does>.*)|my (?P<thing>.+))",
    re.IGNORECASE,
)
_CLAUSES = re.compile(
    r"[.;:] | -+ |,? (?:and|but|so|because) (?=(?:I|we|my|our|he|she|they|his|her|their)\b)"
    r"|, (?=(?:I|we|my|our|he|she|they|his|her|their|it)\b)"
)
_SELF = re.compile(r"\b(?:i|i['’]\w+|im|ive|we|we['’]\w+|me|us|our|ours|mine|myself)\b", re.IGNORECASE)
_PART = re.compile(
    r"\b(?:mine|ours|his own|him|her own|me)\b|\bher(?= (?:to|in|at|with|for|from|on|an?|the)\b|[.,;]|$)"
)
"""The asker has a part in it; facts say "him" and "her" of them."""
_OWN_PART = re.compile(r"\b(?:mine|ours|his own|her own|me)\b")
"""The same of what the asker said as "I": "her" is somebody else there."""
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z][\w-]+")
_BEFORE = rf"(?:(?:{english().alternatives('others', 'opening')}),? )*"


@dataclass(frozen=True, slots=True)
class Owner:
    """Of whom a question asks what is theirs: the asker (`kin` empty), or their kin; `words`: of what is asked."""

    kin: frozenset[str]
    words: frozenset[str]


def owner_of(question: str) -> Owner | None:
    """None: the question's form doesn't tell, or it names others, who may have a part in it."""
    core = unwrapped(question, forms_of("en")).strip(" ?!.").replace("’", "'")
    found = _MINE.match(core)
    if found is None:
        return None
    if found["does"] is not None:
        return None if _others_in(found["does"]) or _named(found["does"]) else Owner(frozenset(), _words(core))
    first, _, rest = found["thing"].partition("'s ")
    if rest and (kin := _kin(first.split()[-1])):
        return None if _kin_in(rest) else Owner(frozenset({kin}), _words(rest))
    if rest or _kin_in(found["thing"]) or _named(found["thing"]):
        return None
    return Owner(frozenset(), _words(found["thing"]))


def another_s(owner: Owner, sentence: str, asker: str, people: Collection[str]) -> bool:
    """Whether a told sentence tells of somebody else than the owner, and of nothing that the asker has a part in.

    `people`: names that were told, in small letters.
    """
    text = re.sub(r"\bI's\b", "my", as_i(sentence, asker))
    if (_OWN_PART if of_oneself(sentence) else _PART).search(text):
        return False
    clauses = [one for one in _CLAUSES.split(text) if one.strip()]
    speak = [one for one in clauses if owner.words & {*terms(one)}] or clauses[:1]
    return bool(speak) and all(_is_another(one, owner, people) for one in speak)


def as_i(sentence: str, asker: str) -> str:
    """A sentence with "I" for the asker, who may be called the user in it."""
    return re.sub(rf"\b(?:The user|the user|User|{re.escape(asker)})\b", "I", sentence.replace("’", "'"))


def names_in(texts: Sequence[str]) -> set[str]:
    """Words that stand inside sentences with a capital letter, in small letters."""
    return {word.lower() for text in texts for word in _NAME.findall(text)}


def _is_another(clause: str, owner: Owner, people: Collection[str]) -> bool:
    found = _subject().match(clause)
    if found is None:
        return False
    if found["them"]:
        return not of_oneself(clause)
    if found["name"]:
        return not owner.kin and found["name"].lower() in people and not of_oneself(clause)
    last = _kin(found["last"] or found["first"])
    return last not in owner.kin and not of_oneself(clause[found.end() :])


def of_oneself(text: str) -> bool:
    """Whether the asker is spoken of."""
    return bool(_SELF.search(text) or re.search(r"\bmy\b", text))


@lru_cache(maxsize=1)
def _subject() -> re.Pattern[str]:
    """Somebody at the beginning: "my wife's sister Chiamaka", "our neighbour", "Kemal"."""
    who = f"(?:{pattern(english())}|{'|'.join(sorted(english().words('others', 'workers') | _MORE))})"
    return re.compile(
        rf"^{_BEFORE}(?:(?i:my|our)(?: own| [a-z]+er)? (?P<first>{who})\b(?: [A-Z][\w-]*)?(?:'s (?P<last>{who})\b)?"
        rf"|(?P<them>(?i:his|her|their) (?=[a-z]))|(?P<name>[A-Z][a-z][\w-]*)(?:'s)? (?=[a-z0-9]))"
    )


_MORE = english().words("others", "acquaintances")
"""Who isn't told by a word for a relation or a trade."""
_SAME = {"boy": "son", "boys": "son", "girl": "daughter", "girls": "daughter", "kid": "child"}


def _kin(word: str) -> str:
    """The main word for who somebody is."""
    low = _SAME.get(word.lower(), word.lower())
    return english().relations.get(low) or english().relations.get(low.rstrip("s")) or (
        low if low in english().words("others", "workers") | _MORE else ""
    )  # fmt: skip


def _kin_in(text: str) -> bool:
    return any(_kin(word) for word in tokens(text))


def _others_in(text: str) -> bool:
    """Whether a relation is spoken of; a word that is a trade, too, is none of these: "was I a teacher?"."""
    return bool(relations(text) - english().words("others", "workers"))


def _named(text: str) -> bool:
    return bool(re.search(r"\b[A-Z][a-z]", text))


def _words(text: str) -> frozenset[str]:
    return frozenset(terms(text)) - {stem(one) for one in english().stop}
