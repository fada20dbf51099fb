"""What the agent does for `wow screen`, and for who types the password at the screen."""
import os

from wow.agent import allowed
from wow.lib import paths, system
from wow.lib.errors import WowError
from wow.screen import keyboard, password, state

NONE = "none"
UNIT = "wow-keyboard.service"
CONF = f"{paths.RUN}/pool.conf"


def screen(fields: dict[str, str], _: int) -> None:
    """Keeps what is named, and has it count at once."""
    wanted = {}
    try:
        if (name := fields.get("keyboard")) is not None:
            if name != NONE:
                keyboard.must_know(name)
            wanted[state.KEYBOARD] = "" if name == NONE else name
        if (text := fields.get("password")) is not None:
            if text != NONE:
                password.must_be_one(text)
            wanted[state.PASSWORD] = "" if text == NONE else password.digest(text)
        if not wanted:
            raise WowError("nothing is said", "Give keyboard or password")
    except WowError as error:
        error.code = allowed.BAD_REQUEST
        raise
    try:
        for path, kept in wanted.items():
            state.keep(path, kept)
        # Whoever started the machine without the password has it so until another one is set.
        state.count(*pools(), state.PASSWORD not in wanted and state.is_unlocked_start())
    except OSError as error:
        raise WowError(f"{error.filename or state.KEYBOARD} cannot be written: {error.strerror}", "Make room in /home", code=allowed.FAILED) from None
    if state.KEYBOARD in wanted:
        system.must(["systemctl", "restart", "--no-block", UNIT], todo=f"Look with: systemctl status {UNIT}", timeout=10.0)


def pools() -> tuple[str, str]:
    """The keyboard and the password of pool.conf, empty where it has none."""
    if not os.path.exists(CONF):
        return "", ""
    # Here, for it is large, and the agent starts often and mostly for something else.
    from wow.config import poolconf
    values = poolconf.load(CONF).values
    return values["node", "keyboard"], values["node", "console-password"]


def unlock(fields: dict[str, str], _: int) -> None:
    """WowError if that is not the screen's password. The page on the screen asks, before it takes a key."""
    state.must_have_password()
    if state.is_locked() and not password.is_it(fields.get("password", "")[:password.MOST + 1], state.line(state.LOCK)):
        raise WowError("that is not the password", "Try again", code=allowed.NOT_PERMITTED)


def main() -> int:
    """wow-keyboard.service: has the kernel take the key map that counts. Exit code."""
    try:
        keyboard.take(state.line(state.COUNTS) or keyboard.USUAL)
    except WowError as error:
        print(error, flush=True)
        return 1
    return 0
