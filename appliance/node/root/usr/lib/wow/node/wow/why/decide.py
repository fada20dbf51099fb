"""Says in a sentence why a job waits, is held or runs. Pure: from facts as they were gathered (why/facts.py), which recorded ones test."""
from wow.condor import held
from wow.lib import table
from wow.why import words
from wow.why.answer import Answer
from wow.why.gather import ENDED, HELD, IDLE, REMOVED, RUNNING, SUSPENDED, TRANSFERRING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.why.facts import Job, Machine, Match, Pool

VANILLA = 5
"""The universe of ordinary jobs; those in containers are of it, too."""
STARTS = 30.0
"""Seconds within which a job that matches a free machine starts in a pool that is well: a cycle of the negotiator and the claim."""
SILENT = 900.0
"""Seconds: the negotiator tells of itself every five minutes."""
MOST_NAMED = 3


STATES = {IDLE: "waits", RUNNING: "runs", REMOVED: "was removed", ENDED: "has ended", HELD: "is held", TRANSFERRING: "sends its output back", SUSPENDED: "is suspended"}


def decide(job: "Job", pool: "Pool | None", match: "Match | None", ahead: int | None = 0) -> Answer:
    """Why the job is as it is. pool: None if the manager does not answer; pool and match are needed for a job that waits alone. ahead: how many of the same
    person's jobs come before it, None where that is not known."""
    if job["status"] != IDLE:
        return placed(job)
    if pool is None or match is None:
        return Answer("manager-silent", "The pool's manager does not answer, and without it no job gets a machine; those that run go on.",
                      "Wait for it, and look with: wow doctor.", "the pool's manager does not answer")
    if job["universe"] != VANILLA:
        return Answer("other-universe", "It is no ordinary (vanilla) job, and other kinds are not looked at here.",
                      f"Look with: condor_q -better-analyze {job['number']}.", "no vanilla job")
    if not match["machines"]:
        return Answer("no-machine", "The pool has no machine that runs jobs now; the job starts when one comes.",
                      "Look who is there with: condor_status; wow peers.", "the pool has no machine")
    able = [machine for machine in match["machines"] if all(machine["met"])]
    if not able:
        return words.unmet(match)
    if pool["negotiator_s"] is None or pool["negotiator_s"] > SILENT:
        age = "is not heard" if pool["negotiator_s"] is None else f"was not heard for {table.duration(pool['negotiator_s'])}"
        return Answer("negotiator-silent", f"{counted(able)} would do, but the manager's negotiator, which gives out machines, {age}.",
                      "Tell the pool's administrator: HTCondor on the manager needs to be looked at.", "the negotiator is not heard")
    if not pool["knows_queue"]:
        return Answer("queue-unknown", f"{counted(able)} would do, but the manager does not list this machine's queue, so nobody offers it any.",
                      "Wait a minute, and look with: wow doctor.", "the manager does not list this queue")
    return wait(job, pool, able, ahead)


def placed(job: "Job") -> Answer:
    """A job that does not wait for a machine."""
    age, where = table.duration(job["since"]), f" on {job['host']}" if job["host"] else ""
    if job["status"] == HELD:
        reason = job["reason"].rstrip(".") or "No reason was given"
        return Answer("held", f"{reason} (since {age}).", held.todo(job["code"], job["subcode"], job["number"]) + ".", reason)
    if job["status"] == RUNNING:
        return Answer("running", f"It has run{where} for {age}.")
    if job["status"] == TRANSFERRING:
        return Answer("transferring", f"It has ended{where} and sends its output back since {age}.")
    if job["status"] == SUSPENDED:
        return Answer("suspended", f"It was stopped{where} {age} ago and goes on there when that machine lets it.")
    if job["status"] == REMOVED:
        reason = f": {job['reason'].rstrip('.')}" if job["reason"] else ""
        return Answer("removed", f"It was removed {age} ago{reason}.")
    if job["status"] == ENDED:
        return Answer("ended", f"It ended {age} ago{' ' + job['exit'] if job['exit'] else ''}{where}.")
    return Answer("unknown", f"HTCondor calls its state {job['status']}.", f"Look with: condor_q -long {job['number']}.")


def wait(job: "Job", pool: "Pool", able: "list[Machine]", ahead: int | None) -> Answer:
    """Machines would do: they are busy, or it is a matter of seconds, or the negotiator has another reason."""
    free = [machine for machine in able if machine["free"]]
    draining = [machine for machine in able if machine["draining"]]
    paused = [machine for machine in able if machine["paused"]]
    if not free and len(paused) == len(able):
        return Answer("paused", f"{counted(able)} would do, but {'its owner has paused it' if len(able) == 1 else 'their owners have paused them'}, or the pool's "
                      "administrator gives no jobs there.", "Wait: an owner's pause is ended there, and the administrator's by `wow pool drain`.",
                      "the machines are paused by their owners")
    busy = [machine for machine in able if not machine["paused"] and not machine["draining"]]
    if not free and not busy:
        takes = "it takes" if len(draining) == 1 else "all take"
        return Answer("draining", f"{counted(draining)} would do, but {takes} no new jobs for now (draining){besides(paused)}.",
                      "Wait, or ask the pool's administrator.", "the machines take no new jobs")
    if not free:
        return Answer("busy", f"{counted(busy)} would do, and {'it is' if len(busy) == 1 else 'all are'} busy{whose(busy)}{besides(paused)}{drained(draining)}. "
                      f"{turn(job, pool, ahead)}", short=f"{counted(busy)} would do, busy")
    if job["since"] <= STARTS:
        return Answer("starting", f"{counted(free)} would do and {verb(free)} free; it came {table.duration(job['since'])} ago and should start within {STARTS:.0f} s.",
                      short="starts soon")
    if job["rejected"]:
        return Answer("passed-over", f"{counted(free)} would do and {verb(free)} free, but the negotiator passed it over: {job['rejected'].rstrip('.')}. "
                      + turn(job, pool, ahead), short=f"passed over: {job['rejected']}")
    return Answer("not-looked-at", f"{counted(free)} would do and {verb(free)} free, but the negotiator has not looked at it in {table.duration(job['since'])}. "
                  + turn(job, pool, ahead), "If it stays so, look with: wow doctor.", "not looked at yet")


def counted(machines: "list[Machine]") -> str:
    """How many, and which where they are few."""
    names = sorted({machine["host"] for machine in machines})
    if len(names) == 1:
        return f"One machine ({names[0]})"
    return f"{len(names)} machines" + (f" ({', '.join(names)})" if len(names) <= MOST_NAMED else "")


def besides(paused: "list[Machine]") -> str:
    """How many more there are that are paused."""
    count = len({machine["host"] for machine in paused})
    return f"; {count} more {'is' if count == 1 else 'are'} paused by {'its owner' if count == 1 else 'their owners'}" if count else ""


def drained(draining: "list[Machine]") -> str:
    """How many more there are that are drained."""
    count = len({machine["host"] for machine in draining})
    return f"; {count} more {'takes' if count == 1 else 'take'} no new jobs for now (draining)" if count else ""


def verb(machines: "list[Machine]") -> str:
    """is or are."""
    return "is" if len({machine["host"] for machine in machines}) == 1 else "are"


def whose(machines: "list[Machine]") -> str:
    """With whose jobs they are busy, who has the most first."""
    counts: dict[str, int] = {}
    for user in (user for machine in machines for user in machine["users"]):
        counts[user] = counts.get(user, 0) + 1
    first = sorted(counts, key=lambda user: (-counts[user], user))
    if not first:
        return ""
    more = f" and {len(first) - MOST_NAMED} others" if len(first) > MOST_NAMED else ""
    return " with jobs of " + ", ".join(f"{person(user)} ({counts[user]})" for user in first[:MOST_NAMED]) + more


def turn(job: "Job", pool: "Pool", ahead: int | None) -> str:
    """Whose turn it is. Who used the pool less lately is served first."""
    if ahead is None:
        return "It is one of many jobs of the same person."
    before = [user for user in pool["users"] if user["name"] != job["user"]]
    own = next((user["priority"] for user in pool["users"] if user["name"] == job["user"]), 0.0)
    before = [user for user in before if user["priority"] < own]
    mine = f", after {ahead} other job{'' if ahead == 1 else 's'} of the same person" if ahead else ""
    if not before:
        return f"Its turn is next{mine}."
    names = ", ".join(person(user["name"]) for user in before[:MOST_NAMED]) + (f" and {len(before) - MOST_NAMED} others" if len(before) > MOST_NAMED else "")
    return f"First {'comes' if len(before) == 1 else 'come'} {names}, who used the pool less lately, then this one{mine}."


def person(name: str) -> str:
    """alice@alpha.POOL.internal as alice@alpha."""
    user, _, machine = name.rpartition("@")
    return f"{user}@{machine.partition('.')[0]}" if user else machine
