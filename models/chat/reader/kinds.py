"""Whether a sentence of which the reader isn't sure holds just what is asked: an address, a telephone number, the time
or the place of an appointment. English.

Only where it is surely of the one asked of, and says all that the question says of the thing. And whether it tells of
what one can't have, where that is asked: the sentence nearest in meaning to "which medicine can't I take?" is the one
about the medicine that is taken.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import NamedTuple

from ....memory.language.asked import expects
from ....memory.language.asked.forms import forms_of
from ....memory.language.asked.personal import unwrapped
from ....memory.language.facts.corrections import signals
from ....memory.language.facts.states import DISLIKED
from ....memory.language.kinship import pattern, relations
from ....memory.language.language import english
from ....memory.language.points import letters as re
from ....memory.language.words import stem, terms, tokens

_ADDRESS = re.compile(r"\b(?<!email )(?<!e-mail )(?<!mail )(?<!web )address\b", re.IGNORECASE)
_LIVES = re.compile(r"\b(?:live|lives|living|address)\b[^.;]*\b\d+[a-z]?\b", re.IGNORECASE)
_PHONE = re.compile(r"\b(?:tele)?phone number|\bmobile number|\btelephone\b", re.IGNORECASE)
_CALLS = re.compile(r"\b(?:tele)?phone\b|\bmobile\b|\bnumber\b|\bring\b|\bcall\b|\bland ?line\b", re.IGNORECASE)
_DIGITS = re.compile(r"\+?\d(?:[ /-]?\d){5,}")
_NOT = re.compile(r"\b(?:no longer|not|used to|until)\b|n['’]t\b", re.IGNORECASE)
_WHEN = re.compile(r"\b(?:when|what (?:day|date|time))\b", re.IGNORECASE)
_WHERE = re.compile(r"\bwhere\b", re.IGNORECASE)


def holds(question: str, thing: frozenset[str], sentence: str) -> bool:
    """Whether it does. `thing`: stems of what is asked for of the one whom the sentence tells of."""
    if signals(sentence).maybe or _NOT.search(sentence) or sentence.rstrip().endswith("?"):
        return False
    if _ADDRESS.search(question):
        return _is_all(thing, {"address"}) and bool(_LIVES.search(sentence))
    if _PHONE.search(question):
        phone = {"telephone", "phone", "number", "mobile"}
        return _is_all(thing, phone) and bool(_CALLS.search(sentence) and _DIGITS.search(sentence))
    words, asked = expects.words_in(sentence), {*tokens(question)}
    named = thing - {stem(one) for one in expects.generic() | {"exactly", "when", "where"}}
    if not named or not named <= {*terms(sentence)}:
        return False
    timed = bool(expects.answers_at("time", words, asked))
    if _WHERE.search(question):
        return timed and bool(expects.answers_at("place", words, asked))
    return bool(_WHEN.search(question)) and timed


def _is_all(thing: frozenset[str], kind: set[str]) -> bool:
    """Whether nothing but the kind itself is asked for: none of "the address of my bank"."""
    idle = {stem(one) for one in english().stop | kind | {"exact", "exactly", "full", "home", "current"}}
    return not thing - idle


class Matter(NamedTuple):
    """A matter of somebody's that a question asks for: whose (empty: of the asker's kin), and which."""

    name: str
    kind: str


def matter_of(question: str, people: Collection[str] = ()) -> Matter | None:
    """Which one it asks for: "when is Ida's birthday?", "how old is my sister?"; None: none, or of another. `people`:
    names that were told, in small letters."""
    found = _asks_matter().search(unwrapped(question, forms_of("en")).strip(" ?!.").replace("’", "'"))
    if found is None:
        return None
    name = found["name"] or found["aged"] or found["born"] or ""
    name = "" if relations(name) else name  # "how old is Mum?"
    if name and not name[:1].isupper() and not {*tokens(name)} <= {*people}:
        return None
    asked = next((one for one in english().table("questions", "somebodys_matter") if found[one]), None)
    return Matter(name, asked or ("birthday" if "born" in tokens(question) else "age"))


def has_to_do(matter: Matter, sentence: str) -> bool:
    """Whether a sentence has to do with that matter, and doesn't give it to somebody of another name."""
    asked, told = english().table("questions", "somebodys_matter")[matter.kind]
    name, text = re.escape(matter.name) if matter.name else r"(?!)", sentence.replace("’", "'")
    about = re.compile(rf"(?<![\w@])(?:{told.replace('NAME', name)})(?!\w)", re.IGNORECASE)
    if not about.search(text):
        return False
    named, matters = rf"(?i:\b{name}\b)", rf"'s (?:[\w-]+ )?(?i:{asked})\b"
    if not re.search(named, text) or re.search(
        rf"{named}(?: [A-Z][\w-]*)?(?:(?:,| and) [A-Z][\w-]*)*{matters}|{named}'s own\b", text
    ):
        return True
    return about.search(_without_others(text, named, matters)) is not None


def _without_others(text: str, named: str, matters: str) -> str:
    """What of a sentence isn't told of another one's matter: nothing of a clause that begins with that, or where it is
    somebody's of the named one ("Ida's husband's birthday"); without it one in which the named one stands before."""
    left = []
    for clause in re.split(r"[,;]\s*|\s(?:and|but|while)\s", text):
        holder = re.search(rf"\b[\w-]+{matters}", clause)
        before = clause[: holder.start()] if holder else ""
        if holder is None:
            left.append(clause)
        elif re.search(rf"{named}(?!')", before):
            left.append(before)
    return ", ".join(left) if re.search(named, ", ".join(left)) else ""


@lru_cache(maxsize=1)
def _asks_matter() -> re.Pattern[str]:
    kin, name = (
        rf"(?i:my|our) (?:[a-z]+ )?(?i:{pattern(english())})(?: [A-Z][\w-]*)?",
        r"[A-Za-z][\w-]*(?: [A-Z][\w-]*)?",
    )
    kinds = "|".join(
        rf"(?P<{one}>{asked[0]})" for one, asked in english().table("questions", "somebodys_matter").items()
    )
    return re.compile(
        rf"^(?:(?i:(?:when|what|which)(?:'s| is| was)) )?(?:{kin}|(?P<name>{name}))'s? (?i:{kinds})(?i: on)?$"
        rf"|^(?i:how old (?:is|was)) (?:{kin}|(?P<aged>{name}))$"
        rf"|^(?i:when (?:is|was)) (?:{kin}|(?P<born>{name})) (?i:born)$"
    )


def asks_forbidden(question: str) -> bool:
    """Whether it asks what somebody can't or mustn't: "which of my friends mustn't eat nuts?"; not "why can't I sleep?"
    nor "can't you help?"."""
    return bool(_asked().search(question.replace("’", "'")))


def says_no(sentence: str) -> bool:
    """Whether a sentence tells of what somebody can't have, mustn't do, or doesn't."""
    return bool(_no().search(sentence.replace("’", "'")))


def asks_liked(question: str) -> bool:
    """Whether it asks what somebody likes: "which vegetable do I like?"; not "what don't I like?"."""
    low = question.lower().replace("’", "'")
    return bool(_likes().search(low)) and not DISLIKED.search(low)


def only_dislikes(sentence: str) -> bool:
    """Whether a sentence tells of what somebody doesn't like, and of nothing that they do."""
    low = sentence.lower().replace("’", "'")
    return bool(_disliked().search(low)) and not _liked().search(_disliked().sub(" ", low))


@lru_cache(maxsize=1)
def _likes() -> re.Pattern[str]:
    likes = english().alternatives("questions", "likes")
    return re.compile(rf"\b(?:what|which|who|whom)\b[^?.!]*\b(?:do|does) (?:[\w']+ ){{1,4}}(?:{likes})\b")


@lru_cache(maxsize=1)
def _liked() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{english().alternatives('questions', 'liked')})\b")


@lru_cache(maxsize=1)
def _disliked() -> re.Pattern[str]:
    liked, hates = english().alternatives("questions", "liked"), english().alternatives("questions", "hates")
    return re.compile(rf"\b(?:(?:do|does|did)(?: not|n't) (?:\w+ly |even |much )?(?:{liked})|{hates})\b")


@lru_cache(maxsize=1)
def _asked() -> re.Pattern[str]:
    asked = english().alternatives("questions", "forbidden")
    return re.compile(rf"\b(?:what|which|who|whom)\b[^?.!]*\b(?:{asked})\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def _no() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{english().alternatives('questions', 'says_no')})\b|n't\b", re.IGNORECASE)
