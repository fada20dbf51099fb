"""What holds for the machine's screen: its key map and its password. The owner's word is kept in two small files beside that of the pause, which stay when the image is
replaced; where the owner says nothing, pool.conf's counts."""
import os

from wow.lib import files, paths
from wow.pause import state as pauses
from wow.screen import keyboard, password

KEYBOARD = f"{pauses.FOLDER}/keyboard"
"""The name of the layout that the owner chose."""
PASSWORD = f"{pauses.FOLDER}/password"
"""The hash of the password that the owner set; root's alone."""
COUNTS = f"{paths.RUN}/keyboard"
"""The name of the layout that counts in this start."""
LOCK = f"{paths.RUN}/lock"
"""The hash that the screen's password must give; where it is not there the screen's keys are anybody's."""
UNLOCKED = "wow.screen=unlocked"
"""The kernel's word for a start without the password (GRUB's menu)."""


def line(path: str) -> str:
    """What such a file says, empty where there is none or it is no good."""
    try:
        with open(path, encoding="ascii") as file:
            return file.readline(password.LONGEST_HASH).strip()
    except (OSError, ValueError):
        return ""


def keep(path: str, text: str) -> None:
    """Keeps the owner's word, or forgets it where that is empty; it outlives a power cut. OSError says why it cannot."""
    if text:
        files.write(path, f"{text}\n", 0o600 if path == PASSWORD else 0o644, sync=True)
    else:
        _forget(path)


def _forget(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    files.sync_folder(path)


def count(pools_keyboard: str, pools_password: str, is_open: bool = False) -> None:
    """Has the owner's word count, else pool.conf's, which is given. is_open: without a password, whatever they say. OSError: /run is full."""
    files.write(COUNTS, f"{line(KEYBOARD) or pools_keyboard or keyboard.USUAL}\n")
    wanted = "" if is_open else line(PASSWORD) or pools_password
    if wanted:
        files.write(LOCK, f"{wanted}\n", 0o600)
    else:
        _forget(LOCK)


def is_locked() -> bool:
    """Whether the screen asks for a password."""
    return os.path.exists(LOCK)


def is_unlocked_start(words: str = "/proc/cmdline") -> bool:
    """Whether this start is one without the password."""
    return UNLOCKED in (files.find(words) or "").split()
