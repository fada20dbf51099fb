"""wow-reset and wow-leave: have the machine forget who it was; then it starts again, or is switched off. The agent starts these when somebody asked for it."""
import os

from wow.lib import console, paths, system
from wow.lib.errors import WowError
from wow.setup import forget as forgetting
from wow.setup import former
from wow.setup.forget import wipe
from wow.stack import bring, kept
from wow.stack.systems import ARMED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

USES = ("wow-join.service", "wow-stack.service", "wow-system.service", "wow-jobs.service", "condor.service", "strongswan.service", "wow-ca.service", "ipopd.service")
"""What holds on to the identity, or writes into the state folder by itself."""


def main() -> int:
    """wow-reset. Exit code."""
    return forget("starting again", "reboot", lambda: None)


def leave() -> int:
    """wow-leave. Exit code. HTCondor's own stop gives jobs their time for a checkpoint and carries to their queues what they wrote. What the machine was configured with
    is not taken again by itself."""
    return forget("switching off", "poweroff", former.leave)


def forget(then: str, verb: str, before: "Callable[[], None]") -> int:
    """Exit code. then: what the console says of what comes; verb: systemctl's word for it; before: what is done first."""
    system.systemctl("stop", *USES)
    try:
        before()
        wipe(paths.STATE)
        if os.path.exists(ARMED) or kept.of_start(kept.SAID).get("trial"):
            # Without a notice it has GRUB try no other system: nobody is there yet for whom a trial could be good.
            system.systemctl("start", bring.REPLACER)
        forgetting.end(paths.STATE, kept.HOME)
    except OSError as error:
        console.say_error(WowError(f"the machine has not forgotten its pool: {error.strerror}", "The disk is failing. Start the machine again: it goes on with that. To "
                                   "be sure, give the machine another disk for its home", str(error.filename or paths.STATE)))
        return 1
    console.say("config", reset="done", next=then)
    system.systemctl(verb, "--no-block")
    return 0
