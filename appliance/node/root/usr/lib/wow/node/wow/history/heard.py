"""Looks at what a manager told of the pool before a page shows it: each part is of its kind and within its bounds, or nothing of it is taken. A part of a later release
is left out. Whoever answers may lie in what it says, but not in how: a name is letters, a number is one that a page can show."""
import json
import math
import zlib

from wow.condor.ads import GREATEST, LATEST
from wow.history import members
from wow.history.looked import STATES
from wow.lib import names

LARGEST = 4 << 20
"""Bytes of it, unpacked."""
MOST_ROWS = 4000
"""Rows of each part."""
MOST_PARTS = 100_000
"""Lists and objects in all of it, whatever they are in: each takes memory that its few bytes do not show."""
LONGEST = 500
"""Characters of a sentence."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    Check = Callable[[Any], Any]


def _name(value: "Any") -> str:
    if not isinstance(value, str):
        raise ValueError(value)
    return value if value == names.OTHERS else names.clean(value)


def _sentence(value: "Any") -> str:
    if not isinstance(value, str):
        raise ValueError(value)
    return value[:LONGEST]


def _within(low: float, high: float) -> "Check":
    def check(value: "Any") -> "Any":
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or not low <= value <= high:
            raise ValueError(value)
        return value
    return check


def _whole(low: int, high: int) -> "Check":
    def check(value: "Any") -> "Any":
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise ValueError(value)
        return value
    return check


def _one_of(known: "tuple[str, ...]") -> "Check":
    def check(value: "Any") -> "Any":
        if value not in known:
            raise ValueError(value)
        return value
    return check


def _row(*cells: "Check") -> "Check":
    def check(value: "Any") -> "Any":
        if not isinstance(value, list) or len(value) != len(cells):
            raise ValueError(value)
        return [cell(one) for cell, one in zip(cells, value)]
    return check


def _rows(*cells: "Check") -> "Check":
    row = _row(*cells)

    def check(value: "Any") -> "Any":
        if not isinstance(value, list) or len(value) > MOST_ROWS:
            raise ValueError(value)
        return [row(one) for one in value]
    return check


def _object(**parts: "Check") -> "Check":
    def check(value: "Any") -> "Any":
        if not isinstance(value, dict):
            raise ValueError(value)
        return {name: part(value[name]) for name, part in parts.items()}
    return check


def _none_or(part: "Check") -> "Check":
    return lambda value: None if value is None else part(value)


def _counts(value: "Any") -> "Any":
    if not isinstance(value, dict) or len(value) > 100:
        raise ValueError(value)
    return {_name(name): AMOUNT(count) for name, count in value.items()}


AMOUNT, TIME = _within(0, GREATEST), _whole(0, LATEST)
PARTS: "dict[str, Check]" = {
    "machines": _rows(_name, _one_of(STATES), _name, _name, _name, TIME, AMOUNT, AMOUNT, AMOUNT, AMOUNT),
    "off": _rows(_name, _name, TIME, AMOUNT, AMOUNT),
    "beyond": AMOUNT, "queues": AMOUNT, "cycle": TIME, "when": TIME, "held": _counts, "totals": _row(AMOUNT, AMOUNT, AMOUNT),
    "places": _rows(_whole(-90, 90), _whole(-180, 180), AMOUNT, AMOUNT),
    "jobs": _rows(_name, _name, AMOUNT, AMOUNT, AMOUNT),
    "oldest": _none_or(_object(job=_name, queue=_name, person=_name, project=_name, since=TIME, text=_sentence, todo=_sentence)),
    "owners": _rows(_name, AMOUNT, AMOUNT, AMOUNT, AMOUNT),
    "course": _rows(TIME, AMOUNT, AMOUNT),
    "trouble": _sentence, "lost": _sentence, "silent": _sentence,
    "ring": _object(host=_name, links=_object(**dict.fromkeys(members.LINKS, AMOUNT)), beyond=AMOUNT, members=_rows(
        _name, _whole(0, len(members.KINDS) - 1), _whole(members.ALONE, MOST_ROWS), _name, _within(members.UNKNOWN, GREATEST), _whole(0, len(members.USES) - 1)))}
"""What a page shows."""
LOOKED = ("machines", "beyond", "places", "jobs", "totals", "held", "queues", "cycle", "oldest", "when")
"""Parts of one look at the collector: where one is, the others must be."""


def read(packed: bytes) -> "dict[str, Any]":
    """The parts, of what came over the network. ValueError, whose text says what is wrong with it."""
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(packed, LARGEST + 1)
    except zlib.error:
        raise ValueError("is not packed by zlib") from None
    if len(text) > LARGEST:
        raise ValueError(f"has more than {LARGEST >> 20} MiB")
    if not unpacking.eof:
        raise ValueError("ends in its middle")
    if text.count(b"[") + text.count(b"{") > MOST_PARTS:
        raise ValueError(f"has more than {MOST_PARTS} lists")
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("is no JSON") from None
    if not isinstance(told, dict):
        raise ValueError("is no JSON object")
    found = {}
    for name, part in PARTS.items():
        if name in told:
            try:
                found[name] = part(told[name])
            except (ValueError, KeyError, TypeError, OverflowError):
                raise ValueError(f"has something else than it should have as {name}") from None
    if any(name in found for name in LOOKED) and not all(name in found for name in LOOKED):
        raise ValueError("has a part of a look alone")
    return found
