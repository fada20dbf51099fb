"""Machines that the pool's administrator gives no more jobs (`wow pool drain`), as the pool's CA signed it in a notice of kind 8. A machine that is one of them takes
none itself, too: who has it claimed already does not ask the negotiator for the next job."""
import os

from wow.lib import agreed, notice, paths
from wow.pause.state import Pause

FILE = f"{paths.STATE}/notice-8"
WHO = "wow-drained"
"""Stands where a pause has the name of who asked for it."""
REASON = "the pool's administrator gives it no jobs"
"""In the machine's ad."""
LETTERS, LONGEST = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-"), 63
"""What a name has, and how many of them at most."""


def read(path: str = "") -> dict[str, int]:
    """{machine: since when, Unix seconds}; none where no notice is here, and where what is there is none."""
    try:
        with open(path or FILE, "rb") as file:
            _, text = notice.opened(file.read(notice.LARGEST), agreed.DRAINED_NOTICE)
    except (OSError, ValueError):
        return {}
    # By \n alone: splitlines knows other ends of a line.
    first, *lines = text.decode("latin-1").split("\n")
    if first != agreed.DRAINED_HEAD or not lines or lines.pop() or len(lines) > agreed.MOST_DRAINED:
        return {}
    found = {}
    for line in lines:
        host, _, since = line.partition(" ")
        if not (0 < len(host) <= LONGEST and LETTERS.issuperset(host) and since.isascii() and since.isdigit() and 0 < int(since[:11]) <= agreed.LATEST_RESTART):
            return {}
        found[host] = int(since)
    return found


def pause() -> Pause | None:
    """What follows for this machine: jobs go on to their end, and no other begins."""
    since = read().get(os.uname().nodename)
    return None if since is None else Pause(since, None, True, WHO)
