"""Which questions a SELECT helps with: those that count, list or date, where search brings what is nearest in words."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path

from ..detect import language_of
from ..question import WHEN
from .forms import words_of
from .telling import asks


def wants_select(query: str) -> bool:
    """Whether a question asks for a number of things, for all of them, or for what was at some time; a line that asks
    nothing wants none."""
    language = language_of(query, thorough=False)
    if not asks(query, language):
        return False
    code = language.code
    text = f" {' '.join(word.low for word in words_of(query))} "
    phrases = _data().get(code, ())
    if code == "zh":
        return any(one in query for one in phrases)
    dated = code == "en" and bool(WHEN.search(query))
    return dated or any(f" {one} " in text for one in phrases) or any(word.isdigit() for word in text.split())


@lru_cache(maxsize=1)
def _data() -> dict[str, tuple[str, ...]]:
    table = tomllib.loads((Path(__file__).parent / "selecting.toml").read_text(encoding="utf-8"))
    return {code: tuple(" ".join(one.split()) for one in text.split("|")) for code, text in table.items()}
