"""What holds for the machine's screen: its key map and its password. The owner's word is kept in two small files beside that of the pause, which stay when the image is
replaced; where the owner says nothing, pool.conf's counts."""
import os

from wow.lib import files, paths
from wow.lib.errors import WowError
from wow.pause import state as pauses
from wow.screen import keyboard, password

KEYBOARD = f"{pauses.FOLDER}/keyboard"
"""The name of the layout that the owner chose."""
PASSWORD = f"{pauses.FOLDER}/password"
"""The hash of the password that the owner set; root's alone."""
COUNTS = f"{paths.RUN}/keyboard"
"""The name of the layout that counts in this start."""
LOCK = f"{paths.RUN}/lock"
"""The hash that the screen's password must give, empty where no password does; where it is not there the screen's keys are anybody's."""
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
    """Has the owner's word count, else pool.conf's, which is given. is_open: without a password, whatever they say. An owner's password whose file is no good is none
    that anybody can type. OSError: /run is full."""
    files.write(COUNTS, f"{line(KEYBOARD) or pools_keyboard or keyboard.USUAL}\n")
    is_own = os.path.lexists(PASSWORD)
    wanted = line(PASSWORD) if is_own else pools_password
    if is_open or not (wanted or is_own):
        _forget(LOCK)
    else:
        files.write(LOCK, "" if is_own and not password.is_hash(wanted) else f"{wanted}\n", 0o600)


def is_locked() -> bool:
    """Whether the screen asks for a password."""
    return os.path.exists(LOCK)


def must_have_password() -> None:
    """WowError where the screen asks for one that nobody has any more."""
    try:
        is_lost = os.stat(LOCK).st_size == 0
    except FileNotFoundError:
        return
    if is_lost:
        raise WowError("cannot be read as a password, so the screen takes no key", "Set another one on the web page, or by `wow screen password`", PASSWORD)


def is_unlocked_start(words: str = "/proc/cmdline") -> bool:
    """Whether this start is one without the password."""
    return UNLOCKED in (files.find(words) or "").split()
