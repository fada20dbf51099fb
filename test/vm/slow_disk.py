"""beta's disk becomes as slow as a worn memory card: the overlay does not wait for it, and a job is done all the same."""

import probe
from tally import must

OPERATIONS, BYTES = 25, 200_000
"""A second, of reads and writes together."""
PINGS = 20
JOB = """
rm -f slow.* && cat > slow.sub <<'END'
executable = /bin/hostname
transfer_executable = false
should_transfer_files = yes
transfer_output_files = ""
output = slow.out
log = slow.log
requirements = regexp("^beta", TARGET.Machine)
queue
END
condor_submit -terse slow.sub
"""
BUSY = "(dd if=/dev/zero of=/home/slow bs=64k count=200 oflag=direct; rm -f /home/slow) >/dev/null 2>&1 &"


def throttle(vm, operations, rate):
    """Sets the limits of a running machine's disk; 0: none."""
    with vm.qmp() as qmp:
        qmp.ask("block_set_io_throttle", device="system", bps=rate, bps_rd=0, bps_wr=0, iops=operations, iops_rd=0, iops_wr=0)


def run(tally, lab):
    """beta is in the pool."""
    beta = lab.vms["beta"]
    with tally.case(f"beta's disk does {OPERATIONS} operations a second and is busy: its overlay answers every ping, and a job there ends"):
        throttle(beta, OPERATIONS, BYTES)
        try:
            probe.root("beta", BUSY)
            answers = probe.root("alpha", f"wow ping beta --count {PINGS} --interval 0.5")
            must(f"{PINGS} sent, {PINGS} answered" in answers, answers)
            alice = lab.login("alpha", "alice")
            alice.run(JOB)
            probe.until(lambda: alice.run("cat slow.log").stdout, lambda log: "\n005 " in log, "ready", "the job does not end")
            must("beta" in alice.run("cat slow.out").stdout, "the output does not name beta")
            must("beta" in probe.slots(lab), "beta left the pool")
        finally:
            throttle(beta, 0, 0)
