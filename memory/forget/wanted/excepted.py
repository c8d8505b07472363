"""What a wish itself says is to stay: "everything about Tom except his birthday"."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sqlalchemy import Connection, select

from ...database import tables as t
from ...language.dates import find_dates
from ...language.language import english
from ...language.words import content
from ...values import ASSISTANT, ForgetPlan, Memory
from ..finding import asked
from ..parting import holders, named_parts, parts, rest_of
from ..telling import count_of

_WHEN = content("date dates day days when time")
"""Of these words the facts that tell a day are meant: "except the date"."""
_CLAUSE = re.compile(
    r"(?:the fact )?(?:that )?(?:(?:I|we|he|she|it|they)\b|[A-Z][\w-]+ (?:is|was|are|were|has|had)\b)", re.IGNORECASE
)
"""A statement, which says itself all that is to stay; of "his birthday" a fact tells more, which is meant."""
_ANY_DAY = "2024-06-12T12:00:00Z"


@dataclass(frozen=True, slots=True)
class Left:
    """What still goes of a plan, by ids, and the facts that stay: of one that can be cut only the rest goes."""

    facts: tuple[int, ...]
    lines: tuple[int, ...]
    parts: tuple[tuple[int, int], ...]
    kept: tuple[Memory, ...] = ()
    uncut: bool = False
    """What is to stay is told only by what tells more, and can't be cut: all of it goes, or nothing."""


_UNCUT = Left((), (), (), uncut=True)


def without(db: Connection, plan: ForgetPlan, keeping: str, own: Collection[str]) -> Left | None:
    """A plan without what these words name; None where nothing of it holds them.

    A line that says it stays, and so does every fact that such a line told: in doubt more is kept. What is kept of a
    fact that can be cut is written anew, as of any other fact of which a part goes. Where lines are named ("everything
    I said today"), facts that only they told are kept as well.
    """
    mine = content(" ".join(own))
    wanted = content(keeping) - mine
    dated, least = bool(wanted) and wanted <= _WHEN, max(1, -(-len(wanted) * 3 // 5))
    facts = plan.facts if plan.asked_facts else (*plan.facts, *plan.others)
    who, clause = holders([one.fact for one in facts]), _CLAUSE.match(keeping) is not None

    def tells_more(text: str) -> bool:
        return clause and bool(content(text) - wanted - who - mine)

    def names(text: str) -> bool:
        return bool(wanted) and (count_of(text, wanted) >= least or (dated and bool(find_dates(text, _ANY_DAY))))

    def holds(text: str, topic: str = "") -> bool:  # "my cousin Ivo" stands in whatever is told of him
        return names(f"{topic} {text}") and not (wanted <= who and tells_more(text))

    cut = {
        one.id: rest for one in facts
        if plan.asked_facts and names(one.fact) and (rest := _rest(one.fact, wanted))
        and not (wanted <= who and tells_more(rest_of(one.fact, rest)))
    }  # fmt: skip
    told = _told_by(db, [one.id for one in facts])
    of_cut = {turn for key in cut for turn in told.get(key, ())}
    said = {turn.id for turn in plan.lines if turn.id not in of_cut and holds(turn.text) and not asked(turn.text)}
    kept = tuple(one for one in facts if one.id not in cut and (
        holds(one.fact, one.topic) or not said.isdisjoint(told.get(one.id, ()))
    ))  # fmt: skip
    if not (cut or said or kept):
        return _UNCUT if any(map(names, [*(one.fact for one in facts), *(turn.text for turn in plan.lines)])) else None
    stay = said | {turn for one in kept for turn in told.get(one.id, ())}
    gone = tuple(key for key in plan.asked_facts if key not in {one.id for one in kept})
    lines = tuple(key for key in plan.asked_lines if key not in stay)
    places = tuple((key, place) for key, place in plan.asked_parts if key in gone and key not in cut)
    return Left(gone, lines, (*places, *((key, place) for key, rest in cut.items() for place in rest)), kept)


def told_so(plan: ForgetPlan, keeping: str) -> bool:
    """Whether it was told with this exception: "that I eat anything except peanuts" is one matter, which goes."""
    wanted = content(keeping)
    texts = (*(one.fact for one in plan.facts), *(turn.text for turn in plan.lines if not asked(turn.text)))
    return any(wanted & content(found["keeping"]) for text in texts for found in _excepting().finditer(text))


@lru_cache(maxsize=1)
def _excepting() -> re.Pattern[str]:
    """What a text excepts, as a wish says it."""
    words = "|".join(map(re.escape, english().files["forget"]["excepting"]))
    return re.compile(rf"[\s,;](?:{words})\s+(?P<keeping>[^,.;]+)", re.IGNORECASE)


def _rest(fact: str, wanted: Collection[str]) -> tuple[int, ...]:
    """The numbers of the statements of a fact that still go; none where it can't be cut there."""
    stays = named_parts(fact, wanted)
    return tuple(place for place in range(len(parts(fact))) if place not in stays) if stays else ()


def _told_by(db: Connection, facts: Sequence[int]) -> dict[int, set[int]]:
    """The lines that told each of these facts."""
    found: dict[int, set[int]] = {}
    ties = select(t.memory_evidence.c.memory_id, t.memory_evidence.c.turn_id).join(
        t.turns, t.turns.c.id == t.memory_evidence.c.turn_id
    )  # fmt: skip
    for key, turn in db.execute(ties.where(t.memory_evidence.c.memory_id.in_(facts), t.turns.c.speaker != ASSISTANT)):
        found.setdefault(key, set()).add(turn)
    return found
