"""The initrd on its own kernel with another end: in place of handing over to systemd it does what a test asks, and says on the console what came of it."""

from accel import emulator, tcg
from checks import expect
from machine import UNTIL_HOME, Running
from places import OUT, PARTS, ROOT, WORK
from test_module import tool

initrd = tool(ROOT / "appliance/initrd/build")
# Words of a test are no lines of the console's contract.
TELL = 'tell() { echo "<4>$*" > /dev/kmsg; }\n'
END = """
tell "verdict all"
sync
echo o > /proc/sysrq-trigger
sleep 60
"""


def packed(name, until, script, files):
    """The initrd with a second init: the first one up to the line `until`, then a test's script. files: {name: bytes} beside it."""
    init = (ROOT / "appliance/initrd/init").read_text()
    expect(until in init, f"init has no line {until}")
    archive = initrd.Archive()
    archive.add("test-init", 0o100755, (init.split(until)[0] + TELL + script + END).encode())
    for file, data in files.items():
        archive.add(file, 0o100644, data)
    place = WORK / f"{name}-initrd.img"
    # The kernel looks for the next archive at a multiple of four bytes; only in front of a packed one may a plain one stand.
    place.write_bytes(archive.finish() + (PARTS / "initrd.img").read_bytes())
    return place


class Kernel(Running):
    """The image, or another system's disk, that nobody writes to, which a device `drive=system` puts on a controller, and such an initrd."""

    def start(self, until, script, *options, words="", machine="q35", system=OUT / "wow.qcow2", executes=None,
              files=None):
        """Switches on. `words` go to the kernel's command line; `system` is a qcow2 or VMDK; `executes` are options of how QEMU executes; `files`
        stand in the initrd's root."""
        serial = WORK / f"{self.name}.log"
        return self.run(serial, emulator(), "-machine", machine, *(executes or tcg()), "-smp", "1", "-m", "1024", "-display", "none", "-no-reboot", "-nic", "none",
                        "-serial", f"file:{serial}", "-kernel", PARTS / "base/vmlinuz", "-initrd", packed(self.name, until, script, files or {}),
                        "-append", f"console=ttyS0 loglevel=5 no_timer_check rdinit=/test-init {words}",
                        "-drive", f"if=none,id=system,file={system},format={system.suffix[1:]},snapshot=on", *options)

    def verdicts(self, seconds=UNTIL_HOME):
        """What the script said, in its order, when the machine has ended by itself."""
        try:
            self.process.wait(seconds)
        finally:
            self.cut_power()
        expect("verdict all" in self.said(), f"it did not come to an end:\n{self.said()[-2000:]}")
        return [line.split("verdict ")[1].strip() for line in self.said().splitlines() if "verdict " in line and "verdict all" not in line]
