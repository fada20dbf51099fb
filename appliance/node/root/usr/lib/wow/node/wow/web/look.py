"""What the web page shows: what is known on this machine without asking HTCondor, which takes seconds. What cannot be asked is named, and the rest is shown."""
import os
import time

from wow.config import facts as pools
from wow.lib import control
from wow.lib.errors import WowError
from wow.page import doctor, keeper, text
from wow.slots import uses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.config.facts import Facts as Pool
    from wow.slots.uses import Use

PATIENCE = 3.0
"""Seconds for ipopd to answer."""


class Seen:
    """What was found. troubles: what is wrong with finding out; uses: by a slot's account."""

    __slots__ = ("pool", "facts", "uses", "troubles")

    def __init__(self, pool: "Pool | None", facts: text.Facts, used: "dict[int, Use]", troubles: list[str]) -> None:
        self.pool, self.facts, self.uses, self.troubles = pool, facts, used, troubles


def look() -> Seen:
    """Looks."""
    troubles: list[str] = []
    try:
        pool: Pool | None = pools.read()
    except (OSError, ValueError, KeyError):
        pool = None
        troubles.append("This machine has no configuration yet. Its screen says why.")
    facts = text.Facts(time.time(), pool.name if pool else "", pool.role if pool else "")
    try:
        facts.status = control.status(timeout=PATIENCE)
    except WowError as error:
        facts.trouble = error.what
        troubles.append(f"The pool's network, ipopd, does not answer, so addresses are not shown: {error}")
    keeper.look(facts)
    if not facts.agent:
        troubles.append("wow-agent does not listen; the buttons do nothing. Start the machine again.")
    facts.findings = doctor.read(doctor.OUT)
    try:
        facts.looked = os.stat(doctor.OUT).st_mtime
    except OSError:
        facts.findings = None
    return Seen(pool, facts, uses.look(), troubles)
