"""English as people speak who learn it, in the forms that a small model knows: "he not work" as "he doesn't work", "my
mother she has a cat" as "my mother has a cat", "I have 50 years" as "I am 50 years old".

What would mean something else in plain English stays; the line that is kept stays as it was typed.
"""

from __future__ import annotations

from functools import lru_cache

from ..kinship import pattern
from ..language import english
from ..points import letters as re
from ..third_person import third_form, verbs
from ..words import alternatives

_NAME = r"[A-Z][\w-]*[a-zà-ÿ]"
_ASKED = re.compile(
    r"(?:\b(?:do|does|did|am|is|are|was|were|have|has|had|can|could|will|would|should|must|might|may|or|if|why|whether)"
    r"|['’](?:s|m|re|ve|d|ll)) $",
    re.IGNORECASE,
)
"""Before a subject whose verb stands there already: "do I not like", "why not"."""
_MORE = re.compile(r"\b(?P<not>not|n['’]t)(?P<what>(?: [\w'’-]+){1,3}?) more(?=\s*(?:[.,;!]|$))", re.IGNORECASE)
_SEVERAL = r"(?:[Mm]y|[Oo]ur) (?:[a-z-]+ )?(?:[a-z]+s|children|people|family|folk|grandchildren|in-laws)\b"
_FEW = english().words("texting", "not_ended")
_IS_NO_MORE = re.compile(r"\b(?P<is>is|are|was|were) not more(?=\s*(?:[.,;!]|$))", re.IGNORECASE)
_FIRST = re.compile(
    r"(?P<begin>^|[.!?;] )(?P<what>[A-Za-z]+(?: [a-z]+)?),? (?P<who>[Ii]|[Ww]e) (?P<not>don['’]t|do not|never) "
    r"(?P<does>like|love|eat|drink|want|have|need|take|wear)(?=\s*(?:[.,;!]|$))"
)


def as_learned(line: str) -> str:
    """The line in the forms of plain English, as far as it is surely meant so."""
    if not _learner().search(line):
        return line
    line = _double().sub(lambda found: f"{found['begin']}{found['who']} ", line)
    line = _unturned().sub(lambda found: f"{found['before']}{third_form(found['verb'])}", line)
    line = _aged().sub(_of_age, line)
    line = _bare_not().sub(_with_verb, line)
    line = _IS_NO_MORE.sub(lambda found: f"{found['is']} no more", line)
    line = _MORE.sub(_any_more, line)
    return _FIRST.sub(_turned, line)


@lru_cache(maxsize=1)
def _learner() -> re.Pattern[str]:
    """Whether any of it may be there: most lines have none."""
    return re.compile(r"\bnot\b|n['’]t\b|\b(?:he|she|they|my|our) |\byears?\b|\bnever\b", re.IGNORECASE)


def _who() -> str:
    return rf"(?:[Mm]y|[Oo]ur) (?:[a-z-]+ )?(?:{pattern(english())})(?: {_NAME})?"


@lru_cache(maxsize=1)
def _double() -> re.Pattern[str]:
    """Somebody, and "she" once more before the verb."""
    known = verbs()
    verb = "|".join(sorted({*known.base, *known.third, *known.past, *known.modals, "is", "has", "have", "was", "does"}))
    return re.compile(
        rf"(?P<begin>^|[.!?;,] (?:and |but |so )?)(?P<who>{_who()}),? (?:he|she|they) (?=(?:{verb}|[a-z]+(?:s|ed))\b)",
    )


@lru_cache(maxsize=1)
def _unturned() -> re.Pattern[str]:
    """What somebody else does, in the form for "I": "she live", "my wife work"; at the beginning of a clause, for "made
    my mother cry" is right."""
    known, same = verbs(), english().words("dates", "same_in_past") | {"read"}
    verb = "|".join(sorted({*known.base, "have", "do", "live", "work", "like"} - known.past - known.adverbs - same))
    adverbs = "|".join(sorted(known.adverbs))
    return re.compile(
        rf"(?P<before>(?:(?:^|[.!?;,] |\b(?:and|but|because|so|then|now|also) )(?:[Hh]e|[Ss]he)"
        rf"|(?:^|[.!?;,] |\b(?:because|so|then|now|also) )(?!{_SEVERAL}){_who()}) "
        rf"(?:(?:{adverbs}) )*)(?P<verb>{verb})\b"
    )


@lru_cache(maxsize=1)
def _aged() -> re.Pattern[str]:
    numbers = alternatives(one for one in english().unit_numbers if len(one) > 3)
    return re.compile(
        rf"\b(?P<who>[Ii]|[Hh]e|[Ss]he|{_who()}) (?:only |now |already )?(?:have|has|['’]ve) "
        rf"(?P<age>[1-9]\d|[3-9]|{numbers}) years(?: old)?(?=\s*(?:[.,;!]|$)|,? and\b)"
    )


def _of_age(found: re.Match[str]) -> str:
    be = "am" if found["who"].lower() == "i" else "is"
    return f"{found['who']} {be} {found['age']} years old"


@lru_cache(maxsize=1)
def _bare_not() -> re.Pattern[str]:
    return re.compile(
        rf"(?P<begin>^|.)\b(?P<who>[Ii]|[Hh]e|[Ss]he|[Ii]t|[Ww]e|[Tt]hey|{_who()})"
        r" not (?!(?:only|even|just|yet|to|but|so much|because|all|at all)\b)(?P<next>[a-z]+)"
    )


def _with_verb(found: re.Match[str]) -> str:
    who, following, known = found["who"], found["next"], verbs()
    before = found.string[: found.start("who")]
    if _ASKED.search(before) or (who.lower().split()[0] in english().stop - _SUBJECTS and " " not in who):
        return found[0]
    many = who.lower() in ("i", "we", "they")
    if following in known.base | known.either | known.finite - known.adverbs:
        does = "don't" if many else "doesn't"
    else:
        does = "am not" if who.lower() == "i" else "are not" if many else "is not"
    return f"{found['begin']}{who} {does} {following}"


_SUBJECTS = frozenset(("i", "he", "she", "it", "we", "they"))


def _any_more(found: re.Match[str]) -> str:
    words = found["what"].lower().split()
    return found[0] if {*words} & _FEW else f"{found['not']}{found['what']} any more"


def _turned(found: re.Match[str]) -> str:
    """ "Fish I don't like" as "I don't like fish"."""
    if found["what"].lower().split()[0] in english().stop:
        return found[0]
    what = f"{found['what'][:1].lower()}{found['what'][1:]}"
    return f"{found['begin']}{found['who']} {found['not']} {found['does']} {what}"
