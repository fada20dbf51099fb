"""The manager is reset: the ring, the CA and the pool come back by themselves, with nothing done on the workers."""

import probe
from tally import must


def run(tally, lab):
    """The reset button of the manager."""
    with tally.case("the manager rebooted: it keeps its address, the workers are back in its pool by themselves"):
        before = lab.address("manager")
        manager = lab.vms["manager"]
        count = sum(step.name == "ready" for step in manager.console.steps)
        manager.reset()
        probe.until(lambda: (lab.look(), sum(step.name == "ready" for step in manager.console.steps))[1], lambda now: now > count, "ready",
                    "the manager does not get ready again")
        must(lab.address("manager") == before, f"the manager's address {before} became {lab.address('manager')}")
        probe.until(lambda: probe.slots(lab), lambda found: {"alpha", "beta"} <= found, "pool", "the workers' slots do not come back")
