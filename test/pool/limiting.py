"""What its owner lends of a machine: processors, memory and disk as HTCondor gives them to jobs, the hours when jobs may run, a share of the processor, what
the overlay sends a second and carries in a month; kept through a loss of power and another pool.conf. That the kernel goes by the share is proven where it is the image's own (test/image/lending.py)."""

import json
import time

from jobs import UNTIL_TOLD, Job, tell
from looking import events, starts
from pausing import BURNS, POLLED, burnt, goes_on, stops
from pool import ZONE
from tally import must
from waiting import until

SHARE = "/sys/fs/cgroup/htcondor/cpu.max"
NONSENSE = (
    ("processors 0", "too little"), ("processors 9999", "more than there is"), ("processors two", "no number"), ("percent 0", "too little"), ("percent 99999%", "more than there is"),
    ("memory 1M", "too little"), ("memory 9999G", "more than there is"), ("disk 900T", "more than there is"), ("hours mon 9-9", "ends when it begins"),
    ("hours someday 9-10", "is no day"), ("hours mon 25:00-26:00", "no time of a day"), ("hours mon", "in pairs"),
    ("speed 1k", "too little"), ("speed 500", "with a unit"), ("speed 5000MB/s", "more than there is"), ("month 0G", "too little"), ("month 20", "with a unit"))
CARRIED = """
import json
with open("/var/lib/wow/pause/month.json", "r+", encoding="ascii") as file:
    found = json.load(file)
    month = max(found["months"])
    found["months"][month] = [600_000_000, 500_000_000]
    file.seek(0)
    json.dump(found, file)
    file.truncate()
"""
"""This month's bytes as if they were more."""
MINUTE = 180
"""Seconds until a minute begins that is the next but one, and many times what it takes that its begin is taken up."""


def run(tally, pool):
    """Jobs of alice on alpha run on beta, whose owner sets limits. Leaves the pool as it was."""
    alpha, beta = pool.alpha, pool.beta
    here = f"beta.{ZONE}"

    def limit(words, user="alice"):
        return beta.sh(f"wow limit {words}", user)

    def told(attribute):
        return pool.ads("-startd", attribute, "-constraint", f'Machine == "{here}" && PartitionableSlot')

    with tally.case("wow limit: none at first; what is nonsense, nothing, or more than there is, is refused in words and changes nothing"):
        must(set(json.loads(limit("--json", "bob"))["limits"].values()) == {None}, limit(""))
        for words, why in NONSENSE:
            said = beta.sh(f"wow limit set {words} 2>&1 && echo was taken || :", "alice")
            must(why in said and "was taken" not in said, f"{words}: {said}")
        said = beta.sh("runuser -u wowjob1 -- wow limit set processors 1 2>&1 || :")
        must("may not be opened by you" in said, f"a job may set limits: {said}")
        must(set(json.loads(limit("--json", "bob"))["limits"].values()) == {None}, limit(""))
    with tally.case("fewer processors: those that run go on, the answer says so, and no place of theirs is given again until what is left is within the limit"):
        ends, stays = Job(alpha, "alice", UNTIL_TOLD, on=here).started(), Job(alpha, "alice", BURNS, on=here).started()
        said = limit("set processors 1")
        must("The 2 jobs that run keep what they have" in said, said)
        until(lambda: told("WowLimitProcessors"), lambda found: set(found) == {"1"}, "the ad says it")
        waits = Job(alpha, "alice", "echo well", on=here)
        tell(beta)
        ends.wait()
        time.sleep(POLLED)
        must(starts(waits) == 0 and starts(stays) == 1 and events(stays, "004") == 0, "it began, or the other one did not go on")
        stays.remove()
        must("well" in waits.result(), "it does not run when there is room")
    with tally.case("memory and disk: a job that asks for more waits, wow why says what is offered, and it runs once the limit is gone"):
        limit("set memory 256M")
        limit("set disk 200M")
        until(lambda: (told("WowLimitMemory"), told("WowLimitDisk")), lambda found: [set(one) for one in found] == [{"256"}, {str(200 * 1024)}], "the ad says it")
        large = Job(alpha, "alice", "echo well", on=here, more="request_memory = 300")
        wide = Job(alpha, "alice", "echo well", on=here, disk="250M")
        small = Job(alpha, "alice", "echo well", on=here)
        must("well" in small.result(), "one that has room does not run")
        must(starts(large) == starts(wide) == 0, "they began")
        print("     " + alpha.sh(f"wow why {large.number}", "alice").replace("\n", " "), flush=True)
        limit("clear memory")
        must("well" in large.result(), "it does not run")
        must(starts(wide) == 0, "it began")
        limit("clear")
        must("well" in wide.result(), "it does not run")
    with tally.case("the share of a processor is kept, and the answer is true about whether this kernel holds it"):
        job = Job(alpha, "alice", BURNS, on=here).started()
        limit("set percent 50")
        said = limit("")
        has = beta.run("test", "-e", SHARE, check=False).returncode == 0
        must(("does not hold" in said) != has and (not has or beta.sh(f"cat {SHARE}").strip() == "50000 100000"), said)
        limit("clear percent")
    with tally.case("outside of its hours the machine is paused at once, with that reason, and wow resume says what ends it"):
        until(lambda: burnt(beta), bool, "the job burns processor time")
        other = (int(beta.sh("date +%u")) + 2) % 7  # in three days
        day = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")[other]
        stops(beta, lambda: limit(f"set hours {day} 9:00-10"))
        said = beta.sh("wow status", "bob")
        must(f"{day} 09:00-10:00 (wow limit)" in said and "the hours that its owner set" in said and "wow limit clear hours" in said, said)
        until(lambda: told("WowPauseReason"), lambda found: set(found) == {"it is outside of its owner's hours"}, "the ad says it")
        must("wow limit clear hours" in beta.sh("wow resume", "alice") and not burnt(beta), "it goes on")
        findings = {one["code"]: one["state"] for one in json.loads(beta.sh("wow doctor --json || :"))["findings"]}
        must(findings.get("paused") == "ok" and "start-false" not in findings, f"{findings}")
        goes_on(beta, lambda: limit("clear hours"))
    with tally.case("ipopd holds the speed at once, again after each of its starts, and no more when it is ended"):
        limit("set speed 500 kB/s")
        until(lambda: speed(beta), lambda found: found == 500, "ipopd is told")
        must("500 kB/s sent (wow limit)" in beta.sh("wow status", "bob"), beta.sh("wow status"))
        beta.sh("systemctl restart ipopd")
        until(lambda: speed(beta), lambda found: found == 500, "it is told again")
        limit("clear speed")
        until(lambda: speed(beta), lambda found: found is None, "it is told that this ended")
    with tally.case("a month that is used up pauses the machine at once, the words say so, and a larger share lets jobs go on"):
        beta.sh("systemctl stop wow-jobs")
        beta.run("python3", "-c", CARRIED)
        beta.sh("systemctl start wow-jobs")
        stops(beta, lambda: limit("set month 1GB"))
        said = beta.sh("wow status", "bob")
        must("1 GB a month, of which 1.1 GB are used (wow limit)" in said and "the owner's limit of a month" in said and "wow limit clear month" in said, said)
        until(lambda: told("WowPauseReason"), lambda found: set(found) == {"its network carried what its owner gives in a month"}, "the ad says it")
        must(json.loads(limit("--json"))["month"]["sent_bytes"] >= 600_000_000, limit("--json"))
        goes_on(beta, lambda: limit("set month 1TB"))
        limit("clear month")
    with tally.case("the hours begin by themselves, and jobs go on; a pause of the owner's stands above them"):
        stops(beta, lambda: limit(f"set hours {day} 9:00-10"))
        begin = beta.sh("date -d '+70 seconds' +%H:%M").strip()
        limit(f"set hours mon-sun {begin}-{beta.sh('date -d +2hours +%H:%M').strip()}")
        until(lambda: burnt(beta), bool, "it goes on", MINUTE, pause=1.0)
        must(beta.sh("date +%H:%M").strip() >= begin, "it went on before")
        stops(beta, lambda: beta.sh("wow pause", "alice"))
        must("by alice" in beta.sh("wow status", "bob"), beta.sh("wow status"))
        goes_on(beta, lambda: beta.sh("wow resume", "alice"))
        must(starts(job) == 1, "it began anew")
        job.remove()
    with tally.case("limits outlive a loss of power and another pool.conf, and hold for the first job"):
        limit("clear")
        limit("set processors 1")
        limit("set percent 50%")
        beta.kill()
        beta.config["jobs"] = {"patience": "15"}
        beta.start()
        beta.wait()
        pool.listed([machine.name for machine in pool.workers])
        kept = json.loads(limit("--json"))["limits"]
        must((kept["processors"], kept["percent"], kept["memory"]) == (1, 50, None), f"{kept}")
        large, small = Job(alpha, "alice", "echo well", on=here, more="request_cpus = 2"), Job(alpha, "alice", "echo well", on=here)
        must("well" in small.result() and starts(large) == 0, "it began")
        limit("clear")
        must("well" in large.result(), "it does not run")


def speed(machine):
    """kB a second that the machine's ipopd sends at most, as it says; None for no limit, 0 while it does not answer."""
    said = machine.sh("wow status --json || :")
    return json.loads(said)["carried"]["speed"] if said.startswith("{") else 0
