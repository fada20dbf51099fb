"""
What an earlier job left of a slot's account. HTCondor ends what is in the job's control group, and a job does not get out of that; what its starter itself began
beside it was no part of it (condor/drop_in.py). The next job of the slot has the same account, so nothing of that may be there when it comes. Nor may keys, which
the kernel keeps by account, whatever has ended (keyrings(7)): what a job left there the next one could read, or find no room for its own.
"""
import posix  # as in libc.py

from wow.lib import libc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

EVERYBODY, SIGKILL = -1, 9
KEYCTL = {"aarch64": 219}.get(posix.uname().machine, 250)
CLEAR, GET_PERSISTENT = 7, 22
OWN, OF_PROCESS, OF_ACCOUNT, OF_ITS_SESSION = -1, -2, -4, -5
"""An account, and keyrings (keyctl(2))."""


def end(account: int) -> None:
    """Kills all processes of an account, by its number, and takes its keys away. The kernel looks for them (kill(2), -1), so none that is made meanwhile escapes."""
    child = posix.fork()
    if not child:
        _end(account)
    posix.waitpid(child, 0)


def _end(account: int) -> "NoReturn":
    try:
        posix.setuid(account)
        _kill()
        for keyring in (OF_ACCOUNT, OF_ITS_SESSION, _keyctl(GET_PERSISTENT, OWN, OF_PROCESS)):
            _keyctl(CLEAR, keyring)
    finally:
        posix._exit(0)  # pylint: disable=protected-access  # it is public; a copy of this process must do nothing else


def _kill() -> None:
    try:
        posix.kill(EVERYBODY, SIGKILL)
    except OSError:
        pass  # there is none


def _keyctl(*arguments: int) -> int:
    """A keyring's number, or 0, which is none's."""
    try:
        return libc.call("syscall", KEYCTL, *arguments)
    except OSError:
        return 0
