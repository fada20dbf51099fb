"""A foreign reader of the OVA: virt-v2v, which moves machines of VMware's to KVM, oVirt and OpenStack. Minutes the first time: `run --long`."""

import subprocess

from checks import expect, long_check, note
from places import OUT, ROOT, WORK

PROGRAM = ROOT / "test/image/virt-v2v"
MACHINE = ("source name: WOW", "memory: 1073741824 (bytes)", "nr vCPUs: 2", "firmware: bios", "0 [sata]", "1 [sata]", "2 [sata]", "CD-ROM [sata] in slot 3",
           'Bridge "NAT" [vmxnet3]')


def read(ova):
    """What virt-v2v says of an OVA, and its exit code."""
    done = subprocess.run([PROGRAM, "-i", "ova", ova, "--print-source"], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr, done.returncode


@long_check
def virt_v2v_reads_the_ova_and_checks_its_manifest():
    said, code = read(OUT / "wow.ova")
    expect(code == 0, f"virt-v2v refuses it: {said[-600:]}")
    found = [" ".join(line.split()) for line in said.splitlines()]
    for line in MACHINE:
        expect(line in found, f"it does not say {line}: {said}")
    note("; ".join(MACHINE))


@long_check
def and_refuses_one_whose_disk_is_not_that_of_the_manifest():
    data = bytearray((OUT / "wow.ova").read_bytes())
    # In the middle is the system's disk.
    data[len(data) // 2] ^= 1
    damaged = WORK / "damaged.ova"
    damaged.write_bytes(data)
    said, code = read(damaged)
    expect(code != 0 and "checksum" in said and "wow.vmdk" in said, f"it ended with {code}: {said[-600:]}")
    damaged.unlink()
