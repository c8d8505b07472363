"""Numbers, shares, days and moments as people type them: what every command line and slash command reads them with.

Each reader takes the text and gives the value, or raises InputError with a sentence that says what to write instead.
`option` makes an argparse type of it, whose error is one of usage (exit 2) and names the option.
"""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ..memory.database.moments import moment_of
from ..memory.errors import InputError

if TYPE_CHECKING:
    from ..memory.values import Moment

Value = TypeVar("Value")
LARGEST = 2**63 - 1
"""The largest number that SQLite holds."""
_SHOWN = 40


def option(read: Callable[[str], Value]) -> Callable[[str], Value]:
    """An argparse type of a reader."""

    def read_option(text: str) -> Value:
        try:
            return read(text)
        except InputError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read_option


def whole(text: str, least: int = 0, most: int = LARGEST) -> int:
    """A whole number from `least` to `most`. Raises InputError."""
    asked = f"write a whole number of {least} or more" if most == LARGEST else f"write a number from {least} to {most}"
    try:
        found = int(text)
    except ValueError:
        raise InputError(f"{text[:_SHOWN]!r} is no number; {asked}.") from None
    if found > LARGEST:
        raise InputError(f"{text[:_SHOWN]} is too large a number; {asked}.")
    if not least <= found <= most:
        raise InputError(f"{found} can't be; {asked}.")
    return found


def number_of(text: str, what: str, lists: str) -> int:
    """The number by which a list names a thing, also as `#12`. `lists`: where it stands. Raises InputError."""
    try:
        return whole(text.strip().removeprefix("#"), 1)
    except InputError:
        told = f"write its number as {lists} shows it, such as 12"
        raise InputError(f"{text[:_SHOWN]!r} is not the number of a {what}; {told}.") from None


def real(text: str, *, above: float | None = None, least: float = -math.inf, most: float = math.inf) -> float:
    """A number that may have a point, above `above`, from `least` to `most`. Raises InputError."""
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if math.isfinite(found) and least <= found <= most and (above is None or found > above):
        return found
    limits = [f"above {above:g}"] if above is not None else [f"of {least:g} or more"] if least > -math.inf else []
    limits += [f"up to {most:g}"] if most < math.inf else []
    raise InputError(f"{text[:_SHOWN]!r} can't be; write a number{''.join(' ' + one for one in limits)}, such as 0.5.")


def day_words(text: str, zone: tzinfo | None = None) -> str:
    """The text itself, when it is a date in words or figures (an empty one is none). Raises InputError."""
    from ..memory.language.dates import require

    require(text, _now(), zone)
    return text


def past(text: str, zone: tzinfo | None = None) -> Moment:
    """A past moment in UTC: of a time just that, of a day, month or year its end. Raises InputError.

    What has no zone of its own is told by the clock of `zone` (None: UTC).
    """
    now = datetime.now(UTC)
    try:
        begin, end = _span(text, zone)
    except (ValueError, OverflowError):  # before the year 1 or after 9999, which no calendar here reaches
        raise _no_moment(text) from None
    if begin > now:
        raise InputError(f"{text[:_SHOWN]!r} is still to come; write a moment that is past.")
    return moment_of(min(end, now))


def _span(text: str, zone: tzinfo | None) -> tuple[datetime, datetime]:
    """First and last second of what the text means."""
    from ..memory.language.dates import resolve

    if when := _clock(text.strip()):
        at = _utc(when, zone)
        return at, at
    iso = resolve(text, _now(), zone)
    if iso is None:
        raise _no_moment(text)
    first, after = _days(iso)
    midnight = partial(datetime.combine, time=time())
    return _utc(midnight(first), zone), _utc(midnight(after), zone) - timedelta(seconds=1)


def _no_moment(text: str) -> InputError:
    told = "write it like 2026-05-08, 2026-05-08T13:56, 2026-05 or `last Friday`"
    return InputError(f"{text[:_SHOWN]!r} is no moment; {told}.")


def _clock(text: str) -> datetime | None:
    """A day with a time, as in 2026-05-08T13:56:00Z or 2026-05-08 13:56."""
    if not re.match(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d", text):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _days(iso: str) -> tuple[date, date]:
    """The first day of a day, month or year, and the first after it."""
    parts = [int(part) for part in iso.split("-")]
    first = date(*parts, *([1] * (3 - len(parts))))
    if len(parts) == 3:
        return first, first + timedelta(days=1)
    months = first.month if len(parts) == 2 else 12
    return first, date(first.year + months // 12, months % 12 + 1, 1)


def _utc(when: datetime, zone: tzinfo | None) -> datetime:
    return (when if when.tzinfo else when.replace(tzinfo=zone or UTC)).astimezone(UTC)


def _now() -> Moment:
    return moment_of(datetime.now(UTC))


def worded(text: str) -> str:
    """The text, when it says anything. Raises InputError."""
    if not text.strip():
        raise InputError("it is empty; write at least one word.")
    return text


def place(text: str) -> Path:
    """The path of a file or folder; an empty one would be the current folder. Raises InputError."""
    return Path(place_name(text))


def place_name(text: str) -> str:
    """A path as it was typed. Raises InputError for an empty one."""
    if not text.strip():
        raise InputError("it is empty; write a path.")
    return text


def price(text: str) -> tuple[float, float]:
    """`0.15,0.6`: what a million tokens cost to read and to write. Raises InputError."""
    try:
        read, write = (real(part, least=0.0) for part in text.split(","))
    except (InputError, ValueError):  # the latter: one number, or three
        raise InputError(f"{text[:_SHOWN]!r} is not of the form READ,WRITE; write it as 0.15,0.60.") from None
    return read, write


COUNT = option(partial(whole, least=1))
"""An argparse type: 1 or more."""
NUMBER = option(whole)
"""An argparse type: 0 or more."""
SHARE = option(partial(real, least=0.0, most=1.0))
"""An argparse type: a share, from 0 to 1."""
ABOVE_ZERO = option(partial(real, above=0.0))
"""An argparse type: a number above 0."""
WEIGHT = option(partial(real, least=0.0))
"""An argparse type: a number of 0 or more."""
TEXT = option(worded)
"""An argparse type: a text that isn't empty."""
PLACE = option(place)
"""An argparse type: the path of a file or folder."""
PLACE_NAME = option(place_name)
"""An argparse type: the path of a file or folder, as it was typed."""
PRICE = option(price)
"""An argparse type: the price of a million tokens read, and of a million written."""
PORT = option(partial(whole, most=65_535))
"""An argparse type: a port of this machine, 0 for any."""
