"""What the owner chose about the computer that this machine is a guest of: a small file beside that of the pause, written as a whole. A bad one is as none."""
from wow.lib import files
from wow.lib.errors import WowError
from wow.lib.whole import is_whole
from wow.pause import state as pauses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FILE = f"{pauses.FOLDER}/computer.json"
NAMES = ("battery", "used", "busy", "restart")
LONGEST_USED = 1440
"""Minutes."""


class Settings:
    """battery, busy: whether jobs stand still while the computer runs on battery, or is busy. used: and until nobody has used it for so many minutes, None for however
    much it is used. restart: whether the machine may start again by itself for new modules (stack/restart.py). token: the hash of what a computer proves itself by that
    tells of itself, empty where none may."""

    __slots__ = ("battery", "used", "busy", "restart", "token")

    def __init__(self, battery: bool = True, used: int | None = None, busy: bool = False, token: str = "", restart: bool = True) -> None:
        self.battery, self.used, self.busy, self.token, self.restart = battery, used, busy, token, restart

    def chosen(self) -> dict[str, bool | int | None]:
        """Without the token, for programs."""
        return {"battery": self.battery, "used": self.used, "busy": self.busy, "restart": self.restart}


def read() -> Settings:
    """What holds: what nobody chose where the file is no good, which wow-jobs and `wow computer` tell."""
    try:
        return load()
    except WowError:
        return Settings()


def load() -> Settings:
    """What the file has; WowError if it is no good."""
    found = pauses.from_file(FILE, _bad)
    if found is None:
        return Settings()
    if set(found) != {*NAMES, "token"} or not _is_sound(found):
        raise _bad("is not as this program writes it")
    return Settings(found["battery"], found["used"], found["busy"], found["token"], found["restart"])


def _is_sound(found: "dict[str, Any]") -> bool:
    used, token = found["used"], found["token"]
    if not all(isinstance(found[name], bool) for name in ("battery", "busy", "restart")) or not (used is None or is_whole(used, 1, LONGEST_USED)):
        return False
    return isinstance(token, str) and len(token) in (0, 64) and not set(token) - set("0123456789abcdef")


def _bad(what: str) -> WowError:
    return WowError(f"{what}, so jobs stand still on battery alone, and no computer is heard", "Type `wow computer forget`, and choose again", FILE)


def keep(settings: Settings) -> None:
    """Writes the file as a whole, so that it outlives a power cut. OSError says why it cannot."""
    import json
    files.write(FILE, json.dumps({**settings.chosen(), "token": settings.token}) + "\n", sync=True)
