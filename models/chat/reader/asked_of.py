"""Of whom beside the asker a question asks, and what was told of others alone: "was Ida a teacher?" isn't answered by
"Bo was a teacher", nor "what did my wife take?" by what the asker takes. English.

The facts tell who is what to the asker, so that the wife is looked for by her name, too. Where they don't, a sentence
that may be of the one asked of stays.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

from ....memory.language.asked.forms import forms_of
from ....memory.language.asked.personal import unwrapped
from ....memory.language.kinship import pattern, relations
from ....memory.language.language import english
from ....memory.language.points import letters as re
from ....memory.language.words import stem, terms, tokens
from ..told.people import fits
from .owner import as_i

Who = tuple[str, str]
"""What somebody is to the asker, and their name: "older sister", "Ida"."""
_I = re.compile(r"\b(?:i|me|my|mine|myself|i['’]\w+)\b", re.IGNORECASE)
_LEANS = re.compile(r"\b(?:he|she|they|his|hers?|their|theirs|him|them)\b", re.IGNORECASE)
_YES_NO = re.compile(r"(?:am|is|are|was|were|do|does|did|has|have|had|can|could|will|would)\b", re.IGNORECASE)
SEVERAL = 2
"""Words of a thing asked for from which another's sentence that holds them tells that very thing."""


class AskedOf(NamedTuple):
    """Somebody beside the asker: their names, in small letters, and what they are to the asker, as far as either is
    known."""

    names: frozenset[str]
    kin: frozenset[str]


def may_ask(question: str) -> bool:
    """Whether by its form a question asks of somebody beside the asker."""
    return _asks().match(_core(question)) is not None


def _core(question: str) -> str:
    return unwrapped(question, forms_of("en")).strip(" ?!.").replace("’", "'")


def asked_of(question: str, known: Sequence[Who]) -> AskedOf | None:
    """None: the asker is asked of, or nobody of whom anything is known, or several are."""
    found = _asks().match(_core(question))
    if found is None or _I.search(found["rest"]) or _of_theirs().search(f"{found['of'] or ''}{found['rest']}"):
        return None
    if kin := found["kin"]:
        names = {word for kind, name in known if fits(kin, kind) for word in tokens(name)}
        return AskedOf(frozenset(names), frozenset(relations(kin)))
    name = frozenset(tokens(found["name"]))
    kinds = {one for kind, other in known if name <= {*tokens(other)} for one in relations(kind)}
    return AskedOf(name, frozenset(kinds)) if any(name <= {*tokens(other)} for _, other in known) else None


def of_name(name: str, known: Sequence[Who]) -> AskedOf:
    """The one of that name, whether or not it is known what they are to the asker."""
    names = frozenset(tokens(name))
    return AskedOf(
        names, frozenset(one for kind, other in known if names <= {*tokens(other)} for one in relations(kind))
    )


def of_another(asked: AskedOf, sentence: str, asker: str, people: Collection[str], *, matter: bool = False) -> bool:
    """Whether a told sentence surely tells nothing of them: it speaks of the asker, or begins with somebody else.

    `people`: names that were told, in small letters; `matter`: one of theirs is asked for that each has, so that
    anybody else at the beginning has another; not "my son" where it isn't known what the one asked of is.
    """
    text = as_i(sentence, asker)
    words = {*tokens(text)}
    if asked.names & words:
        return False
    if matter and asked.names and (begins := _someone().match(text)):
        otherwise = re.match(r" [A-Z][\w-]*", text[begins.end() :])
        return bool(otherwise) or bool(asked.kin and not asked.kin & relations(text))
    if matter and not asked.kin and (mine := _MY_OWN.match(text)):  # "my dog is 7": it may be them
        return _a_matter().match(mine["what"]) is not None
    if asked.kin & relations(text):
        return not asked.kin & relations(_theirs().sub(" ", text))
    if (tokens(text) or [""])[0] in people:
        return bool(asked.names)
    if _someone().match(text):
        return bool(asked.kin)
    if _LEANS.search(text):
        return False
    return bool(asked.kin) if relations(text) else bool(_I.search(text))


def rest_of(question: str) -> frozenset[str]:
    """The stems of what a question asks of somebody."""
    core = _core(question)
    found = _asks().match(core) or _MINE.match(core)
    return frozenset(terms(found["rest"] if found else "")) - {stem(one) for one in english().stop}


def told_of_another(question: str, own: str, others: Sequence[str]) -> bool:
    """Whether somebody else's sentence holds all words of what is asked, and the own one none of them: then that isn't
    told of the one asked of. `others`: sentences that aren't of them."""
    what, least = rest_of(question), 1 if _YES_NO.match(_core(question)) else SEVERAL
    return len(what) >= least and not what & {*terms(own)} and any(what <= {*terms(one)} for one in others)


_BE = (
    r"(?:(?:\bis|are|was|were|does|do|did|has|have|had|can|could|will|would|am)(?= )"
    r"|(?<=what)'s|(?<=where)'s|(?<=when)'s)"
)
_MINE = re.compile(rf"(?i:(?:.*? )??{_BE}) (?:(?i:I)\b|(?i:my|our)\b)(?P<rest>.*)")


_MY_OWN = re.compile(r"(?:my|our|I's) (?:(?:own|new|old|full|home) )?(?P<what>[a-z].*)", re.IGNORECASE)


@lru_cache(maxsize=1)
def _a_matter() -> re.Pattern[str]:
    """A matter that each has, at the beginning: "birthday", "phone number"; not "dentist's number"."""
    kinds = "|".join(asked for asked, _ in english().table("questions", "somebodys_matter").values())
    return re.compile(rf"(?:{kinds})(?!['\w])", re.IGNORECASE)


@lru_cache(maxsize=1)
def _asks() -> re.Pattern[str]:
    """A question with a verb before whom it asks of."""
    return re.compile(
        rf"(?i:(?:(?:what|when|where|which|how|who|why|since)\b.*? ?)??{_BE}) "
        rf"(?:(?i:my|our) (?:[a-z]+ )?(?P<kin>(?i:{pattern(english())}))\b(?: [A-Z][\w-]+)?"
        r"|(?P<name>[A-Z][\w-]*\w(?: [A-Z][\w-]*\w)?))"
        r"(?P<of>'s)?(?P<rest>.*)"
    )


@lru_cache(maxsize=1)
def _theirs() -> re.Pattern[str]:
    """Somebody of somebody else's: "his girlfriend", "my brother's girlfriend", "Ida's girlfriend"."""
    kin = pattern(english())
    return re.compile(
        rf"\b(?:(?i:his|her|their)|(?:(?i:my|our)|I's) (?:[a-z]+ )?(?i:{kin})(?: [A-Z][\w-]*)?'s|(?!I's)[A-Z][\w-]*'s) "
        rf"(?:[a-z]+ )?(?i:{kin})\b"
    )


@lru_cache(maxsize=1)
def _someone() -> re.Pattern[str]:
    """Somebody of the asker's at the beginning."""
    return re.compile(rf"(?:my|our|I's) (?:[a-z]+ ){{0,2}}?(?:{pattern(english())})\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def _of_theirs() -> re.Pattern[str]:
    """Somebody of theirs, or somebody beside them."""
    return re.compile(rf"'s (?:[a-z]+ )?(?:{pattern(english())})\b|^ and ", re.IGNORECASE)
