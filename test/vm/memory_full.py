"""A program of alice's takes all memory of alpha: the kernel ends it, and not what keeps the machine in its pool."""

import probe
from tally import must

KEEPERS = ("ipopd.service", "strongswan.service", "wow-names.service", "condor.service")
GLUTTON = "python3 -c 'all = [bytearray(b\"x\") * (1 << 20) for _ in range(1 << 20)]'"
"""A tebibyte, a mebibyte at a time, each written to."""


def processes():
    """The main process of each unit that must live on."""
    return probe.root("alpha", "systemctl show --property MainPID --value " + " ".join(KEEPERS)).split()


def killed():
    """How many processes the kernel has ended for want of memory."""
    return int(probe.root("alpha", "awk '/^oom_kill / { print $2 }' /proc/vmstat"))


def run(tally, lab):
    """alpha is in the pool."""
    with tally.case("a program takes all memory: the kernel ends that one, and the machine stays in the pool with its jobs' queue"):
        before, ended = processes(), killed()
        address = lab.address("alpha")
        lab.login("alpha", "alice").run(f"{GLUTTON}; echo $?", check=False)
        must(killed() > ended, "the kernel ended nothing: the program was no glutton")
        must(processes() == before, f"the main processes of {KEEPERS} were {before} and are {processes()}")
        must(probe.joined_status("alpha")["address"] == address, f"its address {address} has changed")
        probe.until(lambda: probe.slots(lab), lambda found: "alpha" in found, "pool", "alpha's slot does not come back")
