"""Moments as they are kept: ISO 8601 in UTC with seconds, so that they sort as text."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from ..errors import InputError
from ..values import Moment

_MOMENT = re.compile(r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$")


def is_moment(value: Any) -> bool:
    """Whether it is a moment in the form in which they are kept, of a day that there is."""
    if not isinstance(value, str) or not _MOMENT.match(value):
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def moment_of(when: datetime) -> Moment:
    """A time in that form; one without a zone is in UTC. Raises OverflowError beyond the years 1 and 9999."""
    utc = when.replace(tzinfo=when.tzinfo or UTC).astimezone(UTC).replace(tzinfo=None)
    return f"{utc.isoformat(timespec='seconds')}Z"


def moment(value: Any, what: str) -> Moment:
    """The value in that form: a day is its first second, a time without a zone is in UTC. Raises InputError."""
    if is_moment(value):
        return str(value)
    try:
        return moment_of(value if isinstance(value, datetime) else datetime.fromisoformat(value))
    except (TypeError, ValueError, OverflowError) as error:
        form = "write a day or a moment, like 2026-05-08 or 2026-05-08T13:56:00Z"
        raise InputError(f"{what} is {value!r}: {form}.") from error
