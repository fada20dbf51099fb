"""Machines that the pool's administrator gives no more jobs. The pool is open and has no CA, so the notice is put where ipopd keeps it (test/vm/visited.py has a CA
sign it): on the manager its negotiator goes by it, and on the machine that is drained its startd."""

import json
import time

import jobs
from jobs import Job
from looking import starts
from pool import ZONE
from tally import must
from waiting import until

NOTICE = "/var/lib/wow/notice-8"
HEAD = r"WOWN\010\0\0\0\0\0\0\0\007\001x"
"""How ipopd's file of such a notice begins."""
CYCLES = 20.0
"""Seconds in which the negotiator, which begins every 5 s, would have matched a job."""
MOST = 800


def run(tally, pool):
    """alice and bob have jobs on alpha's queue for beta, which is drained. Leaves the pool as it was."""
    alpha, beta, manager = pool.alpha, pool.beta, pool.manager
    here = f"beta.{ZONE}"
    job = Job(alpha, "alice", "sleep 3000", on=here).started()
    with tally.case("a drained machine is matched with nobody new, though it does not know of that itself, and its job goes on"):
        tell(manager, "beta")
        read(manager)
        waits = Job(alpha, "bob", "echo well", on=here)
        time.sleep(CYCLES)
        must(starts(waits) == 0 and starts(job) == 1, f"{starts(waits)}, {starts(job)}")
        Job(alpha, "bob", "echo well", on=f"alpha.{ZONE}").result()
    with tally.case("what a drained machine still gives a job counts for that person's priority, and for nobody else's"):
        until(lambda: used(manager), lambda found: found.get("alice@alpha") == 1 and not found.get("bob@alpha"), "alice uses one core and bob none", pause=2)
        time.sleep(CYCLES)
        must(used(manager).get("alice@alpha") == 1, f"{used(manager)}")
    with tally.case("it outlives another start of HTCondor on the manager, and a full list of the longest names is taken"):
        tell(manager, "beta", *(f"{number:03}{'x' * 60}" for number in range(MOST - 1)))
        manager.run("systemctl", "restart", "condor.service")
        pool.listed([machine.name for machine in pool.workers])
        until(lambda: pool.ads("-negotiator", "Machine"), bool, "the negotiator is back")
        read(manager)
        time.sleep(CYCLES)
        must(starts(waits) == 0, "it began")
        Job(alpha, "bob", "echo well", on=f"alpha.{ZONE}").result()
    with tally.case("the history names it, and each end of it: bob's job begins then"):
        must("beta" in json.loads(manager.sh("wow history --json"))["drained"], "it is not named")
        tell(manager)
        must("well" in waits.result(), "it did not run")
        job.remove()
    with tally.case("a drained machine takes no next job by the claim that it has, says whose word that is, and takes jobs again after its end"):
        job = Job(alpha, "alice", jobs.UNTIL_TOLD, on=here).started()
        for machine in (manager, beta):
            tell(machine, "beta")
        until(lambda: beta.sh("wow status", "bob"), lambda said: "Takes no new jobs" in said and "by the pool's administrator" in said, "wow status says it")
        until(lambda: set(pool.ads("-startd", "WowPauseReason", "-constraint", f'Machine == "{here}"')), lambda found: found == {"the pool's administrator gives it no jobs"},
              "the ad says it")
        waits = Job(alpha, "alice", "echo well", on=here)
        jobs.tell(beta)
        job.wait()
        must(starts(job) == 1, "it did not go on to its end")
        time.sleep(CYCLES)
        must(starts(waits) == 0, "another began by the claim of the first")
        until(lambda: alpha.sh(f"wow why {waits.number}", "alice"), lambda said: "administrator" in said, "wow why says it")
        for machine in (manager, beta):
            tell(machine)
        must("well" in waits.result(), "it did not run")
        must("administrator" not in beta.sh("wow status"), beta.sh("wow status"))
    for machine in (manager, beta):
        machine.sh(f"rm {NOTICE}")


def used(manager):
    """What each person uses by the negotiator's account: {person: cores}."""
    said = manager.run("condor_status", "-any", "-constraint", 'MyType == "Accounting"', "-af", "Name", "WeightedResourcesUsed").stdout
    return {name.removesuffix(f".{ZONE}"): float(count) for name, count in (line.split() for line in said.splitlines()) if "@" in name}


def tell(machine, *hosts):
    """Leaves a notice that names these."""
    lines = "".join(f"{host} 1795707748\\n" for host in hosts)
    machine.sh(f"printf '{HEAD}wow-drained 1\\n{lines}' > {NOTICE}.new && mv {NOTICE}.new {NOTICE}")


def read(manager):
    """Waits until HTCondor has read what follows from it."""
    until(lambda: manager.sh("cmp -s /run/wow/condor-drained.conf /run/wow/condor-drained.read && grep beta /run/wow/condor-drained.read || :").strip(), bool,
          "HTCondor is told", pause=0.5)
    # The master takes the command; its negotiator follows when it comes to it.
    until(lambda: manager.run("condor_config_val", "-negotiator", "NEGOTIATOR_SLOT_CONSTRAINT", check=False).stdout, lambda said: "beta" in said,
          "the negotiator goes by it", pause=0.5)
