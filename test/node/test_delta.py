"""Files that are made of a former one and a delta of rdiff's: what rdiff makes comes out as it was, and whatever else comes, no more is written than was signed."""
import hashlib
import io
import os
import pathlib
import random
import subprocess
import tempfile
import unittest
from unittest import mock

from wow.lib.errors import WowError
from wow.stack import delta, fetch, peers, shortened, text

END = b"\0"


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def rdiff(old, new, block=1024):
    """The delta that the tool of the publisher makes."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "old").write_bytes(old)
        (place / "new").write_bytes(new)
        subprocess.run(["rdiff", "-b", str(block), "signature", place / "old", place / "sig"], check=True)
        subprocess.run(["rdiff", "delta", place / "sig", place / "new", place / "delta"], check=True)
        return (place / "delta").read_bytes()


def applied(old, commands, size):
    new = io.BytesIO()
    delta.apply(io.BytesIO(old), io.BytesIO(commands), new, size)
    return new.getvalue()


class Format(unittest.TestCase):
    def test_what_rdiff_makes_comes_out_as_it_was(self):
        chance = random.Random(7)
        old = chance.randbytes(300_000)
        for new in (old, b"", b"x", old[:-1], old[1:], old[5000:] + old[:5000], old[:100_000] + chance.randbytes(70_000) + old[100_000:], chance.randbytes(200_000),
                    old + old, bytes(300_000), old[:131072] + b"y" * 64 + old[131072:]):
            for block in (64, 1024, 4096):
                commands = rdiff(old, new, block)
                self.assertEqual(applied(old, commands, len(new)), new)
        self.assertLess(len(rdiff(old, old[5000:] + old[:5000])), 4000)

    def test_each_width_of_a_number(self):
        old = bytes(range(256)) * 300
        for place in range(4):
            for length in range(4):
                command = bytes((delta.COPY + 4 * place + length,)) + (7).to_bytes(1 << place, "big") + (200).to_bytes(1 << length, "big")
                self.assertEqual(applied(old, delta.MAGIC + command + END, 200), old[7:207])
        for width in range(4):
            self.assertEqual(applied(b"", delta.MAGIC + bytes((delta.LITERAL + width,)) + (3).to_bytes(1 << width, "big") + b"abc" + END, 3), b"abc")
        self.assertEqual(applied(b"", delta.MAGIC + b"\x40" + b"z" * 64 + END, 64), b"z" * 64)

    def test_what_is_none_is_refused_and_writes_no_more_than_the_size(self):
        copy = bytes((delta.COPY + 15,))  # with numbers of 8 bytes
        large = (2**64 - 1).to_bytes(8, "big")
        for commands in (b"", b"rs\x026", delta.MAGIC, delta.MAGIC + b"\x05abc", delta.MAGIC + b"\x01a", delta.MAGIC + b"\x55" + END, delta.MAGIC + b"\xff" + END,
                         delta.MAGIC + b"\x0bhello hello" + END, delta.MAGIC + copy + large + (5).to_bytes(8, "big") + END, delta.MAGIC + copy + bytes(8) + large + END,
                         delta.MAGIC + copy + bytes(8) + (11).to_bytes(8, "big") + END, delta.MAGIC + b"\x44" + large, delta.MAGIC + END, delta.MAGIC + copy + bytes(5)):
            new = io.BytesIO()
            with self.subTest(commands), self.assertRaises(delta.NoDelta):
                delta.apply(io.BytesIO(b"0123456789"), io.BytesIO(commands), new, 10)
            self.assertLessEqual(len(new.getvalue()), 10)

    def test_commands_by_chance_end(self):
        chance = random.Random(11)
        for _ in range(3000):
            new = io.BytesIO()
            try:
                delta.apply(io.BytesIO(bytes(1000)), io.BytesIO(delta.MAGIC + chance.randbytes(chance.randrange(60))), new, 500)
            except delta.NoDelta:
                pass
            self.assertLessEqual(len(new.getvalue()), 500)


class Fetching(unittest.TestCase):
    """A layer of a delta; what stands for the CA hands out what it is told to."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        chance = random.Random(3)
        self.old = chance.randbytes(50_000)
        self.new = self.old[:20_000] + b"changed" + self.old[20_000:]
        self.delta = rdiff(self.old, self.new)
        pathlib.Path(self.folder, "former").write_bytes(self.old)
        self.wanted = text.Layer("base", "base", len(self.new), sha256(self.new))
        self.change = text.Layer("delta", "base", len(self.delta), sha256(self.delta))

    def made(self, served):
        def layer(_, wanted, folder):
            if isinstance(served, Exception):
                raise served
            pathlib.Path(folder, wanted.digest).write_bytes(served)
        with mock.patch.object(peers, "layer", layer), mock.patch("builtins.print") as self.printed:
            return shortened.by_delta(None, self.wanted, self.change, f"{self.folder}/former", self.folder)

    def test_it_is_there_when_it_is_what_was_signed_and_the_delta_stays_for_other_machines(self):
        self.assertTrue(self.made(self.delta))
        self.assertEqual(sorted(os.listdir(self.folder)), sorted((self.wanted.digest, self.change.digest, "former")))
        self.assertEqual(pathlib.Path(self.folder, self.wanted.digest).read_bytes(), self.new)

    def test_whatever_is_wrong_nothing_of_it_stays_and_the_whole_is_fetched(self):
        rotten = bytearray(self.old)
        rotten[100] ^= 1
        cases = [(b"none", self.old), (self.delta[:-9], self.old), (rdiff(self.old, self.old), self.old), (self.delta, bytes(rotten)), (self.delta, b"short"),
                 (WowError("the CA does not serve it", "", code="away"), self.old)]
        for served, old in cases:
            pathlib.Path(self.folder, "former").write_bytes(old)
            with self.subTest(served):
                self.assertFalse(self.made(served))
                self.assertEqual(os.listdir(self.folder), ["former"])

    def test_who_is_busy_is_asked_again(self):
        with self.assertRaises(fetch.Busy):
            self.made(fetch.Busy(20))


if __name__ == "__main__":
    unittest.main()
