"""Has the machine start again in another mode, for that one start. Whatever would keep the initrd from it is refused here, while somebody can still read why."""
import json
import os

from wow.agent import allowed
from wow.config import facts
from wow.lib import base, files, modes, paths, system
from wow.lib.errors import WowError

FILE = f"{paths.STATE}/boot/next"
"""What the initrd takes, once: MODE, and of develop NAME and perhaps OVER."""
WORKS = "/run/layers/home/modules"
AUTHORITY = paths.AUTHORITY
OVER = "over"
ROOM = 64 << 20
"""Bytes that must be free in home before a module is worked on. The initrd (modes.sh) wants as much."""


def boot(fields: dict[str, str], _: int) -> None:
    """Notes the mode, then starts the machine again, in order."""
    mode, name = fields.get("mode", modes.RELEASE), fields.get("module", "")
    if mode not in modes.MODES:
        raise WowError(f'"{mode[:40]}" is no mode', f"Use one of {', '.join(modes.MODES)}", code=allowed.BAD_REQUEST)
    if bool(name) != (mode == modes.DEVELOP) or fields.get("over", "yes") != "yes" or ("over" in fields and not name):
        raise WowError("a module goes with develop, and with nothing else", "Ask for develop and a module, or for another mode alone", code=allowed.BAD_REQUEST)
    if modes.read()[0] == modes.EPHEMERAL and mode != modes.RELEASE:
        raise WowError("this start keeps nothing, not even what is asked of the next one", "Use `wow boot release` first", code=allowed.NOT_HERE)
    if mode == modes.EPHEMERAL and os.path.isdir(AUTHORITY):
        raise WowError("this machine has the pool's certificate authority, and would forget whom it admitted in such a start", "Use another machine",
                       code=allowed.NOT_HERE)
    words = [mode]
    if mode == modes.DEVELOP:
        words += [name, *refuse(name, "over" in fields)]
    files.write(FILE, " ".join(words) + "\n", 0o600, sync=True)
    system.must(["systemctl", "reboot", "--no-block"], todo="Look with: systemctl list-jobs", timeout=10.0)


def refuse(name: str, is_over: bool) -> list[str]:
    """WowError for what keeps this module from being developed here; else the words that the initrd needs beside its name."""
    if not modes.is_name(name):
        raise WowError(f'"{name[:40]}" is no name of a module', "Use 1 to 32 of a-z, 0-9 and hyphens, none of them at an end", code=allowed.BAD_REQUEST)
    if name in modes.TAKEN:
        raise WowError(f"{name} is a layer that every image has", "Take another name for the module", code=allowed.BAD_REQUEST)
    if os.path.exists(facts.FILE) and facts.read().is_manager:
        raise WowError("this machine is a manager of its pool, and on a manager no module is developed", "Develop it on a worker", code=allowed.NOT_HERE)
    status = os.statvfs(paths.STATE)
    if status.f_bavail * status.f_frsize < ROOM:
        raise WowError(f"less than {ROOM >> 20} MiB are free in /home", "Free some room there (df -h /home), or make the disk larger", "/home", code=allowed.NOT_HERE)
    begun, own = begun_over(name), base.below()
    if begun is None or own is None or begun == own["sha256"]:
        return []
    if not is_over:
        raise WowError(f"{name} was begun over another base than this one, which is of {own['date']}; nothing was changed",
                       f"Publish what is there with the image of before, or go on over this base: wow module develop {name} --{OVER}", code=allowed.NOT_HERE)
    return [OVER]


def begun_over(name: str) -> str | None:
    """The base that a module in work was begun over, "" where that cannot be read; None where it is not in work."""
    text = files.find(f"{WORKS}/{name}/about.json")
    if text is None:
        return None
    try:
        return str(json.loads(text)["base"]["sha256"])
    except (ValueError, KeyError, TypeError):
        return ""
