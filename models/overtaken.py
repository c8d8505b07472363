"""Facts that are the new state of a known one: "lives in Porto" after "lives in Berlin" is a change, not a second home.

A small model often inserts where it should update. What can be seen from the words alone is put right here: two
sentences that differ in one name or number, where only one of them can hold or the line says that something changed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from .prompts import ROW, Known, insert_sql, quote, update_sql

_INSERT = re.compile(rf"INSERT INTO memory \(subject, topic, fact, happened_on\) VALUES {ROW}(?:, {ROW})*;")
_ROW = re.compile(ROW)
_CHANGES = re.compile(
    r"\b(?:actually|no longer|any ?more|instead|correction|i meant|i mean|changed|switched|moved|used to)\b",
    re.IGNORECASE,
)
_ADDS = re.compile(r"\b(?:also|another|too|as well|second|both|besides)\b", re.IGNORECASE)
_MOVED = re.compile(r"\b(?:(?:has |have |had )?(?:just |now )?moved to|is (?:now )?living in|now lives in|live in)\b")
_ONE_ONLY = re.compile(r"\b(?:lives in|is|turned)$")
"""Before what differs: of these only one can hold (after "is" and "turned" a number, an age)."""
MOST_DIFFERENT = 3
"""Words of the name in which two states of one thing may differ."""
LONGEST_PREFIX = 3
"""Words by which a known fact may say more of whom it is about: "Ana's sister Mia"."""


def with_changes(sql: str, known: Sequence[Known], line: str) -> str:
    """The SQL with an UPDATE for each inserted row that is the new state of a known one."""
    return _INSERT.sub(lambda found: _changed(found[0], known, line), sql) if known else sql


def _changed(insert: str, known: Sequence[Known], line: str) -> str:
    stays: list[tuple[str, str, str, str | None]] = []
    changes = []
    for row in _ROW.findall(insert):
        subject, topic, fact, when = (part.replace("''", "'") for part in row)
        found = overtaken(fact, known, line)
        if found is None:
            stays.append((subject, topic, fact, when or None))
        else:
            changes.append(_update(*found, when))
    return " ".join([*([insert_sql(stays)] if stays else []), *changes]) if changes else insert


def _update(memory_id: int, fact: str, when: str) -> str:
    sql = update_sql(memory_id, fact)
    return sql.replace(" WHERE id = ", f", happened_on = {quote(when)} WHERE id = ") if when else sql


def overtaken(fact: str, known: Sequence[Known], line: str) -> tuple[int, str] | None:
    """The known row of which the fact is the new state, and how it then reads; None: of none, or of several."""
    if _ADDS.search(line):
        return None
    changed = bool(_CHANGES.search(line))
    found = [(row.id, told) for row in known if (told := _new_state(fact, row.fact, changed)) is not None]
    return found[0] if len(found) == 1 else None


def _new_state(fact: str, old: str, changed: bool) -> str | None:
    new_words, old_words = _words(fact), _words(old)
    for skipped in range(LONGEST_PREFIX + 1):
        if _differ_in_one_detail(old_words[skipped:], new_words, changed):
            return " ".join([*old.split()[:skipped], fact])
        if _differ_in_one_detail(old_words, new_words[skipped:], changed):
            return fact
    return None


def settled(fact: str) -> str:
    """The fact with "moved to" as "lives in", which is how the place before was noted."""
    return _MOVED.sub("lives in", fact)


def _words(fact: str) -> list[str]:
    return settled(fact).rstrip(" .!").split()


def _differ_in_one_detail(old: Sequence[str], new: Sequence[str], changed: bool) -> bool:
    blocks = [each for each in SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if each[0] != "equal"]
    if len(blocks) != 1 or blocks[0][0] != "replace":
        return False
    _, begin, end, first, last = blocks[0]
    differ, same = [*old[begin:end], *new[first:last]], " ".join(old[:begin])
    if begin < 2 or max(end - begin, last - first) > MOST_DIFFERENT or not all(_is_detail(word) for word in differ):
        return False
    numbers = all(word[0].isdigit() for word in differ)
    return changed or bool((only := _ONE_ONLY.search(same)) and (numbers or only[0] == "lives in"))


def _is_detail(word: str) -> bool:
    return word[0].isupper() or word[0].isdigit()
