"""Whether a sentence looks ahead: what tells that a date in it is to come, and what that it has been."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from .date_meanings import Ahead
from .language import english
from .points import letters as re
from .third_person import verbs

_WORD = re.compile(r"[^\W\d_]+")
_STATE = re.compile(r"(\b(?:am|is|are|be)|['’](?:m|re))((?: \w+ly| so| very| all| a bit)? \w+ed)\b", re.IGNORECASE)
"""What somebody is, not did: "I'm worried about the exam in May"."""
_GOT = re.compile(r"(?:\b(?:have|has)|['’](?:ve|s)) got\b", re.IGNORECASE)
"""What one has, not what one did."""
_CLAUSE = re.compile(
    r"[,;]\s+|\s+(?:and|but|so|because|although|though|while|who|which)\s+"
    r"(?=(?:i|we|he|she|they|it|my|our|his|her|their|the|that|there)\b|is\b|was\b)", re.IGNORECASE,
)  # fmt: skip
_THEY_DO = re.compile(
    r"(?:we|he|she|they) (?!(?:on|at|in|for|to|by|from|and|or|last|this|next|again|all|both)\b)[a-z]", re.IGNORECASE
)
_NAMED = re.compile(r"\b(?:called|named) (?=[A-Z])(?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)")
"""How something is called: "I start at a place called Medivane in January" tells of nothing past."""
_AFTER = re.compile(r"\b(?:from|after|of) (?:the|my|our|his|her|their|a|an) [\w'’ -]{1,30}$", re.IGNORECASE)
"""What remains of something that was: "bruises from the match on Saturday"."""
CLOCK = re.compile(
    r"\b(?:at |around |by )?(?:\d{1,2}(?:[:.]\d\d)? ?(?:am|pm|a\.m\.|p\.m\.|o['’]clock)(?![a-z])|\d{1,2}:\d\d\b)"
    r"|\bat (?:noon|midnight|half (?:past )?\w+|\d{1,2}\.\d\d\b(?! ?(?:%|(?:per|euros?|pounds?|dollars?|km|m)\b))"
    r"|(?:a )?quarter (?:past|to) \w+|\w+ o['’]clock)\b", re.IGNORECASE,
)  # fmt: skip
"""An hour of the day."""
_AT = (
    r"\bat (?:1[0-2]|[1-9])(?=\s*(?:$|[,;!?)]|\.(?!\d)|(?:on|today|tomorrow|tonight|sharp|in the (?:morning|afternoon"
    r"|evening))\b))"
)
_SAT = re.compile(
    r"\b(?:sat|wed)\b(?=\.?,? (?:the )?\d)|(?<=\bon )(?:sat|wed)\b|(?<=\bnext )(?:sat|wed)\b", re.IGNORECASE
)
"""Days of the week that are past forms of verbs, too."""


def ahead_at(sentence: str, place: int) -> Ahead:
    """Whether a date that stands there is to come: by its clause, or by the whole sentence where that doesn't tell."""
    begin = _clause_begins(sentence, place)
    end = next((cut.start() for cut in _CLAUSE.finditer(sentence) if cut.start() >= place), len(sentence))
    if _AFTER.search(sentence[begin:place]):
        return None
    told = _looks_ahead(sentence[begin:end])
    return told if told is not None else _looks_ahead(sentence)


def _clause_begins(sentence: str, place: int) -> int:
    return max((cut.end() for cut in _CLAUSE.finditer(sentence) if cut.end() <= place), default=0)


def may_have_been(sentence: str, place: int) -> bool:
    """Whether a day of the week that stands there, in a sentence that tells neither way, may be a past one: behind what
    remains of something, or where a verb form is both past and present ("tomi let in seven on saturday")."""
    both = english().words("dates", "same_in_past") | english().words("dates", "either_way")
    remains = _AFTER.search(sentence[_clause_begins(sentence, place) : place])
    return remains is not None or not both.isdisjoint(_WORD.findall(sentence.lower()))


@lru_cache(maxsize=1)
def _surely_ahead() -> re.Pattern[str]:
    """What is under way and has a date is planned: "is getting married on 14 June"."""
    ahead, under_way = (english().alternatives("dates", name) for name in ("ahead", "under_way"))
    return re.compile(
        rf"\b(?:{ahead})\b|['’]ll\b"
        r"|(?:\b(?:am|is|are)|['’](?:m|re|s)) (?:not |all |both |finally |probably )?"
        rf"(?:{under_way})\b", re.IGNORECASE,
    )  # fmt: skip


@lru_cache(maxsize=1)
def _maybe_ahead() -> re.Pattern[str]:
    hints = english().alternatives("dates", "maybe_ahead")
    return re.compile(rf"\b(?:am|is|are|{hints}|let['’]s)\b|['’](?:m|re|s)\b|['’]d like to\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def _arranged() -> re.Pattern[str]:
    """Done by now for what is to come: "I've signed up for a race in May"."""
    done = english().alternatives("dates", "arranged")
    return re.compile(
        rf"(?:\b(?:have|has)|['’](?:ve|s))(?: \w+ly| just| already| finally)? (?:{done})\b", re.IGNORECASE
    )


@lru_cache(maxsize=1)
def _reporting() -> re.Pattern[str]:
    """Before what somebody said, the tense of which counts: "she said they come on Sunday"."""
    said, name = english().alternatives("dates", "reporting"), "(?-i:[A-Z][a-z]+ [a-z])"
    who = "(?:i|we|you|he|she|it|they|my|our|his|her|their|the|there)(?=[ '’]\\w)"
    return re.compile(rf"^.{{0,30}}?\b(?:{said}),? (?:that )?(?={who}|{name})", re.IGNORECASE)


def _is_told_ahead(said: str) -> bool:
    """Whether what somebody said has a verb, of what is to come or goes on; "I wrote my essay on Sunday" has none."""
    return (
        bool(_THEY_DO.match(said))
        or any(found().search(said) for found in (_surely_ahead, _maybe_ahead))
        or _is_present(said)
    )


@lru_cache(maxsize=1)
def _hour() -> re.Pattern[str]:
    """An hour that only stands for one beside a date: "on the 15th at 2", "tue 9.30"."""
    days = "|".join([*english().weekdays, *english().short_weekdays, *english().months, "today", "tomorrow", "tonight"])
    return re.compile(rf"{_AT}|\b(?:{days})\.?,? \d\d?[.:]\d\d(?![.\d])", re.IGNORECASE)


@lru_cache(maxsize=1)
def _appointed() -> re.Pattern[str]:
    """What one has a date for: without a word of the past, it is to come."""
    return re.compile(rf"\b(?:{english().alternatives('dates', 'appointed')})\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def _got() -> re.Pattern[str]:
    """What one has got a date for, typed without the rest: "got the dentist on the 14th"."""
    return re.compile(
        rf"^\W*(?:(?:so|and|also|oh|btw|n)\b,? )?(?:i )?got (?=(?:an?|the|my|our|another)? ?(?:[\w'’]+ )?"
        rf"(?:{english().alternatives('dates', 'appointed')})\b)", re.IGNORECASE,
    )  # fmt: skip


def _looks_ahead(sentence: str) -> Ahead:
    told = _reporting().sub("", sentence)
    if told != sentence and not _is_past(told) and _is_told_ahead(told):
        return True
    sentence = _got().sub("have ", _GOT.sub(" have", sentence))
    if _surely_ahead().search(sentence):
        return True
    sentence = _STATE.sub(r"\1", sentence)
    if _arranged().search(sentence):
        return True
    if _is_past(sentence):
        return False
    if any(hint.search(sentence) for hint in (_maybe_ahead(), CLOCK, _hour(), _appointed())) or _is_order(sentence):
        return True
    return True if _is_present(sentence) else None


def is_to_come(fact: str) -> bool:
    """Whether a fact tells of a plan or an appointment, not of what has been or merely holds."""
    return _looks_ahead(fact) is True and any(told().search(fact) for told in (_surely_ahead, _arranged, _appointed))


def _is_order(sentence: str) -> bool:
    """ "Call me on Friday", "see you on the 3rd"."""
    words = re.findall(r"[\w'’]+", sentence.lower())[:2]
    told = len(words) == 2 and words[0] in english().words("dates", "orders")
    return told and words[1] in ("me", "us", "him", "her", "them", "you", "it", "my", "the")


def _is_past(sentence: str) -> bool:
    known = verbs()
    sentence = _SAT.sub(" ", _NAMED.sub(" ", sentence))
    words = re.findall(r"[\w'’]+", sentence.lower().replace("’", "'"))
    past = (known.past - {"used"}) | english().words("dates", "past")
    same, doers = english().words("dates", "same_in_past"), ("i", "we", "they", "he", "she")
    if any(word in same and before in doers for before, word in pairwise(words)):
        return True
    if re.search(rf"\b(?:[A-Z][a-z][\w-]*|(?i:my|our|his|her|the) [a-z]+) (?:{'|'.join(same)})\b", sentence):
        return True  # "Dr. Lunde put me on pills": somebody else puts, or did put
    return any(word in past or (len(word) > 4 and word.endswith("ed") and word not in known.not_past | _NOT_PAST)
               for word in words)  # fmt: skip


def _is_present(sentence: str) -> bool:
    """Whether somebody does something in the present: "I have yoga", "we play", "Ben sings"."""
    known = verbs()
    words = re.findall(r"[\w'’]+", sentence.replace("’", "'"))
    forms = known.base | known.either | known.finite | english().words("dates", "present")
    for before, word in pairwise(words):
        low = word.lower()
        if before.lower() in ("i", "we", "they", "you") and low in forms - known.adverbs:
            return True
        third = low in known.third or (low.endswith("s") and {low[:-1], low[:-2], f"{low[:-3]}y"} & forms)
        if third and (before.lower() in ("he", "she", "it") or (before[0].isupper() and before != "I")):
            return True
        if third and before.lower() in english().relations:
            return True
    return False


_NOT_PAST = frozenset({"indeed", "hundred", "naked", "sacred", "wicked"})
