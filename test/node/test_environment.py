"""GRUB's environment block: what is one, how it is changed, and on which partition it is."""
import os
import tempfile
import unittest
from unittest import mock

from wow.lib.errors import WowError
from wow.stack import environment

VALUES = {"system": "A", "trial": "", "tries": ""}


class Environment(unittest.TestCase):
    """GRUB's block."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = f"{folder.name}/grubenv"
        self.root = folder.name

    def block(self, data):
        with open(self.path, "wb") as file:
            file.write(data)

    def found(self):
        with open(self.path, "rb") as file:
            return file.read()

    def test_a_block_is_what_grub_writes(self):
        data = environment.write({"unfinished": "no", "system": "B", "trial": ""})
        self.assertEqual(data, b"# GRUB Environment Block\nunfinished=no\nsystem=B\ntrial=\n".ljust(1024, b"#"))
        self.assertEqual(environment.read(data), {"unfinished": "no", "system": "B", "trial": ""})

    def test_a_change_is_in_its_place_and_leaves_the_rest(self):
        self.block(environment.write({"unfinished": "yes", "x": "a=b"}))
        node = os.stat(self.path).st_ino
        self.assertTrue(environment.change(self.path, {"trial": "B", "tries": "3"}))
        self.assertEqual((environment.read(self.found()), os.stat(self.path).st_ino), ({"unfinished": "yes", "x": "a=b", "trial": "B", "tries": "3"}, node))
        self.assertEqual(len(self.found()), 1024)
        with mock.patch.object(environment.os, "fsync") as synced:
            self.assertFalse(environment.change(self.path, {"tries": "3"}))
            synced.assert_not_called()
            self.assertTrue(environment.change(self.path, {"tries": "2"}))
            synced.assert_called_once()

    def test_what_is_no_block_has_no_variables_and_one_of_that_size_is_made_one(self):
        for data in (b"", b"\0" * 1024, b"system=B\n".ljust(1024, b"#"), b"# GRUB Environment Block".ljust(1024, b"#"), b"\xff\xfe" * 512):
            self.assertEqual(environment.read(data), {})
        self.block(b"\xff\0" * 512)
        self.assertTrue(environment.change(self.path, VALUES))
        self.assertEqual(environment.read(self.found()), VALUES)

    def test_a_file_of_another_size_and_what_does_not_fit_are_left(self):
        full = environment.write({"x": "y" * 990})
        for data, values in ((b"# GRUB Environment Block\n", {}), (environment.write({}), {"x": "y" * 1000}), (full, {"trial": "B", "tries": "3"})):
            self.block(data)
            with self.assertRaises(WowError) as caught:
                environment.change(self.path, {"system": "B", **values})
            self.assertEqual((caught.exception.file, self.found()), (self.path, data))
        os.unlink(self.path)
        with self.assertRaises(FileNotFoundError):
            environment.change(self.path, {"system": "B"})

    def machine(self, *names):
        """Faked /sys/class/block and mounts: two disks, each with these partitions; WOWSYS of the second one is mounted."""
        for disk in ("sda", "sdb"):
            for number, name in enumerate(names, 1):
                os.makedirs(f"{self.root}/devices/{disk}/{disk}{number}")
                with open(f"{self.root}/devices/{disk}/{disk}{number}/uevent", "w", encoding="ascii") as file:
                    file.write(f"MAJOR=8\nDEVNAME={disk}{number}\nPARTNAME={name}\n")
            with open(f"{self.root}/devices/{disk}/uevent", "w", encoding="ascii") as file:
                file.write("MAJOR=8\nDEVTYPE=disk\n")
            os.mkdir(f"{self.root}/devices/{disk}/queue")
        os.mkdir(f"{self.root}/block")
        for disk in ("sda", "sdb"):
            for name in (disk, *(f"{disk}{number}" for number in range(1, len(names) + 1))):
                os.symlink(f"../devices/{disk}{'/' + name if name != disk else ''}", f"{self.root}/block/{name}")
        with open(f"{self.root}/mounts", "w", encoding="ascii") as file:
            file.write("proc /proc proc rw 0 0\n/dev/sdb3 /run/layers/sys ext4 ro,relatime 0 0\n/dev/loop0 /run/layers/0 squashfs ro 0 0\n")

    def device(self, mounted="/run/layers/sys"):
        return environment.device(mounted, f"{self.root}/mounts", f"{self.root}/block")

    def test_the_partition_is_that_of_the_disk_whose_system_runs(self):
        self.machine("WOWBOOT", "WOWESP", "WOWSYS")
        self.assertEqual(self.device(), "/dev/sdb2")

    def test_without_one_that_is_said(self):
        self.machine("WOWBOOT", "WOWESP2", "WOWSYS")
        for mounted in ("/run/layers/sys", "/run/layers", "/mnt"):
            with self.assertRaises(WowError) as caught:
                self.device(mounted)
            self.assertIn("no partition WOWESP", str(caught.exception))

    def test_it_is_mounted_for_the_change_alone_also_where_that_fails(self):
        done = []
        os.mkdir(f"{self.root}/esp")
        os.mkdir(f"{self.root}/esp/grub")
        self.path = f"{self.root}/esp/grub/grubenv"
        self.block(environment.write({"unfinished": "no"}))
        with mock.patch.object(environment.system, "must", lambda words, todo: done.append(words[0])):
            self.assertTrue(environment.set_on("/dev/sdb2", f"{self.root}/esp", {"trial": "B"}))
            self.block(b"")
            with self.assertRaises(WowError):
                environment.set_on("/dev/sdb2", f"{self.root}/esp", {"trial": "A"})
        self.assertEqual(done, ["mount", "umount"] * 2)


if __name__ == "__main__":
    unittest.main()
