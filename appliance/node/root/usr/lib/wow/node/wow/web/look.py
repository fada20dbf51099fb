"""What the web page shows: what is known on this machine without asking HTCondor, which takes seconds. What cannot be asked is named, and the rest is shown."""
import os
import re
import time

from wow.config import facts as pools
from wow.lib import control, files, paths
from wow.lib.errors import WowError
from wow.limits import holding
from wow.limits import state as limits
from wow.limits import words as lent
from wow.page import doctor, keeper, text
from wow.pause import freeze
from wow.slots import running

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.config.facts import Facts as Pool

PATIENCE = 3.0
"""Seconds for ipopd to answer."""
SLOT = re.compile(r"slot1_([0-9]{1,3})(?![0-9])")
"""In the name of a slot's control group."""


class Use:
    """What a job has taken: seconds of a processor, bytes of memory; None where it is not known."""

    __slots__ = ("processor", "memory")

    def __init__(self, processor: float | None, memory: int | None) -> None:
        self.processor, self.memory = processor, memory


class Seen:
    """What was found. troubles: what is wrong with finding out; uses: by a slot's account."""

    __slots__ = ("pool", "facts", "uses", "troubles")

    def __init__(self, pool: "Pool | None", facts: text.Facts, used: dict[int, Use], troubles: list[str]) -> None:
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
    facts.condor, facts.agent = os.path.isdir(keeper.CONDOR), os.path.exists(paths.AGENT)
    if not facts.agent:
        troubles.append("wow-agent does not listen, so the buttons do nothing. See: systemctl status wow-agent.socket")
    facts.pause, facts.jobs, facts.limits = holding.read(), running.look(), lent.sentence(limits.read())
    facts.findings = doctor.read(doctor.OUT)
    try:
        facts.looked = os.stat(doctor.OUT).st_mtime
    except OSError:
        facts.findings = None
    return Seen(pool, facts, uses(), troubles)


def uses() -> dict[int, Use]:
    """What the jobs of each slot's account have taken, as the kernel counts it."""
    found = {}
    for group in freeze.slots():
        if slot := SLOT.search(os.path.basename(group)):
            found[paths.FIRST_JOB_UID + int(slot[1]) - 1] = Use(_processor(f"{group}/cpu.stat"), _number(f"{group}/memory.current"))
    return found


def _processor(path: str) -> float | None:
    words = _text(path).split()
    try:
        return int(words[words.index("usage_usec") + 1]) / 1e6
    except (ValueError, IndexError):
        return None


def _number(path: str) -> int | None:
    said = _text(path).strip()
    return int(said) if said.isdigit() else None


def _text(path: str) -> str:
    try:
        return files.read(path)
    except OSError:
        return ""
