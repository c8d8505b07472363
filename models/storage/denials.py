"""What a line denies and a fact affirms: "can't do gluten" told as "eats gluten"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...memory.language.words import stem, terms

_NOT = re.compile(
    r"\b(?:(?:do|does|did|have|has|could|would|are|is|was|were)n['’]?t|(?:can|won)['’]?t|cannot|never|no longer|"
    r"(?:can|do|does|did|have|has|could) not)\b", re.IGNORECASE,
)  # fmt: skip
_ENDS = re.compile(
    r"[,.;:!?()]|\b(?:but|and|because|since|so|when|if|until|unless|as|than|though|although|while|that|which|who|without)\b",
    re.IGNORECASE,
)
"""Where what is denied ends."""
_UNSAID = re.compile(
    r"\b(?:\w+n['’]t|cannot|not|no|never|nor|without|avoids?|allerg\w+|intoleran\w+|dislikes?|hates?|stopped|quit|"
    r"gave up|free|lacks?|unable|nothing|nobody|none|instead|used to|afraid|scared)\b", re.IGNORECASE,
)  # fmt: skip
"""A fact that says no itself."""
_LIGHT = frozenset({"really", "even", "ever", "actually", "usually", "often", "much", "any", "been", "be", "to"})
_ALIKE = (
    frozenset({"eat", "do", "have", "drink", "take", "tolerate", "stand", "handle", "touch", "digest"}),
    frozenset({"have", "own", "get", "keep"}),
    frozenset({"drive", "ride"}),
    frozenset({"like", "love", "enjoy"}),
)
"""Verbs that say the same of one thing."""
_BASE = {"has": "have", "does": "do", "is": "be", "are": "be", "was": "be", "goes": "go", "got": "get"}
_FACT = re.compile(r"^(?:(?:[\w-]+['’]s?)? ?[\w-]+) (?P<verb>[a-z]+)\b ?(?P<rest>.*)$")


def denied(fact: str, line: str) -> bool:
    """Whether the line says of the very thing, by the same verb or one like it, that it isn't so."""
    found = _FACT.match(fact)
    if found is None or _UNSAID.search(fact):
        return False
    things = {*terms(found["rest"])}
    return any(_same(verb, found["verb"]) and things and things <= said for verb, said in _denials(line))


def _denials(line: str) -> Iterator[tuple[str, set[str]]]:
    """The verb and the words of each thing that a line denies."""
    for found in _NOT.finditer(line):
        scope = _ENDS.split(line[found.end() :])[0].split()
        words = [word for word in scope if word.lower() not in _LIGHT]
        if words:
            yield words[0].lower(), {*terms(" ".join(words[1:]))}


def _same(denied: str, told: str) -> bool:
    one, other = (stem(_BASE.get(verb, verb)) for verb in (denied, told))
    return one == other or any({one, other} <= {stem(word) for word in group} for group in _ALIKE)
