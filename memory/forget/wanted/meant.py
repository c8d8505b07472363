"""What a wish in plain words means: the facts and lines that hold its words, or that tell of whom it names.

"My aunt" and "Rosa" are one where the memory says so; "I live" means none of Tom's facts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from sqlalchemy import ColumnElement, Connection, select

from ...database import tables as t
from ...database.ties import chain
from ...language.facts.areas import PEOPLE
from ...language.kinship import pattern as any_relation
from ...language.kinship import pets
from ...language.language import english
from ...language.points import letters as re
from ...language.told.trades import workers
from ...language.words import alternatives, content, details, stem, tokens
from ...values import ASSISTANT, FORGOTTEN, Moment
from ..anchors import Anchors, anchors_of
from ..asking import Wish, wish_for, wish_of
from ..finding import Held, holding, images_of, turns_with
from ..parting import STAYS, holders, named_parts
from ..telling import count_of, words_of
from .area import named_area, of_area
from .mine import of_others, own_alone, own_of_area, owned
from .renamed import former
from .several import is_one_name, pieces

MOST_OF = 3, 5
"""Of the words in which a matter was told, the part that a fact or line must hold to be meant: three in five; of those
that do, the ones that hold most of them are."""
MOST_NEAR = 3
"""Facts of one matter that are offered where none holds most of a wish's words."""
_AND = re.compile(r",? and (?=(?:the|my|our|that|who|where|when|what|which|how)\b)", re.IGNORECASE)
"""Between two matters of one wish."""
_CALLED = re.compile(
    r"(?:\b(?:be|been|is|are|was|were|am|ever|once)|['’](?:m|s|re)) (?:called|named)\b|\b(?:called|named) (?=[A-Z])"
)
"""What says only that a name follows: of "a dog called Bello" the dog and Bello are told."""
_CAPITAL = re.compile(r"[A-Z][\w-]+")


@dataclass(frozen=True, slots=True)
class Meant:
    """The ids of the facts and lines that are meant; `whole`: it is somebody with all that names them; `parts`: of
    facts that tell several things, those that are meant; `near`: a fact shares the telling words, not most of them."""

    facts: Sequence[int] = ()
    lines: Sequence[int] = ()
    whole: bool = False
    parts: tuple[tuple[int, int], ...] = ()
    near: bool = False
    unheld: str = ""
    """Of several that are named, those that nothing holds."""


def meant(db: Connection, user_id: int, wish: Wish, own_names: Collection[str], now: Moment) -> Meant:
    """What a wish in words means."""
    rows, lines, newer = former(db, user_id, wish.words, own_names)
    if rows:
        return Meant(sorted({*rows, *newer}), lines, parts=tuple((key, STAYS) for key in newer))
    return _each(db, user_id, wish, own_names, now) or _one(db, user_id, wish, own_names, now)


def _each(db: Connection, user_id: int, wish: Wish, own_names: Collection[str], now: Moment) -> Meant | None:
    """What several mean that a wish names ("everything about tea and Mia"), each by itself; None where it names one, or
    nothing holds any of them."""
    halves = pieces(wish.words)
    if not halves or (wish.kind != "about" and any(_person(half) is None for half in halves)):
        return None
    said = db.scalars(select(t.turns.c.text).where(t.turns.c.id.in_(turns_with(db, user_id, tokens(halves[-1])))))
    if is_one_name(wish.words, halves, [text for _, _, text in _texts(db, user_id)], said.all()):
        return None
    read = {half: _one(db, user_id, replace(wish, words=half), own_names, now) for half in halves}
    found = [one for one in read.values() if one.facts or one.lines]
    unheld = " and ".join(half for half, one in read.items() if one not in found)
    if not found:
        return None
    facts, lines = {key for one in found for key in one.facts}, {key for one in found for key in one.lines}
    parts = {part for one in found for part in one.parts}
    return Meant(sorted(facts), sorted(lines), True, _agreed(found, parts), unheld=unheld)


def _agreed(found: Iterable[Meant], parts: Collection[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Of the statements that are meant, those of facts of which none means all."""
    whole = {key for one in found for key in {*one.facts} - {part[0] for part in one.parts}}
    return tuple(sorted(part for part in parts if part[0] not in whole))


def _one(db: Connection, user_id: int, wish: Wish, own_names: Collection[str], now: Moment) -> Meant:
    """What a wish means that names one matter, or several that are told together."""
    own = frozenset(word for name in own_names for word in tokens(name))
    if (person := _person(wish.words)) is not None:
        facts, lines = _of_person(db, user_id, person, own)
        if facts or lines:
            return Meant(facts, lines, True, _parts(db, facts, wanted_of(wish.words)))
    wanted = wanted_of(wish.words)
    if wish.kind == "about":
        names = details(f"x {wish.words}")  # behind another word, since a sentence's first has a capital anyway
        wanted = frozenset(stem(word) for name in names for word in tokens(name)) or wanted
    least = max(1, len(wanted) if wish.kind == "about" else -(-len(wanted) * MOST_OF[0] // MOST_OF[1]))
    anchors = anchors_of(wish.words, now)
    held = holding(db, user_id, wanted, least, anchors, now)
    if (both := _both(db, user_id, wish, held, len(wanted), own_names, now)) is not None:
        return both
    facts, lines = held.best(least)
    if named := named_area(wish.words, about=wish.kind == "about"):
        facts = sorted({*facts, *of_area(db, user_id, named, own)})
        if owned(wish.words) and named != PEOPLE:
            kinds = {stem(word) for word in pets()} if named == "pets" else None
            facts, lines = own_of_area(db, facts, lines, own, pets=kinds)
    if wish.kind == "about":
        return Meant(facts, lines, True, _parts(db, facts, wanted))
    facts = facts or _behind(db, user_id, held, lines, wanted, least)
    told = [] if facts else [key for key in lines if key not in held.questions]
    if not facts and _only_wishes(db, told):
        near = _nearly(db, user_id, held, _telling(db, user_id, wish.words, own))
        return Meant(near, told, near=True, parts=_parts(db, near, wanted)) if near else Meant((), lines)
    if {*tokens(wish.words)[:1]} & english().words("forget", "mine"):
        facts, lines = _own(db, user_id, [*facts], [*lines], own)
    elif owned(wish.words) and not named:
        facts, lines = own_alone(db, facts, lines, wanted, own)
    if facts:
        lines = [key for key in lines if key not in held.questions]
    newer = _newer(db, facts, anchors)
    return Meant([*facts, *newer], lines, parts=(*_parts(db, facts, wanted), *((key, STAYS) for key in newer)))


def _both(
    db: Connection, user_id: int, wish: Wish, held: Held, count: int, own_names: Collection[str], now: Moment
) -> Meant | None:
    """What two matters mean that are named in one wish ("I'm pregnant and the due date"); None where something holds
    all of the words, or either half by itself means nothing, or somebody with all that names them."""
    halves = _AND.split(wish.words, maxsplit=1)
    told = [*held.facts.values(), *(some for key, some in held.lines.items() if key not in held.questions)]
    if len(halves) < 2 or count in told:
        return None
    read = (wish_for(half) for half in halves)
    found = [meant(db, user_id, replace(one, words=one.words or half), own_names, now)
             for one, half in zip(read, halves, strict=True)]  # fmt: skip
    if any(one.whole or one.near or not one.facts for one in found):
        return None
    first, second = found
    lines, parts = {*first.lines, *second.lines}, {*first.parts, *second.parts}
    return Meant(sorted({*first.facts, *second.facts}), sorted(lines), parts=tuple(sorted(parts)))


def _newer(db: Connection, facts: Sequence[int], anchors: Anchors) -> list[int]:
    """What took the place of these facts and holds now, where a date or number is named that it doesn't hold."""
    if anchors == Anchors():
        return []
    rows = db.execute(select(t.memories).where(t.memories.c.id.in_(chain(db, facts)), _current()))
    return [row.id for row in rows if row.id not in facts
            and not anchors.in_text(f"{row.topic} {row.fact}", row.said_at, row.happened_on)]  # fmt: skip


def _behind(
    db: Connection, user_id: int, held: Held, lines: Sequence[int], wanted: frozenset[str], least: int
) -> list[int]:  # fmt: skip
    """Where lines hold more of the words than any fact: the facts with most of them and all telling ones, of those from
    these lines if there are any."""
    telling = frozenset(stem(word) for word in words_of([" ".join(wanted)]).strong)
    texts = {key: text for key, _, text in _texts(db, user_id)}
    ties = t.memory_evidence.c
    tied = set(db.scalars(select(ties.memory_id).where(ties.turn_id.in_(lines)))) & held.facts.keys()
    enough = {key: count for key, count in held.facts.items()
              if count >= least and telling <= {*map(stem, tokens(texts.get(key, "")))}}  # fmt: skip
    if not enough:  # a line told of somebody in two facts, each of which holds a part of the words
        beside = wanted - holders([texts[key] for key in tied])
        enough = {key: count for key in tied if (count := count_of(texts[key], beside))}
    most = {key: enough[key] for key in tied & enough.keys() or enough}
    return [key for key, count in sorted(most.items()) if count == max(most.values())]


def _nearly(db: Connection, user_id: int, held: Held, telling: frozenset[str]) -> list[int]:
    """The fact that holds now and shares the telling words of a wish, or most of them, and few others that share the
    same ones; none where several share different ones."""
    if not telling:
        return []
    rows = db.execute(select(t.memories).where(t.memories.c.user_id == user_id, _current()))
    texts = {row.id: f"{row.subject} {row.topic} {row.fact}" for row in rows if row.id in held.facts}
    counts = {key: count_of(text, telling) for key, text in texts.items()}
    best = max([-(-len(telling) // 2), *counts.values()])
    found = [key for key, count in counts.items() if count == best]
    shared = {telling & {stem(word) for word in tokens(texts[key])} for key in found}
    return found if len(found) == 1 or (len(shared) == 1 and len(found) <= MOST_NEAR) else []


def _only_wishes(db: Connection, lines: Collection[int]) -> bool:
    """Whether these lines are nothing but wishes like this one, which weren't understood."""
    texts = db.scalars(select(t.turns.c.text).where(t.turns.c.id.in_(lines))) if lines else ()
    return all(wish_of(text) is not None for text in texts)


def _telling(db: Connection, user_id: int, words: str, own: frozenset[str]) -> frozenset[str]:
    """The stems by which a matter would be known again: rare words, and no name of somebody who has other facts too;
    nor what only says of which sort it is, unless there is nothing else ("the dentist appointment" is the dentist). How
    one came by it tells nothing; what it is for does where all else tells nothing ("the name we picked for the baby").
    """
    came_by, words = _came_by().search(words), _came_by().sub(" ", words)
    telling = frozenset(stem(word) for word in words_of([words], own).strong) & wanted_of(words)
    telling = telling or (wanted_of(words) if came_by else frozenset())
    told = telling - {stem(word) for word in english().words("forget", "sorts")} or telling
    return told - holders([text for _, _, text in _texts(db, user_id)], own)


def _parts(db: Connection, facts: Sequence[int], wanted: frozenset[str]) -> tuple[tuple[int, int], ...]:
    """Of those of the facts that tell several things, the statements that are meant."""
    rows = db.execute(select(t.memories.c.id, t.memories.c.fact).where(t.memories.c.id.in_(facts), _current()))
    return tuple((row.id, place) for row in rows for place in named_parts(row.fact, wanted))


def _current() -> ColumnElement[bool]:
    return t.memories.c.valid_to.is_(None)


def wanted_of(words: str) -> frozenset[str]:
    """The stems to look for of a matter that was named in words: without those that name none ("the Tom thing"), unless
    there are no others."""
    stems = content(_CALLED.sub(" ", words))
    vague = english().words("forget", "nothing") | english().words("forget", "held") | english().filler
    return stems - {stem(word) for word in vague} or stems


@lru_cache(maxsize=1)
def _came_by() -> re.Pattern[str]:
    """How one came by something, which no fact need tell: "the name we picked for the baby"."""
    verbs = alternatives(english().files["forget"]["came_by"])
    who = r"\b(?:that |which )?(?:I|we)(?:['’]ve| have| had)? (?:[a-z]+ly )?"
    return re.compile(rf"{who}(?:{verbs})(?= for\b)", re.IGNORECASE)


def _own(
    db: Connection, user_id: int, facts: list[int], lines: list[int], own: frozenset[str]
) -> tuple[list[int], list[int]]:  # fmt: skip
    """Of what holds the words of "I live there" what is the person's: no fact of somebody else, and of the lines those
    that told theirs, or told none and speak of themself. All of it where nothing is theirs."""
    said = {key: text for key, _, text in _texts(db, user_id)}
    mine = {key for key in facts if not of_others(said.get(key, ""), own)}
    if not mine and facts:
        return facts, lines
    ties = t.memory_evidence.c
    my_lines, their_lines = (
        set(db.scalars(select(ties.turn_id).where(ties.memory_id.in_(rows)))) for rows in (mine, set(facts) - mine)
    )  # fmt: skip
    texts = select(t.turns.c.id, t.turns.c.text).where(t.turns.c.id.in_(set(lines) - my_lines - their_lines))
    first = english().words("forget", "mine")
    untied = {row.id for row in db.execute(texts) if first & {*tokens(row.text.replace("’", "'"))}}
    meant_lines = [key for key in lines if key in my_lines | untied]
    return sorted(mine), meant_lines if mine or meant_lines else lines


# Somebody by name or by what they are to the person


@dataclass(frozen=True, slots=True)
class _Person:
    """Somebody by `names` in small letters, by their `role`, or by both."""

    names: frozenset[str] = frozenset()
    role: str = ""


def _person(words: str) -> _Person | None:
    """Whom words name and nothing else: "my aunt", "my aunt Rosa", "Rosa"."""
    said = words.strip()
    if said and all(word[0].isupper() for word in said.split()) and said.split()[0].lower() not in english().stop:
        return _Person(frozenset(tokens(said)))
    found = _named_role().match(said)
    if found is None:
        return None
    return _Person(frozenset(tokens(found["name"] or "")), _role(found["role"]))


def _of_person(
    db: Connection, user_id: int, person: _Person, own: frozenset[str]
) -> tuple[list[int], list[int]]:  # fmt: skip
    """The facts that hold now, and the lines, that name somebody: by name, or by the role that is theirs alone."""
    texts = list(_texts(db, user_id))
    lines = list(_lines_with(db, user_id, person, texts, own))
    by_role = _names_by_role([*(text for _, _, text in texts), *(text for _, text in lines)], own)
    names, role = person.names, person.role
    roles = {role} if role else {one for one, some in by_role.items() if some & names}
    if role and not names:
        names = by_role.get(role, frozenset())
    alone = {one for one in roles if by_role.get(one, frozenset()) <= names and (role or one not in _several())}

    def holds(text: str) -> bool:
        said = {*tokens(text)}
        if names and (names <= said if person.names and not role else bool(names & said)):
            return True
        return any(_tells_role(text, one, names, own) for one in alone)

    facts = [key for key, current, text in texts if current and holds(text)]
    if not facts:
        facts = [key for key, current, text in texts if not current and holds(text)]
        facts += [key for key, subject, text in images_of(db, user_id) if holds(f"{subject} {text}")]
    return sorted({*facts}), [key for key, text in lines if holds(text)]


def _texts(db: Connection, user_id: int) -> Iterator[tuple[int, bool, str]]:
    """The facts, each with whether it holds now; their subject stands in front where the sentence doesn't name it."""
    for row in db.execute(select(t.memories).where(t.memories.c.user_id == user_id, t.memories.c.certainty.is_(None))):
        named = {*tokens(row.subject)} <= {*tokens(row.fact)}
        yield row.id, row.valid_to is None, row.fact if named else f"{row.subject}: {row.fact}"


def _lines_with(
    db: Connection, user_id: int, person: _Person, texts: Iterable[tuple[int, bool, str]], own: frozenset[str]
) -> Iterator[tuple[int, str]]:
    """The person's lines that may name them: by name, or by a role."""
    by_role = _names_by_role((text for _, _, text in texts), own)
    roles = {person.role} | {one for one, some in by_role.items() if some & person.names}
    words = {*person.names, *by_role.get(person.role, ())}
    words |= {word for word, main in english().relations.items() if main in roles} | (roles - {""})
    found = turns_with(db, user_id, words)
    query = select(t.turns).where(t.turns.c.id.in_(found), t.turns.c.speaker != ASSISTANT)
    for row in db.execute(query.order_by(t.turns.c.id)):
        if row.text != FORGOTTEN:
            yield row.id, row.text


def _names_by_role(texts: Iterable[str], own: frozenset[str]) -> dict[str, frozenset[str]]:
    """Who is called what: the names, in small letters, of those who are the person's aunt, boss, cat."""
    found: dict[str, frozenset[str]] = {}
    for text in texts:
        for one in _naming(own).finditer(text):
            role, name = _role(one["role"] or one["last"]), one["name"] or one["first"]
            names = frozenset(tokens(name)) - english().stop - _no_names() - own
            if names:
                found[role] = found.get(role, frozenset()) | names
    return found


def _tells_role(text: str, role: str, names: Collection[str], own: frozenset[str]) -> bool:
    """Whether a text tells of the person's own aunt, and names no other one."""
    for found in _owned(own).finditer(text):
        if _role(found["role"]) == role:
            after = _CAPITAL.match(text[found.end() :].lstrip(" ,"))
            return after is None or not {*tokens(after[0])}.isdisjoint({*names, *english().stop})
    return False


def _role(word: str) -> str:
    return english().relations.get(word.lower(), word.lower())


@lru_cache(maxsize=1)
def _no_names() -> frozenset[str]:
    """Words with a capital that are nobody's name: "my aunt is Spanish"."""
    lists = (("others", "no_names"), ("names", "no_names"), ("names", "not_names"))
    return frozenset().union(*(english().words(*one) for one in lists))


def _several() -> frozenset[str]:
    return english().words("forget", "several")


@lru_cache(maxsize=1)
def _roles() -> str:
    return f"(?i:{any_relation(english())}|{alternatives(pets())}|{alternatives(workers())})"


_NAMES = r"[A-Z][\w-]+(?: [A-Z][\w-]+)?"


@lru_cache(maxsize=1)
def _named_role() -> re.Pattern[str]:
    return re.compile(rf"(?i:my|our|the) (?:[a-z-]+ ){{0,2}}?(?P<role>{_roles()})(?:,? (?P<name>{_NAMES}))?$")


@lru_cache(maxsize=8)
def _owned(own: frozenset[str]) -> re.Pattern[str]:
    mine = "|".join(re.escape(name) for name in sorted(own))
    return re.compile(rf"\b(?i:my|our|(?:the )?(?:{mine})'s) (?:[a-z-]+ ){{0,2}}?(?P<role>{_roles()})\b(?!'s)")


@lru_cache(maxsize=8)
def _naming(own: frozenset[str]) -> re.Pattern[str]:
    mine = "|".join(re.escape(name) for name in sorted(own))
    whose = rf"(?i:my|our|(?:the )?(?:{mine})'s)"
    has = rf"(?i:i|we|(?:the )?(?:{mine})) (?i:have|has|had|got|'ve got) (?i:an?|one)"
    link = r"(?:,| is| was|'s)?(?: (?i:named|called))?,? (?:(?i:dr|mr|mrs|ms|doctor)\.? )?"
    return re.compile(
        rf"\b(?:{whose}|{has}) (?:[a-z-]+ ){{0,2}}?(?P<role>{_roles()}){link}(?P<name>{_NAMES})"
        rf"|(?P<first>{_NAMES}),? (?:is |was )?{whose} (?:[a-z-]+ ){{0,2}}?(?P<last>{_roles()})\b"
    )
