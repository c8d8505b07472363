"""Lines that tell something by the line before: "And where does she work?" "I'll tell you: in Delft.", "sold both".

English; of such a line alone a model can't tell who works in Delft, and what was sold.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..kinship import pattern as relations_pattern
from ..language import english
from ..points import letters as re
from ..third_person import third_form, verbs
from ..words import tokens

_LED_IN = re.compile(
    rf"^(?:(?:{english().alternatives('openings', 'answer')}),? )?i'll tell you[:,.!]? (?P<rest>.+)$", re.IGNORECASE
)
_FRAGMENT = re.compile(r"^(?P<rest>(?:in|at|on|near|for|with|as|to|from) [\w'-].*)$", re.IGNORECASE)
_VERBAL = re.compile(
    r"\b(?:is|are|was|were|am|has|have|had|do|does|did|will|would|can|i|we|he|she|they)\b", re.IGNORECASE
)
_ASKED = re.compile(
    r"^(?:and |so |but |now )?(?:where|(?:in |for |at |with |on )?(?:which|what) [a-z]+|with whom|what|who) "
    r"(?:does|do) (?P<who>(?:my |our )?[\w-]+(?: (?-i:[A-Z])[\w-]+)?) (?P<verb>[a-z]+)"
    r"(?P<more> (?!for\b|in\b|at\b|with\b|as\b|to\b)[\w' ]+)?(?: (?:for|in|at|with|as|to))?\?$",
    re.IGNORECASE,
)


_BOTH = re.compile(
    rf"\bboth(?: of them)?(?=[.,;!?]|$| (?:{english().alternatives('words', 'after_both')})\b)", re.IGNORECASE
)
_TWO = re.compile(r"\btwo (?:[a-z-]+ ){0,2}?(?P<noun>[a-z]{2,}s|mice|geese|children)\b", re.IGNORECASE)


def both_of(line: str, before: str) -> str:
    """The line with what "both" stands for, where the line `before` tells of two of one kind: "sold both bikes"."""
    found, twos = _BOTH.search(line), _TWO.findall(before)
    if found is None or len(twos) != 1:
        return line
    return f"{line[: found.start()]}both {twos[0].lower()}{line[found.end() :]}"


_OTHER = re.compile(
    r"^(?P<lead>(?:and|but) )?the other(?: one)?(?=,? (?:[a-z]+s|['’]s|[a-z]+ed|was|had|can|will)\b|['’]s\b)",
    re.IGNORECASE,
)
_PAIR = re.compile(r"\b([A-Z][\w-]+) and (?:my |our )?([A-Z][\w-]+)\b")


def other_of(line: str, before: Sequence[str]) -> str:
    """The line with who "the other one" is, where of two who were named together one has been told of since: "Ines and
    Rui moved in." "Ines has twins." "The other one bakes." `before`: the speaker's lines, oldest first."""
    found, told = _OTHER.match(line), "\n".join(before)
    pair = next(reversed(list(_PAIR.finditer(told))), None)
    if found is None or pair is None:
        return line
    since = set(re.findall(r"\b[A-Z][\w-]+", told[pair.end() :])) & {*pair.groups()}
    if len(since) != 1:
        return line
    other = pair[2] if pair[1] in since else pair[1]
    return f"{found['lead'] or ''}{other}{line[found.end() :]}"


def own_answer(line: str, question: str) -> str:
    """The line as a sentence with what it was asked of; unchanged where it answers no question of the speaker's own."""
    asked = _ASKED.match(question.strip().replace("’", "'"))
    text = line.strip().replace("’", "'")
    told = _LED_IN.match(text) or _FRAGMENT.match(text)
    if not asked or not told or _VERBAL.search(told["rest"]):
        return line
    who = asked["who"]
    verb = asked["verb"] if who.lower() in ("i", "we", "they") else third_form(asked["verb"])
    return f"{who[:1].upper()}{who[1:]} {verb}{asked['more'] or ''} {told['rest'][:1].lower()}{told['rest'][1:]}"


FEW = 4
"""Words of a line without a subject that says too little by itself: "Sold it.", "Cancelled, thank God."."""
_WHO = re.compile(
    r"\b(?P<who>he|she|they|it|him|her|them|his|hers|its|their|theirs|both|one|ones)\b"
    r"|\b(?P<that>that|this|there|these|those)"
    r"(?=['’]s\b|[.,;:!?]|$| (?:is|was|are|were|has|had|went|for|now|too|again)\b)",
    re.IGNORECASE,
)
_TOLD_BEFORE = re.compile(
    rf"\b(?i:my|our) (?:[\w-]+ ){{0,2}}[\w-]+|\b(?i:{relations_pattern(english())})\b"
    r"|(?<!^)(?<![.!?] )\b[A-Z][\w-]*[a-z]\b"
)
"""Somebody or something of the line's own, for which a later pronoun may stand."""


def leans(text: str) -> bool:
    """Whether a line is understood with what was said before it alone: "He doesn't take it any more.", "Sold."."""
    line = text.strip().replace("’", "'")
    first = re.split(r"(?<=[.!?;]) ", line, maxsplit=1)[0]
    if len(first.split()) <= FEW and not _OWN.search(first[:1].lower() + first[1:]):
        return True
    return bool(pointing_back(line))


def pointing_back(text: str) -> frozenset[str]:
    """The words of a line that stand for somebody or something that was named before it: "it" in "it still swells"."""
    line = text.strip().replace("’", "'")
    return frozenset(found[0].lower() for found in _WHO.finditer(line) if not _told_of(line[: found.start()]))


def _told_of(before: str) -> bool:
    """Whether words name somebody or something for which a pronoun behind them may stand."""
    first = next(iter(tokens(before)), "")
    known = verbs()
    small = first in english().stop | known.past | known.base | known.either | known.finite | known.adverbs
    return bool(_TOLD_BEFORE.search(before)) or (before[:1].isupper() and not small)


_OWN = re.compile(r"\b(?:i|we|my|our)\b|[a-z] [A-Z]")
