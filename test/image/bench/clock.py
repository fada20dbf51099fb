"""A machine whose time passes by the instructions that it executes (QEMU's -icount), and that time, since power-on, as its own chipset counts it."""

import re

COUNTED = ("-accel", "tcg,thread=single", "-icount", "shift=1", "-cpu", "max")
"""Two nanoseconds an instruction, so that the load of this computer changes nothing. One thread executes all processors in turn."""
TIMER = "i /w 0x608"
"""QEMU's monitor reads the ACPI timer: q35's firmware puts the block of ports at 0x600, and the timer stands 8 behind (ACPI 6.5, 4.8.3.3)."""
FREQUENCY = 3579545
WRAPS = 1 << 24
ABSENT = 0xFFFFFFFF
"""What the port says before the firmware has put the block there."""


class Clock:
    """Seconds since power-on. The timer starts over every 4.7 s, so somebody has to look more often than that."""

    def __init__(self, qmp):
        self._qmp = qmp
        self._ticks = 0

    def seconds(self):
        """Looks, and returns the sum."""
        said = self._qmp.ask("human-monitor-command", **{"command-line": TIMER})
        found = int(re.search(r"= *(?:0x)?([0-9a-f]+)", said).group(1), 16)
        if found != ABSENT:
            self._ticks += (found - self._ticks) % WRAPS
        return self._ticks / FREQUENCY
