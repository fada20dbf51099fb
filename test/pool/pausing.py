"""The owner's pause of a machine: jobs stop at once and go on, whatever they are about to do; HTCondor knows of it; it outlives restarts and ends by itself."""

import json
import threading
import time

from anew import apart
from jobs import KEEPS, SAVES, Job
from looking import events, scratch, starts, text
from pool import ZONE
from tally import must
from waiting import PROMISED, rest, until

SOON = 0.5
"""Seconds of a processor that jobs may still use after the end of `wow pause`, and seconds from the end of `wow resume` to their first; how long the verb
itself takes hangs on how busy the machine is (test/pool/bench)."""
GRACE = 2.0
"""Seconds for which a job that began just then is waited for."""
STILL = 1.0
"""Seconds without any processor time, by which a job is known to stand still."""
TOLD, POLLED = 10.0, 12.0
"""Seconds until HTCondor has taken up what it was told; it looks every five, and the queue hears of it then."""
BURNS = "while :; do :; done"
ELSEWHERE = '[ "$(hostname)" = beta ] || { echo well; exit 0; }; trap "" TERM; : > ready; while :; do sleep 1; done'
SLOWLY = SAVES.replace("echo saved", "sleep 25; echo saved")
COUNTS = "count=0; while [ $count -lt {} ]; do count=$((count + 1)); done"
SHORT, LONG = f"{COUNTS.format(60000)}; echo well", COUNTS.format(3000000)
BIG = 200
"""MB that are carried: seconds."""
FORGOTTEN = 300.0
"""Seconds: 50 until the startd ends the starter, 15 in which the shadow asks for its job, 60 in which an ad may be late; the rest is the machine's load."""
VACATING = "-> Preempting/Vacating"
STARTD = "/var/log/condor/StartLog"
PATIENCE = "/etc/condor/config.d/90-pausing.conf"
ASK = """import sys
sys.path.insert(0, "/usr/lib/wow/node")
from wow.agent import client
client.ask(sys.argv[1], **dict(word.split("=") for word in sys.argv[2:]))
"""


def run(tally, pool):
    """Jobs of alice on alpha run on beta, whose owner pauses it. Leaves the pool as it was."""
    alpha, beta = pool.alpha, pool.beta
    here = f"beta.{ZONE}"
    job = Job(alpha, "alice", BURNS, on=here).started()
    with tally.case("wow pause stops a job that burns processor time at once, and its slot is suspended then"):
        until(lambda: burnt(beta), bool, "the job burns processor time")
        seconds = stops(beta, lambda: beta.sh("wow pause 3h", "alice"))
        print(f"     it stood still {seconds:.2f} s after the verb began")
        until(lambda: activity(beta), lambda found: found == "Busy -> Suspended", "its slot is suspended")
    waits = Job(alpha, "alice", "echo well", on=here)
    with tally.case("the ad has the reason, nothing new comes, and wow status, doctor and why say so"):
        until(lambda: set(pool.ads("-startd", "WowPauseReason", "-constraint", f'Machine == "{here}"')), lambda found: found == {"its owner paused it"}, "the ad says it")
        said = beta.sh("wow status", "bob")
        must("Paused: its job stands still; by alice" in said and "wow resume" in said, said)
        paused = json.loads(beta.sh("wow status --json", "bob"))["paused"]
        must(paused["who"] == "alice" and paused["until"] - paused["since"] == 3 * 3600 and not paused["finish"], f"{paused}")
        findings = {one["code"]: one["state"] for one in json.loads(beta.sh("wow doctor --json || :"))["findings"]}
        must(findings.get("paused") == "ok" and "start-false" not in findings, f"{findings}")
        until(lambda: alpha.sh(f"wow why {waits.number}", "alice"), lambda said: "its owner has paused it" in said, "wow why says it")
        must(starts(waits) == 0, "it began")
    with tally.case("wow resume has the job go on at once, in the same run, and what waited comes"):
        seconds = goes_on(beta, lambda: beta.sh("wow resume", "alice"))
        print(f"     it went on {seconds:.2f} s after the verb began")
        must("well" in waits.result(), "it did not run")
        until(lambda: text(beta, STARTD), lambda said: "slot1_1: Changing activity: Suspended -> Busy" in said, "its slot is busy")
        must(starts(job) == 1 and "paused" not in beta.sh("wow status", "bob").lower(), text(alpha, f"/home/alice/{job.name}.log"))
    with tally.case("wow finish lets a job run on and takes no other, and a pause after it stops the first one"):
        beta.sh("wow finish", "alice")
        waits = Job(alpha, "alice", "echo well", on=here)
        time.sleep(POLLED)
        until(lambda: burnt(beta), bool, "the job burns processor time")
        must(starts(waits) == 0 and status(job) == "2", f"{starts(waits)}, {status(job)}")
        must("Takes no new jobs" in beta.sh("wow status"), beta.sh("wow status"))
        stops(beta, lambda: beta.sh("wow pause", "bob"))
        goes_on(beta, lambda: beta.sh("wow finish", "bob"))
        job.remove()
        until(lambda: beta.sh("wow status"), lambda said: "Paused: no job runs; by bob" in said, "it is paused when the job has ended")
        must(starts(waits) == 0, "another began")
        beta.sh("wow resume", "bob")
        must("well" in waits.result(), "it did not run")
    with tally.case("a pause ends by itself at its time"):
        job = Job(alpha, "alice", BURNS, on=here).started()
        until(lambda: burnt(beta), bool, "the job burns processor time")
        stops(beta, lambda: ask(beta, "pause", "for=20"))
        until(lambda: burnt(beta), bool, "it goes on", pause=0.3)
        must("paused" not in beta.sh("wow status", "bob").lower(), beta.sh("wow status"))
    with apart(tally, pool, "what the agent began is done though the startd was killed before it was told, and nothing stays frozen"):
        # Until the startd lets the job of the last pause go on it thaws it once more, and nobody freezes it anew while wow-jobs is away.
        until(lambda: activity(beta), lambda found: found.endswith("-> Busy"), "its slot is busy")
        beta.run("systemctl", "stop", "wow-jobs.service")
        stops(beta, lambda: beta.sh("wow pause", "alice"))
        beta.sh("kill -9 $(pgrep -x condor_startd)")
        beta.run("systemctl", "start", "wow-jobs.service")
        until(lambda: beta.sh("cmp -s /run/wow/condor-pause.conf /run/wow/condor-pause.read && grep WowPauseReason /run/wow/condor-pause.read || :").strip(), bool, "HTCondor is told")
        until(lambda: beta.jobs_processes, lambda left: not left, "the job has ended with its startd")
        time.sleep(TOLD)
        must(starts(job) == 1, "it began in a machine that is paused")
        beta.sh("wow resume", "alice")
        must(not beta.frozen, f"{beta.frozen} are frozen")
        until(lambda: starts(job), lambda count: count == 2, "it runs again")
        until(lambda: burnt(beta), bool, "it burns processor time")
        job.remove()
    gives_back(tally, pool, here)
    with apart(tally, pool, "a machine that is paused stays so when it loses its power, and no job begins there before that is known"):
        beta.sh("wow pause tomorrow", "alice")
        beta.kill()
        beta.start()
        beta.wait()
        pool.listed([machine.name for machine in pool.workers])
        job = Job(alpha, "alice", "echo well", on=here)
        time.sleep(POLLED)
        said = beta.sh("wow status")
        must(starts(job) == 0 and "Paused: no job runs; by alice" in said, said)
        beta.sh("wow resume", "alice")
        must("well" in job.result(), "it did not run")
    moments(tally, pool, here)


def moments(tally, pool, here):
    """A pause that comes just when a job begins, is carried to or from the machine, or ends."""
    alpha, beta = pool.alpha, pool.beta
    with apart(tally, pool, "a pause that comes just as jobs begin or end stops those that began, and all end well, once, after it"):
        for late in (0.0, 0.4, 0.8, 1.2, 1.6):
            one = Job(alpha, "alice", SHORT, on=here)
            until(lambda: beta.sh("pgrep -x condor_starter || :", check=False), bool, "a starter begins", pause=0.1)
            time.sleep(late)
            beta.sh("wow pause", "alice")
            rest(GRACE)
            must(not burnt(beta), f"{late} s after the starter began: a job runs in a paused machine")
            beta.sh("wow resume", "alice")
            must("well" in one.result() and events(one, "005") == 1, f"{late}: {text(alpha, f'/home/alice/{one.name}.log')}")
    alpha.sh(f"head -c {BIG}M /dev/urandom > big", "alice")
    with apart(tally, pool, "a job whose files are being carried to the machine does not begin there while it is paused, and ends well after it"):
        # Longer than the moment in which it is stopped.
        one = Job(alpha, "alice", f"cksum < big; {LONG}", on=here, disk=f"{BIG + 50}M", more="transfer_input_files = big")
        until(lambda: scratch(beta, "big"), bool, "its file comes")
        beta.sh("wow pause", "alice")
        time.sleep(POLLED + 3)
        must(not burnt(beta) and events(one, "005") == 0, "it ran")
        beta.sh("wow resume", "alice")
        must(one.result().split() == alpha.sh("cksum < big", "alice").split(), "it read another file")
    with apart(tally, pool, "a job whose output is being carried back when the pause comes ends well"):
        one = Job(alpha, "alice", "mv big other", on=here, disk=f"{2 * BIG + 50}M", more="transfer_input_files = big\ntransfer_output_files = other")
        until(lambda: scratch(beta, "other"), bool, "it has ended")
        beta.sh("wow pause", "alice")
        time.sleep(POLLED)
        beta.sh("wow resume", "alice")
        one.result()
        must(alpha.sh("cksum < other", "alice").split() == alpha.sh("cksum < big", "alice").split() and starts(one) == 1, "the output is another")
    alpha.sh("rm -f big other", "alice")


def gives_back(tally, pool, here):
    """Jobs that have been paused for long, and a machine that is stopped meanwhile."""
    alpha, beta = pool.alpha, pool.beta
    with apart(tally, pool, "a job that is paused for long is given back, has the time for its checkpoint that it asked for, and goes on elsewhere from there"):
        gives_back_soon(beta)
        job = Job(alpha, "alice", SLOWLY, more=f'{KEEPS}\njob_max_vacate_time = 90\nrank = TARGET.Machine == "{here}"').ready(beta)
        beta.sh("wow pause", "alice")
        said = job.result().split()
        must(said[:1] == ["saved"] and said[1:2] != ["beta"], f"{said}")
        log = text(alpha, f"/home/alice/{job.name}.log")
        must(events(job, "004") == 1 and events(job, "012") == 0 and "was not reached" not in log, log)
        beta.sh("wow resume")
    with apart(tally, pool, "a job whose machine gave it back and forgot it before its files were home runs again elsewhere, and not after its lease alone"):
        gives_back_soon(beta)
        job = Job(alpha, "alice", ELSEWHERE, more=f'rank = TARGET.Machine == "{here}"').ready(beta)
        evicted = text(beta, STARTD).count(VACATING)
        beta.sh("wow pause", "alice")
        until(lambda: text(beta, STARTD).count(VACATING), lambda count: count > evicted, "it is given back", pause=0.05)
        # As if what it sends took longer than the startd waits.
        beta.sh("pkill -STOP -x condor_starter")
        must("well" in job.result(FORGOTTEN) and starts(job) == 2, text(alpha, f"/home/alice/{job.name}.log"))
        must("before its files were home" in text(alpha, f"/home/alice/{job.name}.log"), text(alpha, f"/home/alice/{job.name}.log"))
        beta.sh(f"wow resume; rm {PATIENCE}; condor_reconfig -startd")
    with apart(tally, pool, "HTCondor that is stopped in a machine that is paused gives jobs time for their checkpoint, and leaves nothing frozen"):
        job = Job(alpha, "alice", SAVES, on=here, more=KEEPS).ready(beta)
        beta.sh("wow pause", "alice")
        until(lambda: beta.frozen, bool, "the job stands still")
        beta.run("systemctl", "stop", "condor.service")
        must(not beta.jobs_processes, "something of a job is left")
        beta.run("systemctl", "start", "condor.service")
        time.sleep(POLLED)
        must(starts(job) == 1, "it began in a machine that is paused")
        beta.sh("wow resume", "alice")
        must(job.result().split()[:1] == ["saved"], "it began anew")


def gives_back_soon(machine):
    """Has a machine give back jobs after a short pause already."""
    machine.sh(f"echo 'WOW_PAUSE_PATIENCE = 8' > {PATIENCE}; condor_reconfig -startd")


def burnt(machine):
    """Whether any job of a machine uses processor time."""
    before = machine.slots
    time.sleep(0.2)
    return any(used > before.get(slot, 0) for slot, used in machine.slots.items())


def stops(machine, act):
    """Seconds from the beginning of an act to the last processor time that a machine's jobs used, of which they must not use much after its end."""
    ended = []
    acts = threading.Thread(target=lambda: (act(), ended.append(machine.slots)))
    begin = last = time.monotonic()
    first = was = machine.slots
    acts.start()

    def still():
        nonlocal was, last
        if (now := machine.slots) != was:
            was, last = now, time.monotonic()
        return not acts.is_alive() and time.monotonic() - last >= STILL
    until(still, bool, "jobs stand still", pause=0.02)
    must(ended and was != first, "the act failed, or there was nothing to stop")
    used = (sum(was.values()) - sum(ended[0].values())) / 1e6
    must(used < SOON, f"it ran until {last - begin:.2f} s, and used {used:.2f} s of a processor after the verb's end")
    return last - begin


def goes_on(machine, act):
    """Seconds from the beginning of an act to the first processor time that a machine's jobs use, which must not be long after its end."""
    ended = []
    acts = threading.Thread(target=lambda: (act(), ended.append(PROMISED.now())))
    begin, was = PROMISED.now(), machine.slots
    acts.start()
    try:
        _, seconds = until(lambda: machine.slots, lambda now: now != was, "a job goes on", pause=0.02)
        went_on = PROMISED.now()
    finally:
        acts.join()
    must(ended and went_on < ended[0] + SOON, f"it goes on after {went_on - begin:.2f} s, and the verb ended at {[end - begin for end in ended]}")
    return seconds


def activity(machine):
    """What the startd of a machine has done last with the slot of its first job."""
    return text(machine, STARTD).rpartition("slot1_1: Changing activity: ")[2].partition("\n")[0]


def status(job):
    """HTCondor's number of the state that the job is in."""
    return job.machine.run("condor_q", job.number, "-allusers", "-af", "JobStatus", check=False).stdout.strip()


def ask(machine, *request):
    """Asks a machine's agent as root."""
    machine.run("python3", "-I", "-S", "-c", ASK, *request)
