"""
What an earlier job left of a slot's account. HTCondor ends what is in the job's control group, and a job does not get out of that; what its starter itself began
beside it was no part of it (condor/drop_in.py). The next job of the slot has the same account, so nothing of that may be there when it comes.
"""
import posix  # as in libc.py

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

EVERYBODY, SIGKILL = -1, 9


def end(account: int) -> None:
    """Kills all processes of an account, by its number. The kernel looks for them (kill(2), -1), so none that is made meanwhile escapes."""
    child = posix.fork()
    if not child:
        _kill(account)
    posix.waitpid(child, 0)


def _kill(account: int) -> "NoReturn":
    try:
        posix.setuid(account)
        posix.kill(EVERYBODY, SIGKILL)
    except OSError:
        pass  # there is none
    finally:
        posix._exit(0)  # pylint: disable=protected-access  # it is public; a copy of this process must do nothing else
