"""How long the initrd waits for its disk, on the machine's own time: instructions are counted, so that no load of this computer is in it."""

import re
import sys

from checks import expect, long_check, note
from initrds import Kernel
from places import ROOT

sys.path.append(str(ROOT / "test/image/bench"))

from clock import COUNTED  # noqa: E402

LOADING = "load stack\n"
"""The line of init before which no driver is loaded."""
HYPER_V = ("-smbios", "type=1,manufacturer=Microsoft Corporation,product=Virtual Machine")
# QEMU has no disk on Hyper-V's bus. So the set of drivers for it is that of the disk which is there, and the machine shows nothing but its name, as Hyper-V's
# generation 2 does.
SCRIPT = """\
cp /modules/virtio.list /modules/hyperv.list
look_at_machine() { machine=$(cat /sys/class/dmi/id/modalias); }
hundredths
began=$now
load stack
find_system
hundredths
tell "verdict $system $((now - began))"
"""
MOST = 1.0
"""Seconds. It was nine: three for each set of drivers before Hyper-V's."""


@long_check
def on_hyper_v_the_disk_is_found_without_a_wait_for_other_drivers():
    said = Kernel("hyper-v").start(LOADING, SCRIPT, "-device", "virtio-blk-pci,drive=system", *HYPER_V, executes=COUNTED).verdicts()
    found = re.fullmatch(r"/dev/vda3 (\d+)", said[0]) if len(said) == 1 else None
    expect(found, f"the initrd said {said}")
    seconds = int(found.group(1)) / 100
    note(f"{seconds:.2f} s of the machine's own")
    expect(seconds <= MOST, f"it took {seconds} s")
