"""Facts about the user as they are told to the user: "Joseph's wife is Amina." -> "Your wife is Amina."

Rules for English, as `memory/language/third_person.py` has them the other way round. What they can't turn stays as it
is: a name is never wrong.
"""

from __future__ import annotations

import re

from ...memory.language.third_person import third_form, verbs

_BE = {"is": "are", "was": "were", "has": "have", "does": "do", "isn't": "aren't", "wasn't": "weren't",
       "hasn't": "haven't", "doesn't": "don't"}  # fmt: skip
_JOINT = re.compile(
    r"(?P<joint>(?:,|\b(?:and|but|or))\s+(?:(?:[a-z]+ly|also|then|never|always|often) )*)"
    r"(?P<verb>[a-z]+s)\b(?=(?: (?P<next>[a-z]+))?)"
)
_AFTER_VERBS = frozenset({
    "a", "an", "the", "his", "her", "their", "its", "in", "at", "on", "to", "for", "with", "as", "every",
})  # fmt: skip
"""What follows a verb rather than a noun in -s."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def to_second_person(fact: str, name: str) -> str:
    """`fact` with its user, who is told of under `name`, spoken to."""
    return " ".join(_sentence(one, name) for one in _SENTENCE.split(fact.strip()) if one)


def _sentence(text: str, name: str) -> str:
    own = re.escape(name)
    text = re.sub(r"^[Tt]he (?=user\b)", "", text) if name.lower() == "user" else text
    named = rf"(?:the )?\b{own}\b" if name.lower() == "user" else rf"\b{own}\b"
    flags = re.IGNORECASE if name.lower() == "user" else 0
    text = re.sub(rf"{named}['’]s?(?!\w)", "your", text, flags=flags)
    subject = re.match(rf"{named}(?= [a-z])", text, flags)
    if subject:
        text = "you" + _agreeing(text[subject.end() :])
    text = re.sub(rf"{named}(?= (?:is|was|has|does)\b)", "you", text, flags=flags)
    text = re.sub(r"\byou (is|was|has|does)\b", lambda m: f"you {_BE[m[1]]}", text)
    text = re.sub(named, "you", text, flags=flags)
    text = re.sub(r"\bthemself\b|\bthemselves\b", "yourself", text) if subject else text
    return text[:1].upper() + text[1:] if text.startswith(("you", "your")) else text


def _agreeing(rest: str) -> str:
    """What follows the subject, its verbs in the form that goes with "you"."""
    words = rest.split(" ")
    for place, word in enumerate(words[1:], 1):
        if word in verbs().adverbs or word.endswith("ly"):
            continue
        words[place] = base_form(word)
        break
    return _JOINT.sub(lambda found: found["joint"] + _added(found["verb"], found["next"] or ""), " ".join(words))


def _added(word: str, following: str) -> str:
    """A verb added by "and": only one that is known for a verb, since most words in -s are nouns."""
    known, base = verbs(), base_form(word)
    sure = word in _BE or word in known.third or base in known.base | known.finite
    return base if sure or (base in known.either and following in _AFTER_VERBS) else word


def base_form(verb: str) -> str:
    """The form that goes with "you" of a verb's third person singular; other words come back unchanged."""
    if verb in _BE:
        return _BE[verb]
    if not verb.endswith("s") or verb.endswith("ss") or len(verb) < 4:
        return verb
    if verb.endswith("ies"):
        return f"{verb[:-3]}y"
    base = verb[:-2] if verb.endswith(("sses", "zzes", "xes", "shes", "ches", "oes")) else verb[:-1]
    return base if third_form(base) == verb else verb
