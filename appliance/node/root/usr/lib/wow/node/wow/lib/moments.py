"""Times of day in UTC as seconds since 1970. The standard library's calendar and strptime cost a tenth of a second at a start in an emulated guest."""

SLEEP = 86400
"""Seconds that a host sleeps at most: by more the clock was set."""


def is_sleep(by_boot: float, by_wall: float) -> bool:
    """Whether the wall clock is right that more seconds passed than were counted since the boot, which stands still while the host sleeps: else it was set since."""
    return by_boot <= by_wall <= by_boot + SLEEP


def seconds(year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0) -> int:
    """Seconds since 1970 of a day of the Gregorian calendar; ValueError if it is none."""
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    lengths = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    if not (1 <= year and 1 <= month <= 12 and 1 <= day <= lengths[month - 1] and 0 <= hour < 24 and 0 <= minute < 60 and 0 <= second <= 60):
        raise ValueError("is no time")
    before = year - 1
    days = before * 365 + before // 4 - before // 100 + before // 400 + sum(lengths[:month - 1]) + day - 1
    return (days - 719162) * 86400 + hour * 3600 + minute * 60 + second


def rfc3339(text: str) -> int:
    """Seconds of a time in UTC as RFC 3339 has them, like 2027-01-31T12:00:00Z; ValueError if it is none. Parts of a second do not count."""
    year, month, day, hour, minute, second = (text[at:end] for at, end in ((0, 4), (5, 7), (8, 10), (11, 13), (14, 16), (17, 19)))
    if text[:19] != f"{year}-{month}-{day}T{hour}:{minute}:{second}" or not (year + month + day + hour + minute + second).isdigit() or len(second) < 2:
        raise ValueError(f'"{text}" is no time')
    return seconds(int(year), int(month), int(day), int(hour), int(minute), int(second))
