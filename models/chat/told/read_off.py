"""The told sentence that answers a question which a small model refuses, or answers with something else.

One that holds all that the question asks about, and a word of the wanted kind: "where is my spare key?" of "my spare
key is under the blue pot". What the question binds by a preposition must be bound so: "what is Tadeo allergic to?".
English.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....memory.language.asked import expects
from ....memory.language.language import english
from ....memory.language.points import letters as re
from ....memory.language.third_person import third_form
from ....memory.language.told.about import told_sentences
from ....memory.language.words import query_words, stem, terms, tokens
from .known import Known

KINDS = ("place", "person", "colour", "job", "time", "number")
"""Kinds of which a word stands in hardly a sentence that doesn't answer."""
READ = ("age", "name", "job", "home", "workplace")
"""Kinds that are found by their form."""
_REFUSES = re.compile(
    rf"\b(?:(?:have|did|has)(?:n['’]t| not) (?:{english().alternatives('replies', 'untold')})|"
    r"never (?:mentioned|said|told)|"
    rf"(?:don['’]t|do not|can['’]t|cannot) (?:{english().alternatives('replies', 'unknown')})|"
    rf"{english().alternatives('replies', 'at_a_loss')})\b",
    re.IGNORECASE,
)
_BOUND = re.compile(
    r"(?:what|who|whom)(?:['’]s| is| am| are| was| were| do| does| did) (?P<who>.+?) (?P<word>[a-z]+) "
    r"(?P<prep>to|of|about|with|for|from|on|in|at)(?: now| most)?",
    re.IGNORECASE,
)
_DOING = re.compile(
    r"(?:who|which (?:one )?of (?:my|our|the) (?:[a-z]+ )??[a-z]+|which [a-z]+ of (?:mine|ours)"
    r"|which [a-z]+(?= [a-z]+s )) "
    r"(?!is\b|are\b|was\b|were\b|am\b|do\b|does\b|did\b|have\b|should\b|can\b|will\b)(?P<what>[a-z]+ .+)",
    re.IGNORECASE,
)
_BEING = re.compile(
    r"who (?:is|are|was|were|has|have|had) (?!(?:my|our|your|the|this|that|there|here|it)\b)(?P<what>[a-z][\w-]+ .+)"
)
LEAST = 2
"""Words of what somebody does that a sentence must hold to be about just that."""
_IDLE = english().words("questions", "unnamed")
_NOT = re.compile(r"\b(?:not|never|no|nobody|maybe|perhaps|used to|if)\b|n['’]t\b", re.IGNORECASE)


def refuses(reply: str) -> bool:
    """Whether a reply says that it wasn't told, or doesn't know."""
    return bool(_REFUSES.search(reply))


def read_off(known: Known) -> str | None:
    """The sentence that answers the question; None: none surely does."""
    return next(_answering(known), None)


def by_form(known: Known) -> str | None:
    """The sentence that tells an age, a name, a trade or a home of just whom is asked, by its form, or of whom all is
    told that the question asks whom to find by; None: none does."""
    asked, doing = known.wanted, _doing_of(known.core)
    if doing and doing["what"] and re.match("who ", known.core, re.IGNORECASE):
        return next((one for one in _doing(known, doing["what"]) if not _NOT.search(one)), None)
    if asked is None or asked.kind not in READ or not known.own or (asked.me and asked.kind == "home"):
        return None
    return next(iter(known.found.values()), None)


def own_deed(known: Known) -> str | None:
    """Of a question for the asker's work the nearest fact of what they do, where no fact names a trade: "Ana tunes
    pianos."; None: it asks something else, or there is none."""
    if known.wanted is None or not known.wanted.me or known.wanted.kind != "job":
        return None
    tastes = {third_form(one) for one in english().words("doing", "tastes")}
    for fact in known.facts:
        found = re.match(rf"(?:{re.escape(known.asker)}|user) (?P<verb>[a-z]+s)\b", fact, re.IGNORECASE)
        if found and found["verb"] not in tastes | _STATES:
            return fact
    return None


_STATES = english().words("doing", "no_deed")


def misses(known: Known, reply: str) -> bool:
    """Whether a reply says nothing of what stands in the sentences that hold just what is asked: "Dolly lays the best
    eggs" of "Bess lays the best eggs"."""
    core = known.core
    bound, doing = _BOUND.fullmatch(core) if known.of_their_life else None, _doing_of(core)
    told = list(_bound(known, bound) if bound else _doing(known, doing["what"]) if doing else ())
    told = [one for one in told if one in known.facts] or told  # a line may tell of several, a fact tells of one
    asked = {*terms(core)}
    said = {*terms(reply)} - asked
    return bool(told) and not any(said & {*terms(one)} for one in told)


def covered(known: Known) -> bool:
    """Whether a told sentence answers a question that isn't of the asker's life by its form."""
    return any(_answering(known))


def _answering(known: Known) -> Iterator[str]:
    if known.recall.general:
        return
    want = known.wanted
    if known.of_their_life and want and want.kind in READ and not (want.me and want.kind == "home"):
        yield from list(known.found.values())[:1]
    elif known.of_their_life and (bound := _BOUND.fullmatch(known.core)):
        yield from _bound(known, bound)
    elif doing := _DOING.fullmatch(known.core):
        yield from _doing(known, doing["what"])
    yield from _covering(known)


def _doing_of(core: str) -> re.Match[str] | None:
    """Of a question for whoever does or is something: what that is."""
    return _DOING.fullmatch(core) or _BEING.fullmatch(core[:1].lower() + core[1:])


def _doing(known: Known, what: str) -> Iterator[str]:
    """Sentences that hold each word of what somebody is asked to be found for: "lays the best eggs"."""
    if known.recall.general:
        return
    words = {stem(word) for word in query_words(what)} - {stem(word) for word in expects.generic() | _IDLE}
    enough = 1 if words and words <= {stem(one) for one in known.people} else LEAST
    for sentence in (one for text in known.texts for one in told_sentences(text)):
        if len(words) >= enough and not sentence.endswith("?") and words <= {stem(word) for word in tokens(sentence)}:
            yield sentence


def _covering(known: Known) -> Iterator[str]:
    """Sentences that hold each word that the question is about, and one of the wanted kind beside these."""
    core = known.core
    kind = expects.kind_of(core)
    enough = LEAST if kind in ("time", "number") else 1
    if kind == "number" and "how many " not in core.lower():
        return
    about = {stem(word) for word in query_words(core)} - {stem(word) for word in expects.generic() | _IDLE}
    if kind not in KINDS or len(about) < enough or re.match(r"(?i)(?:from|to|with|for|of|by) ", core):
        return
    asked = {*tokens(core)}
    for sentence in (one for text in known.texts for one in told_sentences(text)):
        held = not sentence.endswith("?") and about <= {stem(word) for word in tokens(sentence)}
        held = held and ("used" in asked or "used to" not in sentence)
        if held and expects.answers_at(kind, expects.words_in(sentence), asked):
            yield sentence


def _bound(known: Known, asked: re.Match[str]) -> Iterator[str]:
    """Sentences about the one asked of that hold the same word before the same preposition, and something after it."""
    held = re.compile(rf"\b(?P<word>[a-z]+)(?: \w+ly)? {asked['prep']} \w+", re.IGNORECASE)
    for sentence in known.about(asked["who"]):
        if any(stem(one["word"].lower()) == stem(asked["word"].lower()) for one in held.finditer(sentence)):
            yield sentence
