"""A machine whose address the operator chose: its key and certificate come with its configuration disk, and it enrols nowhere."""

import pathlib

import echo
import probe
import sites
from tally import must

ADDRESS, HOST = "10.128.77.7", "files"
PLACE = "/run/assigned"
MAKE = f"/usr/lib/wow/ca/wow-ca machine --state /var/lib/wow/ca --out {PLACE} --address {ADDRESS} --host {HOST}"


def run(tally, lab):
    """beta, whose former key was revoked, starts anew as that machine."""
    with tally.case("wow-ca machine on the manager makes key and certificate for an address, and refuses them to a second key"):
        must(ADDRESS in probe.root("manager", MAKE), "it does not name the address")
        must("another --address" in probe.root("manager", MAKE.replace(PLACE, PLACE + "-2") + " 2>&1 || true"), "the address is given twice")
        folder = pathlib.Path(lab.setup.secret, "assigned")
        folder.mkdir()
        for name in ("node.key", "node.pem"):
            (folder / name).write_text(probe.root("manager", f"cat {PLACE}/{name}").strip() + "\n", encoding="ascii")
    with tally.case("with them on its configuration disk a new machine has that address and name at its first boot, and a slot in the pool"):
        beta = lab.vms["beta"]
        beta.pull_plug()
        beta.make_disk()
        lab.setup.stamp(sites.BETA, assigned=folder)
        lab.power_on("beta")
        lab.wait("ready", "beta")
        status = probe.joined_status("beta")
        must((status["address"], status["certificate"]["address"], status["certificate"]["host"]) == (ADDRESS, ADDRESS, HOST), f"{status}")
        must(beta.console.last("address").values["address"] == ADDRESS, "its console told another address")
        probe.until(lambda: probe.slots(lab), lambda found: HOST in found, "pool", f"no slot of {HOST} in the pool")
        probe.until(lambda: echo.answers("alpha", ADDRESS) > 0, bool, "command", "alpha can't ping it through IPsec")
