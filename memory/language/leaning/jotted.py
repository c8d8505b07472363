"""Jottings about somebody: "Freya: 9, nut allergy, hates peas" says three things of Freya. English.

What can be said as a sentence is said so ("Freya hates peas"); what can't stays as it was typed, behind whose it is
("Freya: size 32 shoes"), so nothing is guessed and nothing lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ..dates import find_dates, hours
from ..kinship import pets
from ..language import english
from ..points import letters as re
from ..points.abbreviated import hidden, shown
from ..quoted.speech import labelled
from ..quoted.vocabulary import vocabulary
from ..third_person import verbs
from ..words import alternatives, terms, tokens
from .dropped import counts

_NAME = r"[A-Z][\w'’-]*[a-zà-ÿ]"
_BLOCK = re.compile(r"\s*\n\s*|(?<=[.;!]) +(?=[^\s:,.;][^:,.;]{0,30}: )")
"""Before the next one who is told of: "Freya: 9. Otto: 6, loves trains."."""
_HEAD = re.compile(r"[-*•]?\s*(?P<who>[^:,.;()\n]{2,40}?)(?: \((?P<beside>[^()\n]{1,30})\))?:\s+(?P<rest>\S.*)")
_PIECE = re.compile(r"\s*(?:[,;.!]+(?:\s+|$))(?:and |but |also )?")
_AGED = re.compile(
    r"(?:(?P<sure>aged?|turned|just turned) )?(?P<age>\d{1,3})"
    r"(?: (?P<old>years? old|yrs? old|yo|months? old|weeks? old|now))?",
    re.IGNORECASE,
)
_ALLERGY = re.compile(
    r"(?:[\w'’-]+ ){0,4}(?:allergy|allergies|intolerance|intolerances)\b(?: (?:to|since|from)\b.*)?", re.I
)
_WHERE = re.compile(r"(?:in|at|on|off|from) (?!time\b|case\b|fact\b|top\b|the (?:phone|way)\b)[a-z]", re.IGNORECASE)
LONGEST_AGE = 109
ANY_DAY = "2024-06-12T12:00:00Z"


class Jotted(NamedTuple):
    """Whom a jotting tells of, as it names them (`kin`: by what they are to the speaker), and what it says: each a
    predicate ("hates peas"), or words that are none (`plain`)."""

    who: str
    kin: bool
    said: tuple[str, ...]
    plain: tuple[str, ...]

    def facts(self, speaker: str) -> list[str]:
        """What it tells, each matter as a sentence of its own."""
        who = f"{speaker}'s {self.who}" if self.kin else self.who
        return [*(f"{who} {one}." for one in self.said), *(f"{who}: {one}." for one in self.plain)]


def jotted(line: str) -> list[Jotted]:
    """What a line tells in jottings; nothing where any of it is another kind of talk."""
    if ": " not in line or "?" in line or not english().claims:
        return []
    found = [_jotting(shown(one)) for one in _BLOCK.split(hidden(line.strip())) if one]
    told = [one for one in found if one]
    return told if len(told) == len(found) else []


def _jotting(block: str) -> Jotted | None:
    head = _HEAD.fullmatch(block)
    who = _whom(head["who"].strip(), head["beside"] or "") if head else None
    if head is None or who is None or _spoken(head["rest"]):
        return None
    pieces = [shown(one).strip() for one in _PIECE.split(hidden(head["rest"])) if one.strip()]
    if any(re.search(r":(?!\d)", one) for one in pieces):
        return None
    read = [(one, _predicate(one)) for one in pieces]
    if any(told for _, told in read):  # beside what only somebody is or does, a bare number is an age
        read = [(one, told or _age(one)) for one, told in read]
    said = tuple(told for _, told in read if told)
    if not said and not _surely_somebody(*who):
        return None
    return Jotted(*who, said, tuple(_runs(read)))


def _spoken(rest: str) -> bool:
    """Whether words are spoken to somebody, or by somebody of themself: no jotting."""
    return vocabulary().speaks(rest, of_me=False) or bool(english().second_person & {*tokens(rest)})


def _whom(label: str, beside: str) -> tuple[str, bool] | None:
    """Whom a label names, and whether by what they are to the speaker; None: it names nobody. `beside`: what stands
    in brackets, which is understood where it is a relation ("Yusuf (flatmate)")."""
    if beside:
        return _whom(f"{beside} {label}", "") if _kin().fullmatch(beside) else None
    kin = _kin().fullmatch(label)
    if kin is not None:
        name = f" {kin['name']}" if kin["name"] else ""
        return f"{kin['kin'].lower()}{name}", True
    known = english()
    words = [one.lower() for one in label.split()]
    if not labelled(f"{label}: ") or not _named().fullmatch(label) or {*words} & known.relations.keys():
        return None
    listed = known.words("others", "firms") | known.words("others", "places")
    no_name = words[0] in known.lexicon or label in listed
    return None if no_name and not _surely_somebody(label, False) else (label, False)


def _surely_somebody(who: str, kin: bool) -> bool:
    """Whether words name a person, and no thing that is only written with a capital ("Packing: a tent")."""
    first, titles = who.split()[0], english().listed("others", "titles")
    return kin or first.rstrip(".") in titles or first.lower() in english().words("given", "names")


def _predicate(piece: str) -> str:
    """What a piece says that somebody is, has or does; empty where that isn't plain."""
    piece = re.sub(r"^(?:he|she) (?=[a-z])", "", piece, flags=re.IGNORECASE)
    low = re.findall(r"[a-z]+(?:['-][a-z]+)*|\d+", piece.lower().replace("’", "'"))
    if not low:
        return ""
    if _does(low):
        return piece
    if _ALLERGY.fullmatch(piece) and low[0] not in ("no", "not"):
        return f"has {'' if {'allergies', 'intolerances'} & {*low} else _article(low[0])}{piece}"
    if counts(piece) or _affliction().fullmatch(piece):
        return f"has {piece}"
    aged = _AGED.fullmatch(piece)
    if aged and (aged["sure"] or aged["old"]):
        return _age(piece)
    doing = low[0] in english().words("apart", "doing") and len(low) > 2
    if doing or _state().fullmatch(piece) or _lasting().match(piece):
        return f"is {piece}"
    if _trade().fullmatch(piece) and low[0] not in ("new", "no") and not _dated(piece):
        return f"is {_article(low[0])}{piece}"
    return f"is {piece}" if _WHERE.match(piece) and not _dated(piece) else ""


def _article(first: str) -> str:
    if first in ("a", "an", "the", "several", "many", "some"):
        return ""
    return "an " if first[0] in "aeiou" else "a "


def _does(low: list[str]) -> bool:
    """Whether words begin with what a third person does, and with nothing that may be the name of a thing."""
    known, words = verbs(), english().words
    place = next((at for at, one in enumerate(low) if one not in known.adverbs | words("apart", "before_verb")), 0)
    first, following = low[place], low[place + 1] if place + 1 < len(low) else ""
    if not following:
        return False
    if first in known.modals | known.third | words("apart", "does") | {"doesn't", "isn't", "hasn't", "wasn't"}:
        return True
    if first in known.past and first not in known.base | known.either:
        return first in words("apart", "did") or following in ("a", "an", "the", "his", "her", "their", "my")
    third = first.endswith("s") and bool({first[:-1], first[:-2]} & (known.base | known.either | known.finite))
    return third and following in words("apart", "after_third") - {"no", "every"}


def _age(piece: str) -> str:
    """ "is 9" of "9"; empty where it is no age."""
    found = _AGED.fullmatch(piece)
    if found is None or not 0 < int(found["age"]) <= LONGEST_AGE:
        return ""
    months = found["old"] if found["old"] and found["old"][0].lower() in "mw" else ""
    return f"is {found['age']} {months}".rstrip()


def _runs(read: list[tuple[str, str]]) -> Iterator[str]:
    """The pieces that are no predicates; a day, an hour or a number alone stays with the piece before it."""
    run: list[str] = []
    for piece, told in read:
        if run and (told or (_telling(piece) and any(map(_telling, run)))):
            yield ", ".join(run)
            run = []
        if not told:
            run.append(piece)
    if run:
        yield ", ".join(run)


def _telling(piece: str) -> bool:
    """Whether words tell more than when and how many."""
    for words, _ in find_dates(piece, ANY_DAY):
        piece = piece.replace(words, " ")
    return any(not one[0].isdigit() for one in terms(piece))


def _dated(piece: str) -> bool:
    return bool(find_dates(piece, ANY_DAY) or hours(piece))


@lru_cache(maxsize=1)
def _kin() -> re.Pattern[str]:
    """One of the speaker's by what they are; of several a piece may tell of any."""
    known = english().relations
    one = {word for word in known if not (word.endswith("s") and word[:-1] in known)} - {"children", "parent"}
    kin = alternatives({*one - {"grandchildren"}, *pets()})
    return re.compile(rf"(?i:(?:my|our) )?(?P<kin>(?i:{kin}))(?: (?P<name>{_NAME}))?")


@lru_cache(maxsize=1)
def _named() -> re.Pattern[str]:
    titles = "|".join(english().listed("others", "titles"))
    return re.compile(rf"(?:(?:{titles})\.? )?{_NAME}(?: {_NAME})?")


@lru_cache(maxsize=1)
def _state() -> re.Pattern[str]:
    states = f"{english().alternatives('apart', 'states')}|{english().alternatives('others', 'personal_states')}"
    return re.compile(
        rf"(?:(?:now|newly|recently|happily|still|mostly|strictly) )?"
        rf"(?:{states}|[a-z]+-(?:handed|eyed|haired|free))(?: now)?",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1)
def _trade() -> re.Pattern[str]:
    workers = alternatives(
        {*english().words("others", "workers"), *english().table("matters", "words")["worker"].split()}
    )
    return re.compile(rf"(?:[a-z-]+ ){{0,2}}(?:{workers})(?: (?:in|at|for|with) .+)?", re.IGNORECASE)


@lru_cache(maxsize=1)
def _lasting() -> re.Pattern[str]:
    return re.compile(rf"(?:{english().alternatives('doing', 'lasting')}) \w", re.IGNORECASE)


@lru_cache(maxsize=1)
def _affliction() -> re.Pattern[str]:
    ill = english().alternatives("others", "afflictions")
    return re.compile(rf"(?:(?:mild|bad|severe|chronic|an?|type [12]) )*(?:{ill})", re.IGNORECASE)
