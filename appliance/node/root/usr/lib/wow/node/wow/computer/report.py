"""What the owner's computer tells of itself: the fields of a form, as one line that is pasted there sends them each minute, and the file in which the web page keeps
the newest."""
import os
import stat

from wow.lib.errors import WowError
from wow.lib.whole import is_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Mapping

FILE = "/run/wow-web/computer.json"
"""The web page's account writes it."""
LARGEST = 4096
FRESH = 300
"""Seconds for which a report counts: five are missing then, and the computer may be gone."""
LAST = 100_000_000
"""Seconds of which nobody has sat idle."""
MOST = 1 << 40
"""No number of a file is larger."""
FIELDS = ("token", "idle", "power", "charge")
POWER = {"": None, "unknown": None, "battery": True, "offline": True, "mains": False, "online": False}
"""Whether the computer runs on battery, as it is said; Windows says Offline and Online."""


class Report:
    """when: seconds since this machine started. idle: seconds since somebody used the computer; battery: whether it runs on one; charge: percent; each None where it
    does not say."""

    __slots__ = ("when", "idle", "battery", "charge")

    def __init__(self, when: float, idle: int | None, battery: bool | None, charge: int | None) -> None:
        self.when, self.idle, self.battery, self.charge = when, idle, battery, charge

    def facts(self) -> "dict[str, Any]":
        """For a file, and for programs."""
        return {"when": round(self.when), "idle": self.idle, "battery": self.battery, "charge": self.charge}

    def age(self, now: float) -> float | None:
        """For how many seconds it has been there; None for one that counts no more."""
        passed = max(0.0, now - self.when)
        return passed if passed <= FRESH else None


def read(fields: "Mapping[str, str]", now: float) -> Report:
    """The report of a form; WowError says what is wrong with it."""
    if unknown := set(fields) - set(FIELDS):
        raise WowError(f"there is no field {sorted(unknown)[0][:20]}", f"Send {', '.join(FIELDS)}")
    power = fields.get("power", "").strip().lower()
    if power not in POWER:
        raise WowError("power is none of battery, mains, and nothing", "Paste the line anew that the page shows")
    found = Report(now, _number(fields, "idle", LAST), POWER[power], _number(fields, "charge", 100))
    if found.idle is None and found.battery is None:
        raise WowError("neither idle nor power is said", "Say one of them")
    return found


def _number(fields: "Mapping[str, str]", name: str, most: int) -> int | None:
    text = fields.get(name, "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text) <= most):
        raise WowError(f"{name} is no whole number from 0 to {most}", "Paste the line anew that the page shows")
    return int(text)


def made(found: object) -> Report | None:
    """The report of a file's facts; None for what is none."""
    if not isinstance(found, dict) or set(found) != {"when", "idle", "battery", "charge"}:
        return None
    if not is_whole(found["when"], 0, MOST) or not all(found[name] is None or is_whole(found[name], 0, MOST) for name in ("idle", "charge")):
        return None
    if found["battery"] not in (None, True, False):
        return None
    return Report(found["when"], found["idle"], found["battery"], found["charge"])


def kept(path: str = FILE) -> "dict[str, Any]":
    """What the file has, empty where there is none or it is no good. Its writer has no right of its own: whatever it left there does not stop who reads."""
    import json
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return {}
    try:
        found = json.loads(os.read(descriptor, LARGEST)) if stat.S_ISREG(os.fstat(descriptor).st_mode) else {}
    except (OSError, ValueError, RecursionError):
        found = {}
    finally:
        os.close(descriptor)
    return found if isinstance(found, dict) else {}
