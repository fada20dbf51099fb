"""`wow doctor` in a machine of the pool: all is well, then strongSwan is stopped."""

import probe
import rootshell
from tally import must

PARTS = ("strongSwan", "HTCondor", "dnsmasq")


def run(tally, lab):
    """As root on alpha."""
    with tally.case("wow doctor finds strongSwan, HTCondor and dnsmasq running, and nothing wrong"):
        probe.until(lambda: rootshell.ask("alpha", "wow doctor", 120), lambda answer: answer[0] == 0 and all(f"{part} runs." in answer[1] for part in PARTS),
                    "pool", "wow doctor on alpha finds something wrong")
    with tally.case("wow doctor names strongSwan when it is stopped, and says how to start it"):
        probe.root("alpha", "systemctl stop strongswan.service")
        try:
            code, said = rootshell.ask("alpha", "wow doctor", 120)
        finally:
            probe.root("alpha", "systemctl start strongswan.service")
        must(code == 1 and "strongSwan does not run" in said and "systemctl start strongswan.service" in said, f"it ended with {code}:\n{said}")
        must("HTCondor runs." in said and "dnsmasq runs." in said, f"the others:\n{said}")
    with tally.case("started again, strongSwan seals as before"):
        probe.until(lambda: probe.slots(lab), lambda found: "alpha" in found, "pool", "alpha's slot is not in the pool")
        probe.until(lambda: rootshell.ask("alpha", "wow doctor", 120)[0], lambda code: code == 0, "pool", "wow doctor on alpha still finds something wrong")
