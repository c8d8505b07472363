"""Orders to an assistant ("Draft a cover letter for a job as a baker."): they tell nothing of who gives them.

An order has the verb first, perhaps after "please" or "could you". One in which the speaker stands beside the verb's
own "me" ("a poem for my wife Anna") may tell something and is taken for no mere order.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from ..kinship import relations
from ..language import english
from ..own_name import told_name
from ..points import letters as re
from ..third_person import verbs
from .forms import Word, words_of

_TOLD_OBJECT = re.compile(r"^\s*[\d\"“«„:‘']")
_OWN = frozenset({"my", "our"})
SELF = frozenset({"i", "we", "i'm", "i've", "i'd", "i'll", "im", "ive", "we're", "we've"})
_ME = frozenset({"me", "us", "my", "our"})
_SOMEBODY = frozenset({"he", "she", "they", "he's", "she's", "they're"})
_OTHERS = _SOMEBODY | {"it", "it's", "that", "that's", "this"}
_FOR_PEOPLE = re.compile(
    r"\b(?:card|text|message|e-?mail|letter|note|reply|speech|toast|gift|present|recipe|menu|meal|dinner|lunch|idea|ideas"
    r"|invitation|something|surprise|plan|list|help|remind|suggest|recommend)\b", re.IGNORECASE,
)  # fmt: skip
"""What an order asks for that is meant for somebody, so that what is said of them is so."""
_MADE_UP = re.compile(
    r"\b(?:stor(?:y|ies)|poem|tale|song|joke|novel|scene|character|script|dialogue|riddle|limerick|haiku|lyrics|rap|verse"
    r"|fable|hero|heroine|villain|game|prank|fake|alibi|headline|article|report|biograph\w+|ads?|advert|sketch|caption"
    r"|tweet|slogan|backstory|describe|invent|imagine|pretend|translate|called|named|facts|essay|d&d|rhyme)\b"
    r"|\bin (?:german|french|spanish|italian|english|latin)\b", re.IGNORECASE,
)  # fmt: skip
_OF_THE_WORLD = re.compile(
    r"\W*(?:who|what)(?:['’]s| is| was| are| were)\b|\W*how (?:old|tall|rich|big|long ago|famous)\b|\W*what if\b"
    r"|.*\b(?:true|if|suppose|does this mean|you (?:say|said|mean|think|know|remember)"
    r"|(?:tell|told|remind) (?:you|me) (?:about|of|what)"
    r"|when (?:he|she|they|somebody|someone|[A-Z]\w+) (?:says?|asks?|tells?))\b", re.IGNORECASE,
)  # fmt: skip
"""What asks for what the world knows or the memory holds, or what supposes something."""
_SUPPOSED = re.compile(r"\b(?:maybe|perhaps|might|probably|possibly|i (?:think|guess|suppose|bet))\b", re.IGNORECASE)
_SAYS = frozenset(
    {"asked", "asks", "said", "says", "wants", "wanted", "wonders", "wondered", "replied", "wrote", "told", "thinks"}
)
_THEY = re.compile(
    r"(?:he|she|they)(?:['’](?:s|re|ve|d|ll)| (?:is|are|was|were|has|have|had|can|can['’]t|cannot|could|will|won['’]t"
    r"|doesn['’]t|don['’]t|didn['’]t|isn['’]t|\w+s|\w+ed|turn|got|went|came|left|lost|broke|fell))\b",
    re.IGNORECASE,
)
_THEIRS = re.compile(
    r"(?:his|her|their)(?: [\w'’-]+){1,4}? (?:is|are|was|were|has|have|had|starts?|ends?|begins?|comes?|got)\b",
    re.I,
)
_NAMED = re.compile(
    r"(?P<name>[A-Z][a-z][\w-]*)(?:['’]s| (?:is|has|had|was|can['’]t|\w+s|\w+ed|got|went|came|left|lost|broke|fell))\b"
)
_BESIDE = re.compile(r"(?<=[\w,] )(?!I\b)[A-Z][a-z][\w-]+")
_LONGEST = 6
"""Words of the longest lead."""


class _Orders(NamedTuple):
    leads: frozenset[str]
    sure: frozenset[str]
    verbs: frozenset[str]
    objects: frozenset[str]
    mine: frozenset[str]
    own: frozenset[str]


def is_order(part: str, code: str) -> bool:
    """Whether a part of a line, in the language of that code, only orders something; a language without words: no."""
    known, words = _orders().get(code), words_of(part)
    if known is None or any(word.low in known.own for word in words[_lead(words, known) :]):
        return False
    words = words[_lead(words, known) :]
    if not words:
        return False
    verb = words[0]
    if verb.low in known.sure:
        return len(words) > 1
    after = words[1].low if len(words) > 1 else ""
    if verb.low in known.mine:
        return after in ("me", "us") and len(words) > 2
    return verb.low in known.verbs and (after in known.objects or bool(_TOLD_OBJECT.match(part[verb.end :])))


def of_oneself(part: str, before: Sequence[str]) -> bool:
    """Whether a part tells what somebody does who says right before who they are: "im ana, 27, writing a thesis"."""
    words = [one.low for one in words_of(part)]
    doing = bool(words) and words[0].endswith("ing") and words[0] not in verbs().base  # "bring", "sing"
    asks = {"me", "us", "please", "help", "pls", "plz"} & {*words}
    return doing and not asks and told_name(", ".join(before)) is not None


def reason_of(part: str, before: str) -> bool:
    """Whether a part behind an order or a question tells something of somebody of whom that speaks: "a card for Ben, he
    turns 40", "what do I say about Tom, his last day is Friday"; or of somebody by name ("..., Mia's ill"). What is to
    be made up ("a story about Max, he's a dragon") is nobody's, and what the world knows needs no telling."""
    words, order = words_of(part), is_order(before, "en")
    if len(words) < 2 or _MADE_UP.search(before) or _OF_THE_WORLD.match(before) or is_order(part, "en"):
        return False
    if words[1].low in _SAYS or _SUPPOSED.search(part) or (order and not _FOR_PEOPLE.search(before)):
        return False
    named = _NAMED.match(part)
    if named and not _WRITTEN.search(before) and _may_be_called(named["name"].lower()):
        return True
    of_one = bool(_BESIDE.search(before) or relations(before))
    return of_one and bool(_THEY.match(part) or _THEIRS.match(part))


_WRITTEN = re.compile(r"\b(?:write|draft|compose|text|e-?mail|message|type)\b", re.IGNORECASE)
"""Behind these a name may begin what is to be written: "write a text to Ben, Anna can't come"."""


def _may_be_called(name: str) -> bool:
    """Whether somebody may be of that name: of those that are names, or no word that is known."""
    known = english()
    if name in known.words("given", "names"):
        return True
    return name not in known.lexicon and name not in known.stop and name not in known.calendar


def whole_question(part: str) -> bool:
    """Whether a part that ends with a mark only later asks by itself, so that what follows is beside it: "what should I
    cook on Sunday"; none that may be answered by yes or no, or asks what to say."""
    words = [word.low for word in words_of(part)]
    asks = bool(words) and words[0] in _ASKS and bool({*words} & _FOR_ME)
    return asks and len(words) > 3 and not {*words} & _SAY and not _OF_THE_WORLD.match(part)


_ASKS = frozenset({"what", "which", "where", "how", "when", "who"})
_FOR_ME = frozenset({"i", "we", "me", "us"})
_SAY = frozenset({"say", "answer", "tell", "reply", "respond", "if", "said", "told", "know"})


def gives_a_reason(part: str, order: str) -> bool:
    """Whether an English part after an order is a statement: of one's own things ("suggest a title, my partner opens a
    studio"), of somebody and oneself ("..., they offered me a post"), or of one's own whom the order names ("a card for
    my sister, she turns 40")."""
    words = [word.low for word in words_of(part)]
    if len(words) < 3 or is_order(part, "en"):
        return False
    if words[0] in _OWN:
        return len(words) > 4 and not re.search(r"\band (?:my|our)\b", part, re.IGNORECASE)
    if words[0] not in _OTHERS:
        return False
    with_me = any(word in SELF or (word in _ME and words[0] in _SOMEBODY) for word in words[1:])
    return with_me or (words[0] in _SOMEBODY and any(word.low in _OWN for word in words_of(order)))


def is_of_noun(words: Sequence[Word]) -> bool:
    """Whether one of the words is a noun with "is" or "has": "rent's going up", "the boiler's broken"."""
    return any(
        one.low.endswith("'s") and (then.low.endswith("ing") or then.low in verbs().past or then.low in _STATES)
        for one, then in pairwise(words)
    )


_STATES = frozenset(
    {"been", "gone", "broken", "back", "off", "out", "down", "up", "ill", "sick", "allergic", "not", "in"}
)


def _lead(words: Sequence[Word], known: _Orders) -> int:
    """How many words stand before the verb."""
    at = 0
    while size := _one_lead(words[at:], known):
        at += size
    return at


def _one_lead(words: Sequence[Word], known: _Orders) -> int:
    for size in range(min(_LONGEST, len(words) - 1), 0, -1):
        if " ".join(word.low for word in words[:size]) in known.leads:
            return size
    return 0


@lru_cache(maxsize=1)
def _orders() -> dict[str, _Orders]:
    data = tomllib.loads((Path(__file__).parent / "orders.toml").read_text(encoding="utf-8"))
    return {
        code: _Orders(
            frozenset(" ".join(one.split()) for one in lists["leads"].split("|")),
            *(frozenset(lists.get(name, "").split()) for name in _Orders._fields[1:]),
        )
        for code, lists in data.items()
    }
