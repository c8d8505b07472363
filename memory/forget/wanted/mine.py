"""Whose a fact is: "forget my job" takes nothing that tells of somebody else's, nor what is only filed near it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from sqlalchemy import Connection, select

from ...database import tables as t
from ...language.facts import matters
from ...language.language import english
from ...language.points import letters as re
from ...language.words import content, stem, tokens

_WHOSE = re.compile(
    r"\b(?P<who>(?i:his|her|their|my|our)\b|[A-Z][\w-]*(?=['’]s))(?=(?:['’]s)?(?P<what>(?: [\w-]+){1,3}))"
)
"""Whose a thing is, with the words in which it may be named."""


def of_others(fact: str, own: Collection[str]) -> bool:
    """Whether a fact tells of somebody else than the person, as its subject says."""
    about = matters.parts(fact)[:1]
    holder = about[0].holder if about else matters.Holder(frozenset())
    names = holder.names - english().stop  # "it was", "the surgeon was"
    return bool(holder.roles) or bool(names and names.isdisjoint(own))


def owned(words: str) -> bool:
    """Whether words name a thing of the person's own, and nobody: "my job", not "my brother's debt" or "my sister"."""
    said = tokens(words)
    people = english().relations.keys()
    return said[:1] in (["my"], ["our"]) and people.isdisjoint(said) and not re.search(r"['’]s\b|s['’]", words)


def own_alone(
    db: Connection, facts: Sequence[int], lines: Sequence[int], wanted: Collection[str], own: Collection[str]
) -> tuple[list[int], list[int]]:  # fmt: skip
    """Of what holds the words of "my job" the facts and lines that tell of the person's own; all where that is nothing.

    Somebody else's is "his job", or a fact about somebody that is only filed under it. What is only filed under more
    ("former job") gives way to what says it, or is filed just so.
    """
    rows = {row.id: row for row in db.execute(select(t.memories).where(t.memories.c.id.in_(facts)))}
    accounts = db.scalars(select(t.users.c.name).where(t.users.c.id.in_({row.user_id for row in rows.values()})))
    own = {*own, *(word for name in accounts for word in tokens(name))}  # "Ana's cats", of who signs in as ana
    says = {key for key, row in rows.items() if content(row.fact) & {*wanted}}
    just_so = {key for key, row in rows.items() if content(row.topic) <= {*wanted}}
    theirs = {key for key in rows if _theirs(rows[key].fact, wanted, own) or (
        key not in says and of_others(rows[key].fact, own)
    )}  # fmt: skip
    near = {key for key in rows if key not in says | just_so} if (says | just_so) - theirs else set[int]()
    return _kept(db, facts, lines, theirs | near, lambda text: _theirs(text, wanted, own))


def own_of_area(
    db: Connection, facts: Sequence[int], lines: Sequence[int], own: Collection[str], *, pets: Collection[str] | None
) -> tuple[list[int], list[int]]:  # fmt: skip
    """Of what an area holds the facts and lines that tell of the person's own ("my home"), all where that is nothing:
    of `pets`, the words for them, no "Tom's dog", and else nothing that tells of somebody."""

    def theirs(text: str) -> bool:
        if pets is None:
            return of_others(text, own)
        has = _HAS.search(text)
        return _theirs(text, pets, own) or bool(
            has and of_others(text, own) and {stem(word) for word in tokens(text[has.end() :])} & {*pets}
        )

    rows = db.execute(select(t.memories.c.id, t.memories.c.fact).where(t.memories.c.id.in_(facts)))
    return _kept(db, facts, lines, {row.id for row in rows if theirs(row.fact)}, theirs)


_HAS = re.compile(r"\b(?:has|had|owns|keeps|got|bought|adopted)\b")


def _kept(
    db: Connection, facts: Sequence[int], lines: Sequence[int], gone: Collection[int], theirs: Callable[[str], bool]
) -> tuple[list[int], list[int]]:  # fmt: skip
    """The facts without some, and the lines without those that told only these, or tell what is somebody else's."""
    kept = [key for key in facts if key not in gone]
    if not kept or len(kept) == len(facts):
        return [*facts], [*lines]
    ties = select(t.memory_evidence.c.turn_id)
    told = set(db.scalars(ties.where(t.memory_evidence.c.memory_id.in_(kept))))
    elsewhere = set(db.scalars(ties.where(t.memory_evidence.c.memory_id.in_([*facts])))) - told
    said = {row.id: row.text for row in db.execute(select(t.turns).where(t.turns.c.id.in_(lines)))}
    return kept, [key for key in lines if key not in elsewhere and not theirs(said.get(key, ""))]


def _theirs(text: str, wanted: Collection[str], own: Collection[str]) -> bool:
    """Whether a text names the thing as somebody else's, and not as the person's own."""
    whose = {found["who"].lower() for found in _WHOSE.finditer(text)
             if {stem(word) for word in tokens(found["what"])} & {*wanted}}  # fmt: skip
    return bool(whose) and whose.isdisjoint({"my", "our", *own})
