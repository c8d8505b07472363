"""The words around the facts: small talk, openers, tails, general replies, slips of the keyboard."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from functools import cache

from .slots import HERE, held_out
from .talk import Split
from .when import MONTHS, WEEKDAYS

_KEEP_CAPITAL = {"Christmas", "Monday", "Dad", "Mum", "Mom", "Grandpa", "Grandma", "Gran", "Uncle", "Auntie", "I"}
_CAPITALISED = re.compile(r"\{[^{}]*\+\}")
"""A slot whose value is capitalised only because it begins the sentence."""
Pair = tuple[str, tuple[str, ...]]


@cache
def phrases() -> Mapping[str, tuple[str, ...]]:
    """The sections of phrases.txt, without tails and typos."""
    return {
        name: tuple(text for text in _split(body) if text) for name, body in _sections().items() if "=>" not in body
    }


@cache
def tails() -> tuple[tuple[str, str], ...]:
    """What may follow a statement, and what the assistant adds to its reply."""
    pairs = [line.partition("=>") for line in _sections()["tails"].splitlines() if line.strip()]
    return tuple((text.strip(), reply.strip()) for text, _, reply in pairs)


@cache
def small_talk(split: Split) -> tuple[Pair, ...]:
    """Lines without any fact, each with its replies."""
    pairs = []
    lines = [line for path in sorted(HERE.glob("smalltalk*.txt")) for line in path.read_text("utf-8").splitlines()]
    for line in lines:
        said, arrow, replies = line.partition(" => ")
        if arrow and not line.startswith("#") and held_out(said) == (split == "valid"):
            pairs.append((said.strip(), tuple(_split(replies))))
    return tuple(pairs)


@cache
def _sections() -> Mapping[str, str]:
    text = (HERE / "phrases.txt").read_text(encoding="utf-8")
    parts = re.split(r"^\[(\w+)\]\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _split(body: str) -> list[str]:
    return [part.strip() for part in body.replace("|\n", "| ").strip().split("|")]


@cache
def _typos() -> tuple[tuple[str, str], ...]:
    pairs = [part.partition("=>") for part in _sections()["wrong_typos"].strip().split(";")]
    return tuple((right.strip(), wrong.strip()) for right, _, wrong in pairs)


def lower_first(text: str, template: str) -> str:
    """The text for the middle of a sentence: small first letter, unless it is a name, a slot's value or "I"."""
    first = re.split(r"[ ,.'!?]", text)[0]
    is_value = template.startswith("{") and not (_CAPITALISED.match(template) and first not in WEEKDAYS + MONTHS)
    if is_value or first in _KEEP_CAPITAL or first[1:2].isupper() or not text:
        return text
    return text[0].lower() + text[1:]


def opened(text: str, template: str, opener: str) -> str:
    """`text` after an opener ("By the way, ...")."""
    whole_sentence = opener[-1] in ".!?"
    return f"{opener} {text if whole_sentence else lower_first(text, template)}"


def slip(text: str, rng: random.Random) -> str:
    """The text as a hurried person types it: small letters, no apostrophes, a common slip. Mostly unchanged."""
    dice = rng.random()
    if dice < 0.08:
        text = text.lower()
    if dice < 0.05 or dice > 0.92:
        text = text.replace("'m ", "m ").replace("n't", "nt").replace("'ve ", "ve ").replace("It's", "Its")
    if 0.84 < dice < 0.92:
        fitting = [(right, wrong) for right, wrong in _typos() if re.search(rf"\b{right}\b", text)]
        if fitting:
            right, wrong = rng.choice(fitting)
            text = re.sub(rf"\b{right}\b", wrong, text, count=1)
    if 0.08 < dice < 0.14:
        text = text.rstrip(".")
    return text
