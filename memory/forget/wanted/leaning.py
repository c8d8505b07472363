"""Lines that go on from one that goes, and stay: "it still swells" after the knee. The person is told of them."""

from __future__ import annotations

from collections.abc import Collection
from itertools import takewhile

from sqlalchemy import Connection, select

from ...database import tables as t
from ...database.engine import raw
from ...database.rows import memory_of
from ...language.kinship import relations
from ...language.language import english
from ...language.leaning.lines import pointing_back
from ...language.leaning.talked_of import names_somebody
from ...language.points import letters as re
from ...language.told.trades import workers
from ...language.words import details, tokens
from ...values import ASSISTANT, FORGOTTEN, ForgetPlan, Memory, Turn
from ..finding import TURN, asked

FOLLOWING = 4
"""Lines after one that goes which may go on from it."""
_SOMEBODY = frozenset(["he", "she", "him", "her", "his", "hers", "they", "them", "their", "theirs"])
_MANY = frozenset(["they", "them", "their", "theirs"])
_THE = re.compile(r"the [a-z]", re.IGNORECASE)
_BEGIN = 3
"""Words of a line among which is whom it is about."""


def may_be_about(db: Connection, plan: ForgetPlan) -> tuple[Memory | Turn, ...]:
    """The person's lines right after those that go that point back with "it", or with "she" where somebody is named in
    what goes, and nothing and nobody else since; the facts that they told first."""
    gone, found = {turn.id for turn in plan.lines}, dict[int, Turn]()
    of_somebody = any(relations(one.fact) or _named(one.fact) for one in plan.facts)
    for line in plan.lines:
        if not asked(line.text):
            found |= {turn.id: turn for turn in _going_on(db, line, gone, of_somebody)}
    going = {one.id for one in (*plan.facts, *plan.others, *plan.insights)}
    ties = t.memory_evidence.c
    told = select(ties.memory_id).where(ties.turn_id.in_(found))
    rows = db.execute(select(t.memories).where(t.memories.c.id.in_(told), t.memories.c.valid_to.is_(None)))
    facts = [memory_of(row) for row in rows if row.id not in going]
    return (*sorted(facts, key=lambda one: one.id), *(found[key] for key in sorted(found)))


def _going_on(db: Connection, line: Turn, gone: Collection[int], of_somebody: bool) -> list[Turn]:
    """The lines that may go on from one, up to the next that goes, with which is looked at what follows it."""
    found = list[Turn]()
    after = list(takewhile(lambda turn: turn.id not in gone, _after(db, line)))
    if not after:
        return found
    somebody = of_somebody or _names(line.text) or bool(pointing_back(line.text) & _SOMEBODY)
    thing = True
    for place, turn in enumerate(after):
        if turn.text == FORGOTTEN or asked(turn.text):
            continue
        back = pointing_back(turn.text)
        named = place == len(found) and bool(_THE.match(turn.text))  # right behind it: "the due date is 14 June"
        if named or (thing and back - _SOMEBODY) or back & _MANY or (somebody and back & _SOMEBODY):
            found.append(turn)
        elif not back:
            somebody = somebody and not _names(turn.text)
            thing = thing and not (_taught(db, turn) and not _of_somebody(turn.text))
    return found


def _names(text: str) -> bool:
    return bool(relations(text)) or names_somebody(text)


def _named(fact: str) -> frozenset[str]:
    """The names in a fact: of what goes somebody may be meant by each."""
    known = english().months.keys() | english().weekdays.keys()
    return frozenset(one for one in details(fact) - known if not any(map(str.isdigit, one)))


def _of_somebody(text: str) -> bool:
    """Whether a line tells of a person, for whom no "it" stands: "The surgeon was called Dr Strand"."""
    begin = " ".join(text.split()[:_BEGIN])
    return bool(relations(begin)) or names_somebody(begin) or not workers().isdisjoint(tokens(begin))


def _taught(db: Connection, turn: Turn) -> bool:
    ties = select(t.memory_evidence.c.memory_id).where(t.memory_evidence.c.turn_id == turn.id).limit(1)
    return db.scalar(ties) is not None


def _after(db: Connection, line: Turn) -> list[Turn]:
    same = "t.session_id = ? AND t.id > ? AND t.speaker != ?"
    sql = f"SELECT {TURN} FROM turns t WHERE {same} ORDER BY t.id LIMIT {FOLLOWING}"
    return [Turn(*row) for row in raw(db).execute(sql, (line.session_id, line.id, ASSISTANT))]
