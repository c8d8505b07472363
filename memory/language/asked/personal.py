"""Whose life a question is about: only of the user's own life and people can a memory lack what is asked.

"What's the capital of France?", "how do I boil an egg?" and "tell me a joke" ask the model; "what am I allergic to?",
"how old is Leo?" (somebody known) and "where does Vera live?" (a name that is asked of as one asks of somebody known)
ask the memory. English; of other languages nothing is said.
"""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ..language import Language
from ..points import letters as re
from ..points.abbreviated import parted
from ..words import terms
from .forms import Forms, Word, forms_of, words_of
from .telling import asks, told_part

_NAME = re.compile(r"\b[A-Z][^\W\d_]+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_FIRST = frozenset(
    {"i", "my", "mine", "our", "ours", "we", "us", "i'm", "i've", "i'd", "i'll", "im", "ive", "myself", "mi"}
)
_OWN = frozenset({"my", "mine", "our", "ours", "his", "her", "hers", "their", "theirs"})
_TOLD = re.compile(
    r"(?:is|are|was|were|do|does|did|has|have|had|who|whose|where|when|which)\b|.*\b(?:called|named?|names?)\b"
)
"""How one asks for what may have been told."""
_AROUND = frozenset({"of", "in", "to", "from", "near", "at", "a", "an", "between", "for", "about", "like"})
"""A name after these is mostly a place or a thing, and kin after "a" nobody's."""
NOUNS = 4
"""Words from an article on, the article counted, among which are those of its thing."""
_SKIPPED = frozenset({"the", "a", "an", "my", "your", "our", "his", "her", "their", "i", "we", "you"})


@dataclass(frozen=True, slots=True)
class Matter:
    """What a question about somebody's life is about: the user (`mine`), or the names of others."""

    mine: bool
    names: tuple[str, ...]
    core: str
    """The question without "hey, can you tell me"."""


def personal(text: str, language: Language, people: Collection[str] = ()) -> Matter | None:
    """What a line asks of somebody's life; None where it asks of none, asks nothing, or also tells something.

    `people`: names of those whom the memory knows, in small letters.
    """
    forms, data = forms_of(language.code), _data().get(language.code)
    if data is None or told_part(text, language):
        return None
    core = unwrapped(text, forms)
    words = words_of(core)
    low = " ".join(word.low for word in words)
    if not words or _general(low, data):
        return None
    mine = _mine(words, data)
    named = tuple(_known(words, people, language)) or tuple(_asked_of(low, data))
    return Matter(mine, named, core) if mine or named else None


def of_the_world(text: str, language: Language, told: Collection[str]) -> bool:
    """Whether a question asks nothing of anybody's life: neither of the user, nor of a name that what was `told` holds,
    nor of a thing there ("the van", where a van was told of). Of a language without such words nothing is said."""
    data = _data().get(language.code)
    if data is None or not asks(text, language):
        return False
    names = {word.lower() for one in told for word in _NAME.findall(one)} - language.stop
    held = {_bare(word) for word in words_of(text)}
    last = parted(_SENTENCE, text.strip())[-1]  # what stands before it may tell something
    if personal(text, language, names) or personal(last, language, names) or held & names:
        return False
    return not _definite(text, language, data) & {stem for one in told for stem in terms(one)}


def _definite(text: str, language: Language, data: _Data) -> frozenset[str]:
    """The stems of the things of which a question speaks as known ones, gate and code of "what is the gate code?",
    without those that anything may have ("the name")."""
    found, left = list[str](), 0
    for word in words_of(text):
        low = _bare(word)
        left = NOUNS if low in data.definite else 0 if low in language.stop else max(0, left - 1)
        if left and not word.capital and low not in data.definite | data.attributes:
            found.append(low)
    return frozenset(terms(" ".join(found)))


def asks_advice(text: str, language: Language) -> bool:
    """Whether a question asks, by its form, for what one knows or thinks, and of nothing that is the asker's or
    somebody's: "what's the best way to stay calm?", "tell me a joke", not "what is my best friend called?"."""
    data = _data().get(language.code)
    if data is None or not asks(text, language):
        return False
    core = unwrapped(text, forms_of(language.code))
    low = " ".join(word.low for word in words_of(core))
    return _general(low, data) and not _TOLD.match(low) and not _OWN & {*low.split()} and not named_in(core)


def asks_knowhow(text: str, language: Language) -> bool:
    """Whether a line begins as one that asks for advice, for a view or for something to be made, of which no memory
    tells: "got any tips for revising", "how do you work out a bending moment", "write a poem"."""
    data = _data().get(language.code)
    if data is None:
        return False
    asked = asks(text, language) or text.rstrip().endswith("?")
    begins = (data.knowhow, data.to_make) if asked else (data.to_make,)
    cores = (text, unwrapped(text, forms_of(language.code)))
    lows = [" ".join(word.low for word in words_of(core)) for core in cores]
    return any(one.match(low) and not data.not_knowhow.match(low) for low in lows for one in begins)


def named_in(core: str) -> tuple[str, ...]:
    """The names, in small letters, of those of whom a question asks: "What does Yusuf play?", not "... in Norway"."""
    words = words_of(core)
    return tuple(
        _bare(word)
        for before, word in itertools.pairwise(words)
        if word.capital and word.low not in _FIRST and before.low not in _AROUND and not before.capital
    )


def unwrapped(text: str, forms: Forms) -> str:
    """A question without what it is wrapped in: "hey, can you tell me where Vera lives" -> "where Vera lives"."""
    text = parted(_SENTENCE, text.strip())[-1]
    while words := words_of(text):
        size = forms.begins("opening", words) or int(forms.has("openers", words[0].low))
        size = size or forms.begins("wrapping", words) or _asked_for(words, forms)
        if not size or size >= len(words):
            break
        text = text[words[size - 1].end :].lstrip(" ,:;-")
    return text.strip()


def _asked_for(words: Sequence[Word], forms: Forms) -> int:
    """The words of "tell me" before a question word: a wrapper may name that word itself."""
    size = forms.begins("wrappers", words)
    while size and forms.has("asking", words[size - 1].low):
        size -= 1
    return size if size < len(words) and (size or 0) else 0


def _general(low: str, data: _Data) -> bool:
    """Whether it asks what one should do or what is so in general: "I" stands beside a word of advice ("should I", "can
    we"), or it begins as one asks of such."""
    around = f" {low} "
    if any(f" {phrase} " in around for phrase in data.own):
        return False
    return (
        any(f" {phrase} " in around for phrase in data.general)
        or bool(re.search(rf"\b(?:{'|'.join(sorted(data.advice))}) (?:i|we|my|a|the|one|people)\b", low))
        or bool(re.search(rf"\b(?:i|we) (?:{'|'.join(sorted(data.advice))})\b", low))
    )


def _mine(words: Sequence[Word], data: _Data) -> bool:
    """Whether the user's own life is asked of."""
    for place, word in enumerate(words):
        if word.low in _FIRST:
            return True
        if word.low == "me" and place and words[place - 1].low in data.before_me:
            return True
    return False


def _known(words: Sequence[Word], people: Collection[str], language: Language) -> Iterator[str]:
    """Names of known people, and kin ("how old is mother"); "the capital of France" asks nothing of France."""
    for place, word in enumerate(words):
        before = words[place - 1].low if place else ""
        if before not in _AROUND and (_bare(word) in people or _bare(word) in language.relations):
            yield _bare(word)


def _asked_of(low: str, data: _Data) -> list[str]:
    """A name of which is asked as one asks of somebody known, although the memory doesn't hold it."""
    verbs, nouns, states = ("|".join(sorted(one)) for one in (data.verbs, data.nouns, data.states))
    patterns = (
        rf"^where (?:does|did) (?P<name>[\w-]+) (?:{verbs})\b",
        r"^what (?:does|did) (?P<name>[\w-]+) (?:do|study|work as)(?: for (?:a living|work))?$",
        rf"^(?:what's|what is|when's|when is|who's|who is|how old is|whats) (?P<name>[\w-]+)'s (?:\w+ )?(?:{nouns})\b",
        rf"^(?:is|was) (?P<name>[\w-]+) (?:still |already |also )?(?:{states})\b",
        r"^does (?P<name>[\w-]+) (?:still |also )?(?:have|like|live|work|eat|drink|drive)\b",
    )
    found = (re.match(pattern, low) for pattern in patterns)
    names = [one["name"] for one in found if one]
    return [name for name in names if name not in data.not_names and name not in _SKIPPED]


def _bare(word: Word) -> str:
    return word.low.removesuffix("'s").removesuffix("'")


@dataclass(frozen=True, slots=True)
class _Data:
    before_me: frozenset[str]
    advice: frozenset[str]
    general: tuple[str, ...]
    own: tuple[str, ...]
    verbs: frozenset[str]
    nouns: frozenset[str]
    states: frozenset[str]
    not_names: frozenset[str]
    definite: frozenset[str]
    attributes: frozenset[str]
    knowhow: re.Pattern[str]
    to_make: re.Pattern[str]
    not_knowhow: re.Pattern[str]


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(" ".join(part.split()) for part in text.split("|"))


def _begins(phrases: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(_phrases(phrases))})\b")


@lru_cache(maxsize=1)
def _data() -> dict[str, _Data]:
    table = tomllib.loads((Path(__file__).parent / "personal.toml").read_text(encoding="utf-8"))
    return {
        code: _Data(
            frozenset(one["before_me"].split()), frozenset(one["advice"].split()),
            _phrases(one["general"]), _phrases(one["own"]), frozenset(one["verbs"].split()),
            frozenset(one["nouns"].split()), frozenset(one["states"].split()), frozenset(one["not_names"].split()),
            frozenset(one["definite"].split()), frozenset(one["attributes"].split()),
            _begins(one["knowhow"]), _begins(one["to_make"]), _begins(one["not_knowhow"]),
        )
        for code, one in table.items()
    }  # fmt: skip
