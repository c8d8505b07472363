"""People of whom nobody spoke: names and relations in a fact that stand in no line that it may come from.

Of "Themba is a nurse" a small model makes "Ana's aunt Themba", and gives "my cousin" a name of its own. An invented
relative is the worst of its mistakes, and can be seen from the words alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ..memory.words import STOP, tokens
from .faithful import details
from .prompts import ROW, TEXT, insert_sql, quote
from .relations import ANY, relations

_OF_NAMED = re.compile(rf"\b(?P<of>[^\W\d_][\w-]*)'s (?P<who>{ANY}),? (?P<name>[A-Z][\w-]*)")
_INSERT = re.compile(rf"INSERT INTO memory \([a-z_, ]+\) VALUES {ROW}(?:, {ROW})*;")
_UPDATE = re.compile(rf"UPDATE memory SET fact = '(?P<fact>{TEXT})'[^;]*;")
CAPITAL = re.compile(r"\b[A-Z][a-z]+\b")
"""A word with a capital, which may be a name."""
_ROW = re.compile(ROW)
NEXT = re.compile(r"(?<=;) (?=INSERT INTO|UPDATE memory|DELETE FROM)")
"""What parts the statements of one SQL."""
AKIN = 4
"""Letters at the beginning that a name may share with a word that was said: "Italy" says "Italian"."""


def names(text: str) -> set[str]:
    """The words with a capital that may be names."""
    return {word for word in CAPITAL.findall(text) if word.lower() not in STOP}


def strangers(fact: str, said: Sequence[str]) -> set[str]:
    """The names and the relations of a fact that none of the texts speaks of."""
    return strange_names(fact, said) | (relations(fact) - relations(" ".join(said)))


def strange_names(fact: str, said: Sequence[str]) -> set[str]:
    """The names in a fact that none of the texts holds."""
    words = {word for text in said for word in tokens(text)}
    return {name for name in details(fact) if not name[0].isdigit() and not _spoken(name, words)}


def disowned(fact: str, said: Sequence[str], known: Sequence[str] = ()) -> str:
    """The fact without a relation that nobody told of somebody who was named ("Ana's aunt Themba" -> "Themba").

    `known`: facts that may tell the relation too, if they tell it of the same name.
    """

    def owned(found: re.Match[str]) -> str:
        heard = [*said, *(text for text in known if found["name"] in text)]
        told = relations(found["who"]) <= relations(" ".join(heard)) and found["of"] != found["name"]
        return found[0] if told or strange_names(f"Is {found['name']}", [*said, *known]) else found["name"]

    return _OF_NAMED.sub(owned, fact)


def related(sql: str, said: Sequence[str], known: Sequence[str] = ()) -> str:
    """The SQL with its facts `disowned`."""
    return _rewritten(sql, lambda fact, when: disowned(fact, said, known))


def without_strangers(sql: str, said: Sequence[str]) -> str:
    """The SQL without the facts that hold a name that none of the texts holds; empty when no fact stays.

    A relation without a name may be a right guess ("mine are 3 and 6": children), so it stays.
    """
    return kept_rows(sql, lambda fact, when: not strange_names(fact, said))


def kept_rows(sql: str, keeps: Callable[[str, str | None], bool]) -> str:
    """The SQL without the facts that `keeps`, given a fact and the words for its date, says no to."""
    return _rewritten(sql, lambda fact, when: fact if keeps(fact, when) else None)


def _rewritten(sql: str, to: Callable[[str, str | None], str | None]) -> str:
    """The SQL with each fact as `to` gives it back; None: it goes."""

    def insert(found: re.Match[str]) -> str:
        rows = [[part.replace("''", "'") for part in row] for row in _ROW.findall(found[0])]
        stay = [(who, topic, new, when or None) for who, topic, fact, when in rows if (new := to(fact, when or None))]
        return insert_sql(stay) if stay else ""

    def update(found: re.Match[str]) -> str:
        new = to(found["fact"].replace("''", "'"), None)
        return found[0].replace(f"'{found['fact']}'", quote(new), 1) if new else ""

    written = (_UPDATE.sub(update, _INSERT.sub(insert, statement)) for statement in NEXT.split(sql))
    return " ".join(statement for statement in written if statement)


def _spoken(name: str, words: set[str]) -> bool:
    parts = tokens(name)
    return all(
        part in words or any(len(word) >= AKIN and word[:AKIN] == part[:AKIN] for word in words) for part in parts
    )
