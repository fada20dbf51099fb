"""Runs that end at any moment: killed, or for want of room. The next run goes on, with the same CA and the same secret."""

import os
import pathlib
import subprocess
import tempfile
import unittest
from unittest import mock

from world import ROOT, World, identity, whole, wow_ca

from killing import killed
from pool import programs
from test_create import ALL

WORDS = ("--until", "2099-01-01")
NO_ROOM = ("no space left on device", "disk full")


class Killed(unittest.TestCase):
    def setUp(self):
        self.world = World(self)

    def killed(self, moment):
        """Whether `wow pool create` was killed at a moment."""
        return killed(self, lambda **how: self.world.create(*WORDS, **how)[0], moment, "rename")

    def same(self, known):
        """Asserts that nothing of what a pool is has changed; what is known now."""
        now = identity(self.world)
        self.assertEqual(known, {name: now[name] for name in known})
        return now

    def test_before_each_step(self):
        names = []
        World(self).create(*WORDS, reached=names.append)
        self.assertEqual(17, len(names), names)
        known = {}
        for name in names:
            self.assertTrue(self.killed(name), name)
            known = self.same(known)
        self.assertFalse(self.killed("no step"))
        self.same(known)
        whole(self, self.world, ALL)

    def test_between_any_two_of_the_moments_when_something_comes_to_the_disk(self):
        known, runs = {}, 0
        # The moments of a run go round, so that each run but the first of a round gets further than the one before.
        while self.killed(1 + runs % 9):
            known, runs = self.same(known), runs + 1
            self.assertLess(runs, 200, "it comes to no end")
        self.assertGreater(runs, 9)
        self.same(known)
        whole(self, self.world, ALL)

    def test_a_program_that_a_killed_run_left_is_waited_for(self):
        self.world.made()
        end, hold = os.pipe()
        orphan = subprocess.Popen(["flock", self.world.pool / ".lock", "cat"], stdin=end)
        self.addCleanup(orphan.wait)
        os.close(end)
        while not subprocess.run(["flock", "-n", self.world.pool / ".lock", "true"], check=False).returncode:
            self.assertIsNone(orphan.poll())
        said = []

        def say(text):
            said.append(text)
            os.close(hold)

        from pool.folder import Folder
        os.close(Folder(self.world.pool).lock(say))
        self.assertIn("waiting", said[0])
        self.assertEqual(0, orphan.wait())


class Full(unittest.TestCase):
    """A file system of 8 MiB."""

    def setUp(self):
        self.place = pathlib.Path(tempfile.mkdtemp())
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", self.place], check=True)
        self.addCleanup(self.place.rmdir)
        self.addCleanup(subprocess.run, ["umount", self.place], check=True)
        self.world = World(self, self.place)
        self.ballast = self.place / "ballast"

    def fill(self):
        """Takes all room that is left."""
        with open(self.ballast, "wb", buffering=0) as file:
            try:
                while file.write(bytes(4096)):
                    pass
            except OSError:
                return

    def test_at_each_step_it_is_said_and_the_next_run_goes_on(self):
        known, failed, full = {}, [], None

        def reached(name):
            nonlocal full
            if name not in failed:
                full = name
                failed.append(name)
                self.fill()

        while True:
            full = None
            code, _, err = self.world.create(*WORDS, reached=reached)
            self.ballast.unlink(missing_ok=True)
            now = identity(self.world)
            self.assertEqual(known, {name: now[name] for name in known})
            known = now
            if full is None:
                self.assertEqual((0, ""), (code, err))
                break
            self.assertEqual(1, code, full)
            self.assertTrue(any(words in err.lower() for words in NO_ROOM), f"{full}: {err}")
            self.assertIn("type the same command again", err)
            self.assertNotIn(str(self.world.out), err, "the image lies where there is room")
        self.assertEqual(17, len(failed), failed)
        whole(self, self.world, ALL)

    def test_before_the_first_step(self):
        self.fill()
        code, _, err = self.world.create(*WORDS)
        self.assertEqual((1, True), (code, "No space left" in err), err)
        self.ballast.unlink()
        self.assertEqual(0, self.world.create(*WORDS)[0])
        whole(self, self.world, ALL)


class ByThePrograms(unittest.TestCase):
    def test_what_a_program_said_is_shown_with_its_name(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(programs.WowError) as caught:
            programs.run(wow_ca(), "list", "--state", folder)
        self.assertIn("wow-ca: ", str(caught.exception))
        self.assertIn("is not there", str(caught.exception))

    def test_a_program_that_is_not_there_is_named(self):
        with self.assertRaises(programs.WowError) as caught:
            programs.run(ROOT / "absent")
        self.assertIn("absent: is not there", str(caught.exception))
        with mock.patch.dict(programs.PACKAGES, {"absent": "nothing"}), self.assertRaises(programs.WowError) as caught:
            programs.need("age", "absent")
        self.assertIn("apt-get install nothing", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
