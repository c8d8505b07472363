"""Which language a line is in: by its frequent words first, then by a small detector, else as the talk before.

Lines of a chat have three to fifteen words, names from everywhere and typing mistakes; no detector alone is right
about those (docs/design/0001-house.md has the figures). English words that no other language has settle nine lines in
ten at no cost; only lines without such words, and those that hold as many of another language, are given to the
detector, whose model is loaded at the first of them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from .language import Language, by_code, english
from .points import letters as re

AUTO = "auto"
"""As a setting: tell the language of each line."""
SURE = 0.6
"""The detector's probability from which it is believed of one word, or against the talk before."""
FAIRLY_SURE = 0.35
"""The same for a line of several words."""

LOOKED_AT = 1_000
"""Characters of a line that are looked at: a pasted book is in the language of its first page."""
OTHER_LETTERS = "und"
"""The code (of ISO 639-2) for a line in letters that are not Latin, where nobody asked which language it is."""
_WORD = re.compile(r"[^\W\d_]+")
_LINK = re.compile(r"\S+://\S+|www\.\S+|\S+@\S+")
_I = re.compile(r"(?<![\w.])I(?=['’ ])(?! \w+ \w*[àèìòù])")
_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff\uff66-\uff9f]")), ("zh", re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")),
    ("ko", re.compile(r"[\u1100-\u11ff\uac00-\ud7af]")), ("th", re.compile(r"[\u0e00-\u0e7f]")),
    ("el", re.compile(r"[\u0370-\u03ff]")), ("he", re.compile(r"[\u0590-\u05ff]")),
)  # fmt: skip
"""Letters that tell the language by themselves; Japanese before Chinese, whose letters it uses too."""
_LATIN = re.compile(r"[a-zA-Z\u00c0-\u024f\u1e00-\u1eff]")
_TOLD_APART = ("cs", "da", "de", "en", "es", "fi", "fr", "hr", "hu", "it", "nl", "pl", "pt", "ro", "sv", "tr")
"""What the detector chooses from where the letters are Latin: more languages would only make short lines unsure."""


def language_of(
    text: str, given: str | None = None, *, before: Language | None = None, thorough: bool = True
) -> Language:
    """The language of a line. `given`: a setting, "auto" or an ISO 639-1 code, which then holds for every line.

    `before`: the language of the talk before, which a line that tells nothing ("ok", "Porto!") is taken to be in; where
    there is none, that is English. Not `thorough`: without the detector, where a tenth of a second would be too long.
    """
    if given and given.strip().lower() != AUTO:
        return by_code(given)
    text = _LINK.sub(" ", text[:LOOKED_AT])
    if before is None and {*_WORD.findall(text.lower())} <= english().words("words", "hasty"):
        return english()
    known = _by_letters(text, thorough) or _by_words(text) or (_by_detector(text, before) if thorough else None)
    return by_code(known) if known else before or english()


def _by_letters(text: str, thorough: bool) -> str | None:
    """The language of a line most of whose letters are not Latin."""
    letters = "".join(_WORD.findall(text))
    if not letters or letters.isascii() or 2 * len(_LATIN.findall(letters)) >= len(letters):
        return None
    found = next((code for code, script in _SCRIPTS if script.search(letters)), None)
    return found or (_detector(all_letters=True).classify(text)[0] if thorough else OTHER_LETTERS)


def _by_words(text: str) -> str | None:
    """The language of which the line holds most frequent words; None for none, or where English holds as many."""
    words = set(_WORD.findall(text.lower()))
    counts = {code: len(words & marks) for code, marks in _marks().items()}
    own = counts.pop("en") + bool(_I.search(text))
    other = max(counts, key=lambda code: counts[code])
    if own == counts[other]:
        return None
    return "en" if own > counts[other] else other


def _by_detector(text: str, before: Language | None) -> str | None:
    """What the detector says, if it is sure enough: surer for a line of one word, or against the talk before.

    Names alone tell nothing: "Leo, Mia", "Borussia Dortmund".
    """
    words = _WORD.findall(text)
    if not any(word.islower() for word in words):
        return None
    code, sure = _detector().classify(text)
    return str(code) if sure >= (FAIRLY_SURE if len(words) > 1 and before is None else SURE) else None


@lru_cache(maxsize=1)
def _marks() -> Mapping[str, frozenset[str]]:
    """Of each language its frequent words that are not English too."""
    ours = english().words("words", "evidence")
    both = ours | english().stop
    return {"en": ours, **{code: frozenset(words.split()) - both for code, words in frequent_words().items()}}


@lru_cache(maxsize=1)
def frequent_words() -> Mapping[str, str]:
    """Of each other language that can be told by them its frequent words, some of which are English too."""
    return tomllib.loads((Path(__file__).parent / "evidence.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=2)
def _detector(*, all_letters: bool = False) -> Any:
    """py3langid's naive Bayes model, for Latin letters only over the languages that it shall tell apart."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    found = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    if not all_letters:
        found.set_languages(_TOLD_APART)
    return found
