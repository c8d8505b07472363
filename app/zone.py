"""The time zone of this machine, as `TZ` or the system tells it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo


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
