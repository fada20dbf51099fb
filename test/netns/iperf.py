"""iperf3, as it tells of a stream while it goes on. Beside each of its lines stands what the computer's host had taken until then."""

import re
from typing import NamedTuple

from pressure import Moment, counted, moment

LINE = re.compile(r"\[ *\d+\] +[\d.]+-([\d.]+) +sec +[\d.]+ \w+ +([\d.]+) Kbits/sec(?!.*(sender|receiver)$)")
FORMAT = ("-f", "k", "--forceflush")
"""So that each line can be read, and comes when it is there."""


class Part(NamedTuple):
    """A part of a stream: when iperf3 told of it, its end in seconds from the stream's begin, and how fast it was."""
    told: Moment
    end: float
    kbits: float


def parts(lines, told=moment):
    """The parts of a stream, of what iperf3 writes with FORMAT. told() is what a test replaces."""
    for line in lines:
        if found := LINE.match(line.rstrip()):
            yield Part(told(), float(found.group(1)), float(found.group(2)))


def gap(stream, begun):
    """The longest time in which nothing went, in seconds without what the host took. begun: the moment at which iperf3 was started."""
    longest, last, since = 0.0, Part(begun, 0.0, 0.0), None
    for part in stream:
        since = (since or last) if not part.kbits else None
        if since:
            longest = max(longest, counted(part.end - since.end, part.told.taken - since.told.taken))
        last = part
    return longest


def rate(stream, since):
    """Mbit/s of all parts that ended later than that many seconds after the stream's begin."""
    found = [(part.kbits, part.end - before.end) for before, part in zip(stream, stream[1:]) if part.end > since]
    return sum(kbits * seconds for kbits, seconds in found) / sum(seconds for _, seconds in found) / 1e3
