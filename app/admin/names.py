"""Names to sign in with: those that look alike are one name, so that nobody is given another's memory by mistake."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable


def folded(name: str) -> str:
    """What is the same for names that look the same: letters, width, case and spaces made alike."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    seen = (letter for letter in plain if unicodedata.category(letter) != "Cf")  # letters that nobody sees
    return " ".join("".join(seen).split())


def neat(name: str) -> str:
    """A new name as it is kept: with one space where somebody typed several."""
    return " ".join(unicodedata.normalize("NFC", name).split())


def clash(name: str, others: Iterable[str]) -> str | None:
    """The one of `others` that is taken for this name; None: there is none."""
    wanted = folded(name)
    return next((other for other in others if folded(other) == wanted), None)
