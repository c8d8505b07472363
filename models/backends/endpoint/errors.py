"""What went wrong at an endpoint, as one sentence without the key, and whether waiting may help."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

NO_KEY = "none"
"""What stands for a key where none is set: a client sends something."""
_PASSING = {408, 409, 425, 429}
TOO_LONG = re.compile(
    r"context.{0,24}(?:length|size|window|overflow|exceed)|(?:prompt|input|request).{0,16}too (?:long|large)"
    r"|exceed.{0,40}context|n_ctx|max_tokens.{0,20}too large", re.IGNORECASE
)  # fmt: skip
"""How servers say that a prompt is longer than they read."""
_KEY_LIKE = re.compile(r"\b(?:sk|pk|key)-[\w*.-]{4,}")


@dataclass(frozen=True, slots=True)
class Failure:
    """`passing`: another attempt may succeed; `wait`: seconds the server asked for; `detail`: its words, scrubbed."""

    sentence: str
    passing: bool = False
    wait: float | None = None
    status: int | None = None
    detail: str = ""
    too_long: bool = False
    loading: bool = False


class Names(NamedTuple):
    """What is to be mended where the key or the address is wrong."""

    key: str = "OPENAI_API_KEY"
    url: str = "OPENAI_BASE_URL"


def explain(
    error: Exception, model: str, url: str, key: str, begun: bool = False, names: Names | None = None
) -> Failure:  # fmt: skip
    """Read an `openai` or `httpx2` exception; `begun`: words had come already.

    `url` and `detail` go through `scrub`, so the key never comes along.
    """
    import openai

    from .limits import TooLate, TooMuch

    where, names = scrub(url.rstrip("/"), key), names or Names()
    cause = error if isinstance(error, TooLate | TooMuch) else error.__cause__
    if isinstance(cause, TooLate):
        return Failure(too_late(where))
    if isinstance(cause, TooMuch):
        return Failure(f"{where} sends more than a reply can be ({cause}); use another model or server.")
    if isinstance(error, openai.APITimeoutError):
        return Failure(f"{where} gave no answer in time; try again, or use another model.", passing=True)
    if isinstance(error, openai.APIStatusError):
        return _status(error, model, where, key, names)
    if isinstance(error, openai.APIConnectionError) and not begun:
        return Failure(f"{where} can't be reached; check {names.url} and that the server runs.", passing=True)
    detail = scrub(_words(error), key)
    return Failure(f"The reply of {where} broke off ({detail}); try again.", detail=detail)


def too_late(where: str) -> str:
    return f"{where} did not end its reply in time (the setting endpoint_seconds); try again, or use another model."


def _status(error: Any, model: str, where: str, key: str, names: Names) -> Failure:
    status = int(error.status_code)
    detail = scrub(_words(error), key)
    wait = retry_after(error.response.headers)
    if 300 <= status < 400:
        sentence = f"{where} sends the request on to {_target(error, key)}; set {names.url} to that if you trust it."
    elif status == 401:
        sentence = (
            f"{where} wants a key and was sent none; set {names.key}."
            if key == NO_KEY
            else f"{where} refuses the key; check {names.key}."
        )
    elif status == 402:
        sentence = f"{where} wants to be paid first ({detail}); see the account there, or use another model."
    elif status == 403:
        sentence = f"{where} does not allow this ({detail}); check what the key may do."
    elif status == 404:
        sentence = f"{where} knows no model {model!r}; check the name, and that {names.url} ends as the server wants."
    elif status == 429:
        pause = f"wait {wait:.0f} seconds" if wait else "wait"
        sentence = f"{where} asks to slow down or the account is used up ({detail}); {pause}, or use another model."
    elif status in (400, 413, 422, 500) and TOO_LONG.search(detail):
        sentence = f"{where} reads less than this prompt ({detail}); set `window` to what it reads."
        return Failure(sentence, False, wait, status, detail, too_long=True)
    elif status >= 500:
        sentence = f"{where} failed ({status}: {detail}); try again later."
    else:
        sentence = f"{where} refuses the request ({status}: {detail}); change the settings of this model."
    # A used-up account answers 429 too, and no waiting helps.
    passing = (status in _PASSING or status >= 500) and "insufficient_quota" not in f"{error.code} {detail}"
    loading = status == 503 and "loading" in detail.lower()
    return Failure(sentence, passing, wait, status, detail, loading=loading)


def _target(error: Any, key: str) -> str:
    address = str(error.response.headers.get("location") or "no address")
    return scrub(" ".join(address.split())[:100].partition("?")[0], key)


def _words(error: Any) -> str:
    """The server's own message, or the first line of whatever it sent."""
    body = getattr(error, "body", None)
    message = body.get("message") if isinstance(body, dict) else body
    message = message if isinstance(message, str) else None
    text = str(message or getattr(error, "message", None) or error or type(error).__name__)
    return " ".join("".join(char if char.isprintable() else " " for char in text[:2_000]).split())[:200]


def scrub(text: str, key: str) -> str:
    """The text with the key, anything that looks like one, and passwords in addresses blotted out."""
    if len(key) > 4:
        text = text.replace(key, "***")
    return re.sub(r"(?<=://)[^/@\s]+@", "***@", _KEY_LIKE.sub("***", text))


def retry_after(headers: Any) -> float | None:
    """Seconds that a Retry-After header asks to wait (a number, or an HTTP date), None without one."""
    value = headers.get("retry-after")
    if not value:
        return None
    try:
        seconds = float(value)
        return max(seconds, 0.0) if math.isfinite(seconds) else None
    except ValueError:
        pass
    try:
        when = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if when.tzinfo is None:  # `-0000`, and dates without a zone: HTTP knows no other than UTC
        when = when.replace(tzinfo=UTC)
    return max((when - datetime.now(UTC)).total_seconds(), 0.0)
