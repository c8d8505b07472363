"""An area of a life that a wish names: "everything about my health". No fact of an injury has the word in it."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from sqlalchemy import Connection, select

from ...database import tables as t
from ...language.facts.areas import OTHER, PEOPLE, area, areas
from ...language.language import english
from ...values import OWN_NAME
from .mine import of_others

OF_ALL = (PEOPLE, "pets")
"""Areas whose facts tell of others than the person."""


def named_area(words: str, *, about: bool) -> str:
    """The area that words name and nothing else, else empty: "my health", "health matters", and behind "everything
    `about`" the bare word."""
    found = _pattern().match(words.strip())
    sure = found is not None and (about or found["my"] or found["vague"])
    return found["area"].lower() if found and sure else ""


def of_area(db: Connection, user_id: int, named: str, own: Collection[str]) -> list[int]:
    """The facts of an area that hold now, by id: the person's own, but of people and pets all."""
    current = (t.memories.c.user_id == user_id, t.memories.c.valid_to.is_(None), t.memories.c.certainty.is_(None))
    rows = db.execute(select(t.memories).where(*current).order_by(t.memories.c.id))
    return [row.id for row in rows if area(row.topic, row.fact) == named
            and not row.fact.startswith(OWN_NAME) and (named in OF_ALL or not of_others(row.fact, own))]  # fmt: skip


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    names = "|".join(name for name in areas() if name != OTHER)
    vague = "|".join(english().listed("forget", "area_of"))
    return re.compile(rf"(?:all )?(?P<my>my |our )?(?P<area>{names})(?P<vague> (?:{vague}))?$", re.IGNORECASE)
