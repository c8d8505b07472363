"""Of which matter of somebody a fact tells: whether one fact ends another is decided by this, not by how alike two
sentences look.

"Nadia's husband Pieter is now a teacher" tells of Pieter's job, so it ends what was known of his job and leaves his
allergy alone. Some matters are one for each person at a time (a home, an age); of others there are many, told apart by
what they are about (an allergy to nuts, a love of nuts).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from ..kinship import pattern as any_relation
from ..language import Language, english
from ..points import letters as re
from ..quoted.in_quotes import quoted
from ..third_person import third_form, verbs
from ..words import alternatives, stem, terms, tokens

VALUE = "value"
"""The kind of "Nadia's locker number is 4471": something of hers that is told by name."""
_NAME = r"[A-Z][\w’'-]*?"
_APPOSED = re.compile(rf"^(?:,? (?:named |called )?(?P<name>{_NAME}(?: {_NAME})?))?,?(?=['’]s |[ ,.!]|$)")
_VALUE = re.compile(r"^(?P<what>(?:[\w-]+ ){0,4}[\w-]+) (?:is|are|was|has been|is now|will be)\b")
_WHO = re.compile(
    r"^['’]?s? ?(?:is|was|are) (?:now )?(?:an? )?(?:called |named )?(?:(?:Dr|Mr|Mrs|Ms|Mx|Prof)\.? )?"
    r"[A-Z][\w-]+(?: [A-Z][\w-]+)?[.!]?$"
)
"""What follows a role where it is told who has it: "Nadia's boss is Karl"."""
_BEGINS = re.compile(
    r"(?:The |My )?(?P<name>[A-Z][\w-]*(?: [A-Z][\w-]*)?|[Uu]ser)"
    r"(?: and (?P<other>[A-Z][\w-]*)(?= ))?(?=['’]s |[ ,.!]|$)"
)
_THING_MOVED = re.compile(
    r"['’]s (?:[a-z-]+ ){0,2}?(?!(?:home|house|flat|apartment|address|place|family)\b)(?P<what>[a-z-]+(?<!ed)(?<!ing))"
    r" (?:has |have |had |is |was |been |being |just |now )*mov(?:ed|es|ing) "
)
_TITLES = frozenset({"mr", "mrs", "ms", "miss", "mx", "dr", "prof"})
_CAPITAL = re.compile(r"[A-Z][\w-]+")


class Holder(NamedTuple):
    """Of whom or what a fact tells: by name, by what they are to the owner (sister, cat), or both."""

    names: frozenset[str]
    roles: frozenset[str] = frozenset()

    def same(self, other: Holder) -> bool:
        """Whether both are surely one. A role without a name fits a name that has the role."""
        if self.names and other.names:
            return bool(self.names & other.names)
        return bool(self.roles & other.roles)


class Matter(NamedTuple):
    """`kind` as in the data file; `what`: the stems of what it is about, the main one last; empty: there is but one."""

    kind: str
    what: tuple[str, ...] = ()

    def same(self, other: Matter) -> bool:
        """Whether both are the same matter of one holder."""
        kinds = f"{self.kind}.", f"{other.kind}."
        if not kinds[0].startswith(kinds[1]) and not kinds[1].startswith(kinds[0]):
            return False
        mine, theirs = {*self.what}, {*other.what}
        if not mine or not theirs:
            return mine == theirs
        if self.kind == VALUE:
            return mine <= theirs or theirs <= mine
        return mine <= theirs or theirs <= mine or self.what[-1] == other.what[-1]


class About(NamedTuple):
    """A fact, or a part of one that stands by itself: whose matters it tells of."""

    text: str
    holder: Holder
    matters: tuple[Matter, ...]
    owner: Holder | None = None
    """Whose the holder is, where that is told: of "Nadia's cat Figaro died", Nadia."""
    begin: int = 0
    """Where in the text the predicate begins."""


def parts(fact: str, language: Language | None = None) -> list[About]:
    """The fact, cut where "and" begins another thing that it tells, each part with its subject."""
    return list(_parts(fact, language or english()))


@lru_cache(maxsize=4096)
def _parts(fact: str, language: Language) -> tuple[About, ...]:
    if not language.claims:
        return ()
    whole = fact.strip().rstrip(".!")
    begin, holder, _ = _subject(whole, language)
    if quoted(fact) is not None:  # what it tells stands in words that nobody has turned
        return (About(fact, holder, (), begin=begin),)
    does = re.match(r" ([a-z]{3,}s) ", whole[begin:])
    again = rf"|,? (?:and|but) (?={does[1]} )" if does else ""  # "drinks coffee and drinks no milk"
    pieces = [piece.strip(" ,") for piece in re.split(_joint().pattern + again, whole) if piece.strip(" ,")]
    led = (_SINCE.sub("", piece) for piece in pieces[1:])  # "has a cat; now User has a dog"
    told = [*pieces[:1], *(one if one[:1].isupper() else f"{whole[:begin].rstrip()} {one}" for one in led)]
    return tuple(_about(f"{text}.", language) for text in told)


_SINCE = re.compile(r"^(?:now|then) (?=[A-Z])")
_LATER = r"(?:then|now) [^\";“”]{1,40} said: [\"“]"
"""Before what was said later of the whole fact (`models/storage/changes/ended.py`): that is no part of its own."""


@lru_cache(maxsize=1)
def _joint() -> re.Pattern[str]:
    known = verbs()
    third = known.third | {third_form(verb) for verb in known.finite | known.base} | {"moved", "works", "goes", "is"}
    more = alternatives(third - {"never", "also", "usually"})
    # What stands before an article or a possessive is a verb, known or not: "and coaches a rowing club".
    led = r"[a-z]+[a-z]s (?:an?|the|his|her|their|its) "
    return re.compile(rf",? (?:and|but) (?:also |now )?(?=(?:{more})\b|{led})|; (?!{_LATER})")


def _about(text: str, language: Language) -> About:
    begin, holder, owner = _subject(text, language)
    if owner is not None and not holder.names and _WHO.match(text[begin:]):
        kinds = [Matter("partner")] if holder.roles & language.words("matters", "partners") else []
        return About(text, owner, (Matter(VALUE, tuple(sorted(holder.roles))), *kinds), begin=begin)
    said = text[begin:].rstrip(".").lower()
    found = [*_of_one(said, language), *_of_many(said, language)]
    if owner is None and (value := _value(text)):
        found = [*(one for one in found if one.kind not in ("has", "does", "age")), value]
    elif owner is None and (moved := _THING_MOVED.match(text[begin:])) and moved["what"] not in language.stop:
        found = [one for one in found if one.kind != "home"]  # "Ana's appointment moved to Friday"
    return About(text, holder, tuple(dict.fromkeys(found)), owner, begin)


def _subject(text: str, language: Language) -> tuple[int, Holder, Holder | None]:
    """Where the predicate begins, who it is about, and whose they are."""
    found = _BEGINS.match(text)
    if found is None:
        return 0, Holder(frozenset()), None
    holder, owner, end = Holder(_names(found["name"]) | _names(found["other"] or "")), None, found.end()
    while (chained := _chain(language).match(text, end) or _called().match(text, end)) is not None:
        owner = holder
        roles = {_role(word, language) for word in chained["role"].split()[-1:]}
        end = chained.end()
        apposed = _APPOSED.match(text[end:])
        names = _names(apposed["name"]) if apposed and apposed["name"] else frozenset()
        end += apposed.end() if apposed and apposed["name"] else 0
        holder = Holder(names, frozenset(roles))
    return end, holder, owner


def _role(word: str, language: Language) -> str:
    """The main word of a relation; an ex-wife is no wife."""
    if word.startswith("ex-"):
        return f"ex-{_role(word[3:], language)}"
    return language.relations.get(word, stem(word))


def _names(text: str) -> frozenset[str]:
    return frozenset(tokens(re.sub(r"['’]s$", "", text))) - _TITLES


@lru_cache(maxsize=8)
def _chain(language: Language) -> re.Pattern[str]:
    who = rf"{any_relation(language)}|{_list(language, 'lists', 'pets')}"
    return re.compile(
        rf"['’]s (?:[a-z-]+ ){{0,2}}?(?P<role>(?:ex-)?(?:{who})(?:s?-in-law)?)s?\b(?!-)"
        r"(?! (?:number|name|birthday|food|house|place)\b)"
    )


@lru_cache(maxsize=1)
def _called() -> re.Pattern[str]:
    """Somebody's, by a word that no list of relations has, with a name ("Ana's mate Kev"), or who does what people do
    ("Ana's lodger works at Shell"). Else what Kev does would be Ana's."""
    known = english()
    no = alternatives(
        (known.stop - {"ex"}) | verbs().third | {"name", "surname", "nickname", "shift", "class", "account"}
    )
    people, does = (_list(known, "lists", name).replace("\n", "") for name in ("people", "people_do"))
    people = f"{people}|{alternatives(known.listed('others', 'workers'))}"
    days = "|".join(one.title() for one in (*known.weekdays, *known.month_names))
    named = rf"(?!(?:{days})s?\b){_NAME}(?: {_NAME})?(?=['’]s |,| [a-z])"
    before = rf"(?:(?!(?:{no})\b)[a-z-]+ ){{0,2}}?(?!(?:{no})\b)"
    return re.compile(rf"['’]s {before}(?P<role>(?:[a-z-]+|[A-Z]{{2,3}})(?= {named})|(?:{people})(?= (?:{does})\b))")


def _value(text: str) -> Matter | None:
    """What is told by name: "Nadia's locker number is 4471"."""
    owned = re.match(r"(?:The )?[A-Z][\w’'-]*?(?: [A-Z][\w-]*)?['’]s ", text) or re.match(r"[Tt]he user['’]s ", text)
    found = _VALUE.match(text[owned.end() :]) if owned else None
    what = tuple(word for word in terms(found["what"]) if word not in ("new", "old", "current")) if found else ()
    return Matter(VALUE, what) if what else None


def _of_one(said: str, language: Language) -> Iterable[Matter]:
    return (Matter(kind) for kind, pattern in _patterns(language, "one").items() if pattern.search(said))


def _of_many(said: str, language: Language) -> Iterable[Matter]:
    for kind, pattern in _patterns(language, "many").items():
        found = pattern.search(said)
        what = next((value for value in found.groups() if value), "") if found else ""
        if what and (key := _key(what)):
            yield Matter(kind, key)


def _key(what: str) -> tuple[str, ...]:
    """The stems of the words before anything more is told of the thing, numbers left out: "two cats named Nori"."""
    head = _head().split(_leading().sub("", what))[0]
    counted = english().unit_numbers
    return tuple(stem(word) for word in tokens(head)[:4] if not word.isdigit() and word not in counted and terms(word))


@lru_cache(maxsize=1)
def _head() -> re.Pattern[str]:
    """Before this stands what something is; after it, more of it."""
    return re.compile(rf"\b(?:{english().alternatives('matters', 'more')})\b|[,.;:!(]")


@lru_cache(maxsize=1)
def _leading() -> re.Pattern[str]:
    return re.compile(rf"^(?:(?:{english().alternatives('matters', 'leading')})\s+)+")


@lru_cache(maxsize=16)
def _patterns(language: Language, table: str) -> Mapping[str, re.Pattern[str]]:
    made = {}
    for kind, rules in language.table("matters", table).items():
        numbered = [re.sub(r"\(\?P<\w+>", "(", _filled(rule, language)) if table == "many" else _unnamed(rule, language)
                    for rule in rules]  # fmt: skip
        made[kind] = re.compile("|".join(numbered))
    return made


def _unnamed(rule: str, language: Language) -> str:
    return re.sub(r"\(\?P<\w+>", "(?:", _filled(rule, language))


def _filled(rule: str, language: Language) -> str:
    """The pattern with its lists of words in their places, and a few words for `~`."""
    rule = rule.replace("~", r"(?:[\w'’-]+ ){0,3}")
    idle = {*_words(language, "no_work"), *language.relations}
    workers = ({*language.listed("others", "workers")} - idle) | {*_words(language, "worker")}
    lists = {name: _list(language, "lists", name) for name in language.table("matters", "lists")}
    lists |= {name: "|".join(_words(language, name)) for name in ("illness", "medicine")}
    lists |= {"worker": alternatives(workers), "number": "|".join(language.numbers)}
    for name, words in lists.items():
        rule = rule.replace("{" + name + "}", f"(?:{words})")
    return rule


def _words(language: Language, name: str) -> list[str]:
    return str(language.table("matters", "words").get(name, "")).split()


def _list(language: Language, table: str, name: str) -> str:
    return str(language.table("matters", table).get(name, ""))


def details(text: str) -> frozenset[str]:
    """The names and numbers of a text, in small letters: in what two states of one matter mostly differ."""
    names = {word for found in _CAPITAL.findall(text) for word in tokens(found)} - (
        {*tokens(text)[:1]} & english().stop  # "The user's name is ..."
    )
    counted = english().numbers
    digits = {str(counted.get(word, word)) for word in tokens(text) if word[0].isdigit() or word in counted}
    return frozenset(names | digits)


def undated(known: str) -> str | None:
    """The day of what takes the place of a fact and tells none: none (""), for the old day was of what is over; of a
    plan the same (None), for it may only be at another hour."""
    return None if any(matter.kind == "plan" for part in parts(known) for matter in part.matters) else ""
