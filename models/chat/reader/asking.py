"""Whether a line asks for what was told, where its form doesn't say so: "State my blood group.", "no idea any more when
the lease ends", "the vet, what was the name".

A logistic model over the line's vector and a few signs of its form, fitted on questions put aslant and on lines that
tell (`chatmem train recall --asking`). The rules of `memory/language/asked/telling.py` decide first; this one finds
what they miss. English.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import numpy as np

from ....memory.errors import ModelBroken
from ....memory.language.kinship import pattern, plainly_related, relations
from ....memory.language.language import english
from ....memory.language.points import letters as re
from ....memory.language.words import terms, tokens
from ....memory.search.vectors import Embedder

FILE = Path(__file__).resolve().parents[3] / "assets" / "ranker" / "asking.json"
_WHICH = english().words("questions", "asking_for")
_DOES = {f"{one.removesuffix('e')}ing": one for one in english().alternatives("questions", "lasting").split("|")}
_DOING = re.compile(
    r"^(?P<what>(?:where|what|who|which|how|whom)\b[^?,;]*?)(?P<be>['’]s|['’]re| is| are| am) (?P<who>[^?,;]{1,40}?) "
    rf"(?P<does>{'|'.join(_DOES)})\b(?=\s*(?:$|[?.!,]|(?:{english().alternatives('questions', 'where_to')})\b))",
    re.IGNORECASE,
)
_NOBODY = re.compile(
    r"(?:.* )?(?:my|your|his|her|its|our|their|the|an?|this|that|[\w-]+['’]s|[\w-]+s['’])", re.IGNORECASE
)
"""Behind which such a word is no verb: "how is my training for the race going?"."""
_THESE_DAYS = re.compile(rf",? (?:{english().alternatives('questions', 'these_days')})(?=\s*[?.!]*$)", re.IGNORECASE)
_MANY = re.compile(r"(?:i|you|we|they)\b|.* and .*", re.IGNORECASE)
FORM = ("a question mark at the end", "a question mark", "a question word", "first", "last", "not first", "of oneself",
        "begins so", "words")  # fmt: skip
"""The signs of a line's form; its vector follows them."""


_REMEMBERED = re.compile(
    r"(?<=\w\w), (?:(?:do|can) you (?:still )?(?:remember|recall|know|tell me)|if you (?:still )?(?:remember|know))"
    r"[\s?.!]*$",
    re.IGNORECASE,
)


def simply(question: str) -> str:
    """As one asks who was told it: "Where's Danny working these days?" as "Where does Danny work?", and "What's my dog
    called, do you remember?" without its end. Another stays."""
    short = _THESE_DAYS.sub("", _REMEMBERED.sub("?", question))
    found = _DOING.match(short)
    if found is None or _NOBODY.fullmatch(found["who"]):
        return short
    many = found["be"].lower() in ("'re", "’re", " are", " am") or _MANY.match(found["who"])
    does = f"{found['what']} {'do' if many else 'does'} {found['who']} {_DOES[found['does'].lower()]}"
    return does + short[found.end() :]


def of_each(question: str) -> tuple[str, str] | None:
    """A question of two people as one of each: "Where do Ida and Bo live?" -> "Where does Ida live?", "Where does Bo
    live?". None: it asks of no two, or of what they are or do to each other ("how do Ida and Bo know each other?")."""
    found = _two().fullmatch(question.strip())
    if found is None or {*tokens(f"{found['head']}{found['rest']}")} & english().words("together", "with_each_other"):
        return None
    first, second = found["one"], found["other"]
    if (mine := re.match(r"(?:my|our) ", first, re.IGNORECASE)) and not second[:1].isupper():
        second = mine[0] + re.sub(r"^(?:my|our) ", "", second, flags=re.IGNORECASE)
    elif not second[:1].isupper() and not re.match(r"(?:my|our) ", second, re.IGNORECASE):
        return None
    be = _OF_ONE[found["be"].lower()]
    return f"{found['head']} {be} {first}{found['rest']}", f"{found['head']} {be} {second}{found['rest']}"


def are_told(asked: tuple[str, str], texts: Iterable[str]) -> bool:
    """Whether what was told knows all names of whom these two questions ask: not those of "Marks and Spencer"."""
    one, other = ({*_NAME.findall(text)} for text in asked)
    names = {word.lower() for word in one ^ other if not relations(word)}
    return names <= {word for text in texts for word in tokens(text)}


def holds_both(asked: tuple[str, str], sentence: str) -> bool:
    """Whether a sentence tells of both of whom these two questions ask: all words in which they differ."""
    one, other = ({*terms(plainly_related(text))} for text in asked)
    return one ^ other <= {*terms(plainly_related(sentence))}


_NAME = re.compile(r"(?<= )[A-Z][\w-]*\w")
_OF_ONE = {"do": "does", "are": "is", "were": "was", "have": "has", "did": "did"}
"""The verb of two as that of one."""


@lru_cache(maxsize=1)
def _two() -> re.Pattern[str]:
    name, kin = r"[A-Z][\w-]*\w", rf"(?i:{pattern(english())})(?: [A-Z][\w-]*\w)?"
    return re.compile(
        rf"(?P<head>(?i:what|where|when|which|how)\b[^,;]*?) (?P<be>{'|'.join(_OF_ONE)}) "
        rf"(?P<one>(?i:my|our) {kin}|{name}) and (?P<other>(?:(?i:my|our) )?{kin}|{name})"
        r"(?P<rest>(?: [^,;]*?)?[\s?.!]*)"
    )


def signs(text: str) -> np.ndarray:
    """What `FORM` names, shape (9,)."""
    words = tokens(text) or [""]
    asked = [one in _WHICH for one in words]
    found = (
        text.rstrip().endswith("?"), "?" in text, any(asked), asked[0], asked[-1], any(asked[1:]),
        bool(english().self_words & {*words}), words[0] in english().self_words, min(len(words), 30) / 10,
    )  # fmt: skip
    return np.array(found, np.float64)


def seems_to_ask(text: str, embedder: Embedder) -> bool:
    """Whether it does, as far as the model can tell. Raises ModelBroken."""
    model = load()
    if model is None or not re.search(r"[a-z]", text):
        return False
    weights, bias = model
    if len(weights) != len(FORM) + embedder.dimensions:
        return False
    return float(weights @ np.r_[signs(text), embedder.embed([text])[0]] + bias) > 0


@lru_cache(maxsize=1)
def load(path: Path = FILE) -> tuple[np.ndarray, float] | None:
    """Weights and bias; None when the file is not there. Raises ModelBroken for a file that holds another."""
    if not path.is_file():
        return None
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if tuple(data["form"]) != FORM:
            raise ValueError("made for other signs")
        return np.array(data["weights"], np.float64), float(data["bias"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelBroken(f"the file {path} of the reader can't be used ({error}): reinstall chatmem") from error
