"""What is said at "Erase this for good?" and is neither yes nor no: half an answer ("yes, but keep the dog", "hm,
maybe", "only the first"), or a question about what was asked ("what would go?"). What tells something is none."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from ...language.language import english
from ...language.points import letters as re
from ...language.words import alternatives, content, sentences, tokens

LONGEST = 200
"""Letters of a line that may be one."""
LONGEST_PICK, LONGEST_NAME = 12, 4
"""Words of a sentence that says yes and takes some of it back, and of what a few words name."""
Half = Literal["asks", "half", "half and more"]
_PIECES = re.compile(r"\s*(?:[,;:…]+|\s[-–—]+\s|[–—]|\.{2,})\s*|\s+(?:and|or|but)\s+(?:also\s+)?")
_TO = re.compile(r"^(?:to|for|on)\s+")
"""Behind a yes or no: "yes to the first"."""
_NO_NOUN = re.compile(r"\bno\s+$")
"""Before a word that is no mark it belongs to that: "no dog any more"."""
_YES = "yes|yeah|yea|yep|yup|y|sure|ok|okay|fine|maybe|perhaps"
_IT = re.compile(
    r"(?:it|that|this|them|those|these|all|everything)(?:\s+all|\s+of\s+(?:it|that|them|those))?(?:\s+(?:now|too|please))*"
)
_ONLY_NOUN = re.compile(r"\s(?:on|at|in|from|until|till|to|of|for|with|about|free|open|who|which|that)\b")
"""What makes more of it than a name: "the Friday free", "the two of us"."""
_ONES = re.compile(r"\s+ones?$")
_ONE_ABOUT = re.compile(r"^the\s+ones?\s+(?:about|with|on|of)\s+")
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
    more = _taken_back_of(said[0], shown) or _begins(said[0], shown) or (len(said) == 1 and _adds(said[0]))
    return "half and more" if more else None


def _kind(sentence: str, shown: frozenset[str]) -> Half | None:
    lead = _hesitating().match(sentence)
    rest = _TO.sub("", sentence[lead.end() :]).strip(_ENDS) if lead else sentence
    if _asking(rest, shown) or (rest != sentence and _asking(sentence, shown)):
        return "asks"
    if _taken_back_of(sentence, shown) == "all" or not rest.strip("?"):
        return "half"
    if lead is not None and _NO_NOUN.search(lead[0]) and not (_mark().match(rest) or _places().match(rest)):
        return None
    pieces = [one for one in _PIECES.split(rest) if one.strip(_ENDS)]
    picks = [_picks(one.strip(_ENDS + "?"), shown) for one in pieces]
    told = "marked" in picks or lead is not None or (content(rest) <= shown and not _verb(tokens(rest), 1))
    return "half" if all(picks) and told else None


def _asking(text: str, shown: frozenset[str]) -> bool:
    found = _asking_back().fullmatch(text.rstrip("?!. "))
    named = [one for one in found.groups() if one] if found is not None else []
    return found is not None and all(_names(one, shown, marked=len(one.split()) < LONGEST_NAME) for one in named)


def _taken_back_of(sentence: str, shown: frozenset[str]) -> Literal["all", "some"] | None:
    """Whether a sentence says yes and takes some of it back, "yes but not the dog", with `all` that it says; `some`: it
    goes on, or names what wasn't shown, as "yes but keep the cat" does. What may be told beside a yes is none: "yes but
    only on weekdays", "yes but if it rains"."""
    found = _taken_back().match(sentence)
    if found is None or len(sentence.split()) > LONGEST_PICK:
        return None
    rest = sentence[found.end() :]
    if found["if"] or found["onlyif"]:
        return "all" if content(rest) <= shown | content(" ".join(english().words("forget", "conditions"))) else None
    first, *more = [one for one in _PIECES.split(rest) if one.strip(_ENDS)] or [""]
    named = _picks(first.strip(_ENDS), shown) or (found["erases"] and _IT.fullmatch(first.strip(_ENDS)))
    if named:
        return "all" if all(_picks(one.strip(_ENDS), shown) for one in more) else "some"
    return "some" if not more and not found["only"] and _noun(_after().sub("", first.strip(_ENDS))) else None


def _noun(words: str) -> bool:
    """Whether words are no more than a thing or somebody with "the" or "my" before: "the dog"."""
    said = tokens(words)
    first, telling = english().words("forget", "naming_first"), english().words("forget", "telling_on")
    short = 1 < len(said) <= LONGEST_NAME and said[0] in first and telling.isdisjoint(said)
    return short and not _verb(said) and _ONLY_NOUN.search(words) is None


def _adds(sentence: str) -> bool:
    """Whether a yes wants more gone than was shown: "yes and the dog too"."""
    found = _adding().fullmatch(sentence)
    return found is not None and _noun(found["named"])


def _begins(sentence: str, shown: frozenset[str]) -> bool:
    """Whether a sentence begins with what was shown and what is to become of it: "only the dog, he's ill"."""
    first, *more = (one for one in _PIECES.split(sentence) if one.strip(_ENDS))
    if not more or (mark := _mark().match(first)) is None:
        return False
    named = first[mark.end() :].strip(_ENDS)  # "not four, fourteen" puts something right
    return named not in english().words("forget", "named_alone") and _names(named, shown, marked=False)


def _picks(piece: str, shown: frozenset[str]) -> str:
    """Whether a piece names something that was shown, to go or to stay: `marked` as that, `named`, or empty."""
    if _hesitating().fullmatch(piece):
        return "marked"
    mark = _mark().match(piece)
    bare = piece[mark.end() :] if mark else piece
    marked = mark is not None or _staying().search(bare) is not None
    bare = _after().sub("", _staying().sub("", bare)).strip(_ENDS)
    return ("marked" if marked or _places().match(bare) else "named") if _names(bare, shown, marked=False) else ""


def _names(words: str, shown: frozenset[str], *, marked: bool) -> bool:
    """Whether words only name something: by place or number, in words that were shown, or as "the dog" does."""
    said = tokens(words)
    if not said or len(said) > LONGEST_NAME + 2 or not english().words("forget", "telling_on").isdisjoint(said):
        return False
    if _places().fullmatch(words) or ((held := content(_ONES.sub("", _ONE_ABOUT.sub("", words)))) and held <= shown):
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
    """Up to what is named: `only` behind "only", `erases` behind "erase", `if` where a condition follows."""
    marks = alternatives([*_all("excepting"), *_all("picking_out"), *_all("picking_more"), "keeping"])
    behind = r"[\s,;:.!…–—(-]+(?:please[\s,]+)?(?:but[\s,]+)?"
    whether = r"(?P<if>(?:only\s+|not\s+)?(?:if|unless|as\s+long\s+as|provided)\b)"
    erases = r"(?P<erases>(?:erase|delete|remove|wipe|clear|get\s+rid\s+of)\b)"
    return re.compile(
        rf"(?:(?:hm+|um+|uh+|well|oh)[\s,.…-]+)*(?:(?:{_YES}){behind}(?:{whether}|(?P<only>only\b)|(?:{marks})\b)"
        rf"|(?:{_YES}|no|nope|nah){behind}{erases}|(?P<onlyif>(?:only|not)\s+(?:if|unless|as\s+long\s+as|provided)\b))\s*"
    )


@lru_cache(maxsize=1)
def _adding() -> re.Pattern[str]:
    what = (
        r"(?:(?:erase|delete|remove|forget|do)\s+)?"
        r"(?:it|that|this|them|those|these|everything|all(?:\s+of\s+(?:it|that|them))?)"
    )
    also = r"(?:also|too|plus|and(?:\s+also)?)"
    behind = r"(?:\s+(?:too|also|as\s+well|please))*"
    return re.compile(
        rf"(?:{_YES})[\s,.!…–—-]+(?:please[\s,]+)?(?:{what}[\s,.…–—-]*)?{also}\s+(?:(?:erase|delete|remove|forget)\s+)?"
        rf"(?P<named>[\w'\s-]+?){behind}"
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
