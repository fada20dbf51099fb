"""wow reset"""
import sys

import asking
import dispatch
from errors import WowError

USAGE = "wow reset [--yes]"
SUMMARY = "forgets this machine's identity (key, certificate, accepted pool.conf, queued jobs) and starts it again; /home stays"


def run(arguments):
    """Asks the person, then asks root."""
    found, words = dispatch.options(arguments, ("--yes",))
    dispatch.no_words(words)
    if "--yes" not in found and not agreed():
        raise WowError("nothing was changed", "Type yes when asked, or use --yes")
    asking.ask("reset", "yes")
    print("This machine forgets who it was and starts again. Without the disk WOWCFG it then waits for a pool.conf.")


def agreed(lines=None):
    """Whether the person at the terminal says yes."""
    print("This ends this machine's membership: its key, certificate, address and queued jobs are lost. Files in /home stay.")
    print("Type yes to go on: ", end="", flush=True)
    return (lines or sys.stdin).readline().strip() == "yes"
