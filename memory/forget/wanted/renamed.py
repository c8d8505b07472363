"""The name that the person went by before: "forget that I was ever called Thomas" means no dog that is called Bello,
and nobody else who is a Thomas."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sqlalchemy import Connection, select

from ...database import tables as t
from ...database.ties import chain
from ...language.points import letters as re
from ...language.words import tokens
from ...values import ASSISTANT, FORGOTTEN, OWN_NAME
from ..finding import images_of, turns_with

_OFTEN = r"(?: (?:ever|once|formerly|previously|originally|always|also))*"
_WISH = re.compile(
    r"^(?:the fact )?(?:that )?(?:"
    rf"(?P<old>my (?:(?:old|former|previous|earlier|dead)[ -]?name)s?(?: was| is)?)"
    rf"|I{_OFTEN} (?:was|used to be|had been|have been){_OFTEN}(?: (?:called|named|known as))?"
    rf"|(?:they|people|you|everybody|everyone){_OFTEN} (?:called|named) me"
    rf"|(?:my|the) name(?:{_OFTEN} (?:was|used to be|had been){_OFTEN})?|I{_OFTEN} (?:went|used to go) (?:by|as)"
    r")(?:[\s,:(–-]+(?P<name>[^,;:()]+))?\W*$",
    re.IGNORECASE,
)
_MY = (
    r"(?i:my (?:[a-z]+ )?name(?:['’]s| is| was| used to be)|call(?:ed|s)? me|I(?:['’]m| am| was) (?:called|named)"
    r"|I (?:go|went) by|this is)"
)
"""With which one says who one is."""
_I_AM = r"(?i:I(?:['’]m| am))"
"""The same where nothing but the name follows: "I'm Paris", not "I'm Paris born"."""


def former(db: Connection, user_id: int, words: str, own: Collection[str]) -> tuple[list[int], list[int], list[int]]:
    """The rows that tell a former name of the person's which words name, the lines that do, and of those rows the ones
    that hold now and tell another name: they stay. Nothing where no former name is meant."""
    found = _WISH.match(" ".join(words.split()))
    known = {name for _, name in _told(db, user_id)} - {name.casefold() for name in own} if found else set[str]()
    named = (found["name"] or "").strip(" .!?'\"“”").casefold() if found else ""
    if not found or (named not in known if named else not (known and found["old"])):
        return [], [], []
    names = {named} if named else known
    rows = sorted({key for key, name in _told(db, user_id) if name in names})
    current = select(t.memories.c.id, t.memories.c.fact).where(
        t.memories.c.id.in_(chain(db, rows)), t.memories.c.valid_to.is_(None)
    )
    newer = [row.id for row in db.execute(current) if _name_in(row.fact) not in names]
    return rows, sorted(_lines(db, user_id, names)), newer


def _told(db: Connection, user_id: int) -> Iterator[tuple[int, str]]:
    """Every name that a row ever told to be the person's, in small letters, with the row's id."""
    rows = db.execute(select(t.memories.c.id, t.memories.c.fact).where(t.memories.c.user_id == user_id))
    told = [(row.id, row.fact) for row in rows]
    for key, text in (*told, *((key, text) for key, _, text in images_of(db, user_id))):
        if name := _name_in(text):
            yield key, name


def _name_in(text: str) -> str:
    return text.partition(OWN_NAME)[2].removesuffix(".").casefold()


def _lines(db: Connection, user_id: int, names: Collection[str]) -> Iterator[int]:
    """The person's lines that say that they are called so."""
    said = "|".join(map(re.escape, names))
    telling = re.compile(
        rf"\b{_MY}(?: still| also)? (?i:{said})\b|^\W*(?i:{said}) here\b|\b{_I_AM} (?=[A-Z])(?i:{said})(?=[.,!?]|\s*$)"
    )
    found = turns_with(db, user_id, (word for name in names for word in tokens(name)))
    query = select(t.turns).where(t.turns.c.id.in_(found), t.turns.c.speaker != ASSISTANT)
    return (row.id for row in db.execute(query) if row.text != FORGOTTEN and telling.search(row.text))
