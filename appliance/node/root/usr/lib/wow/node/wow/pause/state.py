"""The owner's pause of this machine, as it is kept: a small file in the home's state, written as a whole, which outlives restarts and power cuts.

How long a pause has lasted is counted by the time since boot, which nobody sets. The wall clock counts where it says a little more: the host slept. It is not
believed where it went back, or forward by more than a day, and in the first minutes of a boot it ends nothing, for it may not have been set right yet
(decision 0053)."""
import os
import time

from wow.lib import agreed, files, moments, paths
from wow.lib.errors import WowError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, BinaryIO, Callable

FOLDER = f"{paths.STATE}/pause"
FILE = f"{FOLDER}/pause.json"
SPARE = f"{paths.RUN}/pause.json"
"""The same until the machine starts anew, where home takes no file. It counts before the other one."""
LOCK = f"{paths.RUN}/pause.lock"
"""Locked from the look at a pause to its change: the agent and wow-jobs change it, and neither may put back what the other has just replaced."""
OVER: "dict[str, Any]" = {}
"""What the spare one holds where no pause does, though a file of one stands in a home that takes no change."""
LARGEST = 4096
"""Bytes of the file at most."""
LONGEST = 31 * 86400
"""Seconds of a pause at most that has an end."""
SETTLED = 120
"""Seconds after a boot from which the wall clock may end a pause of before."""
TOMORROW = "tomorrow"
"""Stands for a deadline (acts/pause.py)."""
CONSOLE, WEB = "console", agreed.WEB_ACCOUNT
"""Who, where nobody with an account asked: at the screen, on the web page."""
LAST = 1 << 38
"""Seconds since 1970 of no time that is meant."""
FIELDS = {"since": (int,), "until": (int, type(None)), "finish": (bool,), "who": (str,), "boot": (str,), "uptime": (int,)}
"""What the file holds, and of which type."""
LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")


class Pause:
    """since, until: seconds since 1970 by the clock as it is now; until is None where the pause lasts until it is ended. finish: what ran goes on to its end, and
    nothing new begins. who: the name of a user, `console` or `wow-web`."""

    __slots__ = ("since", "until", "finish", "who")

    def __init__(self, since: int, until: int | None, finish: bool, who: str) -> None:
        self.since, self.until, self.finish, self.who = since, until, finish, who


def facts(pause: Pause | None) -> dict[str, object] | None:
    """For programs."""
    return None if pause is None else {"since": pause.since, "until": pause.until, "finish": pause.finish, "who": pause.who}


class Clock:
    """What the time is: wall in seconds since 1970, uptime in seconds since the boot that has this id."""

    __slots__ = ("wall", "uptime", "boot")

    def __init__(self, wall: float, uptime: float, boot: str) -> None:
        self.wall, self.uptime, self.boot = int(wall), int(uptime), boot


class Kept:
    """A pause as the file has it. boot, uptime: in which boot of the machine, and so many seconds after its begin, `since` was; that is less than 0 for a pause
    that is older than the boot."""

    __slots__ = ("pause", "boot", "uptime")

    def __init__(self, pause: Pause, boot: str, uptime: int) -> None:
        self.pause, self.boot, self.uptime = pause, boot, uptime

    def passed(self, clock: Clock) -> int:
        """For how many seconds the pause has lasted."""
        by_wall = clock.wall - self.pause.since
        if clock.boot != self.boot:
            return max(by_wall, clock.uptime)
        by_boot = max(0, clock.uptime - self.uptime)
        return by_wall if moments.is_sleep(by_boot, by_wall) else by_boot

    def is_settled(self, clock: Clock) -> bool:
        """Whether the pause may end now."""
        return clock.boot == self.boot or clock.uptime >= SETTLED

    def has_ended(self, clock: Clock) -> bool:
        """Whether its time is over."""
        return self.pause.until is not None and self.is_settled(clock) and self.passed(clock) >= self.pause.until - self.pause.since

    def shifted(self, clock: Clock) -> "Kept":
        """The same pause by the clock as it is now and by this boot."""
        was, passed = self.pause, self.passed(clock)
        if was.until is not None and not self.is_settled(clock):
            passed = min(passed, was.until - was.since - 1)
        until = None if was.until is None else clock.wall - passed + was.until - was.since
        return Kept(Pause(clock.wall - passed, until, was.finish, was.who), clock.boot, clock.uptime - passed)


def now() -> Clock:
    """What the machine's clocks say."""
    return Clock(time.time(), time.clock_gettime(time.CLOCK_BOOTTIME), files.read("/proc/sys/kernel/random/boot_id").strip())


def read(clock: Clock | None = None) -> Pause | None:
    """The pause that holds now; None where there is none, its time is over, or its file is no good, which wow-jobs and `wow doctor` tell."""
    try:
        kept = load()
    except WowError:
        return None
    if kept is None:
        return None
    clock = clock or now()
    return None if kept.has_ended(clock) else kept.shifted(clock).pause


def load() -> Kept | None:
    """What the file has, None where there is none; WowError if it is no good."""
    found = from_file(SPARE, _bad)
    if found is None:
        found = from_file(FILE, _bad)
    elif found == OVER:
        return None
    if found is None:
        return None
    if set(found) != set(FIELDS) or not all(type(found[name]) in types for name, types in FIELDS.items()):
        raise _bad("is not as this program writes it")
    if not _is_sound(found):
        raise _bad("holds what cannot be")
    return Kept(Pause(found["since"], found["until"], found["finish"], found["who"]), found["boot"], found["uptime"])


def from_file(path: str, bad: "Callable[[str], WowError]") -> "dict[str, Any] | None":
    """What a small file of JSON has, None where there is none. bad: makes of the words for it what is raised if it is no good."""
    import json
    try:
        with open(path, "rb") as file:
            found = json.loads(file.read(LARGEST))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise bad(f"cannot be read ({str(error)[:100]})") from None
    if not isinstance(found, dict):
        raise bad("is not as this program writes it")
    return found


def _is_sound(found: "dict[str, Any]") -> bool:
    since, until = found["since"], found["until"]
    return (-LAST <= since < LAST and (until is None or 0 < until - since <= LONGEST) and -LAST <= found["uptime"] < LAST
            and is_name(found["who"]) and 0 < len(found["boot"]) <= 64 and found["boot"].isascii() and found["boot"].isprintable())


def is_name(text: str) -> bool:
    """Whether it can be who paused the machine."""
    return 0 < len(text) <= 32 and not set(text) - LETTERS


def _bad(what: str) -> WowError:
    return WowError(f"{what}, so the machine is not paused by it", "Type `wow resume` to remove it, or pause again", FILE, code="pause-unreadable")


def alone() -> "BinaryIO":
    """Waits until nobody else changes the pause; nobody does until what this returns is closed. OSError: the lock's file cannot be made."""
    import fcntl
    # Whoever may open it may keep everybody waiting.
    file = os.fdopen(os.open(LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600), "rb")
    fcntl.flock(file, fcntl.LOCK_EX)
    return file


def keep(kept: Kept) -> None:
    """Writes the file as a whole; `sync` has it outlive a power cut. OSError says why it cannot; the spare one has it then, if that can be written."""
    import json
    pause = kept.pause
    text = json.dumps({"since": pause.since, "until": pause.until, "finish": pause.finish, "who": pause.who, "boot": kept.boot, "uptime": kept.uptime}) + "\n"
    try:
        files.write(FILE, text)
    except OSError:
        files.write(SPARE, text)
        raise
    _remove(SPARE)


def forget() -> bool:
    """Removes the file, and the spare one; True if there was a file, whose end `sync` has outlive a power cut. OSError: it cannot be removed; the spare one says then
    that no pause holds, until the machine starts anew."""
    import json
    # A home that takes no change says so of a name that is not there, too.
    is_there = os.path.lexists(FILE)
    if is_there:
        try:
            _remove(FILE)
        except OSError:
            files.write(SPARE, json.dumps(OVER) + "\n")
            raise
    _remove(SPARE)
    return is_there


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def sync() -> None:
    """What was written or removed stays so from now on."""
    for place, flags in ((FILE, os.O_RDONLY), (os.path.dirname(FILE), os.O_RDONLY | os.O_DIRECTORY)):
        try:
            descriptor = os.open(place, flags)
        except FileNotFoundError:
            continue
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
