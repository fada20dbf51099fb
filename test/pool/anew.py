"""A pool after a case that failed: what that left is taken away, so that it is the only one that fails."""

import contextlib

from waiting import until

LEFT = """rm -f /etc/condor/config.d/90-*.conf /var/lib/wow/notice-8
pkill -CONT -x condor_starter
systemctl start wow-jobs.service condor.service
wow limit clear
wow resume
condor_reconfig
condor_rm -all"""
"""Ends what parts do to a machine that others share with them: jobs, pauses, limits, what is drained, HTCondor's own settings and what of it was stopped."""


@contextlib.contextmanager
def apart(tally, pool, name):
    """A case that does not need the one before it, nor has the next one need it."""
    with tally.case(name) as case:
        yield
    if not case.passed:
        begin(pool)


def begin(pool):
    """Has every machine on, and no job on any."""
    for machine in pool.machines.values():
        if machine is not pool.desk and not machine.is_on:
            machine.start()
            machine.wait()
        if machine.is_on:
            machine.sh(LEFT, check=False)
    pool.listed([machine.name for machine in pool.workers])
    until(lambda: pool.ads("-startd", "State"), lambda states: states and not {"Claimed", "Preempting"}.intersection(states), "no machine has a job", pause=1.0)
