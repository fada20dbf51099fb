"""Asks HTCondor's tools for the queue of this machine and for what the manager knows of the pool. Nothing here judges."""
import re
import time

from wow.condor import collector
from wow.lib import system
from wow.lib.errors import WowError
from wow.why import classads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.why.classads import Ad
    from wow.why.facts import Job, Pool, User

PATIENCE = 45.0
"""Seconds that a question may take."""
MOST = 1000
"""Jobs that are looked at; where there are more, so many of each lot. Which these are HTCondor does not say: it gives what its table has first."""
POOL = ('(MyType == "Machine" && SlotType =!= "Dynamic") || MyType == "Negotiator" || MyType == "Submitter" || '
        'MyType == "Accounting" || (MyType == "Scheduler" && Machine == "{machine}")')
"""What is wanted of the manager's ads."""
IDLE, RUNNING, REMOVED, ENDED, HELD, TRANSFERRING, SUSPENDED = range(1, 8)
"""JobStatus."""
LOTS = (f"JobStatus == {HELD}", f"JobStatus == {RUNNING} || JobStatus == {TRANSFERRING} || JobStatus == {SUSPENDED}", f"JobStatus == {IDLE}",
        f"JobStatus == {REMOVED} || JobStatus == {ENDED}")
"""Asked apart where there are many: one that is held is seen among ten thousand that wait."""
WORDS = {IDLE: "idle", RUNNING: "running", REMOVED: "removed", ENDED: "completed", HELD: "held", SUSPENDED: "suspended"}
"""What condor_q -totals calls a state; a job that sends its output counts as running."""


def queue(constraint: str) -> "list[Ad]":
    """Jobs of this machine's queue; WowError if there is no queue that answers."""
    found = _asked(constraint)
    return found if len(found) < MOST else [ad for lot in LOTS for ad in _asked(f"({constraint}) && ({lot})")]


def counts(constraint: str) -> dict[int, int] | None:
    """How many jobs are in which state, all of them; None where the queue does not say."""
    code, said = system.run(["condor_q", "-allusers", "-totals", "-constraint", constraint], timeout=PATIENCE)
    line = next((line for line in said.splitlines() if line.startswith("Total for query:")), "") if code == 0 else ""
    found = {word: int(count) for count, word in re.findall("([0-9]+) ([a-z]+)", line)}
    return {status: found[word] for status, word in WORDS.items()} if found.keys() >= set(WORDS.values()) else None


def ahead(ad: "Ad") -> int | None:
    """How many waiting jobs of the same person come before one that waits, by the queue's own count; None where it does not say."""
    who = classads.text(ad, "User")
    first, cluster, process = (int(classads.number(ad, name) or 0) for name in ("JobPrio", "ClusterId", "ProcId"))
    if not who or '"' in who or "\\" in who:
        return None
    sooner = f"JobPrio > {first} || (JobPrio == {first} && (ClusterId < {cluster} || (ClusterId == {cluster} && ProcId < {process})))"
    found = counts(f'JobStatus == {IDLE} && User == "{who}" && ({sooner})')
    return None if found is None else found[IDLE]


def _asked(constraint: str) -> "list[Ad]":
    code, said = system.run(["condor_q", "-allusers", "-long:new", "-limit", str(MOST), "-constraint", constraint], timeout=PATIENCE)
    if code != 0:
        why = "no answer in time" if code == system.TIMED_OUT else system.last_line(said)
        raise WowError(f"the queue of this machine does not answer: {why}",
                       "Ask on the machine where the job was submitted. If this is it, look with: wow doctor; a manager has no queue", "condor_q")
    return classads.parse(said)


def history(constraint: str) -> "list[Ad]":
    """Jobs that left the queue, the last first, as many as of the queue at most. There is none on a machine where none ever ended."""
    code, said = system.run(["condor_history", "-jsonl", "-limit", str(MOST), "-constraint", constraint], timeout=PATIENCE)
    return classads.parse(said) if code == 0 else []


def pool(machine: str) -> "list[Ad] | None":
    """The manager's ads; None if it does not answer. machine: this one's name, whose queue's ad is wanted, too."""
    code, said = collector.ask(["-any", "-long:new", "-constraint", POOL.format(machine=machine)], PATIENCE)
    return classads.parse(said) if code == 0 else None


def own_name() -> str:
    """This machine's name, as HTCondor has it; empty without HTCondor's configuration."""
    code, said = system.run(["condor_config_val", "FULL_HOSTNAME"], timeout=PATIENCE)
    return system.last_line(said) if code == 0 else ""


def of_type(ads: "list[Ad]", kind: str) -> "list[Ad]":
    """The ads of one kind."""
    return [ad for ad in ads if classads.text(ad, "MyType") == kind]


def summary(ads: "list[Ad]", now: float | None = None) -> "Pool":
    """What of the manager's ads is not about machines."""
    moment = time.time() if now is None else now
    heard = [age for ad in of_type(ads, "Negotiator") if (age := since(ad, "LastHeardFrom", moment)) is not None]
    return {"negotiator_s": min(heard, default=None), "users": waiting(ads), "knows_queue": bool(of_type(ads, "Scheduler"))}


def waiting(ads: "list[Ad]") -> "list[User]":
    """Whose jobs wait, who is served first first. The negotiator keeps a priority of everybody who ever had a slot; who had none has the best."""
    priorities = {classads.text(ad, "Name"): classads.number(ad, "Priority") or 0.0 for ad in of_type(ads, "Accounting")}
    found: dict[str, User] = {}
    for ad in of_type(ads, "Submitter"):
        name = classads.text(ad, "Name")
        user = found.setdefault(name, {"name": name, "priority": priorities.get(name, 0.0), "waiting": 0, "running": 0})
        user["waiting"] += int(classads.number(ad, "IdleJobs") or 0)
        user["running"] += int(classads.number(ad, "RunningJobs") or 0)
    return sorted((user for user in found.values() if user["waiting"]), key=lambda user: (user["priority"], user["name"]))


def since(ad: "Ad", name: str, now: float) -> float | None:
    """Seconds that have passed since a moment of the ad, None if it has none."""
    moment = classads.number(ad, name)
    return None if not moment else max(0.0, now - moment)


def job(ad: "Ad", now: float | None = None) -> "Job":
    """What is decided from of a job's ad."""
    moment = time.time() if now is None else now
    status = int(classads.number(ad, "JobStatus") or 0)
    waits = since(ad, "EnteredCurrentStatus", moment) or 0.0
    passed = since(ad, "LastRejMatchTime", moment)
    reason = classads.text(ad, {HELD: "HoldReason", REMOVED: "RemoveReason"}.get(status, ""))
    return {
        "number": f"{int(classads.number(ad, 'ClusterId') or 0)}.{int(classads.number(ad, 'ProcId') or 0)}",
        "owner": classads.text(ad, "Owner"), "user": submitter(ad),
        "batch": (classads.text(ad, "JobBatchName") or classads.file_name(ad, "Cmd")),
        "status": status, "universe": int(classads.number(ad, "JobUniverse") or 0), "since": waits,
        "host": (classads.text(ad, "RemoteHost") or classads.text(ad, "LastRemoteHost")).rpartition("@")[2].partition(".")[0],
        "reason": " ".join(reason.split()), "code": int(classads.number(ad, "HoldReasonCode") or 0),
        "subcode": int(classads.number(ad, "HoldReasonSubCode") or 0), "exit": ended(ad),
        "rejected": classads.text(ad, "LastRejMatchReason") if passed is not None and passed <= waits else ""}


def submitter(ad: "Ad") -> str:
    """Whom a job counts for, as the negotiator names it."""
    who, at, where = classads.text(ad, "User").rpartition("@")
    return f"{classads.text(ad, 'AccountingGroup') or who}{at}{where}"


def ended(ad: "Ad") -> str:
    """How the job's program ended, in words; empty where that is not known."""
    signal, code = classads.number(ad, "ExitSignal"), classads.number(ad, "ExitCode")
    if classads.value(ad, "ExitBySignal") is True and signal is not None:
        return f"by signal {signal:.0f}"
    return "" if code is None else f"with exit code {code:.0f}"
