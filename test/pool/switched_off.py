"""A machine that runs a job goes: switched off for good, off and on again, cut off, its overlay alone. Each of the first two loses its job, none of the others."""

import time

import cutting
from jobs import UNTIL_TOLD, Job, tell
from pool import ZONE
from tally import must
from waiting import until

SLEEP = "sleep 3000"
SHORT, LONGER = "My.WowPatience = 0.5", "My.WowPatience = 1"
CUT = 15.0
"""Seconds: longer than the overlay's patience with a path, shorter than a job's."""
OFTEN, SELDOM = 30, 3000
"""Seconds between a machine's ads, in a small pool, and so many that none comes by itself while the test runs."""
RENEWED = 40.0
"""Seconds: a startd tells of itself every 30."""
LOOK = 6.0
"""Seconds: wow-jobs looks every 5."""
SHADOWS = """import sys
sys.path.insert(0, "/usr/lib/wow/node")
from wow.jobs import shadows
found = shadows.Shadows()
found.look()
print(*sorted(shadow.job for shadow in found.running.values()))
"""
NAMESAKE = "cp /usr/bin/sleep condor_shadow && exec ./condor_shadow 3000"


def run(tally, pool):
    """Needs a pool of alpha and beta that is up, and leaves it so."""
    beta, here = pool.machines["beta"], f"beta.{ZONE}"
    of_beta = f'Machine == "{here}"'
    own = Job(pool.alpha, "alice", SLEEP, on=f"alpha.{ZONE}", more=SHORT).started()
    with tally.case("a shadow is what the schedd started, and neither a person's program of that name nor one that a person has the schedd start"):
        namesake = pool.alpha.begin(["sh", "-c", f"cd ~bob && {NAMESAKE}"], "bob")
        local = Job(pool.alpha, "bob", f"mkdir -p own && cd own && {NAMESAKE}", more="universe = scheduler").started()
        until(lambda: pool.alpha.sh("pgrep -u bob condor_shadow | wc -l").strip(), lambda count: count == "2", "bob's programs run")
        said = pool.alpha.run("python3", "-I", "-S", "-c", SHADOWS).stdout.split()
        must(said == [own.number], f"{said}, and the one job is {own.number}")
        local.remove()
        namesake.kill()
        namesake.wait()
    with tally.case("a job whose machine is cut off for a while, its carrier up, goes on there, and the manager lists it at once though it tells of itself seldom"):
        job = Job(pool.alpha, "alice", SLEEP, on=here).started()
        pace(beta, SELDOM)
        with cutting.cut(beta):
            time.sleep(CUT)
            lost, carrier = cutting.dropped(beta), cutting.has_carrier(beta)
        must(len(lost) == 2 and all(lost) and carrier, f"packets lost: {lost}, carrier: {carrier}")
        pool.listed([machine.name for machine in pool.workers])
        pace(beta, OFTEN)
        must_go_on(job)
        job.remove()
    with tally.case("a job whose machine's overlay alone is started anew goes on there"):
        job = Job(pool.alpha, "alice", SLEEP, on=here).started()
        beta.run("systemctl", "restart", "ipopd")
        time.sleep(RENEWED)
        must_go_on(job)
        job.remove()
    for when, looked in (("", True), (" before anybody looked at it", False)):
        with tally.case(f"a job whose machine is switched off and on again{when} runs again, and its log says why"):
            if not looked:
                pool.alpha.run("systemctl", "kill", "--signal=STOP", "wow-jobs")
            job = Job(pool.alpha, "alice", SLEEP, on=here).started()
            time.sleep(LOOK)
            beta.kill()
            beta.start()
            beta.wait()
            since = time.monotonic()
            if not looked:
                until(lambda: pool.alpha.run("wow", "ping", "beta", check=False).returncode, lambda code: code == 0, "alpha reaches beta")
                pool.alpha.run("systemctl", "kill", "--signal=CONT", "wow-jobs")
            runs_again(job)
            print(f"     from beta's address to the job running again: {time.monotonic() - since:.1f} s")
            must("was started anew and has the job no more" in log(job), log(job))
            job.remove()
    with tally.case("a job that a shadow was handed as its second one runs again, too, where HTCondor was started anew before anybody looked, and others run there since"):
        pool.alpha.run("systemctl", "kill", "--signal=STOP", "wow-jobs")
        whole = f"request_cpus = {pool.ads('-startd', 'int(TotalCpus)', '-constraint', of_beta)[0]}"
        first, job = (Job(pool.alpha, "alice", script, on=here, more=f"{whole}\nhold = true") for script in (UNTIL_TOLD, SLEEP))
        pool.alpha.sh(f"condor_release {first.number} {job.number}", "alice")
        first.started()
        tell(beta)
        job.started()
        must(pool.alpha.run("pgrep", "-f", f"condor_shadow {first.number} ").stdout, "the second job has a shadow of its own")
        beta.sh("kill -9 $(pgrep -x condor_startd)")
        other = Job(pool.alpha, "alice", SLEEP, on=here).started()
        pool.alpha.run("systemctl", "kill", "--signal=CONT", "wow-jobs")
        until(lambda: log(job), lambda said: "was started anew and has the job no more" in said, "the job is taken back")
        must_go_on(other)
        other.remove()
        runs_again(job)
        job.remove()
    with tally.case("a job on its own machine, which no overlay reaches, went on all the while"):
        must_go_on(own)
        own.remove()
    with tally.case("a job whose machine stays away runs elsewhere when its patience ends, its log says why, and one that is removed meanwhile is gone by its own"):
        job, removed = (Job(pool.alpha, "alice", SLEEP, more=f'{waits}\nrank = TARGET.Machine == "{here}"').started() for waits in (LONGER, SHORT))
        must(all(f"@{here}" in log(one) for one in (job, removed)), log(job) + log(removed))
        since = time.monotonic()
        beta.kill()
        until(lambda: pool.ads("-startd", "Name", "-constraint", of_beta), lambda left: not left, "the manager forgets beta")
        print(f"     beta's ads went {time.monotonic() - since:.1f} s after it")
        removed.remove()
        until(lambda: pool.alpha.run("condor_q", removed.number, "-allusers", "-af", "JobStatus").stdout, lambda state: not state, "the removed job has left the queue")
        print(f"     of a patience of 30 s: the removed job left the queue {time.monotonic() - since:.1f} s after beta went")
        must("\n009 " in log(removed) and starts(job) == 1, log(removed) + log(job))
        runs_again(job)
        print(f"     of a patience of 60 s: the job runs elsewhere {time.monotonic() - since:.1f} s after beta went")
        must("was not reached for a minute" in log(job), log(job))
        job.remove()
    if not beta.is_on:
        beta.start()
    pool.listed([machine.name for machine in pool.workers])


def pace(machine, seconds):
    """How often a machine tells of itself."""
    machine.sh(f"sed -i 's/^UPDATE_INTERVAL = .*/UPDATE_INTERVAL = {seconds}/' /run/wow/condor-pace.conf && condor_reconfig")


def starts(job):
    """How often the job has begun to run."""
    return int(job.machine.sh(f"grep -c '^001 ' {job.name}.log || :", job.user))


def runs_again(job):
    """Waits until the job has begun to run once more."""
    try:
        until(lambda: starts(job), lambda count: count == 2, f"job {job.number} runs again")
    except AssertionError as error:
        queue = job.machine.run("condor_q", "-allusers", "-af:j", "JobStatus", "RemoteHost", "PublicClaimId", "HoldReason").stdout
        ads = job.machine.run("condor_status", "-af", "Name", "MyAddress", "DaemonStartTime", "LastHeardFrom").stdout
        raise AssertionError(f"{error}\n{queue}{ads}{log(job)}") from None


def log(job):
    """The job's log."""
    return job.machine.sh(f"cat {job.name}.log", job.user)


def must_go_on(job):
    """Fails unless the job runs where it began to."""
    said = log(job)
    state = job.machine.run("condor_q", job.number, "-allusers", "-af", "JobStatus", "NumShadowStarts").stdout.split()
    must(state == ["2", "1"] and not any(f"\n{event} " in said for event in ("004", "012", "022", "024")), f"{state}: {said}")
