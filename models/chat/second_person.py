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
    r"(?P<joint>(?:,|\b(?:and|but|or))\s+(?:(?:[a-z]+ly|also|then|never|always|often) )*)(?P<verb>[a-z]+s)\b"
)
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
    return _JOINT.sub(lambda found: found["joint"] + _added(found["verb"]), " ".join(words))


def _added(word: str) -> str:
    """A verb added by "and": only one that is known for a verb, since most words in -s are nouns."""
    base = base_form(word)
    return base if word in _BE or base in verbs().base else word


def base_form(verb: str) -> str:
    """The form that goes with "you" of a verb's third person singular; other words come back unchanged."""
    if verb in _BE:
        return _BE[verb]
    if not verb.endswith("s") or verb.endswith("ss") or len(verb) < 4:
        return verb
    choices = [f"{verb[:-3]}y"] if verb.endswith("ies") else [verb[:-1], verb[:-2]]
    return next((base for base in choices if third_form(base) == verb), verb)
