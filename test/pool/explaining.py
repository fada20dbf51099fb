"""What people are told: why a job waits, is held or runs, and what keeps jobs from a machine; asked of a real pool for real reasons."""

import contextlib
import json

from jobs import Job
from pool import ZONE
from tally import must
from waiting import until

LARGE = "request_memory = 64G"
NO_JOBS = "/etc/condor/config.d/99-no-jobs.conf"


def run(tally, pool):
    """alice and bob on alpha; leaves the pool as it was."""
    waits(tally, pool)
    placed(tally, pool)
    silences(tally, pool)
    doctored(tally, pool)


def waits(tally, pool):
    """Jobs that no machine takes, or none yet."""
    alpha = pool.alpha
    with tally.case("wow why: a job that wants more memory than there is learns who has the most, and how much"):
        job = Job(alpha, "alice", "sleep 300", more=LARGE)
        found = why(alpha, "alice", job.number)
        most = max((int(line.split()[1]), line.split()[0].partition(".")[0]) for line in pool.manager.run(
            "condor_status", "-constraint", 'SlotType == "Partitionable"', "-af", "Machine", "TotalSlotMemory").stdout.splitlines())
        must(found["code"] == "too-much" and found["machines"] == {"in_pool": len(pool.workers), "would_do": 0, "free": 0}, f"{found}")
        must(f"No machine has 64 GB of memory; the largest has {most[0] / 1024:.1f} GB, on " in found["text"].replace(".0 GB", " GB"), f"{found}, {most}")
        must("Lower request_memory" in found["todo"], f"{found}")
        job.remove()
    with tally.case("wow why: a job that wants more of something else learns of what"):
        for more, what in (("request_cpus = 999", "999 processors"), ("request_disk = 900T", "900 TB of disk"), ("request_gpus = 1", "1 GPU")):
            job = Job(alpha, "alice", "sleep 300", more=more)
            found = why(alpha, "alice", job.number)
            must(found["code"] == "too-much" and what in found["text"], f"{found}")
            job.remove()
    with tally.case("wow why: requirements that name a machine that is not there, that ask for what nobody has, that fit nowhere together"):
        job = Job(alpha, "alice", "sleep 300", on=f"gone.{ZONE}")
        found = why(alpha, "alice", job.number)
        must(found["code"] == "no-such-machine" and f"gone.{ZONE}" in found["text"], f"{found}")
        job.remove()
        for line, code, part in (('requirements = TARGET.OpSys == "WINDOWS" && TARGET.Memory > 1', "requirement", "what there is: LINUX"),
                                 (f'requirements = (TARGET.Machine == "beta.{ZONE}") && regexp("^alpha", TARGET.Machine)', "nowhere-together", "(1 of 2)")):
            job = Job(alpha, "alice", "sleep 300", more=line)
            found = why(alpha, "alice", job.number)
            must(found["code"] == code and part in found["text"], f"{found}")
            job.remove()
    with tally.case("wow why: a job whose machine is busy learns with whose jobs, and whose turn is next"):
        cpus = pool.manager.run("condor_status", f"slot1@beta.{ZONE}", "-af", "TotalSlotCpus").stdout.strip()
        first = Job(alpha, "alice", "sleep 300", on=f"beta.{ZONE}", more=f"request_cpus = {cpus}").started()
        second = Job(alpha, "bob", "sleep 300", on=f"beta.{ZONE}", more=f"request_cpus = {cpus}")
        third = Job(alpha, "bob", "sleep 300", on=f"beta.{ZONE}", more=f"request_cpus = {cpus}")
        found = until(lambda: why(alpha, "bob", third.number), lambda said: said["code"] == "busy", "it is busy")[0]
        must(found["machines"] == {"in_pool": len(pool.workers), "would_do": 1, "free": 0}, f"{found}")
        must("One machine (beta) would do, and it is busy with jobs of alice@alpha (1)" in found["text"] and "after 1 other job of the same person" in found["text"],
             f"{found}")
        for job in (first, second, third):
            job.remove()


def placed(tally, pool):
    """Jobs that wait for no machine, jobs of others, and no jobs."""
    alpha = pool.alpha
    with tally.case("wow why: a job that runs, and one that has ended"):
        job = Job(alpha, "alice", "sleep 300", on=f"beta.{ZONE}").started()
        found = until(lambda: why(alpha, "alice", job.number), lambda said: said["code"] == "running", "it runs")[0]
        must(found["host"] == "beta" and "It has run on beta for" in found["text"], f"{found}")
        job.remove()
        job = Job(alpha, "alice", "exit 7", on=f"beta.{ZONE}")
        job.wait()
        found = until(lambda: why(alpha, "alice", job.number), lambda said: said["code"] == "ended", "it has ended")[0]
        must("with exit code 7" in found["text"], f"{found}")
    with tally.case("wow why: a held job's reason with what to do, and a job of another person"):
        job = Job(alpha, "alice", "sleep 300", more="transfer_input_files = /nonexistent/data")
        job.wait("012", "been held")
        found = why(alpha, "alice", job.number)
        must(found["code"] == "held" and "/nonexistent/data" in found["text"] and "transfer_input_files" in found["todo"] and f"condor_release {job.number}" in found["todo"],
             f"{found}")
        said = alpha.sh(f"wow why {job.number}", "bob")
        must(said.startswith(f"Job {job.number} of alice is held: ") and said.count("\n") == 1, said)
        job.remove()
    with tally.case("wow jobs: a person's own jobs with where they run and why they wait, and an end of watching when none is left"):
        runs = Job(alpha, "alice", "sleep 300", on=f"beta.{ZONE}").started()
        waits_ = Job(alpha, "alice", "sleep 300", more=LARGE)
        other = Job(alpha, "bob", "sleep 300", more="hold = true")
        found = {one["job"]: one for one in json.loads(alpha.sh("wow jobs --json", "alice"))["jobs"]}
        must({runs.number, waits_.number} == set(found) and found[waits_.number]["code"] == "too-much", f"{found}")
        must(found[runs.number]["host"] == "beta" and found[runs.number]["state"] == "runs", f"{found}")
        said = alpha.sh("wow jobs --all", "alice")
        must("no machine has 64 GB of memory" in said and "bob" in said and "3 jobs: 1 run, 1 wait, 1 held" in said, said)
        waits_.remove()
        other.remove()
        said = alpha.sh(f"wow jobs --watch > watched & until grep -q runs watched; do sleep 0.2; done; condor_rm {runs.number} > /dev/null; wait; cat watched", "alice")
        must(said.splitlines()[-1] == "no jobs" and "runs" in said, said)
    with tally.case("wow why: a number that no job has, and what is no number, are told apart by exit code and words"):
        done = alpha.run("runuser", "-u", "alice", "--", "wow", "why", "99999", check=False)
        must(done.returncode == 1 and "has no job 99999" in done.stdout and "wow jobs" in done.stdout, f"{done}")
        done = alpha.run("runuser", "-u", "alice", "--", "wow", "why", "all", check=False)
        must(done.returncode == 2 and "is no job's number" in done.stdout, f"{done}")
        done = pool.manager.run("wow", "why", "1", check=False)
        must(done.returncode == 1 and "does not answer" in done.stdout, f"{done}")


def silences(tally, pool):
    """What is wrong is the pool."""
    alpha, manager = pool.alpha, pool.manager
    job = Job(alpha, "alice", "sleep 300", on=f"gone.{ZONE}", more="requirements = true\nhold = true")
    number = job.number
    with tally.case("wow why: machines that take no jobs by their own rules"):
        with refusing(pool.workers):
            alpha.sh(f"condor_release {number}", "alice")
            told(pool, number, "refused", "START is false")
        job.remove()
    job = Job(alpha, "alice", "sleep 300", more=LARGE)
    number = job.number
    with tally.case("wow why: a pool without a machine that runs jobs"):
        for machine in pool.workers:
            machine.run("condor_off", "-startd", "-fast")
        told(pool, number, "no-machine", "no machine that runs jobs")
        for machine in pool.workers:
            machine.run("condor_on", "-startd")
        pool.listed([machine.name for machine in pool.workers])
    with tally.case("wow why, wow doctor: a negotiator that is not heard, and a manager that does not answer"):
        manager.run("condor_off", "-negotiator", "-fast")
        alpha.sh(f"condor_qedit {number} RequestMemory 64", "alice")
        try:
            told(pool, number, "negotiator-silent", "which gives out machines, is not heard")
            found(manager, {"negotiator-missing"})
            manager.run("systemctl", "stop", "condor")
            told(pool, number, "manager-silent", "manager does not answer")
            must("wow ping manager" in found(alpha, {"manager-silent"})["manager-silent"]["todo"], "it does not say what to do")
        finally:
            manager.run("systemctl", "restart", "condor")
        pool.listed([machine.name for machine in pool.workers])
        job.wait("001", "begun to run again")
        job.remove()


def doctored(tally, pool):
    """What `wow doctor` says of HTCondor on beta, and on the manager."""
    beta, manager = pool.beta, pool.manager
    with tally.case("wow doctor: a machine of the pool, asked by root and by a person, and its manager"):
        # Their homes are folders of this computer, where the kernel counts nobody's.
        codes = {"pool-member", "clock-agrees", "disk-unbounded"}
        # Since its slots were last switched on, one came.
        Job(pool.alpha, "alice", "true", on=f"beta.{ZONE}").result()
        found(beta, codes)
        found(beta, codes, "alice")
        found(manager, {"pool-manager", "disk"})
    with tally.case("wow doctor: held jobs, with the command that says why"):
        job = Job(beta, "alice", "sleep 300", more="hold = true")
        must("wow why" in found(beta, {"jobs-held"})["jobs-held"]["todo"], "it does not")
        job.remove()
    with tally.case("wow doctor, wow why: a machine that is being drained, and the command that ends that"):
        beta.run("condor_drain", f"beta.{ZONE}")
        todo = found(beta, {"draining"})["draining"]["todo"]
        job = Job(pool.alpha, "alice", "sleep 300", on=f"beta.{ZONE}")
        try:
            told(pool, job.number, "draining", "takes no new jobs for now")
        finally:
            beta.sh(todo.partition("To end that: ")[2].rstrip("."))
        job.started().remove()
    with tally.case("wow doctor: a machine that takes no jobs by its own rule, and one that the manager does not list"):
        with refusing([beta]):
            must("START: false" in found(beta, {"start-false"})["start-false"]["what"], "it does not say which rule")
        beta.run("condor_off", "-startd", "-fast")
        found(beta, {"slots-not-listed"})
        beta.run("condor_on", "-startd")
        pool.listed([machine.name for machine in pool.workers])
        found(beta, {"never-matched", "clock-agrees"})


@contextlib.contextmanager
def refusing(machines):
    """Has these machines take no jobs meanwhile."""
    for machine in machines:
        machine.sh(f"echo 'START = False' > {NO_JOBS}; condor_reconfig > /dev/null")
    try:
        yield
    finally:
        for machine in machines:
            machine.sh(f"rm {NO_JOBS}; condor_reconfig > /dev/null")


def found(machine, codes, user="root"):
    """{code: finding} of `wow doctor`, once these are among what it finds of HTCondor."""
    def ask():
        said = json.loads(machine.run("runuser", "-u", user, "--", "wow", "doctor", "--json", check=False).stdout)
        return {one["code"]: one for one in said["findings"] if one["check"] == "HTCondor"}
    return until(ask, lambda findings: codes <= set(findings), f"{machine.name}: wow doctor finds {codes}")[0]


def told(pool, number, code, part):
    """Waits until alice is told so."""
    found = until(lambda: why(pool.alpha, "alice", number), lambda said: said["code"] == code, f"wow why says {code}")[0]
    must(part in found["text"] and found["todo"], f"{found}")


def why(machine, user, number):
    """What `wow why` says of one job."""
    [job] = json.loads(machine.sh(f"wow why {number} --json", user))["jobs"]
    return job
