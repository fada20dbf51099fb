"""A picture of a screen is read letter by letter; what is none is refused."""

import unittest

import lab_path  # noqa: F401  makes the lab's modules importable
import screen
from shell import LabError

LETTERS = {bytes(16): " ", screen.A: "A", screen.A[::-1]: "V"}
"""A font of three letters."""


def picture(lines, width=9, reverse=()):
    """The PPM of a screen that shows these lines; some rows in reverse."""
    bitmaps = {letter: bitmap for bitmap, letter in LETTERS.items()}
    out = bytearray()
    for row in range(screen.ROWS):
        line = (lines[row] if row < len(lines) else "").ljust(screen.COLUMNS)
        for y in range(screen.HEIGHT):
            for letter in line:
                bits = f"{bitmaps[letter][y]:08b}" + "0" * (width - 8)
                out += b"".join((b"\xaa\xaa\xaa" if (bit == "1") != (row in reverse) else b"\0\0\0") for bit in bits)
    return b"P6\n%d %d\n255\n" % (screen.COLUMNS * width, screen.ROWS * screen.HEIGHT) + bytes(out)


class Reading(unittest.TestCase):
    def test_letters_are_read_whether_a_cell_has_eight_or_nine_columns_and_in_reverse_too(self):
        lines = ["AVA A", "", " V" * 40]
        for width in (8, 9):
            for reverse in ((), (0, 2)):
                said = screen.Picture(picture(lines, width, reverse)).lines(LETTERS)
                self.assertEqual(said, lines + [""] * 22)

    def test_a_picture_that_is_no_text_of_this_size_is_refused(self):
        for data in (b"P5\n720 400\n255\n" + bytes(720 * 400 * 3), b"P6\n1024 768\n255\n" + bytes(1024 * 768 * 3)):
            with self.assertRaises(LabError):
                screen.Picture(data).lines(LETTERS)


if __name__ == "__main__":
    unittest.main()
