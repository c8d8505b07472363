"""What went wrong at an endpoint, as one sentence without the key, and whether waiting may help."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

_PASSING = {408, 409, 425, 429}
_KEY_LIKE = re.compile(r"\b(?:sk|pk|key)-[\w*.-]{4,}")


@dataclass(frozen=True, slots=True)
class Failure:
    """`passing`: another attempt may succeed; `wait`: seconds the server asked for; `detail`: its words, scrubbed."""

    sentence: str
    passing: bool = False
    wait: float | None = None
    status: int | None = None
    detail: str = ""


def explain(error: Exception, model: str, url: str, key: str, begun: bool = False) -> Failure:
    """Read an `openai` or `httpx2` exception; `begun`: words had come already.

    `url` and `detail` go through `scrub`, so the key never comes along.
    """
    import openai

    where = scrub(url.rstrip("/"), key)
    if isinstance(error, openai.APITimeoutError):
        return Failure(f"{where} gave no answer in time; try again, or use another model.", passing=True)
    if isinstance(error, openai.APIStatusError):
        return _status(error, model, where, key)
    if isinstance(error, openai.APIConnectionError) and not begun:
        return Failure(f"{where} can't be reached; check OPENAI_BASE_URL and that the server runs.", passing=True)
    detail = scrub(_words(error), key)
    return Failure(f"The reply of {where} broke off ({detail}); try again.", detail=detail)


def _status(error: Any, model: str, where: str, key: str) -> Failure:
    status = int(error.status_code)
    detail = scrub(_words(error), key)
    wait = retry_after(error.response.headers)
    if status == 401:
        sentence = f"{where} refuses the key; check OPENAI_API_KEY."
    elif status == 403:
        sentence = f"{where} does not allow this ({detail}); check what the key may do."
    elif status == 404:
        sentence = (
            f"{where} knows no model {model!r}; check the name, and that OPENAI_BASE_URL ends as the server wants."
        )
    elif status == 429:
        sentence = f"{where} asks to slow down or the account is used up ({detail}); wait, or use another model."
    elif status >= 500:
        sentence = f"{where} failed ({status}: {detail}); try again later."
    else:
        sentence = f"{where} refuses the request ({status}: {detail}); change the settings of this model."
    # A used-up account answers 429 too, and no waiting helps.
    passing = (status in _PASSING or status >= 500) and "insufficient_quota" not in f"{error.code} {detail}"
    return Failure(sentence, passing, wait, status, detail)


def _words(error: Any) -> str:
    """The server's own message, or the first line of whatever it sent."""
    body = getattr(error, "body", None)
    message = body.get("message") if isinstance(body, dict) else None
    text = str(message or getattr(error, "message", None) or error or type(error).__name__)
    return " ".join(text.split())[:200]


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
        return max(float(value), 0.0)
    except ValueError:
        pass
    try:
        when = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max((when - datetime.now(UTC)).total_seconds(), 0.0)
