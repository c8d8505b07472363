"""What is left out in a line typed in a hurry: "gf is called meera" as "my girlfriend is called meera", "mums 50" as
"my mum's 50", "its my birthday" as "it's my birthday", "were moving" as "we're moving".

English. What may be another word is read so only where the next word decides; the line that is kept stays as typed.
"""

from __future__ import annotations

from functools import lru_cache

from ..language import english
from ..points import letters as re
from ..third_person import verbs
from ..words import alternatives

_NEXT = r"(?= (?P<next>[\w'’]+)(?: (?P<after>[\w'’]+))?)"
_BEGIN = r"(?P<begin>^\W*|[,.!?;] )"
_BE = ("is", "are", "was", "were", "has", "have", "had")
_SHORT = {"gf": "girlfriend", "bf": "boyfriend"}


_SPLICE = re.compile(
    r", (?=(?:he|she|they)['’]?s? (?:(?:is|was|are|has|does|works|lives|likes|plays|goes)\b|[a-z]+ing\b))"
    r"| (?:lol|lmao|haha+)[,.!]* (?=(?:i|he|she|they|it|we|my)\b|[a-z]+['’][a-z]+ |(?:im|ive|hes|shes|theyre)\b)"
)
"""What stands where a sentence ends: "gf is called meera, shes doing dentistry", "i hate my boss lol hes called al"."""


def spelled_out(line: str) -> str:
    """The line with what its hasty words leave out; one that doesn't begin with a small letter comes back as it is."""
    if not line[:1].islower():
        return line
    line = _SPLICE.sub(". ", _greeting().sub("", line, 1))
    return _following().sub(_as_two, _bare().sub(_own, _behind_my().sub(_possessed, line)))


@lru_cache(maxsize=1)
def _greeting() -> re.Pattern[str]:
    """A greeting before an introduction: a small model takes "yo im meera" for somebody called Yo."""
    return re.compile(rf"^(?:(?:{english().alternatives('names', 'hello')})[,.!]* )+(?=i['’]?m )")


@lru_cache(maxsize=1)
def _following() -> re.Pattern[str]:
    words = "|".join(english().table("texting", "following"))
    return re.compile(rf"(?:(?<=^)|(?<=[.,!?;] )|(?<=and )|(?<=but )|(?<=so )|(?<=think ))(?P<word>{words}){_NEXT}")


def _as_two(found: re.Match[str]) -> str:
    """ "its" as "it's", where the word behind it can't follow the other one."""
    then = str(english().table("texting", "following")[found["word"]]).split()
    return str(english().table("texting", "followed")[found["word"]]) if found["next"] in then else found[0]


@lru_cache(maxsize=1)
def _lists() -> tuple[frozenset[str], frozenset[str], frozenset[str], frozenset[str]]:
    bare = english().table("texting", "bare")
    only, own, many, thing = (frozenset(str(bare[name]).split()) for name in ("only", "own", "many", "thing"))
    return only, only | own, many, thing


@lru_cache(maxsize=1)
def _bare() -> re.Pattern[str]:
    _, own, many, _ = _lists()
    who = alternatives(own | many)
    return re.compile(rf"{_BEGIN}(?P<who>{who})(?P<s>['’]?s)?{_NEXT}")


@lru_cache(maxsize=1)
def _behind_my() -> re.Pattern[str]:
    who = alternatives(_lists()[1])
    return re.compile(rf"\b(?P<my>[Mm]y )(?P<who>{who})s{_NEXT}")


def _is_short(found: re.Match[str]) -> bool:
    """Whether an s behind a word for somebody or something is a verb, as the next words tell."""
    only, own, _, thing = _lists()
    who, then = found["who"], found["next"]
    if who not in own:
        return False
    doing = then.endswith("ing") and len(then) > 4 and found["after"] not in _BE  # "mums cooking is great"
    return then in thing or then.isdigit() or (who in only and (doing or then.endswith("ed") or then in verbs().past))


def _own(found: re.Match[str]) -> str:
    who, then = found["who"], found["next"]
    named = f"{found['begin']}my {_SHORT.get(who, who)}"
    if found["s"]:
        return f"{named}'s" if found["s"] != "s" or _is_short(found) else found[0]
    return named if then in _BE else found[0]


def _possessed(found: re.Match[str]) -> str:
    who = found["who"]
    return f"{found['my']}{_SHORT.get(who, who)}'s" if _is_short(found) else found[0]
