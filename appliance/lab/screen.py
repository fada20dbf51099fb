"""What a machine's screen shows, read from the picture that QEMU gives of it, and keys of its keyboard."""

import itertools
import os
import pathlib

from accel import emulator
from shell import LabError

DEVICE = ("-device", "VGA")
"""The screen that VirtualBox's and most other hypervisors' machines have, too."""
COLUMNS, ROWS, HEIGHT = 80, 25, 16
NUMBERS = itertools.count(1)
"""Of the screens of this program: each has a picture of its own, for several may have one folder."""
A = bytes.fromhex("000010386cc6c6fec6c6c6c600000000")
"""The letter A in the font of the screen's own program, a row a byte. Each of the 256 letters has so many."""


def font():
    """{a letter's bitmap: the letter}, of the program (VGA BIOS) that QEMU gives its screen; the printable letters of ASCII."""
    folder = pathlib.Path(emulator()).resolve().parent
    places = [*folder.rglob("vgabios-stdvga.bin"), pathlib.Path("/usr/share/seabios/vgabios-stdvga.bin")]
    for place in places:
        program = place.read_bytes() if place.exists() else b""
        begin = program.find(A) - ord("A") * HEIGHT
        if begin >= 0:
            return {program[begin + code * HEIGHT:begin + (code + 1) * HEIGHT]: chr(code) for code in range(ord(" "), ord("~") + 1)}
    raise LabError("QEMU's VGA BIOS with its font is not to be found", "", "screen")


class Picture:
    """A picture in the form of PPM (P6), as QEMU writes it."""

    def __init__(self, data):
        head, self.width, self.height, depth, self._pixels = _parts(data)
        if head != b"P6" or depth != 255:
            raise LabError("QEMU's picture is no PPM with 8 bits", "", "screen")

    def cell(self, row, column, width):
        """The bitmap of a cell of 8 columns, a row a byte: what is not of the colour of its first pixel, which is the ground's in all of ASCII."""
        ground, rows = self._pixel(column * width, row * HEIGHT), []
        for y in range(row * HEIGHT, row * HEIGHT + HEIGHT):
            rows.append(sum(1 << (7 - x) for x in range(8) if self._pixel(column * width + x, y) != ground))
        return bytes(rows)

    def lines(self, letters):
        """The text of a screen of 80 columns and 25 rows, without the blanks at each line's end; ? is no letter of ASCII."""
        if (self.height, self.width // COLUMNS) not in ((ROWS * HEIGHT, 8), (ROWS * HEIGHT, 9)):
            raise LabError(f"the screen has {self.width} x {self.height} pixels: that is no text of {COLUMNS} x {ROWS}", "", "screen")
        width = self.width // COLUMNS
        return ["".join(letters.get(self.cell(row, column, width), "?") for column in range(COLUMNS)).rstrip() for row in range(ROWS)]

    def _pixel(self, x, y):
        at = (y * self.width + x) * 3
        return self._pixels[at:at + 3]


def _parts(data):
    """(kind, width, height, depth, pixels) of a PPM."""
    kind, width, height, depth = data.split(maxsplit=4)[:4]
    return kind, int(width), int(height), int(depth), data[-int(width) * int(height) * 3:]


class Screen:
    """A machine's screen and keyboard. connect() gives a connection to its QEMU for a with statement; folder is for pictures."""

    def __init__(self, connect, folder):
        self._connect, self._folder, self._letters = connect, folder, font()
        self._picture = f"screen-{os.getpid()}-{next(NUMBERS)}.ppm"

    def lines(self):
        """The text that it shows now."""
        path = os.path.join(self._folder, self._picture)
        self.dump(path, "ppm")
        return Picture(pathlib.Path(path).read_bytes()).lines(self._letters)

    def text(self):
        """The same as one text."""
        return "\n".join(self.lines())

    def dump(self, path, form):
        """Writes the picture as a file of the form ppm or png."""
        with self._connect() as qmp:
            qmp.ask("screendump", filename=os.path.abspath(path), format=form)

    def press(self, *keys):
        """Presses one key after the other; two that are pressed together have a hyphen between, as alt-f2."""
        with self._connect() as qmp:
            for key in keys:
                qmp.ask("send-key", keys=[{"type": "qcode", "data": one} for one in key.split("-")])
