"""alpha's home disk is full: the machine says so, stays in the pool, starts again, and has its queue when there is room."""

import probe
from tally import must

NAME = "alpha"
FILL = "fallocate -l $(( $(df --output=avail -B1 /home | tail -n 1) )) /home/full 2>/dev/null; cat /dev/zero > /home/full2 2>/dev/null; df -h /home"

COUNTS = "python3 -ISc 'import sys; sys.path.insert(0, \"/usr/lib/wow/node\"); from wow.slots import quota; print(quota.is_on())'"


def run(tally, lab):
    """The disk is filled as root, so that not even the reserve is left. beta is not needed."""
    with tally.case("home disk full: `wow status` warns, the machine restarts and is in the pool again"):
        probe.root(NAME, f"{FILL}; true", "login")
        said = probe.root(NAME, "wow status")
        must("full" in said, f"wow status says nothing of it:\n{said}")
        vm = lab.vms[NAME]
        count = sum(step.name == "ready" for step in vm.console.steps)
        address = lab.address(NAME)
        vm.reset()
        probe.until(lambda: (lab.look(), sum(step.name == "ready" for step in vm.console.steps))[1], lambda now: now > count, "ready",
                    f"{NAME} does not get ready with a full disk")
        must(lab.address(NAME) == address, f"its address {address} became {lab.address(NAME)}")
        probe.until(lambda: probe.slots(lab), lambda found: NAME in found, "pool", f"{NAME}'s slot does not come back")
        must(probe.root(NAME, COUNTS).strip() == "True", "the kernel no longer counts what jobs write")
        probe.root(NAME, "rm -f /home/full /home/full2")
        alice = lab.login(NAME, "alice")
        # HTCondor starts a queue again that found no room, later each time.
        probe.until(lambda: alice.run("condor_q -totals", check=False).returncode, lambda code: code == 0, "pool", f"{NAME}'s queue does not answer though there is room")
