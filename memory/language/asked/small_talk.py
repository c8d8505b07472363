"""Small talk, told by its words alone: greetings, thanks, nods and moods. So that no model is asked about them.

It errs to the safe side: any word that isn't on the list of the line's language (or of English, which people mix in), a
number, or an answer to what was just asked makes a line one to be read.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from ..language import Language
from .forms import forms_of, words_of


def is_small_talk(text: str, language: Language, *, asked: bool = False) -> bool:
    """Whether a line tells nothing to keep. `asked`: the line before it asks something, which a yes or no answers."""
    words = [word.low for word in words_of(text)]
    if not words:
        return not any(letter.isalnum() for letter in text)
    forms = forms_of(language.code)
    if asked and any(forms.has("yes", word) or word in ("yes", "no", "nope", "yeah", "don't") for word in words):
        return False
    small = _words().get("en", frozenset()) | _words().get(language.code, frozenset())
    if all(word in small for word in words):
        return True
    return language.code == "en" and _of_the_listener(words, text, language)


def only_greets(text: str, language: Language, *, asked: bool = False) -> bool:
    """Whether it is small talk that greets or takes leave, and tells of no end ("hi, it's off"): no small model is
    asked about such a line, which would find a fact that "bye for now" ends."""
    words, known = {word.low for word in words_of(text)}, _words()
    greets = bool(words & known["greeting"]) and not words & known["ending"]
    return greets and is_small_talk(text, language, asked=asked)


def _of_the_listener(words: list[str], text: str, language: Language) -> bool:
    """Whether it only speaks to the one it is said to: "you're good company"."""
    bare = {word.split("'")[0] for word in words}
    named = any(word.capital for word in words_of(text)[1:]) or any(letter.isdigit() for letter in text)
    return words[0].split("'")[0] in language.second_person and not bare & language.self_words and not named


@lru_cache(maxsize=1)
def _words() -> Mapping[str, frozenset[str]]:
    table = tomllib.loads((Path(__file__).parent / "small_talk.toml").read_text(encoding="utf-8"))
    return {code: frozenset(words.split()) for code, words in table.items()}
