"""Facts with a telling word that their line hasn't: what a small model puts in the place of "it" and "they".

Of "I've got a song stuck in my head and I don't even like it" it made a dislike of the bike shop that was told of some
lines before. Of 465 such facts that were judged .81 aren't told and .04 are; of 2,472 others .39 and .44
(docs/log/storage.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from functools import lru_cache

from ....memory.language.kinship import pets, relations
from ....memory.language.language import english
from ....memory.language.leaning.talked_of import names_somebody
from ....memory.language.points import letters as re
from ....memory.language.words import query_words, stem, terms, tokens
from ..told.fidelity import alike, names
from ..told.scene import Scene

ALIKE = 4
"""First letters by which two words are forms of one: "baker", "bakery"."""
FEW = 7
"""Words below which a line may tell by another what it means: "I sold it.", "Two, and a dog"."""
_KIN_NAMED = re.compile(r"(?P<kin>[a-z][\w-]*),? (?P<name>[A-Z][\w-]*\w)")
_NAMED = re.compile(r"(?P<what>[a-z][\w-]*) (?=[A-Z][\w-]*\w)")


def borrowed(fact: str, scene: Scene) -> list[str]:
    """The telling words of a fact that its line hasn't, in order; none of a short line, which is told by another.

    Not numbers, relations and words for what somebody is, which the checks before this one hold against what was said;
    nor those in which facts are told anew, nor what somebody else's question right before the line said. A name is
    one where the line names somebody itself, or has no pronoun for which it may stand.
    """
    line = _said(scene)
    if len(scene.line.text.split()) < FEW:
        return []
    here = " ".join((line, _asked(scene), scene.line.speaker, "user"))
    stems = {*terms(alike(here)), *terms(here)} | {stem(one) for one in tokens(here)} | _anew()
    begun = {one[:ALIKE] for one in tokens(here) if len(one) >= ALIKE}
    named = {name for word in re.findall(r"\b[A-Z][\w-]*\w", fact) for name in tokens(word)}
    named |= {what.lower() for what in _NAMED.findall(fact)}

    def is_foreign(word: str) -> bool:
        if word in named or word in _somebody() or word[0].isdigit() or relations(word) or word in _otherwise():
            return False
        if re.search(rf"\d{re.escape(word)}\b", line) or any(one in stems for one in _forms().get(word, ())):
            return False  # "20 mg" of "20mg", "written" of "wrote"
        return stem(word) not in stems and not {*terms(alike(word))} & stems and word[:ALIKE] not in begun

    return [word for word in query_words(fact) if is_foreign(word)] + _names(fact, scene)


def repeated(fact: str, line: str, speaker: str) -> list[str]:
    """The telling words that a fact has more often than its line, and not once: "wants a call every other Friday at two
    every other Friday" is what a small model makes of a line that it lost the thread of. Not whom it tells of."""
    own = {*tokens(" ".join((speaker, "user", *names(fact), *relations(fact))))}
    if len(line.split()) < FEW:
        return []
    known = english().numbers  # "2 cats and 2 dogs"
    said = Counter(stem(str(known.get(one, one))) for one in tokens(line))
    telling = (one for one in tokens(fact) if one not in english().stop and one not in own and not relations(one))
    told = Counter(stem(str(known.get(one, one))) for one in telling)
    return [word for word, times in told.items() if times > 1 and times > said[word]]


def _asked(scene: Scene) -> str:
    """What somebody else said right before, where they asked something, or said that it wasn't told: "It was about four
    years." answers that."""
    before = [one for one in scene.before if one.text not in scene.asides]
    who, said = before[-1] if before else ("", "")
    return said if who != scene.line.speaker and _ASKING.search(said) else ""


_ASKING = re.compile(r"\?|\btell me\b|\btold me\b|\b(?:don['’]t|do not) know\b", re.IGNORECASE)


def _names(fact: str, scene: Scene) -> list[str]:
    """The names of a fact of which the line has none: where it has others all of them, else those for which it has no
    pronoun. Not of whom the line calls by what they are ("my wife" for "Ana's wife Orla")."""
    line = _said(scene)
    here = {*scene.line.speaker.split(), "User", *(scene.subjects or ())}
    said = {*tokens(f"{line} {_asked(scene)}")} | english().calendar
    kin = {one["name"] for one in _KIN_NAMED.finditer(fact) if relations(one["kin"]) & relations(line)}
    strange = [one for one in _in_order(names(fact) - here - kin, fact) if not {*tokens(one)} & said]
    if names_somebody(_DAYS.sub(" ", line)):
        return strange
    words = {*tokens(line.replace("’", "'"))}
    meant = 2 if words & _MANY else 1 if words & english().words("words", "third_person") else 0
    return strange[meant:]


_DAYS = re.compile(rf"\b(?:{'|'.join(english().weekdays)})s\b", re.IGNORECASE)
_MANY = frozenset({"they", "them", "their", "both", "they're", "they've", "they'll", "we", "us", "our"})


def _in_order(some: Collection[str], fact: str) -> list[str]:
    return sorted(some, key=fact.index)


def _said(scene: Scene) -> str:
    """The line, with what of it was put aside."""
    return " ".join((*scene.asides, scene.line.text))


@lru_cache(maxsize=1)
def _anew() -> frozenset[str]:
    words = english().words("doing", "retelling") | english().words("doing", "laid_out")
    return frozenset(stem(one) for one in words)


@lru_cache(maxsize=1)
def _otherwise() -> frozenset[str]:
    """Words for what a line may say without them: "can't eat dairy" of "can't have dairy"."""
    return english().words("doing", "said_otherwise") | english().ordinals.keys()


@lru_cache(maxsize=1)
def _forms() -> dict[str, frozenset[str]]:
    """Of each form of an irregular verb the stems of all."""
    groups = (one.split() for one in english().alternatives("doing", "irregular").split("|"))
    return {word: frozenset(stem(one) for one in group) for group in groups for word in group}


@lru_cache(maxsize=1)
def _somebody() -> frozenset[str]:
    """Words for what somebody or an animal is, which a known row may tell of a name."""
    return pets() | english().words("others", "workers") | english().words("others", "anybody")
