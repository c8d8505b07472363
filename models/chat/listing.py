"""A list of what is known about somebody or something: the facts, short ones of one matter together, then the lines
that name it and of which no fact tells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, tzinfo
from typing import TYPE_CHECKING, NamedTuple

from ...memory.language.dates import day_of
from ...memory.language.quoted.whose import others_words
from ...memory.language.words import query_words, sentences, stem, terms, tokens
from ...memory.values import Memory, Turn, User
from ..prompts.messages import excerpt, one_line
from .second_person import in_full, told_to
from .telling import spoken_date
from .told.by_topic import of_area
from .told.overview import Person, group, namesakes, of_person, person

if TYPE_CHECKING:
    from ...memory.store.store import Store

ROWS = 12
"""Facts, and lines, that one reply lists."""
LINES = 4
"""Lines that are listed at least, however many facts there are."""
LOOKED = 60
"""What is looked through for lines."""
HELD = 0.6
"""Share of a sentence's words that facts of its line hold, from which they say what it does."""
SHORT, JOINED = 8, 18
"""Words of a fact that shares its line with others of its matter, and of all of these."""
LINE_WORDS = 40
SWAPPED = {"my": "your", "mine": "yours", "me": "you", "i": "you", "our": "your", "i'm": "you're", "i've": "you've"}


class Listed(NamedTuple):
    """A reply that lists, and what it is made of."""

    text: str
    rows: Sequence[Memory] = ()
    lines: Sequence[Turn] = ()


def overview(
    store: Store, user: User, rows: Sequence[Memory], about: str, *, said: bool = False, zone: tzinfo | None = None
) -> Listed:
    """What is known about somebody or something; nothing at all: no text. `rows`: the user's facts, newest first;
    `said`: also what the user said of it that holds no longer."""
    by_id = {row.id: row for row in rows}
    plain, subject = _plainly(store, rows, user.subject)
    who = person(about, plain, subject)
    if who is not None:
        found = [by_id[row.id] for row in of_person(who, plain, subject)]
    else:
        found = _facts(rows, about, user.subject, day_of(store.now(), zone))
    lines = [] if who and who.me else _lines(store, user, about, who, found, said)
    shown, quoted_ones = found[:ROWS], lines[-max(LINES, ROWS - len(found)) :]
    told = [f"- {one}" for one in _together(shown, lambda row: _told(store, row, user))]
    told += [f"- {quoted(turn, zone)}" for turn in quoted_ones]
    if not told:
        return Listed("")
    head = f"What I have about {to_you(about)}:"
    to_find = " ".join(sorted(who.names)) if who else " ".join(query_words(about))
    more, unsaid = len(found) - len(shown), len(lines) - len(quoted_ones)
    left = [f"and {more} more; /memory lists what I keep."] if more else []
    left += [f"and {unsaid} earlier lines of yours; /sessions {to_find} finds them."] if unsaid else []
    return Listed("\n".join([head, *told, *left]), shown, quoted_ones)


def _plainly(store: Store, rows: Sequence[Memory], subject: str) -> tuple[Sequence[Memory], str]:
    """The facts, and under what they tell of the user: where somebody else is called by a part of the user's name, they
    are "User", so that "Ana's son Ana" are two."""
    if not namesakes(rows, subject):
        return rows, subject
    evidence = store.facts.evidence([row.id for row in rows])

    def plain(row: Memory) -> Memory:
        lines = [turn.text for turn in evidence.get(row.id, ())]
        fact = in_full(row.fact, subject, lines).replace(subject, "User")
        return replace(row, fact=fact, subject="User" if row.subject == subject else row.subject)

    return [plain(row) for row in rows], "User"


def _facts(rows: Sequence[Memory], about: str, subject: str, today: date) -> list[Memory]:
    """The facts about a thing, or of an area of the user's life."""
    wanted = telling(about)
    named = [row for row in rows if wanted and wanted <= {*terms(f"{row.subject} {row.fact} {row.topic}")}]
    return [*named, *(row for row in of_area(about, rows, today, subject) if row not in named)]


def _lines(store: Store, user: User, about: str, who: Person | None, found: Sequence[Memory], said: bool) -> list[Turn]:
    """The asker's own lines that name it and say what no fact does, oldest first."""
    from ...memory.search.evidence import telling as told_of

    wanted = [{*terms(name)} for name in who.names] if who else [telling(about)]
    query = " ".join(sorted(who.names)) if who else about
    result = store.search(user.id, query, limit=LOOKED, speaker=user.subject)
    turns = {turn.id: turn for item in result.items for turn in item.turns if turn.speaker == user.subject}
    rows = {row.id: row for row in [*found, *result.memories]}
    held = dict[int, set[str]]()
    for row_id, lines in store.facts.evidence([*rows]).items():
        for turn in lines:
            held.setdefault(turn.id, set()).update(terms(rows[row_id].fact))
    over = set() if said else _of_former(store, user, wanted)
    own = [
        turn for turn in turns.values()
        if turn.id not in over and _untold(told_of(turn).replace(user.subject, ""), wanted, held.get(turn.id, set()))
    ]  # fmt: skip
    return sorted(own, key=lambda turn: turn.id)


def _of_former(store: Store, user: User, wanted: Sequence[set[str]]) -> set[int]:
    """The lines of facts about it that hold no longer."""
    rows = [row for row in store.facts.all(user.id, current=False) if row.valid_to and _names(row.fact, wanted)]
    return {turn.id for turns in store.facts.evidence([row.id for row in rows]).values() for turn in turns}


def _untold(text: str, wanted: Sequence[set[str]], held: set[str]) -> bool:
    """Whether one of the sentences that name it says what no fact of its line does."""
    said = [{*terms(" ".join(query_words(one)))} for one in sentences(text) if _names(one, wanted)]
    return any(len(one & held) < HELD * len(one) for one in said)


def _names(text: str, wanted: Sequence[set[str]]) -> bool:
    return any(some and some <= {*terms(text)} for some in wanted)


def _together(rows: Sequence[Memory], told: Callable[[Memory], str]) -> list[str]:
    """Each fact as it is said; short ones that follow each other and are of one matter in one line."""
    found, last = list[str](), ""
    for row in rows:
        text, matter = told(row), group(row)
        short = len(text.split()) <= SHORT
        if short and matter == last and len(found[-1].split()) + len(text.split()) <= JOINED:
            found[-1] += f" {text}"
        else:
            found.append(text)
        last = matter if short else ""
    return found


def _told(store: Store, row: Memory, user: User) -> str:
    """A fact with its day, where it doesn't say it."""
    text = one_line(told_to(store, row, user.subject))
    day = spoken_date(row.happened_on) if row.happened_on else ""
    return f"{text} ({day})" if day and day not in text else text


def quoted(turn: Turn, zone: tzinfo | None) -> str:
    """A line with the day on which it was told."""
    day = spoken_date(day_of(turn.said_at, zone).isoformat())
    told = "quoted" if others_words(turn) else "told me"
    return f"You {told} on {day}: “{excerpt(turn.text, LINE_WORDS)}”"


def telling(about: str) -> set[str]:
    """The words by which it is found."""
    return {stem(word) for word in query_words(about)}


def to_you(about: str) -> str:
    """As said to the one who asked: "my dog" -> "your dog"."""
    return " ".join(SWAPPED.get(word.lower(), word) for word in about.split()) if tokens(about) else about
