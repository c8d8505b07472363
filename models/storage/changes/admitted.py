"""Lines in which somebody says that they told something wrong: it is put right, or asked about, never left."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from ....memory.language.facts.change_words import said_before
from ....memory.language.facts.corrections import signals
from ....memory.language.facts.over import idle
from ....memory.language.kinship import plainly_related
from ....memory.language.language import english
from ....memory.language.points import letters as re
from ....memory.language.quoted.in_quotes import quoted
from ....memory.language.words import terms
from ....memory.values import Doubt, Memory
from ...prompts.draft import Add, Change, Close, Draft, Entry, date_words
from .end_facts import sorry
from .in_place import alike


def admitted(
    draft: Draft, doubts: Sequence[Doubt], rows: Sequence[Memory], line: str, recent: Collection[int]
) -> tuple[Draft, tuple[Doubt, ...]]:
    """The draft and what is to be asked after a line that may own up to a slip ("typo", "I gave you the wrong date").

    Then the one row that would be asked about is changed at once: whoever says so has answered already. Where nothing
    known would change, the row that is most like what is told now is asked about. `recent`: the rows of the line
    before. Pinned rows are asked about. No fact is made of the slip itself.
    """
    draft = _respelled(draft.mapped(lambda entry: _righted(entry, line)), rows, line)
    if not signals(line).owns_up:
        return draft, tuple(doubts)
    draft = replace(draft, entries=tuple(one for one in draft if not _of_the_slip(one)))
    told = draft.added
    if len(doubts) == 1 and doubts[0].fact and not doubts[0].row.pinned:
        return _changed(draft, doubts[0]), ()
    if not doubts and not draft.touched and told:
        return draft, tuple(_likely(told, rows, recent))
    return draft, tuple(doubts)


def _righted(entry: Entry, line: str) -> Entry:
    """A new fact with what the line says to be right in the place of what it says to have told wrongly."""
    if not isinstance(entry, Add) or quoted(entry.fact) is not None:
        return entry
    for wrong, right in said_before(line):
        word = re.compile(rf"(?<![\w-]){re.escape(wrong)}(?![\w-])", re.IGNORECASE)
        if right not in entry.fact and len(word.findall(line)) == 1:  # said once: "Tuesday is pilates"
            entry = replace(entry, fact=word.sub(right, entry.fact))
    return entry


def _respelled(draft: Draft, rows: Sequence[Memory], line: str) -> Draft:
    """With the name of a line about its spelling in each row that has it otherwise, and these rows neither closed nor
    told anew: "I typed the head's name wrong, it's Mr Okafor"."""
    if not _SPELLING.search(line):
        return draft
    about = {*terms(plainly_related(line))} - sorry() - idle()
    none = english().stop | sorry() | {*english().weekdays, *english().month_names}
    for name in (one for one in _NAMES.findall(line) if one.lower() not in none):
        others = {other for row in rows for other in _names_in(row) if alike(other, name)}
        held = [row for row in rows if len(others) == 1 and others & _names_in(row)]
        told = re.search(rf"{_IT_IS}{re.escape(name)}(?![\w'’-])", line)
        beside = about - {*terms(" ".join([name, *others]))} - {"name", "typo", "type", "spell"}
        theirs = not beside or any(beside & {*terms(plainly_related(row.fact))} for row in held)
        known = any(one in line for one in others) or any(name in row.fact for row in rows)
        if known or not (held and told and theirs):
            continue
        now = {row.id: re.sub(rf"\b{re.escape(*others)}\b", name, row.fact) for row in held if not row.pinned}
        kept = [one for one in draft if isinstance(one, Add) or one.id not in now]
        kept = [one for one in kept if not isinstance(one, Add) or one.fact not in now.values()]
        draft = replace(draft, entries=(*kept, *(Change(key, fact) for key, fact in now.items())))
    return draft


def _names_in(row: Memory) -> set[str]:
    """Names in a row but the speaker's."""
    return {*_NAMES.findall(row.fact)} - {*row.subject.split(), "User", "The"}


_NAMES = re.compile(r"\b[A-Z][a-z-]{2,}\b")
_SPELLING = re.compile(
    r"\bmisspel\w*|\bspel(?:t|led|ling) (?:[\w'’]+ ){0,3}(?:wrong|right|with)\b|\btypo\b|\bmistyped\b"
    r"|\b(?:typed|wrote|got|put|spel(?:t|led)) (?:[\w'’]+ ){0,3}names? wrong\b"
    r"|\bit['’]?s [^,.;]* with (?:an?|one|two|a single|a double) [a-z]\b(?! [a-z])",
    re.IGNORECASE,
)
_IT_IS = r"\b(?i:it['’]?s|it is|should be|i meant|spel(?:t|led)) (?i:(?:mr|mrs|ms|miss|mx|dr|prof)\.? )?"


def _of_the_slip(entry: Entry) -> bool:
    fact = "" if isinstance(entry, Close) else entry.fact or ""
    return signals(fact).of_the_slip or _SAID.match(fact) is not None


_SAID = re.compile(r"(?:[A-Z][a-z]+, )?\S+ (?:said|wrote|typed|told (?:you|[A-Z]\S*))(?: that)? (?![\"“])")


def _changed(draft: Draft, doubt: Doubt) -> Draft:
    """With the row changed, instead of a new one beside it."""
    new = next((one for one in draft.added if one.fact == doubt.fact), None)
    when = date_words(doubt.fact) or (new.when if new else None)
    change: Entry = Change(doubt.row.id, doubt.fact, when=when)
    return replace(draft, entries=(*(one for one in draft if one != new), change))


def _likely(told: Sequence[Add], rows: Sequence[Memory], recent: Collection[int]) -> list[Doubt]:
    """The row in whose place a new one most likely comes: of the line before, of the same person, and like it."""
    ways = [
        (len(shared), row.id, Doubt(row, one.fact))
        for one in told
        for row in rows
        if row.id in recent and row.subject == one.subject and row.fact != one.fact
        if (shared := ({*terms(one.fact)} & {*terms(row.fact)}) - {*terms(row.subject)})
    ]
    return [max(ways, key=lambda way: way[:2])[2]] if ways else []
