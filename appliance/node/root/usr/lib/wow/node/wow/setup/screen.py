"""The machine's screen: whether it shows the page or a login ([node] console), where the kernel's lines go meanwhile, which key map it has, and whether it asks for
a password."""
import fcntl
import os

from wow.lib import files, paths
from wow.lib.errors import WowError
from wow.screen import keyboard, state

PAGE, LOGIN = "page", "login"
CHOSEN = f"{paths.RUN}/login"
"""Is there where a login was chosen: the units of the page and of the login go by it."""
SCREENS = "/dev/tty0"
LINES = 12
"""The screen that has the kernel's lines while the first one has the page; Alt-F12 shows it."""
TIOCLINUX, TIOCL_SETKMSGREDIRECT = 0x541C, 11  # ioctl_console(2)


def choose(wanted: str) -> None:
    """Has the units show what was chosen."""
    if wanted == LOGIN:
        files.write(CHOSEN, "")
    else:
        keep_lines_away()


def hand(keys: str, password: str) -> list[WowError]:
    """Has the screen have its key map and its password: the owner's, else pool.conf's, which are given. What is wrong with the key map, which then is the usual one, and
    with the password. OSError: /run is full."""
    state.count(keys, password, state.is_unlocked_start())
    chosen, found = state.line(state.COUNTS), []
    try:
        keyboard.take(chosen)
    except WowError as error:
        if chosen == state.line(state.KEYBOARD):
            error.file = state.KEYBOARD
        else:
            error.file, error.key = "pool.conf", "[node] keyboard"
        found.append(error)
    try:
        state.must_have_password()
    except WowError as error:
        found.append(error)
    return found


def keep_lines_away(screens: str = SCREENS, lines: str = f"/dev/tty{LINES}") -> None:
    """Has the kernel write its lines to another screen than the one that is looked at. Serial port and journal have them as before. A machine without screens has
    nothing to keep free."""
    try:
        # A screen is there once it was opened, and stays.
        os.close(os.open(lines, os.O_WRONLY | os.O_NOCTTY))
        descriptor = os.open(screens, os.O_WRONLY | os.O_NOCTTY)
        try:
            fcntl.ioctl(descriptor, TIOCLINUX, bytes((TIOCL_SETKMSGREDIRECT, LINES)))
        finally:
            os.close(descriptor)
    except OSError:
        pass
