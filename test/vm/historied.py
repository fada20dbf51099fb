"""The manager's history and figures where machines are known by their certificates: wow-pool is confined, and still sees all of the pool."""

import json
import re

import probe
from tally import must

ASK = """printf 'GET %s HTTP/1.1\\r\\nAuthorization: Bearer %s\\r\\n\\r\\n' /metrics "$(wow history token)" |
busybox nc "$(cut -d ' ' -f 1 /run/wow/joined)" 9619"""


def run(tally, _):
    """Needs a pool that has run alice's jobs."""
    with tally.case("the manager's figures count both workers' slots and queues, and no look at the collector failed"):
        found = probe.until(figures, lambda told: told.get("wow_pool_queues") == 2, "pool", "wow-pool does not see two queues")
        # Jobs come and go meanwhile, so a slot may be claimed.
        slots = sum(count for name, count in found.items() if name.startswith("wow_pool_slots{"))
        must(found["wow_pool_sample_failures_total"] == 0 and slots >= 2, f"{found}")
    with tally.case("its history answers whoever has the manager's token, and a manager takes ads of machines away that are gone"):
        told = json.loads(probe.root("manager", "wow history --json"))
        must(set(told) == {"days", "person", "project", "owner", "drained"}, f"it has something else: {told}")
        must(probe.root("manager", "systemctl is-active wow-pool wow-jobs").split() == ["active", "active"], "one of them does not run")


def figures():
    """{series: value} of the page."""
    return {name: float(value) for name, value in re.findall(r"^(wow_pool_\S+) (\S+)\r?$", probe.root("manager", ASK), re.MULTILINE)}
