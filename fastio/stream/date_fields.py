"""The fields of a date while it is read."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Final

UNKNOWN: Final = -1
"""What a field holds that nothing was read for."""

_DAYS_BEFORE_MONTH: Final = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)
_TEN_DAYS: Final = 10 * 24 * 3600


@dataclass(slots=True)
class Fields:
    """What is known of a date. Months count from 1, offsets in minutes east of UTC."""

    year: int = UNKNOWN
    month: int = UNKNOWN
    day: int = UNKNOWN
    hour: int = UNKNOWN
    minute: int = UNKNOWN
    second: int = UNKNOWN
    offset: int | None = None
    in_utc: bool = False

    def is_blank(self) -> bool:
        """Whether neither date nor time has been touched."""
        date = self.year == self.month == self.day == UNKNOWN
        return date and self.hour == self.minute == self.second == UNKNOWN

    def has_date(self) -> bool:
        """Whether year, month and day are known."""
        return UNKNOWN not in (self.year, self.month, self.day)

    def seconds(self) -> int | None:
        """Return the seconds since the epoch as if the fields were UTC, None if some are missing.

        The day is not looked at: too great a one runs into the next month.
        """
        if not 1970 <= self.year < 2100 or self.month < 1:
            return None
        if min(self.hour, self.minute, self.second) < 0:
            return None
        leap_days = (self.year - 1969) // 4
        if self.year % 4 == 0 and self.month > 2:
            leap_days += 1
        days = (
            (self.year - 1970) * 365 + leap_days + _DAYS_BEFORE_MONTH[self.month - 1] + self.day - 1
        )
        return days * 86400 + self.hour * 3600 + self.minute * 60 + self.second

    def set_time(self, hour: int, minute: int, second: int) -> bool:
        """Set the time of day, if it is one."""
        if hour > 24 or minute > 59 or second > 60:
            return False
        self.hour, self.minute, self.second = hour, minute, second
        return True

    def set_date(self, year: int, month: int, day: int) -> bool:
        """Set the date, if it is one. A month and day without a proper year stay set."""
        if not (1 <= month <= 12 and 1 <= day <= 31):
            return False
        self.month, self.day = month, day
        if (full := _full_year(year)) is None:
            return False
        self.year = full
        return True

    def local_offset(self) -> int:
        """Return the local zone's offset at the time that the fields say, in minutes."""
        clock = (self.year, self.month, self.day, self.hour, self.minute, self.second)
        ahead = (self.seconds() or 0) - int(time.mktime((*clock, 0, 0, -1)))
        return ahead // 60 if ahead > 0 else -(-ahead // 60)

    def set_epoch(self, seconds: int) -> None:
        """Set all fields from seconds since the epoch, if that is a time at all."""
        try:
            clock = time.gmtime(seconds)
        except (OverflowError, OSError):
            return
        self.year, self.month, self.day, self.hour, self.minute, self.second = clock[:6]
        self.in_utc = True

    def set_past_date(self, year: int, month: int, day: int, now: float) -> bool:
        """Set the date, if it is one and does not lie far ahead. The year may be unknown."""
        full = time.gmtime(now).tm_year if year == UNKNOWN else _full_year(year)
        if full is None or not (1 <= month <= 12 and 1 <= day <= 31):
            return False
        trial = replace(self, year=full, month=month, day=day)
        seconds = trial.seconds()
        if seconds is not None and seconds > now + _TEN_DAYS:
            return False
        self.month, self.day = month, day
        if year != UNKNOWN:
            self.year = full
        return True


def _full_year(year: int) -> int | None:
    if 1970 <= year < 2100:
        return year
    if 70 < year < 100:
        return year + 1900
    return year + 2000 if 0 <= year < 38 else None
