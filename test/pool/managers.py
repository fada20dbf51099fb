"""Two managers: one goes, the other matches within a minute with the same priorities, no job is lost, and who comes back does not split the pool. Each has a
history of its own; and one that is taken off the list while it runs lists and matches nobody any more."""

import json
import time

import history
from jobs import Job
from looking import is_matched
from pool import ZONE, Pool
from switched_off import SLEEP, log, must_go_on
from tally import must
from waiting import CLOCK, PROMISED, until

WITHIN = 60.0
"""Seconds from a manager's end to the next match: what is promised."""
AGREED = 90.0
"""Seconds that two managers may take to agree which of them matches: three steps of 18 s, and what a busy machine adds."""
STEADY = 40.0
"""Seconds that nobody else begins to match: two steps."""
QUICK = 10.0
"""Seconds that whatever a person asks the pool by may take longer beside a manager that does not answer: HTCondor's tools wait five for it, of themselves 60."""
SLOWER = 3.0
"""How much longer it may take besides because the machine has become busier since it was asked with all there."""
LIST, READ = "/run/wow/condor-managers.conf", "/run/wow/condor-managers.read"
FACTOR = "77.00"
ALICE = f"alice@alpha.{ZONE}"


def make():
    """A pool for this part alone."""
    return Pool(("alpha", "beta"), managers=2)


def run(tally, pool):
    """Starts the pool, takes one of its managers away, and gives it back."""
    def case(name):
        return tally.case(name, pool.explain)

    with case("two managers come up, list every machine, and agree which of them matches"):
        pool.start()
        for manager in pool.managers:
            until(lambda manager=manager: processes(manager, "condor_had"), bool, f"{manager.name} has found the other", pause=1.0)
        agree(pool)
    first = next((machine for machine in pool.managers if machine.name in matching(pool.managers)), pool.manager)
    with case("what asks the pool is answered while both are there"):
        before = asks(pool, first)
    other = next(machine for machine in pool.managers if machine is not first)
    with case("what the one knows of people comes to the other"):
        job = Job(pool.alpha, "alice", SLEEP, on=f"beta.{ZONE}").started()
        first.run("condor_userprio", "-setfactor", ALICE, FACTOR)
        until(lambda: copy(other), lambda text: "77" in text, "the factor is copied", pause=2.0)
    with case(f"a manager goes, and the other matches within {WITHIN:.0f} s"):
        unanswered = silent(other)
        first.kill()
        since = PROMISED.now()
        waiting = Job(pool.alpha, "alice", "id", on=f"beta.{ZONE}")
        until(lambda: is_matched(pool, waiting), bool, f"{other.name} matches", pause=0.5)
        took = PROMISED.now() - since
        print(f"     {first.name} gone, the next match after {took:.1f} s", flush=True)
        must(took < WITHIN, f"it took {took:.1f} s")
        waiting.result()
    with case("what asks the pool finds the manager that is there, at once"):
        asks(pool, first, before)
        must(silent(other) == unanswered, "its own collector is not asked")
        until(lambda: pool.ads("-negotiator", "Machine", by=other), lambda found: found == [f"{other.name}.{ZONE}"], "the negotiator that is gone is not listed")
    with case("jobs that ran when it went go on, and priorities are kept"):
        must_go_on(job)
        keeps(pool, other)
    with case("it comes back: one manager matches, both list every machine, and the job goes on"):
        first.start()
        first.wait()
        for manager in pool.managers:
            pool.listed([machine.name for machine in pool.workers], by=manager)
        agree(pool)
        must_go_on(job)
        keeps(pool, other)
        Job(pool.alpha, "alice", "id", on=f"beta.{ZONE}").result()
        must("\n001 " in "\n" + log(job), log(job))
        job.remove()
    with case("each manager tells of the pool, by its own collector and with a token of its own"):
        for manager in pool.managers:
            secret = manager.sh("wow history token").strip()
            told = until(lambda manager=manager, secret=secret: history.metrics(pool.alpha, manager, secret), lambda found: found.get("wow_pool_queues") == len(pool.workers),
                         f"{manager.name} tells of all queues", pause=3.0)[0]
            must(told["wow_pool_matches_total"] >= 0 and told["wow_pool_cycle_end_seconds"] > 0, f"{told}")
            must("person" in json.loads(pool.alpha.sh(f"wow history --json --manager {manager.name} --token -", "alice", text_in=secret + "\n")), "no history")
    with case("a manager that hangs keeps those who ask the pool for a few seconds"):
        standby = idle(pool)
        before = asks(pool, standby)
        signal(standby, "STOP")
        try:
            asks(pool, standby, before)
        finally:
            signal(standby, "CONT")
    with case("HTCondor that took no command when the list changed has read it soon after"):
        pool.alpha.run("systemctl", "kill", "--kill-whom=main", "--signal=STOP", "condor")
        before = pool.alpha.sh(f"cat {LIST}")
        pool.alpha.sh(f"sed -i 's/^# .*/# another list/' {LIST} && echo WOW_TEST = changed >> {LIST}")
        must(pool.alpha.sh(f"cat {READ}") == before, "it has read what it has not")
        until(lambda: complaints(pool.alpha), lambda count: count != "0", "the journal says what keeps it")
        pool.alpha.run("systemctl", "kill", "--kill-whom=main", "--signal=CONT", "condor")
        until(lambda: pool.alpha.sh(f"cmp {LIST} {READ} && condor_config_val -master WOW_TEST || :"), lambda said: "changed" in said, "it has read it", pause=2.0)
        must((told := complaints(pool.alpha)) == "1", f"the journal says {told} times what kept it")
    with case("a manager that is taken off the list while it runs ends its daemons and says so, and the other goes on"):
        last = idle(pool)
        rest = next(machine for machine in pool.managers if machine is not last)
        for machine in pool.machines.values():
            machine.sh(f"sed -i 's/\"managers\":\"[a-z ]*\"/\"managers\":\"{rest.name}\"/' /run/wow/pool.json && /usr/bin/python3 -I -S /usr/lib/wow/node/main.py managers")
        until(lambda: [name for name in ("condor_collecto", "condor_negotiat", "condor_had") if processes(last, name)], lambda found: not found, "its daemons end", pause=1.0)
        must("not on the pool's list" in last.sh("cat /run/issue.d/wow.issue"), "its console does not say so")
        codes = [one["code"] for one in json.loads(last.sh("wow doctor --json || :"))["findings"]]
        must("manager-not-listed" in codes, f"{codes}")
        Job(pool.alpha, "alice", "id", on=f"beta.{ZONE}").result()


def asks(pool, away, before=None):
    """Asks the pool as people do, HTCondor's tools the manager `away` first. before: what this gave while that answered, {words: seconds}; now it does not."""
    order = ", ".join(f"{machine.name}.{ZONE}:9618" for machine in sorted(pool.managers, key=lambda one: one is not away))
    first = f"_CONDOR_HAD_USE_PRIMARY=true _CONDOR_COLLECTOR_HOST='{order}'"
    waiting = Job(pool.alpha, "alice", "true", on="nowhere")
    told = {}
    for words in ("wow doctor --json", "wow jobs", f"wow why {waiting.number}", "wow status", f"{first} condor_status -af Machine"):
        begun = PROMISED.now()
        told[words] = pool.alpha.sh(f"{words} || :", "alice"), PROMISED.now() - begun
    print(f"     {away.name} {'does not answer' if before else 'answers'}: " + ", ".join(f"{words.removeprefix(first).strip()} {took:.1f} s" for words, (_, took) in told.items()), flush=True)
    codes = {one["code"] for one in json.loads(told["wow doctor --json"][0])["findings"]}
    must("manager-silent" not in codes and codes & {"pool-member", "never-matched"}, f"{codes}")
    must("nowhere" in told[f"wow why {waiting.number}"][0], f"{told}")
    must(len(set(told[f"{first} condor_status -af Machine"][0].split())) == len(pool.workers), f"{told}")
    waiting.remove()
    seconds = {words.replace(waiting.number, "JOB"): took for words, (_, took) in told.items()}
    late = {words: took for words, took in seconds.items() if before and took > QUICK + SLOWER * before[words]}
    must(not late, f"{late} took longer; before {before}")
    return seconds


def complaints(machine):
    """How often a machine's wow-jobs said that HTCondor took no command, in digits."""
    return machine.sh("journalctl -q -u wow-jobs -o cat | grep -c condor_reconfig || :").strip()


def silent(manager):
    """How often a collector did not answer wow-pool there; a busy computer's may be slow while it starts."""
    return int(manager.sh("journalctl -q -u wow-pool -o cat | grep -c 'no answer' || :"))


def signal(machine, name):
    """Stops a manager's collector, and what hands it its connections, or has them go on."""
    # Not by their numbers: a collector starts others for a moment, which answer one question each.
    machine.run("pkill", f"-{name}", "-x", "condor_collecto|condor_shared_p")


def agree(pool):
    """Waits until one manager matches, and no other for a while. Of two that call each other at once neither may hear the other where the computer is busy: then
    both match, until one did."""
    limit, since = CLOCK.now() + AGREED, None
    while since is None or time.monotonic() - since < STEADY:
        names = matching(pool.managers)
        since = (since or time.monotonic()) if len(names) == 1 else None
        must(since or CLOCK.now() < limit, f"{names} match")
        time.sleep(1.0)


def matching(managers):
    """The names of the managers whose negotiator runs."""
    return [machine.name for machine in managers if processes(machine, "condor_negotiat")]


def idle(pool):
    """The manager that does not match. One that hung, or called while nobody heard it, matches for a while beside the other."""
    return until(lambda: [machine for machine in pool.managers if machine.name not in matching(pool.managers)], lambda found: len(found) == len(pool.managers) - 1,
                 "one manager matches", pause=1.0)[0][0]


def processes(machine, name):
    """The numbers of a machine's processes of that name, of which the kernel keeps 15 letters."""
    return machine.run("pgrep", "-x", name, check=False).stdout.split()


def copy(machine):
    """What a manager's file of priorities says of alice."""
    return machine.sh(f"grep 'Customer[.]{ALICE} PriorityFactor' /var/lib/condor/spool/Accountantnew.log || :", check=False)


def keeps(pool, manager):
    """Waits until a manager tells alice's factor: whoever has just come back knows after half a minute which one matches."""
    until(lambda: pool.factor(ALICE, by=manager), lambda told: told == FACTOR, f"{manager.name} tells {ALICE}'s factor", pause=2.0)
