"""What is said at "Erase this for good?" and is neither yes nor no: half an answer ("yes, but keep the dog", "hm,
maybe", "only the first"), or a question about what was asked ("what would go?"). What tells something is none."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from ...language.facts.over import pets
from ...language.language import english
from ...language.points import letters as re
from ...language.sentences import content
from ...language.words import alternatives, sentences, tokens

LONGEST = 200
"""Letters of a line that may be one."""
LONGEST_PICK, LONGEST_NAME, SHORTEST_TALK = 12, 4, 4
"""Words of a sentence that says yes and takes some of it back, and of what a few words name; and words from which on a
line that is neither is talk."""
Half = Literal["asks", "half", "half and more"]
_PIECES = re.compile(r"\s*(?:[,;:…]+|\s[-–—]+\s|[–—]|\.{2,})\s*|\s+(?:and|or|but)\s+(?:also\s+)?")
_TO = re.compile(r"^(?:to|for|on)\s+")
"""Behind a yes or no: "yes to the first"."""
_TELLERS = ("i", "i'm", "i've", "i'll", "i'd", "we", "we're", "we've", "he", "she", "they", "you", "so", "as", "sure")
_ONES = re.compile(r"\s+ones?$")
_ENDS = ' \t\r\n.,;:!…-–—"“”()'


def half_answer(text: str, shown: frozenset[str] = frozenset()) -> Half | None:
    """What of that a line is; `half and more`: another sentence follows. `shown`: the stems of what would go."""
    line = text.strip().replace("’", "'").lower()
    if not line or len(line) > LONGEST or line.startswith("/"):
        return None
    said = [one.strip(_ENDS) for one in sentences(line)]
    said = [one for one in said if tokens(one)]
    if not said:
        return "asks" if "?" in line else "half"
    kinds = [_kind(one, shown) for one in said]
    if all(kinds):
        return "asks" if "asks" in kinds else "half"
    if len(said) == 1 and _says_nothing(said[0]):
        return "half"
    return "half and more" if _takes_back(said[0]) or _begins(said[0], shown) else None


def _kind(sentence: str, shown: frozenset[str]) -> Half | None:
    lead = _hesitating().match(sentence)
    rest = _TO.sub("", sentence[lead.end() :]).strip(_ENDS) if lead else sentence
    if _asking(rest, shown) or (rest != sentence and _asking(sentence, shown)):
        return "asks"
    if _takes_back(sentence) or not rest.strip("?"):
        return "half"
    pieces = [one for one in _PIECES.split(rest) if one.strip(_ENDS)]
    picks = [_picks(one.strip(_ENDS + "?"), shown, led=_led(lead)) for one in pieces]
    told = "marked" in picks or lead is not None or (content(rest) <= shown and not _verb(tokens(rest), 1))
    return "half" if all(picks) and told else None


def _asking(text: str, shown: frozenset[str]) -> bool:
    found = _asking_back().fullmatch(text.rstrip("?!. "))
    named = [one for one in found.groups() if one] if found is not None else []
    return found is not None and all(_names(one, shown, marked=len(one.split()) < LONGEST_NAME) for one in named)


def _takes_back(sentence: str) -> bool:
    """Whether a sentence says yes and takes some of it back: "yes but not the dog"."""
    return _taken_back().match(sentence) is not None and len(sentence.split()) <= LONGEST_PICK


def _led(lead: re.Match[str] | None) -> bool:
    """Whether what a sentence begins with is an answer, or stands apart: no "both" of "both my sons play chess"."""
    return lead is not None and (tokens(lead[0])[0] in _all("answers") or lead[0].strip()[-1] in _ENDS)


def _says_nothing(line: str) -> bool:
    """Whether a line is too short to tell anything: one word, or few common ones ("up to you"), no "Rex died"."""
    said, language = tokens(line), english()
    tells = language.words("forget", "telling_on").union(language.asking, language.relations, pets(), _greets())
    known = len(said) == 1 or language.lexicon.union(language.stop).issuperset(said)
    short = len(said) < SHORTEST_TALK and known and said[0] != "it"
    return short and (tells - {"it", "me", "us"}).isdisjoint(said) and not _verb(said, 0)


def _greets() -> frozenset[str]:
    """Words with which one begins to talk of something else."""
    return english().words("names", "greeting") - {"please", "again", "there", "to", "you"}


def _begins(sentence: str, shown: frozenset[str]) -> bool:
    """Whether a sentence begins with what was shown and what is to become of it: "only the dog, he's ill"."""
    first, *more = (one for one in _PIECES.split(sentence) if one.strip(_ENDS))
    if not more or (mark := _mark().match(first)) is None:
        return False
    named = first[mark.end() :].strip(_ENDS)  # "not four, fourteen" puts something right
    return named not in english().words("forget", "named_alone") and _names(named, shown, marked=False)


def _picks(piece: str, shown: frozenset[str], *, led: bool) -> str:
    """Whether a piece names something to go or to stay: `marked` as that, `named`, or empty. `led`: behind a yes, no or
    "hm"."""
    if _hesitating().fullmatch(piece):
        return "marked"
    mark = _mark().match(piece)
    bare = piece[mark.end() :] if mark else piece
    marked = mark is not None or _staying().search(bare) is not None
    bare = _after().sub("", _staying().sub("", bare)).strip(_ENDS)
    return (
        ("marked" if marked or _places().match(bare) else "named") if _names(bare, shown, marked=marked or led) else ""
    )


def _names(words: str, shown: frozenset[str], *, marked: bool) -> bool:
    """Whether words only name something: by place or number, in words that were shown, or as "the dog" does."""
    said = tokens(words)
    if not said or len(said) > LONGEST_NAME + 2 or not english().words("forget", "telling_on").isdisjoint(said):
        return False
    if _places().fullmatch(words) or ((held := content(_ONES.sub("", words))) and held <= shown):
        return True
    first = english().words("forget", "naming_first")
    return marked and said[0] in first and 1 < len(said) <= LONGEST_NAME and not _verb(said)


def _verb(said: list[str], since: int = 2) -> bool:
    """Whether a verb follows what is named: "the dog came too"."""
    lists = (english().words("verbs", name) for name in ("past", "finite", "third"))
    verbs = frozenset[str]().union(*lists)
    return any(word in verbs or word.endswith("ed") for word in said[since:])


@lru_cache(maxsize=1)
def _hesitating() -> re.Pattern[str]:
    return re.compile(rf"(?:(?:{_listed('hesitating')})(?![\w'])(?:[\s,;:.!?…–—-]+|$))+")


@lru_cache(maxsize=1)
def _asking_back() -> re.Pattern[str]:
    named = r"((?:[\w'#-]+ ){0,3}[\w'#-]+?)"
    return re.compile(rf"(?:{_listed('asking_back').replace('NP', named)})")


@lru_cache(maxsize=1)
def _taken_back() -> re.Pattern[str]:
    yes = alternatives({"yes", "yeah", "yea", "yep", "yup", "y", "sure", "ok", "okay", "fine", "maybe", "perhaps"})
    marks = alternatives([*_all("excepting"), *_all("picking_out"), *_all("picking_more"), "only", "keeping"])
    behind = r"[\s,;:.!…–—(-]+(?:please[\s,]+)?(?:but[\s,]+)?"
    whether = r"(?:if|unless|as\s+long\s+as|provided)\b"
    erases = r"(?:erase|delete|remove|wipe|clear|get\s+rid\s+of)\s+(?:it|that|this|them|those|the|my|all)\b"
    return re.compile(
        rf"(?:(?:hm+|um+|uh+|well|oh)[\s,.…-]+)*(?:(?:{yes}){behind}(?:{whether}"
        rf"|(?:{marks})\b(?!\s+(?:{alternatives(_TELLERS)})\b))"
        rf"|(?:{yes}|no|nope|nah){behind}{erases}|(?:(?:{yes}){behind})?(?:only|not)\s+{whether})"
    )


@lru_cache(maxsize=1)
def _mark() -> re.Pattern[str]:
    marks = alternatives([*_all("picking"), *_all("picking_out"), *_all("excepting"), *_all("picking_more")])
    verbs = rf"(?:erase|delete|remove|forget|do|take)\s+(?=(?:{alternatives(_all('picking'))})\b)"
    return re.compile(rf"(?:(?:{marks}|{verbs})\s*(?<=\s))+")


@lru_cache(maxsize=1)
def _staying() -> re.Pattern[str]:
    return re.compile(rf"\s+(?:{alternatives([*_all('staying'), 'only'])})$")


@lru_cache(maxsize=1)
def _after() -> re.Pattern[str]:
    return re.compile(rf"(?:\s+(?:{alternatives([*_all('after'), 'out', 'in'])}))+$")


@lru_cache(maxsize=1)
def _places() -> re.Pattern[str]:
    alone = alternatives(english().words("forget", "named_alone"))
    one = rf"(?:(?:the|that|this|those|these|number|no\.?)\s+)?(?:#\d+|(?:{alone})(?:\s+(?:{alone}))?)"
    return re.compile(rf"{one}(?:\s+(?:ones?|facts?|lines?|rows?|half|parts?|of (?:them|it|those|these)))*(?![\w'])")


def _listed(name: str) -> str:
    return str(english().files["forget"][name]).replace("\n", "")


def _all(name: str) -> list[str]:
    found: list[str] = english().files["forget"][name]
    return found
