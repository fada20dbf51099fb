"""Gathers what doctor/diagnose_condor.py decides from: what the pool's manager has of this machine, and what its own queue holds."""
import os
import time

from wow.condor import collector, managers
from wow.config import facts as pool_facts
from wow.lib import errors, paths, system
from wow.lib.errors import WowError
from wow.limits import words as lent
from wow.refuse import state as refused
from wow.slots import quota
from wow.stops import holding, tell, words
from wow.why import classads, gather
from wow.why.classads import number, source, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.doctor.gathered import Condor, Disk, Slots
    from wow.lib.answers import Status
    from wow.why.classads import Ad

EXECUTE = f"{paths.STATE}/execute"
UNIT = "condor.service"
PATIENCE = 20.0
"""Seconds that a question may take."""
OWN = '(Machine == "{name}" && (MyType != "Machine" || SlotType =!= "Dynamic")) || MyType == "Negotiator"'
"""This machine's ads, and the negotiator's, which may run on another manager."""
MOST_HELD = 1000


def condor(status: "Status | None", services: "dict[str, str | None]") -> "Condor | None":
    """The facts; None where HTCondor does not run or may not yet."""
    if not status or not status["address"] or not (status["certified"] or status["open"]) or services.get(UNIT, "inactive") not in ("active", None):
        return None
    try:
        pool, name = pool_facts.read(), gather.own_name()
        is_manager = pool.is_manager
        code, said = collector.ask(["-any", "-long:new", "-constraint", OWN.format(name=name)], PATIENCE)
        ads = classads.parse(said) if code == 0 else None
        own = [ad for ad in ads or [] if text(ad, "Machine") == name]
        return {
            "name": name, "is_manager": is_manager, "is_listed": managers.is_listed(pool, status, name.partition(".")[0]),
            "managers": len(managers.listed(pool, status)), "answers": ads is not None, "slots": slots(own, time.time()),
            "queue": bool(gather.of_type(own, "Scheduler")), "negotiator": negotiator(ads or []),
            "clock_s": clock(own), "held": None if is_manager else held(), "disk": disk(pool.has_slots),
            "paused": paused(), "pause_trouble": words.trouble(), "limits_trouble": lent.trouble(),
            "refused_trouble": errors.trouble(refused.load)}
    except (WowError, OSError, ValueError):
        return None


def negotiator(ads: "list[Ad]") -> str | None:
    """The machine of the negotiator that was heard last; None if none was. The ad of one that ran on another manager before may be there, too."""
    found = max(gather.of_type(ads, "Negotiator"), key=lambda ad: number(ad, "LastHeardFrom") or 0, default=None)
    return text(found, "Machine") if found is not None else None


def slots(ads: "list[Ad]", now: float) -> "Slots | None":
    """The machine's slots as one: their parts are jobs. now: seconds since 1970."""
    found = gather.of_type(ads, "Machine")
    if not found:
        return None
    newest = max(found, key=lambda ad: number(ad, "LastHeardFrom") or 0)
    # An ad that tells of a pause is refused by that, and for some seconds after its end. Whether one holds, `paused` says.
    start = None if text(newest, tell.REASON) else classads.value(newest, "Start")
    return {
        "state": text(newest, "State"), "start": start if isinstance(start, bool) else None, "rule": source(newest, "Start"),
        "jobs": int(sum(number(ad, "NumDynamicSlots") or 0 for ad in found)), "started": int(sum(number(ad, "JobStarts") or 0 for ad in found)),
        "changed_s": gather.since(newest, "NumDynamicSlotsTime", now), "up_s": gather.since(newest, "DaemonStartTime", now) or 0.0}


def clock(ads: "list[Ad]") -> float | None:
    """By how many seconds this machine's clock is ahead of the manager's: an ad has the moment when it was sent, by the one, and when it was heard, by the
    other. The way between them makes it a little less; the least is nearest."""
    found = [(abs(sent - heard), sent - heard) for ad in ads if (sent := number(ad, "MyCurrentTime")) and (heard := number(ad, "LastHeardFrom"))]
    return min(found)[1] if found else None


def held() -> list[str] | None:
    """The numbers of held jobs, everybody's; None where the queue does not say."""
    code, said = system.run(["condor_q", "-allusers", "-limit", str(MOST_HELD), "-constraint", "JobStatus == 5", "-af:j", "Owner"], timeout=PATIENCE)
    return [line.split()[0] for line in said.splitlines() if line] if code == 0 else None


def paused() -> str | None:
    """The pause that holds and what ends it, None if there is none."""
    found = holding.read()
    return words.told(found) if found else None


def disk(has_slots: bool, path: str = EXECUTE) -> "Disk | None":
    """The room where jobs work; None where there is no such folder."""
    try:
        found = os.statvfs(path)
    except OSError:
        return None
    return {"path": path, "free": found.f_bavail * found.f_frsize, "size": found.f_blocks * found.f_frsize,
            "is_bounded": quota.is_on(path) if has_slots else None}
