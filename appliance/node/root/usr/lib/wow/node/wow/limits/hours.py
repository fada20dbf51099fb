"""The hours of the week in which jobs may run, as their owner says them: `mon-fri 20:00-7:00, sat-sun 0:00-24:00`. A span over midnight belongs to the day on which
it begins. Nothing is counted and nothing kept but the words: each look goes by the machine's clock and time zone as they are then, so that neither does harm
where it is changed."""
import re
import time

from wow.lib.errors import WowError
from wow.pause.state import Pause

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
DAY, WEEK = 1440, 7 * 1440
"""Minutes."""
MOST = 14
"""Spans that are told, two a day."""
LONGEST = 400
"""Characters of all, as they are said and as they are kept (`text`)."""
WHO = "wow-hours"
"""Stands where a pause has the name of who asked for it."""
SPAN = re.compile(r"([0-9]{1,2})(?::([0-9]{2}))?-([0-9]{1,2})(?::([0-9]{2}))?")
FORM = 'Say days and from when to when, like "mon-fri 20:00-7:00, sat-sun 0:00-24:00"; a time of the next day ends a span over midnight'
Span = tuple[str, list[int], int, int]
"""Days as they were said and by number, the minute of the day on which it begins, and on which it ends: more than a day's over midnight."""


def read(said: str) -> list[Span]:
    """The spans of a text; WowError says what is wrong with it."""
    words = said[:LONGEST + 1].lower().replace(";", " ").split()
    if len(said) > LONGEST or len(words) > 2 * MOST:
        raise _bad(f"more than {MOST} spans, or {LONGEST} characters")
    if not words or len(words) % 2:
        raise _bad("days and times come in pairs")
    spans = [(days, _numbers(days), *_minutes(span)) for days, span in ((days.strip(","), span.strip(",")) for days, span in zip(words[::2], words[1::2]))]
    if len(text(spans)) > LONGEST:
        raise _bad(f"more than {LONGEST} characters, where each time is spelled 08:00-09:00")
    return spans


def _bad(what: str) -> WowError:
    return WowError(f"these are no hours: {what}", FORM)


def _numbers(days: str) -> list[int]:
    found: set[int] = set()
    for part in days.split(","):
        first, _, last = part.partition("-")
        if first not in DAYS or (last or first) not in DAYS or part.endswith("-"):
            raise _bad(f'"{part[:20]}" is no day; days are {", ".join(DAYS)}, and mon-fri')
        begin = DAYS.index(first)
        found.update((begin + more) % 7 for more in range((DAYS.index(last or first) - begin) % 7 + 1))
    return sorted(found)


def _minutes(span: str) -> tuple[int, int]:
    match = SPAN.fullmatch(span) if span.isascii() else None
    if match is None:
        raise _bad(f'"{span[:20]}" is no time, as 20:00-7:00 is')
    begin, end = (int(match[at]) * 60 + int(match[at + 1] or 0) for at in (1, 3))
    if begin >= DAY or end > DAY or any(int(match[at] or 0) > 59 for at in (2, 4)):
        raise _bad(f'"{span[:20]}" is no time of a day: it begins at 0:00 to 23:59, and ends at 24:00 at most')
    if begin == end or (begin == 0 and end == 0):
        raise _bad(f'"{span[:20]}" ends when it begins; 0:00-24:00 is a whole day')
    return begin, end if end > begin else end + DAY


def text(spans: list[Span]) -> str:
    """The same in one spelling."""
    return ", ".join(f"{days} {begin // 60:02}:{begin % 60:02}-{_end(end)}" for days, _, begin, end in spans)


def _end(minute: int) -> str:
    shown = minute if minute <= DAY else minute - DAY
    return f"{shown // 60:02}:{shown % 60:02}"


def pause(spans: list[Span], wall: float) -> Pause | None:
    """The pause of a machine that is outside of its hours, from when they ended until they begin; None within them."""
    time.tzset()  # the zone may have been set since this program began
    now = time.localtime(wall)
    minute = now.tm_wday * DAY + now.tm_hour * 60 + now.tm_min
    # Three weeks, so that the one in the middle has what was and what comes.
    weeks = _week(spans) * 3
    here = WEEK + minute
    if weeks[here]:
        return None
    return Pause(_moment(now, weeks.rfind(1, 0, here) + 1 - here), _moment(now, weeks.find(1, here) - here), False, WHO)


def _week(spans: list[Span]) -> bytes:
    """A byte for each minute of the week: 1 where jobs may run."""
    found = bytearray(WEEK)
    for _, days, begin, end in spans:
        for first in (day * DAY + begin for day in days):
            last = first + end - begin
            found[first:min(last, WEEK)] = bytes((1,)) * (min(last, WEEK) - first)
            if last > WEEK:
                found[:last - WEEK] = bytes((1,)) * (last - WEEK)
    return bytes(found)


def _moment(now: time.struct_time, minutes: int) -> int:
    """The time so many minutes of the clock on the wall from now, whatever summer does between."""
    days, minute = divmod(now.tm_hour * 60 + now.tm_min + minutes, DAY)
    return int(time.mktime((now.tm_year, now.tm_mon, now.tm_mday + days, minute // 60, minute % 60, 0, 0, 0, -1)))
