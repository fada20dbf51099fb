"""The clock of beta jumps by a year either way, and beta sleeps; nothing is typed, and within a minute all is as before."""

import json
import time

import echo
import probe
from tally import must

NAME = "beta"
YEAR = 365 * 86400
SLEEP = 30
WITHIN = 60
"""Seconds after which the clock is right, on a machine as fast as its emulator is."""
RIGHT = 10
"""Seconds of error that do no harm."""


def run(tally, lab):
    """beta is in the pool."""
    for jump, name in ((YEAR, "ahead"), (-YEAR, "behind")):
        with tally.case(f"a clock that is set a year {name} is right within a minute; certificate, address, IPsec and HTCondor are there"):
            before = probe.status(NAME)
            probe.root(NAME, f"date -s @$(( $(date +%s) + {jump} )) > /dev/null")
            right()
            after = probe.status(NAME)
            must(after.get("certificate") == before["certificate"] and after["address"] == before["address"], f"the status was {before}, now it is {after}")
            works(lab)
    with tally.case(f"after a sleep of {SLEEP} s the clock is right within a minute of waking"):
        vm = lab.vms[NAME]
        with vm.qmp() as qmp:
            qmp.ask("stop")
        time.sleep(SLEEP)
        with vm.qmp() as qmp:
            qmp.ask("cont")
        right()
        must("hypervisor" in probe.root(NAME, "wow doctor | grep -i clock || true"), "wow doctor does not say what the clock follows")
        works(lab)


def off():
    """Seconds by which beta's clock is ahead of ours."""
    before = time.time()
    there = float(probe.root(NAME, "date +%s.%N"))
    return there - (before + time.time()) / 2


def right():
    """Waits until the clock is right."""
    limit = time.monotonic() + WITHIN
    while abs(error := off()) > RIGHT:
        must(time.monotonic() < limit, f"the clock is still {error:.0f} s off; {json.dumps(probe.status(NAME).get('clock'))}")
        time.sleep(1)


def works(lab):
    """Makes the SAs end, and waits until beta has a new one with the manager, and its slot is in the pool."""
    probe.root(NAME, "swanctl --terminate --ike overlay --force --timeout 1 > /dev/null 2>&1 || true")
    manager = lab.address("manager")
    probe.until(lambda: echo.answers(NAME, manager), bool, "ring", f"the manager does not answer {NAME}'s echoes")
    said = probe.root(NAME, "swanctl --list-sas")
    must("ESTABLISHED" in said and manager in said, f"{NAME} has no SA with the manager: {said}")
    probe.until(lambda: probe.slots(lab), lambda found: NAME in found, "pool", f"{NAME}'s slot is not in the pool")
