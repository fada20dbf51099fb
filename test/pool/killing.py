"""Any part of any machine may die at any moment (kill -9), while jobs are submitted and run: none is lost, none runs to its end twice without its log saying why,
and every machine stays who it was.

What is killed, and when, follows from the seed. What of it runs just then does not, so a seed plays the same kills again, not the same world."""

import random
import re
import threading
import time

from looking import programs, text
from tally import must
from waiting import until

PARTS = ("ipopd", "condor_master", "condor_shared_p", "condor_procd", "condor_schedd", "condor_startd", "condor_starter", "condor_shadow", "condor_collecto",
         "condor_negotiat", "condor_had", "condor_replicat", "wow-jobs", "wow-pool")
"""By looking.programs' names; those are killed that the pool has."""
SHADOW, WITH_JOBS = "condor_shadow", ("condor_shadow", "condor_starter")
HOLDERS = ("condor_master", "condor_schedd", "condor_startd", *WITH_JOBS)
"""Whose death ends a job that is just being started."""
PAUSE = (2.0, 8.0)
"""Seconds from one kill to the next."""
WORKS = (1, 10)
"""Seconds that a job works."""
EVERY = 5.0
"""Seconds from one submission to the next; each brings a job for every worker."""
ENDS = 300.0
"""Seconds within which all jobs end after the last kill."""
SAID = ("004", "007", "009", "012", "021", "022", "024")
"""Events of a job's log that say why it runs again: evicted, shadow's exception, aborted, held, error of the machine, disconnected, not reconnected."""
ENDED = "/run/killing"
"""The folder of each machine in which jobs that ran to their end leave a file each, JOB.ANYTHING: the one place that the test opens to them."""
JOB = f"""#!/bin/sh
echo "begin $1"
sleep "$2"
mktemp "{ENDED}/$1.XXXXXX" > /dev/null
echo "end $1"
"""
SUBMIT = """executable = killing.sh
arguments = {host}.$(Cluster).$(Process) $RANDOM_INTEGER({least},{most})
output = killing.$(Cluster).$(Process).out
log = killing.log
request_cpus = 1
request_memory = 64
request_disk = 10M
queue {jobs}
"""
EVENT = re.compile(r"^(\d\d\d) \((\d+)\.(\d+)\.\d+\)", re.MULTILINE)


def plan(seed, kills, parts):
    """[(seconds to wait, part, which of those that run, from 0 to 1)]: each part once before any comes again."""
    dice, found = random.Random(seed), []
    while len(found) < kills:
        some = sorted(parts)
        dice.shuffle(some)
        found += [(dice.uniform(*PAUSE), part, dice.random()) for part in some]
    return found[:kills]


def run(tally, pool, seed, kills):
    """Needs a pool that is up, and leaves it so."""
    print(f"     seed {seed}; again: test/pool/run --workers {len(pool.workers)} --seed {seed} --kills {kills} killing", flush=True)
    was = {machine.name: identity(machine) for machine in pool.machines.values()}
    feed, spared = Feed(pool, seed), Spared()
    for machine in pool.machines.values():
        machine.run("mkdir", "--mode=1733", ENDED)
    there = {name for machine in pool.machines.values() for name, _ in programs(machine)}
    with tally.case(f"parts of machines die {kills} times, while jobs come and run"), feed:
        for pause, part, which in plan(seed, kills, there.intersection(PARTS).union(WITH_JOBS)):
            time.sleep(pause)
            kill(pool, part, which, spared, feed)
    print(f"     {len(feed.jobs)} jobs were submitted, {feed.refused} times a queue took none", flush=True)
    with tally.case("no job is lost: each ends once by its log, or the log says why the end came again, with its whole output"):
        must(feed.jobs, "no queue took a job")
        until(lambda: [job for job in feed.jobs if "005" not in feed.events(job)], lambda left: not left, "all jobs end", ENDS, pause=1.0)
        for job in feed.jobs:
            must(is_told(feed.events(job)) and feed.output(job) == [f"begin {job}", f"end {job}"], f"{job}: {feed.events(job)}, {feed.output(job)}")
    with tally.case("no job ran to its end twice without its log saying why"):
        ends = [name.rpartition(".")[0] for machine in pool.machines.values() for name in machine.run("ls", ENDED).stdout.split()]
        twice = {job for job in feed.jobs if ends.count(job) != 1}
        print(f"     {len(twice)} jobs ran to their end again", flush=True)
        must(not (silent := {job: feed.events(job) for job in twice - spared.jobs if not set(SAID).intersection(feed.events(job))}), f"{silent}")
        must(all(job in ends for job in feed.jobs), "the machines do not have all ends")
        for machine in pool.machines.values():
            machine.run("rm", "-r", ENDED)
    with tally.case("every machine is in the pool again and is who it was, and none has founded a CA"):
        pool.listed([machine.name for machine in pool.workers])
        must((now := {machine.name: identity(machine) for machine in pool.machines.values()}) == was, f"{now}, and it was {was}")


def kill(pool, part, which, spared, feed):
    """Kills one of a part's processes, as soon as there is one."""
    def killed():
        running = sorted(((machine.name, int(folder.name), machine, folder) for machine in pool.machines.values() for name, folder in programs(machine) if name == part),
                         key=lambda one: one[:2])
        if not running:
            return False
        _, number, machine, folder = running[int(which * len(running))]
        job = next((word for word in words(folder) if re.fullmatch(r"\d+\.\d+", word)), "") if part == SHADOW else ""
        starting = feed.starting() if part in HOLDERS else set()
        if machine.run("kill", "-9", str(number), check=False).returncode:
            return False
        spared.jobs |= starting
        if job:
            spared.jobs.add(f"{machine.name}.{job}")
        print(f"     {machine.name}: {part} {job}".rstrip(), flush=True)
        return True
    until(killed, bool, f"a {part} runs", pause=0.2)


def is_told(events):
    """Whether a job's log has its end, and a reason before each further one: a shadow writes the end before its queue does, whose schedd may die in between."""
    ends = [number for number, event in enumerate(events) if event == "005"]
    return bool(ends) and all(set(SAID).intersection(events[one:other]) for one, other in zip(ends, ends[1:]))


def words(folder):
    """A process' command line; empty if it has ended."""
    try:
        return (folder / "cmdline").read_text(encoding="utf-8", errors="replace").split("\0")
    except (FileNotFoundError, ProcessLookupError):
        return []


def identity(machine):
    """(virtual address, digest of its key, what it has of a CA)."""
    return machine.address, machine.sh("sha256sum < /var/lib/wow/node.key").split()[0], machine.sh("find /var/lib/wow -name 'ca.*'")


class Spared:
    """Jobs whose shadow was killed, and those of which one who held them was killed when their log did not have their begin yet: of these alone HTCondor writes nothing
    into a job's log when they begin again."""

    def __init__(self):
        self.jobs = set()


class Feed(threading.Thread):
    """Submits alice's jobs from all workers until it is left. jobs: HOST.CLUSTER.PROCESS of those that a queue said that it has taken."""

    def __init__(self, pool, seed):
        super().__init__()
        self._pool, self._dice, self._ends = pool, random.Random(seed), threading.Event()
        self.jobs, self.refused = [], 0
        for machine in pool.workers:
            machine.sh("cat > killing.sh; chmod 755 killing.sh", "alice", text_in=JOB)
            submit = SUBMIT.format(host=machine.name, least=WORKS[0], most=WORKS[1], jobs=len(pool.workers))
            machine.sh("cat > killing.sub", "alice", text_in=submit)

    def run(self):
        """One machine after the other."""
        while not self._ends.wait(EVERY):
            self._submit()

    def _submit(self):
        machine = self._dice.choice(self._pool.workers)
        said = machine.sh("timeout 120 condor_submit -terse killing.sub || :", "alice", check=False)
        if (match := re.search(r"^(\d+)\.(\d+) - \1\.(\d+)$", said, re.MULTILINE)) is None:
            self.refused += 1
        else:
            self.jobs += [f"{machine.name}.{match[1]}.{number}" for number in range(int(match[2]), int(match[3]) + 1)]

    def __enter__(self):
        # Before anything is killed, when a queue takes them.
        self._submit()
        self.start()
        return self

    def __exit__(self, *_):
        self._ends.set()
        self.join()

    def events(self, job):
        """The events of a job's log, in order."""
        host, cluster, process = job.split(".")
        said = text(self._pool.machines[host], "/home/alice/killing.log")
        return [event for event, *number in EVENT.findall(said) if [int(each) for each in number] == [int(cluster), int(process)]]

    def starting(self):
        """The jobs whose files are on their way to a machine, or that began there, of which their log does not have the begin yet."""
        return {job for job in list(self.jobs) if "040" in (events := self.events(job)) and "001" not in events}

    def output(self, job):
        """Lines of a job's output."""
        host, cluster, process = job.split(".")
        return text(self._pool.machines[host], f"/home/alice/killing.{cluster}.{process}.out").splitlines()
