"""Who is called what, and who somebody is: read off the words in which it was told.

"My girlfriend Mila", "a tortoise called Admiral", "Mila is my girlfriend" tell a name by the way, and a small model
that is asked for it says that it wasn't told. English. Only what stands beside the asker's own ("my", their name)
counts: "my sister's dog Rex" is nobody's dog here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ....memory.language.asked.forms import forms_of
from ....memory.language.asked.personal import unwrapped
from ....memory.language.kinship import plainly_related, relations
from ....memory.language.language import english
from ....memory.language.points import letters as re
from ....memory.language.words import stem
from ....memory.values import Memory, Turn

_TITLE = rf"(?:(?:{english().alternatives('names', 'titles')})\.? )?"
_ONE = rf"{_TITLE}(?!I\b)[A-Z][\w-]*\w(?: (?:(?:de|van|von|del|der) )*[A-Z][\w-]*\w)?"
_SOME = rf"(?P<names>{_ONE}(?:(?:, and |, | and | & ){_ONE})*)(?![\w-])"
_AND = re.compile(r", and |, | and | & ")
_KIND = r"(?P<kind>(?:[a-z][\w-]* ){0,3}[a-z][\w-]*)"
_NUMBER = r"one|two|three|four|five|six|\d"
_GOT = (
    rf"(?:(?:just|also|now|recently|still) )*(?:{english().alternatives('doing', 'has_got')})(?: got)? "
    rf"(?:(?:an?|{_NUMBER}|some|the|another) )?"
)
_PAST = english().words("relations", "former")
_NO_KIND = frozenset({
    "is", "are", "was", "were", "called", "named", "in", "on", "at", "to", "of", "from", "with", "and", "or", "for",
    "by", "than", "as", "like", "that",
})  # fmt: skip
_IS = "(?i:(?:['’]?s| is| are| was| were))"
_OURS = "(?i:my|our)"
_CALLED = "(?i: called| named)"
_NAME = "(?i:['’]?s?['’]? (?:first |full )?names?)"
_ASKED = re.compile(
    rf"^(?:(?i:what){_IS}(?i: the)?(?i: first| full)?(?i: names? of) {_OURS} (?P<a>[\w -]+?)"
    rf"|(?i:what){_IS} {_OURS} (?P<b>[\w -]+?)(?:{_NAME}|{_CALLED})"
    rf"|(?i:what) {_OURS} (?P<d>[\w -]+?)(?:{_NAME}{_IS}|{_IS}{_CALLED})"
    rf"|(?i:who){_IS} {_OURS} (?P<c>[\w -]+?)|(?i:who) {_OURS} (?P<e>[\w -]+?){_IS}"
    rf"|(?i:who){_IS} (?P<who>{_ONE})|(?i:who) (?P<whom>{_ONE}){_IS})$"
)
_LIVES_WITH_WHOM = re.compile(
    r"^(?:and |so )?(?:who|whom) (?:do|am|are) (?:i|we) (?:\w+ )?(?:live|living|shar(?:e|ing) (?:\w+ )?\w+) with\b"
    r"(?: now| at the moment| these days)?[?.! ]*$|^(?:and |so )?who (?:else )?lives with (?:me|us)[?.! ]*$",
    re.IGNORECASE,
)
MOST = 4
"""Names that one reply tells."""
MORE = 3
"""Further facts about somebody of whom it is asked who they are."""


class Naming(NamedTuple):
    """What a text tells of names: whom of the asker's (their `kind`, as told: "older sister") they call so."""

    kind: str
    names: tuple[str, ...]
    called: bool = False
    """It says that they are called so: then the kind may be anything ("a tortoise called Admiral")."""


_Told = tuple[Naming, Memory | None, Turn | None]


class Wish(NamedTuple):
    """A question for the name of somebody of the asker's (`kind`), or for who `name` is."""

    kind: str = ""
    name: str = ""
    calls: bool = False
    """Asked what they are called, not who they are."""


def asked(question: str) -> Wish | None:
    """Whose name, or who somebody is, a question asks; None: it asks something else."""
    core = re.sub(r"[\s?.!,]+$", "", unwrapped(question, forms_of("en")))
    found = _ASKED.match(core)
    if found is None:
        return None
    if name := found["who"] or found["whom"]:
        return None if _no_name(name) else Wish(name=name)
    kind = next(one for one in found.groups() if one).lower()
    own = kind in ("name", "first name", "full name", "own name")
    return None if own else Wish(kind=kind, calls=not (found["c"] or found["e"]))


def with_names(question: str, rows: Sequence[Memory]) -> str:
    """A question in small letters with capitals for the names that the facts hold: "who is ciro?"."""
    if question != question.lower():
        return question
    told = {one.lower(): one for row in rows for one in re.findall(r"(?<=[\w,] )[A-Z][\w-]*\w", row.fact)}
    return re.sub(r"[\w-]+", lambda word: word[0] if _no_name(word[0]) else told.get(word[0], word[0]), question)


def namings(text: str, name: str | None = None) -> Iterator[Naming]:
    """What a text tells of the names of those who are the speaker's, or theirs of whom it tells under this name."""
    text = text.replace("’", "'")
    for pattern in _patterns(name):
        for found in pattern.finditer(text):
            names = tuple(one for one in _AND.split(found["names"]) if not _no_name(one))
            kind = found["kind"].split()
            if names and not {*kind} & (_PAST | _NO_KIND):
                yield Naming(" ".join(kind), names, "called" in found[0] or "named" in found[0])


class Names(NamedTuple):
    """A reply about names, and what it is made of; no text: it tells just these rows."""

    text: str
    rows: tuple[Memory, ...]
    lines: tuple[Turn, ...]
    besides: tuple[Memory, ...] = ()
    """Further facts that name the one who is asked of."""


def known(question: str, subject: str, rows: Sequence[Memory], lines: Sequence[Turn]) -> Names | None:
    """The reply to a question for a name, or for who somebody is, where the user's facts or own lines tell it; None: it
    asks something else, nothing tells it, or too many do. `subject`: under what the facts tell of the user."""
    if _LIVES_WITH_WHOM.match(question):
        return _household(subject, rows)
    if (wish := asked(question)) is None:
        return None
    told: list[_Told] = [(naming, row, None) for row in rows for naming in namings(row.fact, subject)]
    told += [(naming, None, line) for line in lines for naming in namings(line.text)] if not told else []
    return _who(wish.name, rows, told) if wish.name else _called(wish, told)


def _called(wish: Wish, told: Sequence[_Told]) -> Names | None:
    found = [one for one in told if fits(wish.kind, one[0].kind)]
    names = list(dict.fromkeys(name for naming, _, _ in found for name in naming.names))
    if not names or len(names) > MOST:
        return None
    many = wish.kind.endswith(("s", "children")) and not wish.kind.endswith("ss")
    if len(names) > 1:
        several = f"{', '.join(names[:-1])} and {names[-1]}"
        are = f"are {'called ' if wish.calls else ''}"
        return _known(f"Your {wish.kind} {are}{several}." if many else f"{several}, as far as you've told me.", found)
    if many:
        return _known(f"{names[0]}, as far as you've told me.", found)
    return _known(f"Your {wish.kind} is {'called ' if wish.calls else ''}{names[0]}.", found)


def _household(subject: str, rows: Sequence[Memory]) -> Names | None:
    """What is told of those with whom the user lives, who shares a home first; None: nothing is, or too much."""
    lives = re.compile(rf"(?:{re.escape(subject)}|User) (?:\w+ ){{0,2}}?(?:lives|shares|is living)\b[^.;]*\bwith\b")
    mates = {stem(one) for one in english().words("others", "mates")}
    found = [row for row in rows if lives.match(row.fact)]
    found += [
        row for row in rows
        if row not in found and any(stem(one.kind.split()[-1]) in mates for one in namings(row.fact, subject))
    ]  # fmt: skip
    if not found or len(found) > MOST:
        return None
    return Names("", tuple(found), ())


def _who(name: str, rows: Sequence[Memory], told: Sequence[_Told]) -> Names | None:
    found = [one for one in told if name in one[0].names and (one[0].called or _is_person(one[0].kind))][:1]
    if not found:
        return None
    besides = [row for row in rows if re.search(rf"\b{re.escape(name)}\b", row.fact) and row is not found[0][1]][:MORE]
    head = f"{name} is {'one of ' if len(found[0][0].names) > 1 else ''}your {found[0][0].kind}."
    return _known(head, found)._replace(besides=tuple(besides))


def _known(text: str, found: Sequence[_Told]) -> Names:
    rows = {row.id: row for _, row, _ in found if row}
    lines = {line.id: line for _, _, line in found if line}
    return Names(text, tuple(rows.values()), tuple(lines.values()))


def _is_person(kind: str) -> bool:
    return bool(relations(kind, english())) or kind.split()[-1] in english().words("others", "workers")


def fits(kind: str, told: str) -> bool:
    """Whether what is asked for is of the told kind: "mum" of "mother", "sister" of "older sister", not the reverse."""
    wanted, known = _plain(kind), _plain(told)
    return wanted[-1:] == known[-1:] and {*wanted} <= {*known}


def _plain(kind: str) -> list[str]:
    return [stem(word) for word in plainly_related(kind, english()).lower().split()]


def _no_name(text: str) -> bool:
    first = text.split()[0].lower()
    return first in english().stop | english().words("others", "no_names") | english().words("names", "no_names")


@lru_cache(maxsize=64)
def _patterns(name: str | None) -> tuple[re.Pattern[str], ...]:
    subject = rf"(?:{re.escape(name)}|User)" if name else "(?:I|we|We)"
    whose = rf"(?:{subject}'s|user's)" if name else "(?:[Mm]y|[Oo]ur)"
    return tuple(
        re.compile(rf"(?:^|(?<=[\s,;:(]))(?:{form})")
        for form in (
            rf"{whose} {_KIND},? (?!called|named){_SOME}(?!'s name)",
            rf"{whose} {_KIND}(?:'s (?:first )?name)? (?:is|are|was|were) (?:called|named) {_SOME}",
            rf"{whose} {_KIND}'s (?:first )?name (?:is|was) {_SOME}",
            rf"{_SOME} (?:is|are) {whose} {_KIND}(?=[.,;!]|$)",
            rf"{subject}(?: {_GOT}|{_GOT}){_KIND},? (?:(?:is|are|who is) )?(?:called|named) {_SOME}",
            rf"{subject}(?: {_GOT}|{_GOT})[^.;!?]*? and (?:an?|{_NUMBER}) {_KIND},? (?:called|named) {_SOME}",
            rf"{subject}(?: {_GOT}|{_GOT}){_KIND}(?<=s), {_SOME}(?=[.,;!]|$)",
        )
    )
