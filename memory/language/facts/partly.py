"""Of several that one fact names, those whose end a line tells; the others still stand.

"Pepe died" says nothing of Lola in "Ana has two rabbits, Pepe and Lola", and who sold the Fiat may keep the Vespa.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from ..kinship import pattern as relation_words
from ..language import english
from ..points import letters as re
from ..points.abbreviated import hidden
from ..third_person import third_form, verbs
from ..words import terms, tokens
from .change_words import stands
from .corrections import signals
from .matters import About, details, parts
from .over import beside, has_ended, only_kin, things
from .states import DISLIKED

_NAME = r"[A-Z][\w’'-]*\w(?: [A-Z][\w’'-]*\w)?"
_NAMES = re.compile(rf"\b(?P<list>{_NAME}(?:, {_NAME})*,? (?:and|&) {_NAME})(?!['’])")
_JOINT = re.compile(r",? (?:and|&) |, ")
_CUT = re.compile(r",? (?:and|but|while|though|although) |, |; |(?<=[.!?:]) ")
_ONE_OF = re.compile(r"\b(?:one|another) of (?:the|my|our|his|her|their|[a-z]+['’]s)\b", re.IGNORECASE)
_GONE = re.compile(
    r"\b(?:died|dead|passed (?:away|on)|put (?:down|to sleep)|moved (?:out|away)|(?:ran|flew) (?:off|away)|left)\b"
)
"""Of one of two who do something together: the other may go on alone."""
_BESIDE = re.compile(
    rf" with (?:(?:her|his|their|[A-Z]\w+['’]s) )?(?:[a-z]+ )?(?P<who>{_NAME})(?=[.]?$| (?:in|at|near|on) )"
)


@lru_cache(maxsize=1)
def _between() -> str:
    """No word of a thing's own name: here a list ends, or something more is told."""
    return english().alternatives("words", "between")


@lru_cache(maxsize=1)
def _word() -> str:
    return rf"(?!(?:{_between()})\b)[\w’'-]+"


@lru_cache(maxsize=1)
def _except() -> re.Pattern[str]:
    return re.compile(rf"(?:,| but| and)? (?:{english().alternatives('matters', 'spared')})\b.*")


class Standing(NamedTuple):
    """What a fact says from now on (the same: nothing of it is surely over), and of what that was in it the end was
    told: as the fact calls it, and what each of it is ("rabbit"), where that is told."""

    text: str
    over: tuple[str, ...] = ()
    kind: str = ""


def standing(fact: str, told: str, *, surely: bool = False) -> Standing | None:
    """What of a fact still stands where `told` tells the end of a part of it (`surely`: whatever its words); None: of
    no part alone."""
    if not english().claims or ' said: "' in fact or not (said := ending(told) or (told if surely else "")):
        return None
    pieces = parts(fact)
    for place, part in enumerate(pieces):
        if found := _within(part, said):
            texts = [found.text if at == place else one.text for at, one in enumerate(pieces)]
            return found._replace(text=" ".join(texts))
    heard = {*terms(said), *tokens(said)}
    stay = [one for one in pieces if not things(one) & heard]
    if len(pieces) > 1 and 0 < len(stay) < len(pieces):
        return Standing(" ".join(one.text for one in stay))
    return None


def company(fact: str, told: str) -> str | None:
    """Who somebody lives with, as a fact of its own, where `told` tells of another home and not of them: "Ana's partner
    is Tom." of "Ana lives in Graz with Ana's partner Tom"."""
    homes = [{matter.kind for part in parts(one) for matter in part.matters} for one in (fact, told)]
    found = _company().search(fact) if "home" in homes[0] and "home" in homes[1] - {"partner"} else None
    if found is None or {*tokens(found["who"])} & {*tokens(told)} or not (part := parts(fact)[0]).holder.names:
        return None
    return f"{part.text[: part.begin].strip()}'s {found['role']} is {found['who']}."


@lru_cache(maxsize=1)
def _company() -> re.Pattern[str]:
    whose = r"(?:her|his|their|[A-Z][\w-]*['’]s|[Tt]he user['’]s)"
    return re.compile(
        rf"\bwith (?:{whose} )?(?P<role>{relation_words(english())}),? (?:named |called )?(?P<who>{_NAME})"
    )


def named_in(fact: str) -> set[str]:
    """The names of those that a fact lists, or says to be called so."""
    listed = [part.text[begin:end] for part in parts(fact) for begin, end in _lists(part)]
    return {name for text in [*listed, *_CALLED.findall(fact)] for name in re.findall(rf"\b{_NAME}", text)}


_CALLED = re.compile(rf"\b(?:named|called) ({_NAME})")


def ending(told: str) -> str:
    """The pieces of a text that tell an end; of "sold the Fiat but kept the Vespa" the first."""
    pieces, rest, begin = [], told, 0
    while cut := _CUT.search(hidden(rest), begin):
        if _clause(rest[: cut.start()]) and _clause(rest[cut.end() :]):
            pieces.append(rest[: cut.start()])
            rest, begin = rest[cut.end() :], 0
        else:
            begin = cut.end()
    found = [one for one in [*pieces, rest] if signals(one).ends or has_ended(one) or DISLIKED.search(one.lower())]
    return " ".join(_except().sub("", one) for one in found)


def _clause(text: str) -> bool:
    """Whether a verb stands in it that can be nothing else."""
    known, words = verbs(), tokens(text)
    named = re.match(r"(?:[A-Z][\w-]+|he|she|it|they|i|we) (?:\w+ly )?\w+(?:s|ed)\b", text)
    return bool(named) or any(word in known.verbish | known.past for word in words) or has_ended(text)


def _within(part: About, said: str) -> Standing | None:
    """The same of a part that names several, or counts them."""
    for begin, end in _lists(part):
        items = [one for one in _JOINT.split(part.text[begin:end]) if one.strip()]
        if all(map(_AMOUNT.fullmatch, items)):
            continue
        told = [one for one in items if _told(one, items, said)]
        named, kin = bool(told), only_kin(part.text)
        told = [] if kin and any(_goes_on(part, one, said) for one in told) else told
        if (named or _ONE_OF.search(said)) and not told:
            return Standing(part.text)
        if told and len(told) < len(items) and (begin >= part.begin or _may_go_on(part, said)):
            left = [one for one in items if one not in told]
            return _without(part, begin, end, left, told)
    return _alone(part, said) or _fewer(part, said) or _one_of_several(part, said)


_AMOUNT = re.compile(
    r"(?:(?:[a-z]+|\d[\d.,]*) )?"
    r"(?:half|quarter|(?:year|month|week|day|hour|minute|kilo|pound|euro|mile|kilometre|metre)s?)",
    re.IGNORECASE,
)
"""A part of one amount, and no thing among others: "two years and a half"."""
_NO_KIN = re.compile(r"(?:\b(?:is|are) (?:not|no longer)|\b(?:is|are)n['’]?t) (?:my|our)\b", re.IGNORECASE)


def _goes_on(part: About, kin: str, said: str) -> bool:
    """Whether what somebody's kin left or ended leaves them what they are: who has left a husband stays a daughter, and
    a quarrel with her that is over is no end of her."""
    if stands("dead", said) or _NO_KIN.search(said):
        return False
    name = re.sub(r"\W*\(\d+\)", "", kin).split()[-1]
    behind, before = (english().alternatives("relations", one) for one in ("kin_goes_on", "kin_goes_on_with"))
    helps = r"(?:['’]s)?(?: (?:has|had|just|then|now|\w+ly))*"
    return name.lower() in beside(part.text, said) or any(
        re.search(one, said)
        for one in (rf"\b{re.escape(name)}{helps} (?:{behind})", rf"(?:{before}) {re.escape(name)}\b")
    )


def _may_go_on(part: About, said: str) -> bool:
    return bool(_GONE.search(said.lower())) and all(matter.kind != "partner" for matter in part.matters)


def _told(item: str, items: list[str], said: str) -> bool:
    """Whether the end is told of just this: by a name of it, or by a word that no other of the list has."""
    names = {word.lower() for word in re.findall(rf"\b{_NAME}", item)}
    others = {stem for one in items if one != item for stem in terms(one)}
    return bool(names & {" ".join(tokens(said[at:])[: len(one.split())]) for one in names for at in _starts(said)}) or (
        not names and bool(({*terms(item)} - others) & {*terms(said)})
    )


def _starts(text: str) -> list[int]:
    return [found.start() for found in re.finditer(r"\b\w", text)]


def _lists(part: About) -> list[tuple[int, int]]:
    """Where a part lists several: names, things with an article each, or bare words."""
    found = [match.span("list") for match in _NAMES.finditer(part.text) if not _begins_anew(part, match)]
    found = found or [match.span("list") for match in _things_listed().finditer(part.text, part.begin)]
    bare = _bare(part) if not found else None
    return [*found, *([bare] if bare else [])]


def _begins_anew(part: About, listed: re.Match[str]) -> bool:
    """Whether what looks like several names is the end of a clause and the subject of the next: "on 9 February, and
    Tom has promised to stay"."""
    days = english().calendar
    if {word.lower() for word in re.findall(r"\w+", listed["list"])} & days:
        return True
    return listed.start() >= part.begin and _does(part.text[listed.end() :])


def _does(text: str) -> bool:
    """Whether words begin with what somebody does."""
    known, first = verbs(), (tokens(text)[:1] or [""])[0]
    third = first.endswith("s") and first[:-1] in known.base | known.either | known.finite
    said = first in known.third | known.past | {"is", "has", "was", "does"} or _ED.match(first) is not None
    return text[:1] == " " and (third or said)


_ED = re.compile(r"[a-z]{2,}ed$")


@lru_cache(maxsize=1)
def _things_listed() -> re.Pattern[str]:
    word = _word()
    each = rf"(?:an?|the|one|{'|'.join(english().numbers)}|\d+|his|her|their|[A-Z]\w*['’]s) {word}(?: {word}){{0,3}}"
    each = rf"{each}(?: (?:named|called) {_NAME})?"
    return re.compile(rf"\b(?P<list>{each}(?:, {each})*,? and {each})")


def _bare(part: About) -> tuple[int, int] | None:
    """The list of words after the verb: "coffee and tea" of "Ana likes coffee and tea"."""
    said = part.text.rstrip(".")
    joint = re.search(r",? and ", said[part.begin :])
    if joint is None:
        return None
    known, start = verbs(), part.begin
    opens = known.verbish | known.past | known.base | known.adverbs | {*_between().split("|")}
    verb = False  # the first word that is no adverb is the verb, known or not
    for word in re.finditer(r"[\w’'-]+", said[: part.begin + joint.start()]):
        if word.start() >= part.begin and (not verb or word[0].lower() in opens):
            start, verb = word.end(), verb or word[0].lower() not in known.adverbs
    begin = start + len(said[start:]) - len(said[start:].lstrip())
    each = rf"{_word()}(?: (?!(?:an?|the)\b){_word()}){{0,2}}"
    ends = rf"(?=\W*$|[,;]| (?:{_between()})\b)"
    found = re.compile(rf"{each}(?:, {each})*,? and (?P<last>{each}){ends}").match(said, begin)
    if found is None or begin <= part.begin:
        return None
    first, *more = found["last"].split()
    # "is allergic to bees and coaches rowing" goes on with what else they do, "..., and Tom sulked" with another.
    named = any(word[:1].isupper() for word in found["last"].split())
    anew = named and (_does(said[found.end() :]) or any(_does(f" {word}") for word in more))
    again = bool(more) and (first.lower() in known.verbish or first.lower() == verb)
    return None if anew or again else found.span()


def _without(part: About, begin: int, end: int, left: list[str], told: list[str]) -> Standing:
    """The part with only what is left of its list, counted anew and with a verb that agrees."""
    before, after = part.text[:begin], part.text[end:]
    listed = left[0] if len(left) == 1 else f"{', '.join(left[:-1])} and {left[-1]}"
    counted = _counted(_LISTED).search(before)
    kind = singular(counted["kind"].split()[-1]) if counted else ""
    if counted:
        before = before[: counted.start()] + _count(counted, len(told)) + before[counted.end("kind") :]
    elif plural := _PLURAL.search(before):
        kind = singular(plural["kind"])
        one = f"{kind} {'is' if plural['be'] == 'are' else 'was'}" if len(left) == 1 else plural[0]
        before = before[: plural.start()] + one + before[plural.end() :]
    if begin < part.begin and len(left) == 1:
        after = re.sub(r"^ (\w+)", lambda verb: f" {third_form(verb[1])}", after, count=1)
        after = _ROLES.sub(lambda role: role[1] + singular(role[2]), after)
    return Standing(f"{before}{listed}{after}", tuple(told), kind)


@lru_cache(maxsize=2)
def _counted(after: str) -> re.Pattern[str]:
    """A number with what it counts, before `after`."""
    numbers, word = "|".join(english().numbers), _word()
    return re.compile(rf"\b(?P<number>\d{{1,3}}|{numbers}) (?P<kind>(?:{word} ){{0,2}}?{word}s)(?={after})")


_LISTED = r"(?:,| named| called|:| -)* (?:named |called )?$"
_ROLES = re.compile(r"^( (?:is|was) (?:(?:the )?[\w-]+['’]s |her |his |their )?)([a-z]+s)(?=\W*$)")
_PLURAL = re.compile(r"\b(?P<kind>[a-z]+s) (?P<be>are|were)(?= (?:now |called |named )*$)")


def _count(counted: re.Match[str], gone: int) -> str:
    """ "two rabbits" less one is "one rabbit"; what isn't counted by a number stays."""
    number = _number(counted["number"])
    if number <= gone:
        return counted[0]
    words = {value: word for word, value in english().numbers.items()}
    now = number - gone
    told = str(now) if counted["number"].isdigit() else words.get(now, str(now))
    return f"{told} {_one_of(counted['kind']) if now == 1 else counted['kind']}"


def _number(word: str) -> int:
    return int(word) if word.isdigit() else english().numbers[word]


def _one_of(kind: str) -> str:
    *more, last = kind.split()
    return " ".join([*more, singular(last)])


def _alone(part: About, said: str) -> Standing | None:
    """A home that somebody moved out of is still the home of who stays: "lives in Graz with Ben"."""
    found = _BESIDE.search(part.text, part.begin)
    if found is None or not _GONE.search(said.lower()) or not any(one.kind == "home" for one in part.matters):
        return None
    text = part.text[: found.start()] + part.text[found.end() :]
    placed = re.search(r" (?:in|at|near|on) [\w’'-]+", text[part.begin :])
    if not placed or not {*tokens(found["who"])} & {*tokens(said)} or {*tokens(placed[0])[1:]} & {*tokens(said)}:
        return None
    return Standing(text, (found["who"],))


def _fewer(part: About, said: str) -> Standing | None:
    """ "Ana has three cats" when one of them died: there are two."""
    counted = _counted(rf"[.]?$| (?:{_between()})\b").search(part.text, part.begin)
    if counted is None or _number(counted["number"]) < 2 or all(matter.kind != "has" for matter in part.matters):
        return None
    many = counted["kind"].split()[-1].lower()
    one_of, words = _ONE_OF.search(said), {*tokens(said)}
    if not ((one_of and many in words) or (singular(many) in words and many not in words)):
        return None
    text = part.text[: counted.start()] + _count(counted, 1) + part.text[counted.end() :]
    return Standing(text, (), singular(many))


def _one_of_several(part: About, said: str) -> Standing | None:
    """Where several are counted and some other name than the one that is over stands there, all of it stays."""
    several = [found for found in _counted(r"\W").finditer(part.text, part.begin) if _number(found["number"]) > 1]
    placed = {word for found in _PLACED.findall(part.text) for word in tokens(found)}
    names = details(part.text) - part.holder.names - placed
    named = {name for name in names if not name.isdigit()}
    over = named & {*tokens(said)}
    return Standing(part.text) if several and over and over != named else None


_PLACED = re.compile(rf"\b(?:in|at|from|near|of) ({_NAME})")


def singular(word: str) -> str:
    """One of what a plural names ("ponies" -> "pony"); other words come back unchanged."""
    low = word.lower()
    odd = english().table("nouns", "singular")
    if low in odd:
        return str(odd[low])
    if low.endswith("ies") and len(low) > 4:
        return word[:-3] + "y"
    if low.endswith(("ches", "shes", "xes", "sses", "zes")):
        return word[:-2]
    return word[:-1] if low.endswith("s") and not low.endswith(("ss", "us", "is")) else word
