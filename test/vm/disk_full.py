"""beta's home disk is full: the machine says so, stays in the pool, and starts again."""

import probe
from tally import must

FILL = "fallocate -l $(( $(df --output=avail -B1 /home | tail -n 1) )) /home/full 2>/dev/null; cat /dev/zero > /home/full2 2>/dev/null; df -h /home"


def run(tally, lab):
    """The disk is filled as root, so that not even the reserve is left."""
    with tally.case("home disk full: `wow status` warns, the machine restarts and is in the pool again"):
        probe.root("beta", f"{FILL}; true", "login")
        said = probe.root("beta", "wow status")
        must("full" in said, f"wow status says nothing of it:\n{said}")
        beta = lab.vms["beta"]
        count = sum(step.name == "ready" for step in beta.console.steps)
        address = lab.address("beta")
        beta.reset()
        probe.until(lambda: (lab.look(), sum(step.name == "ready" for step in beta.console.steps))[1], lambda now: now > count, "ready",
                    "beta does not get ready with a full disk")
        must(lab.address("beta") == address, f"its address {address} became {lab.address('beta')}")
        probe.until(lambda: probe.slots(lab), lambda found: "beta" in found, "pool", "beta's slot does not come back")
        probe.root("beta", "rm -f /home/full /home/full2")
