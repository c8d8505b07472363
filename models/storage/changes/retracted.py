"""What somebody disputes ("you've noted that I like fish, but ..."): the rows that say it go; and who somebody isn't,
but is: the rows that say it tell it right ("Nesta isn't my sister, she's my friend")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ....memory.language.kinship import Role, role_put_right, with_role
from ....memory.language.points import letters as re
from ....memory.language.quoted.in_quotes import quotations, quoted, without
from ....memory.language.third_person import to_third_person
from ....memory.language.words import terms, tokens
from ....memory.values import Doubt, Memory
from ...prompts.draft import Add, Change, Close, Draft, Entry
from ..told.fidelity import alike
from .end_facts import denials

MOST = 0.75
"""Share of the claim's telling words that a row must have."""
FEW = 10
"""Words of a fact that tells who somebody is and isn't, and nothing else."""


def retracted(
    draft: Draft, doubts: Sequence[Doubt], rows: Sequence[Memory], claim: str, speaker: str, line: str = ""
) -> tuple[Draft, tuple[Doubt, ...]]:
    """The draft with the end of the rows that say most of the claim (of none: unchanged), and what is to ask: whether
    those that are pinned go. Of a quotation the sentence goes that says it. No new fact says it. "Doesn't like fish"
    isn't "likes fish"."""
    draft, doubts = _related(_besides(draft, rows), doubts, rows, line, speaker)
    fact = to_third_person(claim, speaker)
    said = {*terms(alike(fact))} - {*terms(speaker), "user"}
    if not said:
        return draft, tuple(doubts)
    kept = tuple(one for one in draft if isinstance(one, Close) or not _says(one.fact or "", fact, said, 1.0))
    left = {row.id: now for row in rows if (now := _unsaid(row, fact, said)) is not None}
    found = [row for row in rows if row.id in left or (quoted(row.fact) is None and _says(row.fact, fact, said))]
    best = max((_share(row.fact, said) for row in found), default=0.0)
    meant = [row for row in found if _share(row.fact, said) == best and row.id not in draft.touched]
    ends = [Change(row.id, left[row.id]) if left.get(row.id) else Close(row.id) for row in meant if not row.pinned]
    known = {row.id for row in meant}
    asked = [one for one in doubts if one.row.id not in known] + [Doubt(row, "") for row in meant if row.pinned]
    return replace(draft, entries=(*kept, *ends)), tuple(asked)


def _unsaid(row: Memory, claim: str, said: set[str]) -> str | None:
    """A quotation without its sentences that say the claim; None: it is none, or has no such sentence."""
    gone = [place for place, one in enumerate(quotations(row.fact)) if _says(one, claim, said)]
    return without(row.fact, gone) if gone else None


def _related(
    draft: Draft, doubts: Sequence[Doubt], rows: Sequence[Memory], line: str, speaker: str
) -> tuple[Draft, tuple[Doubt, ...]]:  # fmt: skip
    """With who somebody is in each row that says who they aren't; a row keeps what else it tells of them."""
    role = role_put_right(line)
    now = {
        row.id: fact for row in rows
        if role and not (role.over and _BEFORE.search(row.fact)) and (fact := with_role(row.fact, role))
    }  # fmt: skip
    if role is None or not now:
        return draft, tuple(doubts)
    pinned = [row for row in rows if row.id in now and row.pinned]
    kept = [one for one in draft if not (one.id in now if not isinstance(one, Add) else _of_role(one.fact, role))]
    was = next(row for row in rows if row.id in now)
    over = [Add(was.subject, was.topic, f"{role.name} isn't {speaker}'s {role.wrong} any more.")] if role.over else []
    changes = [Change(key, fact) for key, fact in now.items() if key not in {row.id for row in pinned}]
    asked = [one for one in doubts if one.row.id not in now] + [Doubt(row, now[row.id]) for row in pinned]
    return replace(draft, entries=(*kept, *changes, *over)), tuple(asked)


def _besides(draft: Draft, rows: Sequence[Memory]) -> Draft:
    """Without a row that is lost to what says that somebody is more than that ("isn't just my sister"), or that
    somebody else isn't: "Carol isn't my boss any more" ends no boss who is Tom."""
    known = {row.id: row for row in rows}

    def told(one: Entry) -> Entry:
        row = known.get(one.id) if isinstance(one, Change) else None
        if row is None or not isinstance(one, Change) or not one.fact:
            return one
        beside = _NOT_ONLY.search(one.fact) or _of_another(one.fact, row)
        return Add(row.subject, row.topic, one.fact, one.when) if beside else one

    return draft.mapped(told)


_NOT_ONLY = re.compile(r"(?:n['’]t|\bnot) (?:just|only|merely|simply) ", re.IGNORECASE)


def _of_another(fact: str, row: Memory) -> bool:
    """Whether a fact only says who somebody isn't of whom the row, which names somebody else, says nothing."""
    found = _NOT_THEIRS.fullmatch(fact.strip())
    others = {*_NAME.findall(row.fact)} - {*row.subject.split(), "User"}
    return found is not None and found["name"] not in row.fact and bool(others)


_NAME = re.compile(r"\b[A-Z][\w-]*[a-z]\b(?!['’]s)")
_NOT_THEIRS = re.compile(
    r"(?P<name>[A-Z][\w-]+)(?: isn['’]t| is not| is no longer) [\w-]+['’]s [a-z -]+?(?: any ?more| any longer)?[.!]?"
)


def _of_role(fact: str, role: Role) -> bool:
    """Whether a new fact says no more than who somebody is or isn't."""
    told = {*tokens(fact)} - {*tokens(role.name)}
    plain = re.match(rf"{re.escape(role.name)}(?: is|['’]s| isn['’]t| is not| was) ", fact)
    return plain is not None and bool(told & {role.wrong, *tokens(role.right)}) and len(told) < FEW


_BEFORE = re.compile(r"\b(?:was|were|met|had|used to|former)\b|\b(?:19|20)\d\d\b")
"""In a row that tells of another time: then they were what they aren't any more."""


def _says(text: str, claim: str, said: set[str], least: float = MOST) -> bool:
    return bool(denials(text)) == bool(denials(claim)) and _share(text, said) >= least


def _share(text: str, said: set[str]) -> float:
    return len(said & {*terms(alike(text))}) / len(said)
