"""What becomes of a row that only quotes (`Ana said: "..."`) when a later line changes what it tells.

In quotation marks stands what was said. One value that is plainly put right is put right there, too; all else that a
line ends or changes is said behind it, as a quotation of its own: several matters may stand in one, and what of them
holds on nobody can cut out of words that were never turned.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from ....memory.language.facts.corrections import signals, swaps
from ....memory.language.facts.over import has_ended, idle
from ....memory.language.facts.put_right import MOST, days, puts_right
from ....memory.language.kinship import relations
from ....memory.language.language import english
from ....memory.language.quoted.in_quotes import followed, in_quotes, quoted
from ....memory.language.words import sentences, stem, terms, tokens
from ....memory.values import Doubt, Memory
from ...prompts.draft import Add, Change, Close, Draft, Entry, date_words
from ...prompts.messages import Line, excerpt

FOLLOWED, BARE, FEW = 40, 6, 3
"""Words of a line that are put behind a quotation, and of one that may be no more than a value which is put right;
telling words of one that speaks of a quotation by a single word of it."""


def turned(rows: Iterable[Memory]) -> Iterator[Memory]:
    """Those of the rows that tell something themselves: a small model that is shown a quotation changes it."""
    return (row for row in rows if quoted(row.fact) is None)


def unturned(
    draft: Draft, doubts: Sequence[Doubt], rows: Sequence[Memory], line: Line, recent: Collection[int] = ()
) -> tuple[Draft, tuple[Doubt, ...]]:  # fmt: skip
    """The draft with quotations as they were said, followed by the line that changes them; and the doubts that ask of
    facts alone: of a quotation with several matters nobody knows which is meant to be over. A line that changes
    something, of which nothing else is made, follows the one that it speaks of. `recent`: ids of what was just told."""
    words = {row.id: row for row in rows if quoted(row.fact) is not None}
    if not words:
        return draft, tuple(doubts)
    entries = list[Entry]()
    for entry in draft:
        row = None if isinstance(entry, Add) else words.get(entry.id)
        entries += [entry] if row is None or isinstance(entry, Add) else _as_said(entry, row, line, draft.added)
    entries += _put_right_beside(draft, rows, words, line)
    after = replace(draft, entries=tuple(entries))
    asked = tuple(one for one in doubts if one.row.id not in words)
    return (after if after.touched or asked else _continued(after, [*words.values()], line, recent)), asked


def _put_right_beside(
    draft: Draft, rows: Iterable[Memory], words: Mapping[int, Memory], line: Line
) -> list[Change]:  # fmt: skip
    """Quotations of the line from which a fact was made that now has another value, with that value, where it would be
    put right in the quotation alone as well. A pinned one stays: nobody was asked."""
    facts, right = {row.id: row for row in rows if row.id not in words}, dict[int, Change]()
    for entry in draft:
        row = facts.get(entry.id) if isinstance(entry, Change) else None
        if row is None or not isinstance(entry, Change) or not entry.fact:
            continue
        for said in words.values():
            if said.said_at != row.said_at or said.pinned or said.id in draft.touched:
                continue
            was = right.get(said.id, Change(said.id, said.fact))
            now = _with_value(was.fact or "", row.fact, entry.fact)
            if now and _is_put_right(was.fact or "", now, line.text):
                when = entry.when if said.happened_on == row.happened_on else None
                right[said.id] = Change(said.id, now, when=when or was.when)
    return [*right.values()]


def _with_value(said: str, was: str, now: str) -> str | None:
    """A quotation with the one stretch of words in which two states of a fact differ as the later has it; None: they
    differ elsewhere, too, or it hasn't got that stretch just once."""
    old, new = was.split(), now.split()
    cuts = [one for one in SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if one[0] != "equal"]
    if len(cuts) != 1 or cuts[0][0] != "replace":
        return None
    _, begin, end, first, last = cuts[0]
    gone, instead = (" ".join(part).strip(".,;!?") for part in (old[begin:end], new[first:last]))
    found = re.findall(rf"(?<!\w){re.escape(gone)}(?!\w)", said) if _of_one_kind(gone, instead) else []
    if len(found) != 1 or not instead or last - first > MOST or '"' in instead:
        return None
    return re.sub(rf"(?<!\w){re.escape(gone)}(?!\w)", lambda _: instead, said)


def _of_one_kind(gone: str, instead: str) -> bool:
    """Whether both are days, numbers or names."""
    kinds = (lambda one: days(one) or days(f"on {one}"), _numbers, _NAMES.findall)
    return any(kind(gone) and kind(instead) for kind in kinds)


_NAMES = re.compile(r"\b[A-Z][\w-]*\w")


def _continued(draft: Draft, rows: Sequence[Memory], line: Line, recent: Collection[int]) -> Draft:
    """The draft with a line behind the quotation that it goes on from: a bare value that it puts right of what was just
    said ("No, Friday"), in the place of whatever was made of that; or a change, of which nothing was made."""
    just = [row for row in rows if row.id in recent and _holds_such(row.fact, line.text)]
    if just and puts_right(line.text) and len(line.text.split()) <= BARE:
        row, entries = just[-1], tuple[Entry, ...]()
    elif not draft and (_changes(line.text) or has_ended(line.text)) and (found := _spoken_of(rows, line)):
        row, entries = found, draft.entries
    else:
        return draft
    now = followed(row.fact, excerpt(line.text, FOLLOWED))
    return replace(draft, entries=(*entries, Change(row.id, now))) if now else draft


def _holds_such(fact: str, line: str) -> bool:
    """Whether a quotation has a day where the line has one, and a number where that has one."""
    kinds: tuple[Callable[[str], Sequence[str]], ...] = (days, _numbers)
    return all(kind(quoted(fact) or "") or not kind(line) for kind in kinds)


def _numbers(text: str) -> Sequence[str]:
    return [one for one in tokens(text) if one[0].isdigit() or one in english().numbers]


def _changes(line: str) -> bool:
    said = signals(line)
    return not said.maybe and (said.any_change or bool(swaps(line)))


def _spoken_of(rows: Sequence[Memory], line: Line) -> Memory | None:
    """The newest quotation with the most telling words of a line, two of a longer one: by "something" alone an offer
    speaks of no dog that is given something."""
    none = idle() | {*terms(f"{line.speaker} user")} | {one for day in english().calendar for one in terms(day)}
    said = {*terms(line.text)} - none - {stem(one) for one in english().stop}
    least = 1 if len(said) <= FEW else 2
    return max((row for row in rows if len(said & {*terms(row.fact)}) >= least),
               key=lambda row: (len(said & {*terms(row.fact)}), row.id), default=None)  # fmt: skip


def as_typed(draft: Draft, read: str, typed: str) -> Draft:
    """The draft with quotations of the line as it was `typed`, not as a small model `read` it: of "Work is mad" it is
    shown "I work is mad". Who is meant by "he" stays filled in."""

    def told(fact: str) -> str:
        words = quoted(fact)
        return fact if words is None else in_quotes(fact.partition(" said: ")[0], _typed(words, read, typed))

    return draft if read == typed else draft.told(told)


def _typed(words: str, read: str, typed: str) -> str:
    bare, cut = words.removesuffix(" …"), words.endswith(" …")
    said, own = (sentences(one) for one in (read, typed))
    inside = [in_quotes("", one).partition('"')[2][:-1] for one in said]
    places = [at for at, one in enumerate(inside) if one in bare or (cut and bare[-LEAST_CUT:] in one)]
    if bare in typed or not places or len(said) != len(own):
        return words
    now = excerpt(" ".join(own[places[0] : places[-1] + 1]), FOLLOWED)
    names = {one.lower() for one in re.findall(r"\b[A-Z][\w-]*\w", words)}
    return words if names - {*tokens(typed)} or relations(words) - relations(now) else now


_BARE = re.compile(r"\d[\d.,:]*[!?;)]*")
"""A number that is no day by itself."""
LEAST_CUT = 20
"""Characters before the dots of a quotation by which it is found in its line."""


def _as_said(entry: Change | Close, row: Memory, line: Line, added: Sequence[Add]) -> list[Entry]:
    fact = entry.fact if isinstance(entry, Change) else None
    if isinstance(entry, Change) and (fact is None or fact == row.fact or _is_put_right(row.fact, fact, line.text)):
        return [entry]
    now = followed(row.fact, excerpt(line.text, FOLLOWED))
    told = list[Entry]()
    if isinstance(entry, Change) and fact and '"' not in fact and fact not in [one.fact for one in added]:
        told = [Add(row.subject, entry.topic or row.topic, fact, entry.when or date_words(fact))]
    return [*([Change(row.id, now)] if now else []), *told]


def _is_put_right(fact: str, now: str, line: str) -> bool:
    """Whether one value of a quotation gives way to another: the one that the line says to be wrong, or the only one of
    its kind."""
    was, words = quoted(fact), quoted(now)
    if was is None or words is None:
        return False
    old, new = was.split(), words.split()
    cuts = [one for one in SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if one[0] != "equal"]
    if len(cuts) != 1 or cuts[0][4] - cuts[0][3] > MOST:
        return False
    _, begin, end, _, _ = cuts[0]
    gone = " ".join(old[begin:end])
    if any({*tokens(wrong)} & {*tokens(gone)} for wrong, _ in swaps(line)):
        return True
    return len(_of_its_kind(gone, was)) == 1


def _of_its_kind(gone: str, words: str) -> Sequence[str]:
    """What of the words is a value such as that which is gone: a day, a number; else it is none that can be told."""
    if not _BARE.fullmatch(gone) and any(days(f"{led}{gone}") for led in ("", "on ", "on the ")):
        return days(words)
    ordinal = re.compile(r"\d+(?:st|nd|rd|th)")
    return [one for one in _numbers(words) if not ordinal.fullmatch(one)] if _numbers(gone) else ()
