"""Jobs a second through one schedd: ours, and HTCondor as Debian configures it (debian.py), in turn, on the same machines with the same slots."""

import statistics
import time

import debian
import slots
from looking import text
from waiting import until

ROUNDS, FEW = 5, 1
JOBS, FIRST = 240, 60
"""Jobs of a round; those that end before so many have ended are not counted, for until then slots are being claimed."""
SLOTS = 8
"""Of each of two machines: more than the processors can serve, so what a job costs them decides."""
LIMIT = 400.0
SETTLE = 5.0
"""Seconds from one round to the next, in which claims end."""
SUBMIT = """executable = /bin/true
transfer_executable = false
should_transfer_files = yes
output = {name}.$(Process).out
error = {name}.$(Process).err
log = {name}.log
request_cpus = 1
request_memory = 16
request_disk = 1M
queue {jobs}
"""
OURS, DEBIANS = "wow", "debian"
CONFIGS = {OURS: "", DEBIANS: f"CONDOR_CONFIG={debian.CONFIG} "}


def measure(pool, asked):
    """{wow: jobs a second, debian: the same, ratio: of each round, median: of these; processor: {wow, debian: ms of a processor a job, on all machines}}."""
    for machine in pool.workers:
        slots.offer(machine, SLOTS)
    found, processor = {OURS: [], DEBIANS: []}, {OURS: [], DEBIANS: []}
    debian.start(pool, SLOTS)
    try:
        until(lambda: sorted(pool.ads("-startd", "int(TotalCpus)")), lambda said: said == [str(SLOTS)] * 2, "the machines have their slots", 60, pause=0.5)
        for number in range(asked.rounds or (FEW if asked.short else ROUNDS)):
            # Who is first in one round is second in the next.
            for name in sorted(CONFIGS, reverse=bool(number % 2)):
                before = used(pool)
                found[name].append(a_second(pool.alpha, f"{name}{number}", CONFIGS[name]))
                time.sleep(SETTLE)
                processor[name].append(round((used(pool) - before) / JOBS * 1000))
    finally:
        debian.stop(pool)
        for machine in pool.workers:
            slots.offer_own(machine)
        pool.listed([machine.name for machine in pool.workers])
    ratios = [ours / theirs for ours, theirs in zip(found[OURS], found[DEBIANS])]
    rates = {name: [round(each, 2) for each in numbers] for name, numbers in {**found, "ratio": ratios}.items()}
    return {**rates, "median": round(statistics.median(ratios), 2), "processor": processor}


def used(pool):
    """Seconds of processor time that all machines have used, whatever ran beside them."""
    return sum(machine.processor for machine in pool.machines.values())


def a_second(machine, name, environment):
    """Submits a round's jobs; how many of them end in a second."""
    machine.sh(f"cat > {name}.sub && {environment}condor_submit -terse {name}.sub", "alice", text_in=SUBMIT.format(name=name, jobs=JOBS))
    times = {}

    def ended():
        count = ("\n" + text(machine, f"/home/alice/{name}.log")).count("\n005 (")
        times.setdefault(count, time.monotonic())
        return count
    try:
        until(ended, lambda count: count == JOBS, f"{name}: all jobs end", LIMIT)
    except AssertionError as error:
        raise AssertionError(f"{error}\n{machine.sh(f'{environment}condor_q -allusers; {environment}condor_status; tail -n 30 /var/debian/log/SchedLog')}") from None
    begin = min(count for count in times if count >= FIRST)
    return (JOBS - begin) / (times[JOBS] - times[begin])
