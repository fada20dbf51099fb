"""The digest by which checks of the image see that a disk was not changed: all that is in the disk, and nothing of how its file lies."""

import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]
sys.path.append(str(HERE.parent / "vm"))

import places  # noqa: E402,F401 # makes the lab's modules importable
import homes  # noqa: E402

SIZE = 1 << 20
AT = 300_000
"""In the middle of a piece."""


class Digest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name, "disk")

    def digest(self, *writes, size=SIZE):
        """Of a disk to which these were written: (place, bytes)."""
        with open(self.path, "wb") as file:
            file.truncate(size)
            for at, data in writes:
                file.seek(at)
                file.write(data)
        return homes.digest(self.path)

    def test_each_byte_and_its_place_and_the_disks_size_count(self):
        found = [self.digest(), self.digest(size=SIZE + 512), self.digest((AT, b"a")), self.digest((AT, b"b")), self.digest((AT + 1, b"a")),
                 self.digest((AT + homes.PIECE, b"a")), self.digest((AT, b"a"), (SIZE - 1, b"a")), self.digest((0, b"a"))]
        self.assertEqual(len(set(found)), len(found))

    def test_zeros_that_were_written_are_no_change(self):
        self.assertEqual(self.digest((0, bytes(SIZE))), self.digest())
        self.assertEqual(self.digest((AT - 5000, bytes(9000)), (AT, b"a")), self.digest((AT, b"a")))


if __name__ == "__main__":
    unittest.main()
