"""A fact that tells several things, cut into statements that stand by themselves: one of them may go, the others stay.

"Dorothy lives at 3 Mill Street, her telephone number is 01743 355201" is two: "Dorothy lives at 3 Mill Street." and
"Dorothy's telephone number is 01743 355201." Of a quotation each sentence is one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache

from ..language.facts import matters
from ..language.facts.partly import named_in, standing
from ..language.language import english
from ..language.quoted.in_quotes import quotations, quoted, without
from ..language.words import content, stem, tokens
from ..values import Memory

_LATER = re.compile(
    r"(?:(?:,|;)? (?:and|but)|,|;) (?=(?:(?:his|her|their) (?:[\w’'-]+ ){1,4}(?:is|are|was|were)|he|she|they) )"
)
"""Where the same person is told more of, by a pronoun."""
_PRONOUN = re.compile(r"(?:(?P<whose>his|her|their)|he|she|they)\s+", re.IGNORECASE)
_MEANS_OTHER = re.compile(r"\b(?:has|have|had|got|sees?|met|meets|knows|with|dr|mr|mrs|ms|User)\b", re.IGNORECASE)
"""Behind these "he" may be somebody else: "Ana has a dog, he is called Rex"."""


_SUBJECT_GOES_ON = re.compile(r"['’]s\b|-")
"""Behind a subject that was read only to its middle: "User's aunt" of "User's aunt's plumber Anton is 81 and
collects clocks". Cut there, the second statement would be told of somebody else."""
_NUMBER = re.compile(r"\d(?:[ ./()-]{0,2}\d|,(?=\d{3}(?!\d))\d)*")
_YEAR = re.compile(r"(?:19|20)\d\d")
SHORTEST_NUMBER = 3
"""Digits of a number that tells a statement again in other words; no year."""
_FURTHER = re.compile(r" (?:in|at|for|with|since|on|from|near|by)\b")
"""With which a statement goes on to tell more of the same."""
_OTHERS = frozenset(["he", "she", "him", "her", "his", "hers", "they", "them", "their", "theirs", "it", "its"])


@lru_cache(maxsize=2048)
def parts(fact: str) -> tuple[str, ...]:
    """The statements of a fact, in order, each a sentence; one: it can't be cut."""
    if len(said := quotations(fact)) > 1:
        return tuple(said)
    found = matters.parts(fact)
    if not found:
        return (fact,)
    if len(found) > 1 and _SUBJECT_GOES_ON.match(fact.strip()[found[0].begin :]):
        return (fact,)
    about, root = fact.strip()[: found[0].begin].strip(), re.sub(r"['’]s$", "", fact.split()[0])
    again = re.compile(rf"(?:(?:,|;)? and|,|;|\.) (?={re.escape(root)}\b)")
    pieces = [piece for one in found for told in again.split(one.text.rstrip(".!")) for piece in _of_one(told, about)]
    if names := _names(fact):
        return tuple(_without(fact, [one for one in names if one != name]) for name in names)
    if len(pieces) < 2 or not about:
        return (fact,)
    told = [_standing(piece.strip(" ,;"), about) for piece in pieces]
    return tuple(told) if all(content(one, about) for one in told) else (fact,)


@lru_cache(maxsize=2048)
def _names(fact: str) -> tuple[str, ...]:
    """Whom or what a fact lists by name, if any of them can be taken out of it: "two cats, Nori and Wasabi"."""
    found = sorted(named_in(fact), key=fact.find) if len(matters.parts(fact)) == 1 else []
    alone = [one for one in found if (left := standing(fact, f"{one} died.")) and left.text != fact]
    return tuple(found) if len(found) > 1 and len(alone) == len(found) else ()


def _without(fact: str, names: Collection[str]) -> str:
    """A fact without some of those that it lists."""
    for name in names:
        left = standing(fact, f"{name} died.")
        fact = left.text if left is not None else fact
    return fact


def _of_one(text: str, about: str) -> list[str]:
    """The text, cut where it goes on with "she" or "her", if that is whom it is about."""
    pieces = _LATER.split(text)
    first = pieces[0].removeprefix(about)
    others = not english().relations.keys().isdisjoint(tokens(first)) or _MEANS_OTHER.search(first)
    return [text] if others or about.endswith(("'s", "’s")) or "User" in about.split() else pieces


def _standing(piece: str, about: str) -> str:
    """A piece with whom it is about in place of "she" and "her"."""
    bare = piece.removeprefix(about).lstrip() if piece.startswith(f"{about} ") else piece
    pronoun = _PRONOUN.match(bare)
    if pronoun is None:
        return f"{piece}."
    owner = f"{about}’s" if "’" in about else f"{about}'s"
    return f"{owner if pronoun['whose'] else about} {bare[pronoun.end() :]}."


def named_parts(fact: str, wanted: Collection[str]) -> tuple[int, ...]:
    """Which statements of a fact are meant by these stems, by number; none where all of it is, or it can't be told.

    Neither the names of whom it is about nor what all of them hold tells one from the others. What isn't meant holds
    none of the words, and no "her" that may be of what goes.
    """
    contents = [content(one) for one in parts(fact)]
    if len(contents) < 2:
        return ()
    telling = frozenset(wanted) - holders([fact]) - frozenset.intersection(*contents)
    meant = tuple(place for place, held in enumerate(contents) if held & telling)
    rest = {*tokens(rest_of(fact, meant))}
    return meant if 0 < len(meant) < len(contents) and rest.isdisjoint(_OTHERS) else ()


def rest_of(fact: str, gone: Collection[int]) -> str:
    """What stays of a fact without these of its statements; the fact as it is where it has none of them."""
    if not any(0 <= place < len(parts(fact)) for place in gone):
        return fact
    if quoted(fact) is not None:
        return without(fact, gone)
    if names := _names(fact):
        left = _without(fact, [names[place] for place in gone if 0 <= place < len(names)])
        return left if len({*gone}) < len(names) else ""
    return " ".join(one for place, one in enumerate(parts(fact)) if place not in gone)


STAYS = -1
"""The number of no statement: the fact stays as it is, though it took the place of one that goes."""


def missing(key: int, fact: str, place: int, *, lone: bool) -> str:
    """Why a fact has no statement of that number, with those that it has; empty: it has it. `lone`: nothing is asked
    for but facts that stay as they are."""
    told = parts(fact) if fact else ()
    if 0 <= place < len(told) > 1 or (place == STAYS and fact and not lone):
        return ""
    none = f"there is no {key}.{place + 1}"
    if len(told) < 2:
        return f"{none}: #{key} tells one thing, and is forgotten as {key}." if fact else f"{none}."
    return f"{none}: there is {'; '.join(f'{key}.{number} “{one}”' for number, one in enumerate(told, 1))}."


def part_of(fact: str, gone: Collection[int]) -> str:
    """These statements of a fact."""
    if quoted(fact) is not None:
        return without(fact, {*range(len(parts(fact)))} - {*gone})
    return " ".join(one for place, one in enumerate(parts(fact)) if place in gone)


def holders(facts: Collection[str], own: Collection[str] = ()) -> frozenset[str]:
    """The stems of the names and roles of those whom facts are about."""
    found: set[str] = set()
    for fact in facts:
        for one in matters.parts(fact):
            for holder in filter(None, (one.holder, one.owner)):
                found |= holder.names | holder.roles
    relations = english().relations
    roles = {word for word, main in relations.items() if main in found or word in found}
    return frozenset(stem(word) for word in (found | roles) - {*own})


def people(
    who: frozenset[str], facts: Iterable[tuple[str, str]], own: Iterable[str]
) -> tuple[frozenset[str], frozenset[str]]:  # fmt: skip
    """By what else those are known whom a matter is about ("Dorothy" is "my nan"), and the names and roles of all
    others. `facts`: each after its subject."""
    mine = {word for name in own for word in tokens(name)}
    others = {stem(word) for word in english().relations}
    known = set(who)
    for subject, fact in facts:
        others |= {stem(word) for word in tokens(subject)}
        if who and not who.isdisjoint(map(stem, tokens(fact))) and not who.isdisjoint(found := holders([fact], mine)):
            known |= found
    return frozenset(known), frozenset(others) - known - {stem(word) for word in mine}


def parted(
    states: Iterable[tuple[str, str]], memories: Mapping[int, Memory], asked: Mapping[int, Collection[int]]
) -> tuple[dict[int, str], list[tuple[str, str]]]:  # fmt: skip
    """What stays of facts of which only some statements are asked for (`as_now`), by id; and of all states (each after
    its subject) what goes: of the earlier ones of such a fact, the statements that share a word with that."""
    some = {key: gone for key, gone in asked.items() if key in memories and rest_of(memories[key].fact, gone)}
    if not some:
        return {}, list(states)
    gone = {memories[key].fact: part_of(memories[key].fact, one) for key, one in some.items()}
    telling = frozenset[str]().union(*(content(text) for text in gone.values())) - holders(gone.keys())
    told = []
    for subject, text in states:
        left = gone.get(text, text)
        if text not in gone and telling:
            left = " ".join(one for one in parts(text) if content(one) & telling)
        told += [(subject, left)] if left else []
    return {key: rest_of(memories[key].fact, one) for key, one in some.items()}, told


def as_now(
    asked: Iterable[tuple[int, int]], whole: Collection[int], memories: Mapping[int, Memory],
    newer: Callable[[int], Iterable[Memory]],
) -> tuple[dict[int, set[int]], frozenset[int]]:  # fmt: skip
    """The numbers of the statements that are asked for, by fact; and the facts among them that were changed since, of
    which nothing stays: what took their place (`newer`) does, but for the same statements, so that no cut brings a
    former state back, nor takes what holds now. `whole`: facts that are asked for with all that they tell."""
    places: dict[int, set[int]] = {}
    for key, place in asked:
        places.setdefault(key, set()).add(place)
    changed, added = set[int](), dict[int, set[int]]()
    for key, gone in places.items():
        was = memories.get(key)
        if was is None or was.valid_to is None or not rest_of(was.fact, gone):
            continue
        for row in (one for one in newer(key) if one.id != key):
            changed.add(key)
            if row.id in places or row.id not in whole:
                added.setdefault(row.id, set()).update(_same(was.fact, gone, row.fact))
    for key, some in added.items():
        if STAYS not in places.get(key, ()):
            places[key] = (places.get(key, set()) | some) or {STAYS}
    return places, frozenset(changed)


def _same(was: str, gone: Collection[int], now: str) -> set[int]:
    """The numbers of the statements of a fact as it is now that tell what these of a former state told: in the same
    words, but for those of no meaning and for whom they are about, and where more follows, only where or with whom ("in
    Linz"); or with its long numbers, which no statement that stays had."""
    before, after = parts(was), parts(now)
    who = holders([was, now])
    told = [one for place, one in enumerate(before) if place in gone]
    stays = frozenset[str]().union(*(_numbers(one) for place, one in enumerate(before) if place not in gone))
    return {place for place, said in enumerate(after) if any(_tells(one, said, who, stays) for one in told)}


def _tells(one: str, said: str, who: Collection[str], stays: Collection[str]) -> bool:
    words, held = content(one) - {*who}, content(said)
    if words and words == held - {*who}:
        return True
    begun = one.rstrip(". ")
    if words and _FURTHER.match(said.removeprefix(begun)) and said.startswith(begun):
        return True
    numbers, there = _numbers(one) - {*stays}, _numbers(said) - {*stays}
    return bool(numbers and there) and (numbers <= there or there <= numbers)


def _numbers(text: str) -> frozenset[str]:
    """The numbers of three digits and more, however they are parted: "0171 5551234" is "01715551234"."""
    joined = (re.sub(r"\D", "", one) for one in _NUMBER.findall(text))
    return frozenset(one for one in joined if len(one) >= SHORTEST_NUMBER and not _YEAR.fullmatch(one))
