"""What of this computer its owner lends, and when: a small file beside that of the pause, written as a whole, which outlives restarts, power cuts and another
pool.conf."""
from wow.lib import files
from wow.lib.errors import WowError
from wow.lib.whole import is_whole
from wow.limits import hours
from wow.pause import state as pauses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FILE = f"{pauses.FOLDER}/limits.json"
NUMBERS = ("percent", "processors", "memory", "disk", "speed", "month")
NAMES = (*NUMBERS, "hours")
MOST = 1 << 40
"""No number is larger."""


class Limits:
    """percent: of one processor that all jobs have together; processors: how many jobs may have; memory, disk: MB that they may have; speed: kB that the overlay
    sends a second; month: GB that it carries in a calendar month, both ways; each None where nothing is said. hours: when jobs may run, as hours.py says it, empty
    where that is always. since: when one of them changed that HTCondor holds, seconds since 1970."""

    __slots__ = ("percent", "processors", "memory", "disk", "hours", "since", "speed", "month")

    def __init__(self, percent: int | None = None, processors: int | None = None, memory: int | None = None, disk: int | None = None, when: str = "",
                 since: int = 0) -> None:
        self.percent, self.processors, self.memory, self.disk = percent, processors, memory, disk
        self.hours, self.since = when, since
        self.speed: int | None = None
        self.month: int | None = None

    def values(self) -> dict[str, int | str | None]:
        """Each by its name, for programs."""
        return {"percent": self.percent, "processors": self.processors, "memory": self.memory, "disk": self.disk, "speed": self.speed, "month": self.month,
                "hours": self.hours or None}

    def held(self) -> tuple[int | None, int | None, int | None]:
        """What HTCondor holds."""
        return self.processors, self.memory, self.disk


def made(values: "dict[str, Any]", since: int) -> Limits:
    """The limits whose values are these, each by its name."""
    limits = Limits(values["percent"], values["processors"], values["memory"], values["disk"], values["hours"] or "", since)
    limits.speed, limits.month = values["speed"], values["month"]
    return limits


def read() -> Limits:
    """The limits that hold: none where the file is no good, which wow-jobs and `wow limit` tell."""
    try:
        return load()
    except WowError:
        return Limits()


def load() -> Limits:
    """What the file has; WowError if it is no good."""
    found = pauses.from_file(FILE, _bad)
    if found is None:
        return Limits()
    if set(found) != {*NAMES, "since"} or not _is_sound(found):
        raise _bad("is not as this program writes it")
    return made(found, found["since"])


def _is_sound(found: "dict[str, Any]") -> bool:
    if not all(found[name] is None or is_whole(found[name], 1, MOST - 1) for name in NUMBERS):
        return False
    if not is_whole(found["since"], 0, pauses.LAST - 1) or not isinstance(found["hours"], str):
        return False
    try:
        return not found["hours"] or hours.text(hours.read(found["hours"])) == found["hours"]
    except WowError:
        return False


def _bad(what: str) -> WowError:
    return WowError(f"{what}, so no limit holds", "Type `wow limit clear`, and set them again", FILE, code="limits-unreadable")


def keep(limits: Limits) -> None:
    """Writes the file as a whole, so that it outlives a power cut. OSError says why it cannot."""
    import json
    files.write(FILE, json.dumps({**limits.values(), "hours": limits.hours, "since": limits.since}) + "\n", sync=True)
