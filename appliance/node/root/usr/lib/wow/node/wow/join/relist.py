"""What follows from a new list of managers: whom HTCondor tells of this machine, its own names, where the CA is served."""
import time

from wow.condor import managers, reread
from wow.config import facts, names
from wow.join import member
from wow.lib import console, control, paths
from wow.lib.errors import WowError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable


def main() -> int:
    """Exit code; `watch` starts it when there is a new list, and again where it failed."""
    wrong: list[WowError] = []
    try:
        pool, status = facts.read(), control.status()
        if address := status["address"]:
            host = status["host"] or names.default_host(address)
            # None waits for another: the CA is served where it is even if a file cannot be written.
            for step in (lambda: managers.tell(pool, status, host), reread.tried, lambda: member.follow(pool, status, address)):
                attempt(step, wrong)
            managers.taken_off(pool, status, host)
            managers.tell_ahead(time.time())
    except WowError as error:
        wrong.append(error)
    console.say_change(f"{paths.RUN}/managers.error", wrong[0] if wrong else None)
    return 1 if wrong else 0


def attempt(step: "Callable[[], None]", wrong: list[WowError]) -> None:
    """Does one step; what keeps it is added to what is wrong."""
    try:
        step()
    except WowError as error:
        wrong.append(error)
    except OSError as error:
        wrong.append(WowError(error.strerror or str(error), "It is tried again by itself", str(error.filename or "")))
