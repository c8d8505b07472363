"""The time zone of this machine, as `TZ` or the system tells it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo

from ...memory.language.dates import wall_clock
from ...memory.values import Moment


class Here(tzinfo):
    """Local time. Summer time is that of each moment, not of now."""

    def utcoffset(self, when: datetime | None) -> timedelta | None:
        return None if when is None else when.replace(tzinfo=None).astimezone().utcoffset()

    def dst(self, when: datetime | None) -> timedelta | None:
        return None

    def tzname(self, when: datetime | None) -> str | None:
        return None if when is None else when.replace(tzinfo=None).astimezone().tzname()

    def fromutc(self, when: datetime) -> datetime:
        return when.replace(tzinfo=UTC).astimezone().replace(tzinfo=self)


def day(moment: Moment) -> str:
    """The moment's day on the clock here, `2026-05-08`."""
    return wall_clock(moment, Here())[:10]


def minute(moment: Moment) -> str:
    """The moment on the clock here, `2026-05-08 23:30`."""
    return wall_clock(moment, Here())[:16].replace("T", " ")


def clock(seconds: float) -> str:
    """A moment in seconds since 1970, to the minute, on the clock here."""
    return minute(datetime.fromtimestamp(seconds, UTC).isoformat())
