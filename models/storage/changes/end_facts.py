"""How a fact that changes or ends another is told: in full, and saying whose it was."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache

from ....memory.language.facts.corrections import signals, swaps
from ....memory.language.facts.matters import details, parts
from ....memory.language.facts.over import idle
from ....memory.language.facts.partly import Standing
from ....memory.language.facts.put_right import put_right
from ....memory.language.language import english
from ....memory.language.points import letters as re
from ....memory.language.words import terms, tokens
from ....memory.values import Memory
from ...prompts.draft import date_words


def denied(fact: str) -> bool:
    """Whether a fact says what isn't so: with another value it would say something nobody told."""
    return bool(denials(fact))


def rightable(fact: str, line: str) -> bool:
    """Whether a value of a fact can be what a line puts right: it has the one that the line says to be wrong, if it
    says which ("73, not 37" is nothing of a row without a 37), and says nothing of what isn't so."""
    told = [{*tokens(wrong)} for wrong, _ in swaps(line)]
    return (not told or any(wrong <= {*tokens(fact)} for wrong in told)) and not denied(fact)


def denials(text: str) -> frozenset[str]:
    """The words of a text that deny something: "doesn't" as "doesnt"."""
    return english().negations & {*tokens(text.replace("'", "").replace("’", ""))}


def days_told(text: str) -> set[str]:
    """The stems of the days and months in a text."""
    named = {*english().weekdays, *(f"{day}s" for day in english().weekdays), *english().month_names}
    return {one for word in tokens(text) if word in named for one in terms(word)}


def of_the_same(
    rows: Sequence[Memory], known: Sequence[Memory], line: str, wrong: str, right: str
) -> list[Memory]:  # fmt: skip
    """Of rows that hold the wrong words those in which they can be what is put right: of whom or what the line speaks;
    a number of the same unit, where the right one has any ("10 mg, not 5"), and of a date only where the right one
    tells a day."""
    rows = _nearest(spoken_of(rows, known, line), line, f"{wrong} {right}")
    unit = re.search(r"(?<=\d) ?([A-Za-z%]+)\b", right)
    if not wrong.strip().isdigit() or unit is None:
        return [*rows]
    same = re.compile(rf"(?<![\w-]){re.escape(wrong.strip())} ?{re.escape(unit[1])}\b", re.IGNORECASE)
    other = re.compile(
        rf"(?<![\w-]){re.escape(wrong.strip())} ?[A-Za-z%]{{1,3}}\b|{_of_a_date(wrong.strip())}", re.IGNORECASE
    )
    return [row for row in rows if same.search(row.fact)] or [row for row in rows if not other.search(row.fact)]


def spoken_of(rows: Sequence[Memory], known: Sequence[Memory], line: str) -> list[Memory]:
    """Of the rows those that a line may be about: where it names what other known rows name, not those that don't.
    "Lisbon's in May, not June" puts right nobody's birthday in June."""
    said, days = {*tokens(line)}, {*english().weekdays, *english().month_names}
    named = {name for row in known for name in _named(row)} & said - days
    return [row for row in rows if not named or named & {*tokens(row.fact)}]


def righted(
    known: Sequence[Memory], recent: Collection[int], line: str, speaker: str
) -> list[tuple[Memory, str]]:  # fmt: skip
    """Of the known rows those of the line before (`recent`: ids) of which a line puts a value right, each with what it
    says then. None where the line begins with a thing of which only another row tells, and that is no value ("sorry,
    dentist Wednesday 10.30" after a lunch)."""
    none = idle() | sorry() | {one for day in (*english().weekdays, *english().month_names) for one in terms(day)}
    first = next((one for one in terms(line) if one not in none and one.isalpha()), "")
    just, others = ([row for row in known if (row.id in recent) is wanted] for wanted in (True, False))
    told, elsewhere = (any(first in terms(row.fact) for row in rows) for rows in (just, others))
    now = [(row, put_right(row.fact, line, speaker)) for row in just if rightable(row.fact, line)]
    return [(row, fact) for row, fact in now if fact and (told or not elsewhere or first in terms(fact))]


@lru_cache(maxsize=1)
def sorry() -> frozenset[str]:
    """The stems of words with which a line says that something was wrong."""
    lists = (english().words("openings", name) for name in ("exclaimed", "only_no"))
    return frozenset(one for words in lists for word in words for one in terms(word))


def _nearest(rows: Sequence[Memory], line: str, sides: str) -> list[Memory]:
    """Of several rows those that share the most telling words with the line, if any does: "the bakery one is Dan, not
    Priya" is of her work, and not of her studies."""
    said = {*terms(line)} - {*terms(sides)}
    shared = [len({*terms(row.fact)} & said - {*terms(row.subject)}) for row in rows]
    return [row for row, some in zip(rows, shared, strict=True) if some == max(shared)]


def _named(row: Memory) -> set[str]:
    """The words with a capital in a fact, but the speaker's name and the word that it begins with, if that is a small
    word."""
    words = re.findall(r"\b[A-Z][\w-]*\w", row.fact)
    return {one.lower() for one in words if one.lower() not in english().stop} - {*tokens(row.subject), "user"}


def _of_a_date(day: str) -> str:
    months = "|".join(english().month_names)
    return rf"\b(?:{months}) {re.escape(day)}\b|\b{re.escape(day)}(?:st|nd|rd|th)? (?:of )?(?:{months})\b"


def swapped(fact: str, wrong: re.Pattern[str], right: str) -> str:
    """The fact with the right words in the place of the wrong ones, and nothing of these twice ("the 24 of May" in
    "on the 14 of May", "Tuesday and Friday" in "Tuesday and Thursday")."""
    found = wrong.search(fact)
    if found is None:
        return fact
    words, rest = _as_a_name(found[0], right).split(), fact[found.end() :]
    right = " ".join(words)
    ends = (" " + " ".join(words[at:]) for at in range(1, len(words)))
    again = next((end for end in ends if rest.lower().startswith(end.lower())), "")
    before = fact[: found.start()].lower()
    begins = (" ".join(words[:at]) + " " for at in range(len(words) - 1, 0, -1))
    already = next((begin for begin in begins if before.endswith(f" {begin.lower()}")), "")
    return f"{fact[: found.start()]}{right[len(already) :]}{wrong.sub(lambda _: right, rest[len(again) :])}"


def _as_a_name(wrong: str, right: str) -> str:
    """ "in Abuja" for "in abuja" where that takes the place of "in Lagos", as people type in small letters."""
    led, other = _LED.fullmatch(wrong), _LED.fullmatch(right)
    known = english().stop | {*english().weekdays, *english().month_names}
    named = led and other and led["what"][0].isupper() and right.islower() and not {*tokens(other["what"])} & known
    return f"{other['lead']} {other['what'].title()}" if named and other else right


_LED = re.compile(r"(?P<lead>in|at|on|with|near) (?P<what>[^\W\d_][\w-]*(?: [^\W\d_][\w-]*)?)", re.IGNORECASE)


def is_all_said(fact: str, now: str) -> bool:
    """Whether a row that is written in any case says all of it."""
    return {*terms(fact)} <= {*terms(now)} and signals(fact).ends == signals(now).ends


def elsewhere(fact: str, ended: str) -> bool:
    """Whether it tells of a home or a job with another name than the one that was ended."""
    was, now = ({*details(one)} - parts(one)[0].holder.names for one in (ended, fact))
    return only_ends(ended) and bool(was and now) and not was & now


def only_ends(fact: str) -> bool:
    """Whether it says of a home or a job that it is over, and of no new one: "has moved"."""
    kinds = {matter.kind.split(".")[0] for part in parts(fact) for matter in part.matters}
    return bool(kinds & {"home", "job"}) and (signals(fact).ends or bool(_MOVED_ONLY.search(fact)))


_MOVED_ONLY = re.compile(r"\bmov(?:ed|es|ing)\b(?!.*\b(?:to|in|into|onto|at|near|back|with)\b)", re.IGNORECASE)


def of_whom(fact: str, row: Memory, left: Standing) -> str:
    """The fact with whose it was: "Pepe died" after "Ana has two rabbits, Pepe and Lola"."""
    begins = next((each for each in left.over if fact.startswith(f"{each} ")), fact.split(" ", 1)[0])
    kept = re.search(rf"\ban? ([\w-]+) (?:named |called )?{re.escape(begins)}\b", row.fact)
    kind = (left.kind if begins in left.over else "") or (kept[1] if kept else "")
    if not kind or parts(row.fact)[0].owner is not None or not row.fact.startswith(row.subject):
        return fact
    return f"{row.subject}'s {kind} {fact}"


def same_day(fact: str, known: str) -> bool:
    """Whether two facts tell a day in the same words: then it is the day of the known one."""
    return date_words(fact) is not None and date_words(fact) == date_words(known)
