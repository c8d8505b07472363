"""Facts that tell one matter each: "Jonas is a physiotherapist and always hikes, while Ana would rather swim" as three.
What ends one of them leaves the others alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from ....memory.language.about_others import perfect
from ....memory.language.facts.matters import parts
from ....memory.language.kinship import pets
from ....memory.language.language import english
from ....memory.language.leaning.named import does
from ....memory.language.points import letters as re
from ....memory.language.quoted.in_quotes import quoted
from ....memory.language.third_person import third_form, verbs
from ....memory.language.told.trades import workers
from ....memory.language.words import alternatives, terms, tokens
from ...prompts.draft import Add, Draft, Entry

LEAST = 3
"""Words of a fact that stands alone."""
_NAME = r"[A-Z][\w-]*\w"


def singly(fact: str, speaker: str = "") -> list[str]:
    """The facts that a fact tells, each with its subject; one that tells a reason, a condition or what somebody says
    with another is one. `speaker`: who says it, whom no "he" means."""
    if _LATER.search(fact):
        return [fact]
    pieces = [part for clause in _clauses(fact.strip()) for part in _apart(clause)]
    return [one for piece in pieces for part in _gone_on(piece, speaker) for one in _predicates(part)]


def without_lesser(draft: Draft) -> Draft:
    """Without new facts of which another one of the same holder says every word, and more: two rows of one matter are
    in each other's way when it changes. A quotation takes no fact away: it is no row of a matter."""
    told = {one: {*terms(one.fact)} for one in draft if isinstance(one, Add) and quoted(one.fact) is None}

    def lesser(entry: Entry) -> bool:
        return (
            entry in told
            and isinstance(entry, Add)
            and any(
                told[entry] < words
                and not (entry.when and not one.when)
                and parts(one.fact)[0].holder == parts(entry.fact)[0].holder
                for one, words in told.items()
            )
        )

    return replace(draft, entries=tuple(one for one in draft if not lesser(one)))


def _gone_on(clause: str, speaker: str) -> list[str]:
    """Cut where it goes on about the same one: "Jonas is football mad, he's the goalkeeper" as two, each by name. Not
    where somebody else was named before, who may be meant."""
    found = _WHO.match(clause)
    who = found["who"] if found and found["who"] not in (speaker, "User") else ""
    pieces = _cut(clause, _again(), lambda left: True, _bound()) if who else []
    if len(pieces) < 2 or any(_others(piece, who, speaker) for piece in pieces[:-1]):
        return [clause]
    return [_whole(pieces[0]), *(_whole(f"{who} {_GOES_ON.sub(_does_so, one, count=1)}") for one in pieces[1:])]


def _does_so(found: re.Match[str]) -> str:
    """What stands in the place of "he's"; "he's left" has, "he's 25" is."""
    if not found["short"]:
        return ""
    return "has " if perfect().match(found["next"]) else "is "


def _others(piece: str, who: str, speaker: str) -> bool:
    """Whether it tells of anybody or anything alive but of the one whom it is about. What one is ("is a vet") is nobody
    else, but whom one is married to, or whose son one is."""
    if {*_NAMED.findall(piece)} - {*_NAMED.findall(who)}:
        return True
    does = piece.removeprefix(who).strip()
    others = english().relations.keys() | pets() | workers() | english().words("others", "anybody")
    if does.startswith(("is ", "was ")):
        if any(found[1] not in (*speaker.split(), "User") for found in _WHOSE.finditer(does)):
            return True
        to = _TO.search(does)
        does = does[to.end() :] if to else ""
    return bool({*tokens(does)} & others)


_WHOSE = re.compile(r"\b([\w-]+)['’]s?(?= [\w-])")
_TO = re.compile(r"\b(?:to|with|of|for|by|from|at|in|on|like|than|after|under|near|\w{2,}ing|\w{2,}ed)\b")
_WHO = re.compile(
    rf"(?P<who>(?:{_NAME}['’]s (?:[a-z-]+ ){{1,2}})?{_NAME}|{_NAME}['’]s [a-z-]+)(?= (?:[a-z]+ly )?[a-z’']+)"
)
_GOES_ON = re.compile(r"^(?:he|she)(?:(?P<short>['’]s) (?=(?P<next>[\w-]+))| )", re.IGNORECASE)
_NAMED = re.compile(r"\b[A-Z][\w-]*\w\b(?!['’]s)")


def _apart(clause: str) -> list[str]:
    """Cut where it says by the way what somebody is: "Ana's sister Ida, a vet, visits her" as two."""
    found = _BY_THE_WAY.match(clause)
    if found is None:
        return [clause]
    return [_whole(f"{found['who']} is {found['what']}"), _whole(f"{found['who']} {found['rest']}")]


_BY_THE_WAY = re.compile(
    rf"(?P<who>[A-Z][^,.;:]*\b{_NAME}), (?P<what>an? (?:(?!who\b|which\b|that\b)[\w-]+ ?){{1,5}}), "
    r"(?P<rest>(?:is|was|has|had|[a-z]{2,}(?:s|ed))\b .+)"
)


_LATER = re.compile(r"; (?:now|then)\b")
"""Behind it stands what became of what is told before."""


def _clauses(fact: str) -> list[str]:
    """Cut where somebody or something else begins to do something."""
    found = _cut(fact, _joint(), lambda left: does(left))
    return [_whole(one) for one in found] if len(found) > 1 else [fact]


def _predicates(clause: str) -> list[str]:
    """Cut where the same one does something else: "... and never smokes"."""
    who = _subject(clause)
    found = _cut(clause[len(who) :].strip(), _more(), lambda left: True) if who else []
    if len(found) < 2:
        return [clause]
    named = _CALLED.fullmatch(found[0].strip(" ,."))  # "Ana's parrot is called Gav and was Leo's": Ana's parrot Gav was
    again = f"{who.rstrip()} {named['name']}" if named else who.rstrip()
    return [_whole(f"{who.rstrip()} {found[0]}"), *(_whole(f"{again} {one}") for one in found[1:])]


_CALLED = re.compile(rf"is (?:called |named )(?P<name>{_NAME}(?: {_NAME})?)")


def _subject(clause: str) -> str:
    """The words before the predicate; empty where it isn't plain which these are."""
    if clause.startswith("The "):
        return ""
    begin = next((part.begin for part in parts(clause)), 0)
    if clause[begin : begin + 2] not in ("'s", "’s"):
        return clause[:begin]
    owned = _owned().match(clause, begin)
    return clause[: owned.end()] if owned else ""


def _cut(
    text: str, joint: re.Pattern[str], ends: Callable[[str], bool], binding: re.Pattern[str] | None = None
) -> list[str]:
    """The pieces between joints, where the one before is a whole one and nothing binds them."""
    binding = binding or _binding()
    found, begun = list[str](), 0
    for cut in joint.finditer(text):
        left, right = text[begun : cut.start()], text[cut.end() :]
        long = all(len(one.split()) >= LEAST - 1 for one in (left, right))
        if long and ends(left) and not binding.search(left) and not _POINTS.search(right):
            found.append(left)
            begun = cut.end()
    return [*found, text[begun:]]


_POINTS = re.compile(r"\b(?:it|them|him|there|this|that|these|those)\b", re.IGNORECASE)
"""What is understood with the piece before alone."""


@lru_cache(maxsize=1)
def _owned() -> re.Pattern[str]:
    return re.compile(rf"['’]s (?:[\w-]+ ){{1,3}}?(?={_does()}\b)")


def _whole(text: str) -> str:
    text = text.strip(" ,;")
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


@lru_cache(maxsize=1)
def _binding() -> re.Pattern[str]:
    """What binds two clauses to one matter, or makes it plain of neither whose the second is."""
    binding = english().alternatives("doing", "binding")
    return re.compile(rf"\b(?:{binding}|he|she|it|they)\b|[“”\"]", re.IGNORECASE)


@lru_cache(maxsize=1)
def _bound() -> re.Pattern[str]:
    """What binds two clauses of one who is gone on about by "he" or "she"."""
    return re.compile(rf"\b(?:{english().alternatives('doing', 'binding')})\b|[“”\"]", re.IGNORECASE)


@lru_cache(maxsize=1)
def _again() -> re.Pattern[str]:
    """Before "he" or "she" that does something, and doesn't only say the rest."""
    says = english().alternatives("doing", "binding")
    return re.compile(rf"(?:, (?:and )?| and )(?=(?:he|she)(?:['’]s (?!{says})| (?!(?:{says})\b))[\w])", re.IGNORECASE)


@lru_cache(maxsize=1)
def _joint() -> re.Pattern[str]:
    of = rf"(?:['’]s (?:[\w-]+ ){{0,2}}?[\w-]+(?: {_NAME})?)?"
    whom = rf"{_NAME}{of}|[Tt]he (?:[\w-]+ )?[\w-]+"
    plain = rf"{_NAME} (?:is|was|has|lives|works)\b"  # behind "and" alone two may be one subject
    return re.compile(
        rf"(?:(?:, (?:and|but|while)|;| while| but) (?=(?:{whom}) {_does(verbs().past)}\b)| and (?={plain}))"
    )


@lru_cache(maxsize=1)
def _more() -> re.Pattern[str]:
    return re.compile(rf",? (?:and|but) (?={_does()}\b)")


def _does(more: frozenset[str] = frozenset()) -> str:
    """Pattern of what somebody else does, with what stands before it."""
    known = verbs()
    verb = alternatives(known.third | known.modals | {third_form(one) for one in known.base} | _BE | more)
    return rf"(?:(?:{alternatives(known.adverbs)}|[a-z]+ly) )*(?:{verb})"


_BE = frozenset({"is", "isn't", "was", "has", "hasn't", "doesn't", "can't", "won't", "moved"})
