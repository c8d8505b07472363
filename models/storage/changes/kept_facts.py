"""What a line may not take from the memory, whatever rules and readers made of it: no fact is lost by another.

Somebody who repeats a fact against a wrong reply ("No, that is wrong. I told you I was born on 12 June") ends nothing.
A change that tells less of the same matter keeps what the row says besides ("has a job at Greggs on the Headrow", "it's
just Sundays now"), and one that shares nothing with the row stands beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from ....memory.language.dates import find_dates, hours
from ....memory.language.facts.change_words import stands
from ....memory.language.facts.corrections import clauses, signals, swaps
from ....memory.language.facts.matters import parts
from ....memory.language.facts.over import has_ended, is_over_anyway
from ....memory.language.facts.put_right import may_put_right, rights
from ....memory.language.facts.states import introduced
from ....memory.language.kinship import plainly_related, relations
from ....memory.language.language import english
from ....memory.language.later.begins import told_ahead
from ....memory.language.later.undated import untimed
from ....memory.language.points import letters as re
from ....memory.language.quoted.in_quotes import quoted
from ....memory.language.words import terms, tokens
from ....memory.values import Memory
from ...prompts.draft import Add, Change, Close, Draft, Entry, date_words
from ..told.single import singly
from .end_facts import days_told, denials

_NAME = re.compile(r"(?<!^)\b[A-Z][\w’'-]*[^\W_]\b")
_NAMES = re.compile(rf"{_NAME.pattern}(?: {_NAME.pattern})+")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_NO = re.compile(r"^(?:no|nah|nope)\b[\s,.!]*", re.IGNORECASE)
_IS = re.compile(r"(?P<who>(?:.+ )?[A-Z][\w-]*) (?P<verb>is|has|are) (?P<what>[^,.;]+)\.?")
_MOVED = re.compile(
    r"\b(?:moved|put (?:off|back)|postponed|brought forward|rescheduled|is (?:now )?on|are (?:now )?on)\b"
)
_TITLES = frozenset({"mr", "mrs", "ms", "miss", "dr", "prof", "st"})
_ANY_DAY = "2024-06-12T12:00:00Z"
_ANEW = re.compile(r"\b(?:again|back|anew|once more)\b", re.IGNORECASE)
_DENIED = re.compile(r"\b(?:never|cannot|no longer|any ?more)\b|n['’]t\b", re.IGNORECASE)
"""In a line whose "not X" puts nothing right: "can't watch horror any more, not since May"."""
_NOW = re.compile(r",? now(?=\.?$)| now\b(?=.*[.]$)", re.IGNORECASE)


def keeping(draft: Draft, rows: Sequence[Memory], line: str, speaker: str) -> Draft:
    """The draft for that line without what would lose what still holds of the known rows, and no words twice."""
    known, draft = {row.id: row for row in rows}, draft.told(lambda fact: _TWICE.sub(r"\g<led>", fact))
    entries: list[Entry] = []
    for one in draft:
        row = None if isinstance(one, Add) else known.get(one.id)
        row = replace(row, fact=untimed(row.fact)) if row and told_ahead(row) else row
        if isinstance(one, Add) and _denies_what_is_so(one.fact, line):
            continue
        if row is None or (isinstance(one, Change) and (one.fact is None or quoted(row.fact) is not None)):
            entries += _singly(one, speaker) if isinstance(one, Add) else [one]
        elif isinstance(one, Close):
            over = is_over_anyway(row.fact) and not rights(line)
            wrong = over or _stands(row, line, speaker) or _of_nothing_said(row, line, speaker) or _no_end(line)
            entries += [] if wrong else [one]
        elif isinstance(one, Change) and one.fact:
            told, besides = _of_the_row(row, one, speaker)
            entries += (
                _changed(row, told, line, speaker) if not _only_placed(row, told.fact or "", line, speaker) else []
            )
            entries += besides
    return replace(draft, entries=tuple(entries))


_TWICE = re.compile(
    r"(?P<led>\b(?:in|at|on|to|from|with|for|near|by|of|as) (?:[\w'’:-]+ ){0,4}?[\w'’:-]+),? (?P=led)(?=[.!]?$)",
    re.IGNORECASE,
)
"""A phrase that is told twice at the end: "sits in Uppsala in Uppsala"."""


def _only_placed(row: Memory, new: str, line: str, speaker: str) -> bool:
    """Whether a change does no more than put a place into a row that has none, of which a line that puts something
    right doesn't speak: "oh no she's in Abuja" is of nobody's birthday."""
    was = row.fact.rstrip(" .")
    placed = new.startswith(was) and _PLACED.fullmatch(new[len(was) :])
    told = {*terms(row.fact)} - {*terms(speaker), *terms(row.subject), "user"}
    return bool(placed) and rights(line) and bool(_OF_SOMEBODY.search(line)) and not told & {*terms(line)}


_PLACED = re.compile(r",? (?:in|at|near|from) [\w' ’-]+\.?")
_OF_SOMEBODY = re.compile(r"\b(?:he|she|they|we|i)(?:['’](?:s|re|m))? ", re.IGNORECASE)


def _singly(one: Add, speaker: str) -> list[Entry]:
    """One matter each, where a rule told a whole clause."""
    facts = singly(one.fact, speaker)
    if len(facts) < 2:
        return [one]
    days = [date_words(fact) for fact in facts]
    days[0] = days[0] or (None if any(days) else one.when)
    return [replace(one, fact=fact, when=day) for fact, day in zip(facts, days, strict=True)]


def _of_the_row(row: Memory, change: Change, speaker: str) -> tuple[Change, list[Entry]]:
    """Of a change that tells of two by turns what is of the row, and the rest as rows of their own: of "User has left
    the laundry, and Radek has sold the Skoda" only the second is of "User's husband Radek drives a Skoda"."""
    pieces = singly(change.fact or "", speaker)
    mine = {*terms(speaker), "user"}
    shared = [len(({*terms(one)} & {*terms(row.fact)}) - mine) for one in pieces]
    if len(pieces) != 2 or min(shared) or not max(shared) or len(singly(row.fact, speaker)) > 1:
        return change, []
    own, other = sorted(pieces, key=lambda one: shared[pieces.index(one)], reverse=True)
    if own.split()[0] == other.split()[0]:
        return change, []
    now = replace(change, fact=introduced(own, row.fact), when=date_words(own) or change.when)
    whose = speaker if other.startswith(f"{speaker} ") else row.subject
    return now, [Add(whose, row.topic, other, date_words(other))]


def says_again(fact: str, line: str, speaker: str) -> bool:
    """Whether a clause of the line tells once more what the fact tells, with all of its numbers and names: then the
    line is no news of it, whatever else it says of a mistake."""
    mine = {*terms(speaker), "user"}
    told, values = {*terms(fact)} - mine, {*_NUMBER.findall(fact)}
    for clause in clauses(line):
        if _says_wrong(clause, line):
            continue  # "I said she was born on the 12th, but it was the 14th"
        heard = {*terms(clause)} - mine
        if signals(clause).any_change or not heard or _denies(clause, fact):
            continue
        if told <= heard or (values and values <= {*_NUMBER.findall(clause)} and heard <= told and len(heard) > 2):
            return True
    return False


def _says_wrong(clause: str, line: str) -> bool:
    """Whether a clause holds what the line puts something else in the place of."""
    return any(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", clause, re.IGNORECASE) for one, _ in swaps(line))


def _stands(row: Memory, line: str, speaker: str) -> bool:
    """Whether the line itself says that the row is so."""
    if says_again(row.fact, line, speaker) or _says_that_it_is_over(row.fact, line, speaker):
        return True
    has = {*terms(row.fact)}
    pairs = [({*terms(wrong)}, {*terms(right)}) for wrong, right in swaps(line)] if not _DENIED.search(line) else []
    return any(right and right <= has and not wrong & has for wrong, right in pairs)


def _says_that_it_is_over(fact: str, line: str, speaker: str) -> bool:
    """Whether the fact itself says that what the line ends is over: "Jonas plays striker instead of in goal" stands
    when he "isn't in goal any more"."""
    over = {word for found in _NOT_SO.finditer(fact) for word in terms(found["what"])}
    named = {word for name in _NAME.findall(f". {fact}") for word in terms(name)} | {*terms(speaker)}
    ended = {word for one in clauses(_NO.sub("", line)) if _DENIED.search(one) for word in terms(one)} - named - _YES
    return bool(ended) and ended <= over


_YES = {*terms("yes yeah no nope")}
_NOT_SO = re.compile(r"\b(?:instead of|rather than|no longer) (?P<what>[^,.;]+)", re.IGNORECASE)


def _of_nothing_said(row: Memory, line: str, speaker: str) -> bool:
    """Whether a line that puts something right doesn't speak of the row at all: "I said Mama is 84, but she is 85"
    ends no age of the speaker."""
    told = {*terms(row.fact)} - {*terms(speaker), *terms(row.subject), "user"}
    return rights(line) and not told & {*terms(line)} and len(clauses(line)) > 1


def _changed(row: Memory, change: Change, line: str, speaker: str) -> list[Entry]:
    new = change.fact or ""
    mine = {*terms(speaker), *terms(row.subject), "user"}
    was, now = {*terms(row.fact)} - mine, {*terms(new)} - mine
    beside: list[Entry] = [Add(row.subject, row.topic, new, date_words(new))] if not now <= was else []
    if _stands(row, line, speaker) and not was <= now:
        return beside if 2 * len(was & now) <= len(was) else []
    if _repeats_value(row.fact, new, line) or _of_what_is_denied(row.fact, new, line) or _stays(was - now, line):
        of_whom = {*terms(" ".join([*relations(row.fact), *_NAME.findall(row.fact)]))}
        both = {*terms(plainly_related(row.fact))} & {*terms(plainly_related(new))}
        alike = both - mine - days_told(row.fact) - of_whom
        return [] if alike else beside  # what shares a day, a name or who it is of alone is told of something else
    if now <= was and (
        _no_end(line) or not (said := signals(line)).changes | said.ends | bool((was - now) & {*terms(line)})
    ):
        return [change] if has_ended(row.fact) and _ANEW.search(line) else []  # "has quit smoking": "smokes again"
    if _elsewhere(row.fact, new):
        return [change]
    shared, names = was & now, {word for name in _NAME.findall(row.fact) for word in terms(name)}
    if _denies(new, row.fact) and not shared:
        return beside
    gone = _names(row.fact, speaker) - _names(new, speaker)
    lost = {name for name in gone if name.lower() not in line.lower()} - _said_in_part(row.fact, line)
    if signals(new).ends and lost and not (shared - names) - _values(row.fact):
        return beside  # "no practice on Thursdays anymore" ends no band that one plays in on Thursdays
    over = signals(new).ends or signals(new).before or stands("gone", new)
    put_in = _in_its_part(row.fact, new) or _on_its_day(row.fact, new)
    come = _names(new, speaker) - _names(row.fact, speaker)
    sure = over or bool(put_in) or _is_of_one(row.fact, new)
    if lost and _undated(come) and not sure and _is_of_little(shared - names, was, line):
        return beside
    if not lost or come or over:
        return [_at_its_hour(change, row, line) if shared else change]
    if put_in:
        return [Change(row.id, put_in, when=change.when)]
    if shared - names:
        return [Change(row.id, f"{row.fact.rstrip(' .')}; now {_begun_small(_NOW.sub('', new))}", when=change.when)]
    return beside


def _undated(names: frozenset[str]) -> set[str]:
    """Names but days and months, which a plan gets when it is put off."""
    known = english()
    return {one for one in names if one.lower().removesuffix("s") not in {*known.weekdays, *known.month_names}}


def _is_of_one(fact: str, new: str) -> bool:
    """Whether both tell of one matter of which there is but one at a time, or of one thing by name."""
    had, has = ([one for part in parts(text) for one in part.matters] for text in (fact, new))
    return any(one.same(other) for one in had for other in has if one.kind not in ("does", "has", "plan"))


def _is_of_little(shared: set[str], was: set[str], line: str) -> bool:
    """Whether a change shares less than half of a row's words, and the line has none for a change, an end or a slip:
    "Sid and I were supposed to apply together" is no end of "applies for the Leuven year in Belgium"."""
    if signals(line).any_change or has_ended(line) or may_put_right(line):
        return False
    return 2 * len(shared) < len(was)


def _elsewhere(fact: str, new: str) -> bool:
    """Whether both say only where somebody lives or works: "Ana lives in Alkmaar", "Ana lives in breda"."""
    was, now = _WHERE.fullmatch(fact.strip()), _WHERE.fullmatch(new.strip())
    return bool(was and now) and was["does"] == now["does"]  # type: ignore[index]


_WHERE = re.compile(r"(?P<does>.+? (?:lives|works) (?:in|at|for))(?: [\w’'-]+){1,3}\.?")


def _in_its_part(fact: str, new: str) -> str | None:
    """The fact with what the change says of one of several: "Bo is 15" in "has three children: Bo is 14, Tom is 6"."""
    told = _IS.fullmatch(new.strip())
    if told is None:
        return None
    who = re.escape(told["who"].split()[-1])
    there = re.compile(rf"\b{who} {told['verb']} (?P<old>[^,.;:]+?)(?=,| and |[.;]|$)")
    found = [*there.finditer(fact)]
    if len(found) != 1 or not {*_NUMBER.findall(told["what"])} or not {*_NUMBER.findall(found[0]["old"])}:
        return None
    return fact[: found[0].start("old")] + told["what"] + fact[found[0].end("old") :]


def _on_its_day(fact: str, new: str) -> str | None:
    """The fact on the one day that the change gives, where it tells one day too and the change says no more of it."""
    was, now = (find_dates(text, _ANY_DAY, language=english()) for text in (fact, new))
    if len(was) != 1 or len(now) != 1 or was[0][1] == now[0][1] or not _MOVED.search(new):
        return None
    day = f"{'on ' if was[0][0].startswith('on ') else ''}{now[0][0].removeprefix('on ')}"
    return f"{fact.replace(was[0][0], day).rstrip(' .')}."


def _begun_small(fact: str) -> str:
    """With a small letter where it doesn't begin with a name."""
    first = fact.split()[0] if fact else ""
    return fact[:1].lower() + fact[1:] if first.lower() in english().stop and first != "I" else fact


def _no_end(line: str) -> bool:
    """Whether all that the line tells of an end is that it wasn't one: "I have not moved to Ludlow"."""
    told = [one for one in clauses(line) if signals(one).ends or signals(one).changes]
    return bool(told) and all(_not_ended().search(one) for one in told)


@lru_cache(maxsize=1)
def _not_ended() -> re.Pattern[str]:
    return re.compile(
        rf"(?:\bnot|\bnever|n[’']t) (?:\w+ )?(?:{english().alternatives('matters', 'ended_verbs')})\b", re.IGNORECASE
    )


def _repeats_value(fact: str, new: str, line: str) -> bool:
    """Whether the change takes a number from the fact that a clause of the line, which denies nothing, says again with
    what it counts: "the operation is planned for 10 December, only her birthday was in October"."""
    was, now = {*_NUMBER.findall(fact)}, {*_NUMBER.findall(new)}
    gone, come = was - now, now - was
    if not gone or swaps(line):
        return False
    for clause in clauses(line):
        told = {*_NUMBER.findall(clause)}
        if signals(clause).any_change or _denies(clause, fact) or told & come:
            continue
        for number in gone & told:
            words = re.compile(rf"(?:\b[A-Za-z]+ )?(?<![\d.,:]){re.escape(number)}(?![\d]|[.,:]\d)(?: ?[A-Za-z]+)?")
            said = {word.lower() for word in (found[0] for found in words.finditer(clause))}
            if any(found[0].lower() in said or _same_end(found[0], said) for found in words.finditer(fact)):
                return True
    return False


def _of_what_is_denied(fact: str, new: str, line: str) -> bool:
    """Whether the change gives the fact a day or a number of which the line only says that it isn't so ("we don't
    practise Thursdays anymore"), or takes one that the line says again."""
    if swaps(line) or _denies(new, fact):
        return False
    so, not_so = _told_values(line)
    gone, come = _values(fact) - _values(new), _values(new) - _values(fact)
    days = {one for one in gone & so if not one.isdigit()}
    return bool((come and come <= not_so - so) or (days and not come & so))


def _denies_what_is_so(fact: str, line: str) -> bool:
    """Whether a new fact denies of a day what the line denies of another one."""
    so, not_so = _told_values(line)
    told = _values(fact)
    return bool(told & (so - not_so)) and not told & not_so and bool(not_so) and _denies(fact, "")


def _told_values(line: str) -> tuple[set[str], set[str]]:
    """The numbers and days of clauses that deny nothing, and of those that do."""
    so, not_so = set[str](), set[str]()
    for clause in clauses(_NO.sub("", line.strip())):
        (not_so if _denies(clause, "") or _DENIED.search(clause) else so).update(_values(clause))
    return so, not_so


def _values(text: str) -> set[str]:
    """The numbers and days of the week in a text."""
    days = {word.removesuffix("s") for word in tokens(text)}
    return {*_NUMBER.findall(text)} | {day for day in days if day in english().weekdays}


def _stays(lost: set[str], line: str) -> bool:
    """Whether the line says that something of what a change would take stays as it is: "Priya is staying after all"."""
    return any(lost & {*terms(one)} and _staying().search(one) and not _says_wrong(one, line) for one in clauses(line))


@lru_cache(maxsize=1)
def _staying() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{english().alternatives('matters', 'stays')})\b", re.IGNORECASE)


def _at_its_hour(change: Change, row: Memory, line: str) -> Change:
    """With the hour of the row where the change tells another day and neither it nor the line tells one."""
    new = change.fact or ""
    told = hours(row.fact)
    if not told or hours(new) or hours(line) or signals(new).ends or not find_dates(new, _ANY_DAY, language=english()):
        return change
    return Change(change.id, f"{new.rstrip(' .')} {told[0]}.", topic=change.topic, when=change.when)


def _same_end(text: str, said: set[str]) -> bool:
    """Whether a number with what follows it ("10 December") is among those that are said."""
    end = re.search(r"\d.*$", text)
    return bool(end and re.search("[A-Za-z]", end[0])) and any(one.endswith(end[0].lower()) for one in said if end)


def _denies(text: str, other: str) -> bool:
    return bool(denials(text) - denials(other))


def _names(fact: str, speaker: str) -> frozenset[str]:
    """The names of people, places and things in a fact, but for days, months and titles."""
    return frozenset(_found(fact)) - frozenset(_words_of(speaker))


def _said_in_part(fact: str, line: str) -> frozenset[str]:
    """The words of names of several words of which the line has one: "the Skoda" is the Skoda Fabia."""
    said = {*tokens(line)}
    runs = (run[0].split() for run in _NAMES.finditer(fact))
    return frozenset(word for run in runs if not said.isdisjoint(tokens(" ".join(run))) for word in run)


def _words_of(name: str) -> Iterator[str]:
    """The words of a name, and what somebody is called whose name isn't known."""
    yield from (*name.split(), "User")


@lru_cache(maxsize=2_048)
def _found(fact: str) -> frozenset[str]:
    days = {*english().weekdays, *english().month_names}
    names = (re.sub(r"['’]s?$", "", name) for name in _NAME.findall(fact))
    return frozenset(name for name in names if not {name.lower(), name.lower().removesuffix("s")} & (days | _TITLES))
