"""The clock of a machine jumps by a year either way, or the machine sleeps; nothing is typed, and within a minute all is as before."""

import json
import time

import echo
import probe
import steal
from tally import must

YEAR = 365 * 86400
SLEEP = 30
WITHIN = 60
"""Seconds after which the clock is right, on a machine as fast as its emulator is."""
RIGHT = 10
"""Seconds of error that do no harm."""


def jumps(tally, lab):
    """alpha is in the pool. beta is not needed."""
    for jump, way in ((YEAR, "ahead"), (-YEAR, "behind")):
        with tally.case(f"a clock that is set a year {way} is right within a minute; certificate, address, IPsec and HTCondor are there"):
            before = probe.status("alpha")
            probe.root("alpha", f"date -s @$(( $(date +%s) + {jump} )) > /dev/null")
            right("alpha")
            after = probe.status("alpha")
            must(after.get("certificate") == before["certificate"] and after["address"] == before["address"], f"the status was {before}, now it is {after}")
            works(lab, "alpha", "alpha")


def sleeps(tally, lab):
    """beta is in the pool. alpha is not needed."""
    with tally.case(f"after a sleep of {SLEEP} s the clock is right within a minute of waking"):
        vm = lab.vms["beta"]
        with vm.qmp() as qmp:
            qmp.ask("stop")
        time.sleep(SLEEP)
        with vm.qmp() as qmp:
            qmp.ask("cont")
        right("beta")
        must("hypervisor" in probe.root("beta", "wow doctor | grep -i clock || true"), "wow doctor does not say what the clock follows")
        works(lab, "beta", "manager")


def off(name):
    """(least, most): seconds by which a machine's clock is ahead of ours. It was read at some moment of the question, which may take long."""
    before = time.time()
    there = float(probe.root(name, "date +%s.%N"))
    return there - time.time(), there - before


def shows(name, ahead, within):
    """Waits until a machine's clock is surely so many seconds ahead of ours."""
    limit = steal.now() + within
    least, most = off(name)
    while max(ahead - least, most - ahead) > RIGHT:
        must(steal.now() < limit, f"the clock is {least:.0f} to {most:.0f} s ahead, not {ahead}; {json.dumps(probe.status(name).get('clock'))}")
        time.sleep(1)
        least, most = off(name)


def right(name):
    """Waits until a machine's clock is right."""
    shows(name, 0, WITHIN)


def works(lab, name, asked):
    """Makes the SAs of a machine end, and waits until it has a new one with the manager, and its slot is in the pool; `asked` is the machine that shows it."""
    probe.root(name, "swanctl --terminate --ike overlay --force --timeout 1 > /dev/null 2>&1 || true")
    manager = lab.address("manager")
    probe.until(lambda: echo.answers(name, manager), bool, "ring", f"the manager does not answer {name}'s echoes")
    said = probe.root(name, "swanctl --list-sas")
    must("ESTABLISHED" in said and manager in said, f"{name} has no SA with the manager: {said}")
    probe.until(lambda: probe.slots(lab, asked), lambda found: name in found, "pool", f"{name}'s slot is not in the pool")
