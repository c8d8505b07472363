"""How near to each other, and in what order, the words of a fact stand in its line.

A small model puts words of several clauses together: of "Benny, who's 4. Those two are Dale's" it makes that Dale is 4.
Each word was said; the fact wasn't. What it copies in the line's order, close together, is far oftener true.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ....memory.language.kinship import pattern, relations
from ....memory.language.language import english
from ....memory.language.leaning.named import does, named
from ....memory.language.points import letters as re
from ....memory.language.third_person import verbs
from ....memory.language.words import alternatives, stem, terms
from .fidelity import alike

FORMS = 5
"""First letters of a stem by which two words are forms of one."""
ROOM, MORE = 1.6, 2
"""Words of the line among which those of a fact may stand, for each of its own, and besides."""


def together(fact: str, line: str, speaker: str, older: str = "") -> float:
    """The greatest share of a fact's telling words that stand in one stretch of the line in the fact's order, 0 to 1.

    The stretch has `ROOM` words for each of the fact's, and `MORE` besides; the longest common subsequence is what is
    in order (Lin 2004, "ROUGE", ROUGE-L). 1.0 for a fact without a telling word. `older`: lines whose words may stand
    in the fact wherever they stood, if this line has them not.
    """
    said = _telling(line, speaker)
    leant_on = {*_telling(older, speaker)} - {*said} if _begins_with(fact, line, speaker) else set[str]()
    kin = {*_telling(" ".join(relations(fact)), speaker)} - {*said}  # whether that is so is another check's
    wanted = list(dict.fromkeys(one for one in _telling(fact, speaker) if one not in leant_on | kin))
    size = int(ROOM * len(wanted)) + MORE
    stretches = range(max(1, len(said) - size + 1))
    return max(_in_order(wanted, said[at : at + size]) for at in stretches) / len(wanted) if wanted else 1.0


def _begins_with(fact: str, line: str, speaker: str) -> bool:
    """Whether a fact may be about somebody or something of older lines: not where the line begins with another thing,
    or somebody else by name."""
    first = _OF_ITS_OWN.match(line)
    about = _telling(fact, speaker)[:1]
    return first is None or not about or about[0] in _telling(line, speaker)


_OF_ITS_OWN = re.compile(
    rf"(?:(?:{english().alternatives('others', 'before_pronoun')})\b,? )*(?:the|my|our) [a-z]", re.IGNORECASE
)


def _telling(text: str, speaker: str) -> list[str]:
    none = _anew() | {*terms(speaker), "user"}
    return [one[:FORMS] for one in terms(alike(text)) if one not in none]


@lru_cache(maxsize=1)
def _anew() -> frozenset[str]:
    return frozenset(stem(one) for one in english().words("doing", "retelling"))


def _in_order(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of the longest common subsequence."""
    best = [0] * (len(other) + 1)
    for word in one:
        before = 0
        for at, heard in enumerate(other, 1):
            kept = best[at]
            best[at] = before + 1 if word == heard else max(kept, best[at - 1])
            before = kept
    return best[-1]


def pieces(clause: str) -> list[str]:
    """The clause cut where somebody else, or the same one again, begins to do something: "Kavish is an electrician",
    "Kavish has got his own bakkie", "Thabisa is the pharmacist" of one sentence. Whole where it can't be cut.

    "He", "she" and "they" are the one who begins the clause, if that is somebody by name or by what they are.
    """
    parts, begun = list[str](), 0
    for found in _joint().finditer(clause):
        if does(clause[begun : found.start()]):  # "my sister and Rex went" is one
            parts.append(clause[begun : found.start()])
            begun = found.end()
    parts.append(clause[begun:])
    first = _whom().match(parts[0])
    if first is None or len(named(parts[0])) > 1:  # "Churro is Rafael's, he picked him out"
        return parts
    return [parts[0], *(_again(part, first["who"]) for part in parts[1:])]


def _again(part: str, who: str) -> str:
    """A part with who it is about in the place of "he", unless somebody else is "him" there."""
    begun = _AGAIN.match(part)
    if begun is None or re.search(r"\b(?:him|her|them)\b", part):
        return part
    return _GOT.sub(" has", f"{who}{part[begun.end() :]}", count=1)


_NAME = r"[A-Z][\w-]*\w"
_AGAIN = re.compile(r"(?:he|she|they)\b", re.IGNORECASE)
_GOT = re.compile(r"['’]s(?= (?:got|had|been)\b)")


@lru_cache(maxsize=1)
def _whom() -> re.Pattern[str]:
    kin = pattern(english())
    lead = r"(?:(?:and|but|so|well|oh)\b,? )*"
    return re.compile(rf"{lead}(?P<who>(?:[Mm]y|[Oo]ur) (?:[\w-]+ )?(?:{kin})(?: {_NAME})?|(?!I\b){_NAME})(?=['’ ])")


@lru_cache(maxsize=1)
def _joint() -> re.Pattern[str]:
    """Between two clauses, the second of which has a subject and a verb."""
    known = verbs()
    verb = alternatives(
        known.third | known.past | known.modals | {"is", "was", "has", "does", "isn't", "wasn't", "doesn't"}
    )
    adverb = rf"(?:(?:{alternatives(known.adverbs)}|[a-z]+ly) )*"
    short = "['’](?:s|re|ve|ll|d|m) "
    named = rf"(?:[Mm]y|[Oo]ur|[Tt]he) (?:[\w-]+ ){{0,2}}?[\w-]+(?: {_NAME})?|(?!I\b){_NAME}"
    joining = "and|but|so|because|since|while"
    return re.compile(
        rf"(?:,(?: (?:{joining}))?| (?:{joining})|[;:]| [–-]) "
        rf"(?=(?:{named})(?:{short}| {adverb}(?:{verb})\b)"
        rf"|(?:[Hh]e|[Ss]he)(?:{short}| {adverb}(?:{verb}|[a-z]+(?:s|ed))\b)|(?:I|[Ww]e|[Tt]hey)(?:{short}| [a-z]))"
    )
