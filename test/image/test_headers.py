"""An image whose header names other files or addresses: nothing opens them, and people are told."""

import pathlib
import socket
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "appliance/image/formats"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import disks  # noqa: E402
import smalls  # noqa: E402
import vhdx  # noqa: E402
from archive import Archive  # noqa: E402
from places import POOL_CONF  # noqa: E402

IMAGE = ROOT / "appliance/image"
LIST = """# Disk DescriptorFile
version=1
CID=fffffffe
parentCID=ffffffff
createType="monolithicFlat"
RW %d FLAT "%s" 0
"""


class Liars(smalls.Made):
    def setUp(self):
        super().setUp()
        self.conf, self.victim = self.folder / "pool.conf", self.folder / "victim"
        self.conf.write_text(POOL_CONF)
        smalls.quiet("cp", "--sparse=always", self.made, self.victim)

    def run_all(self, image, *more):
        """What each tool says of an image that it may not open."""
        whole = smalls.converted(self.victim, "qcow2")
        for words in ((IMAGE / "stamp", image, self.conf), (IMAGE / "convert", image, "-o", self.folder / "out.raw"), (IMAGE / "verify", image),
                      (IMAGE / "replace-base", whole, image, "-o", self.folder / "out.qcow2"), *more):
            # Who asks an address that never answers waits for ever.
            done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, timeout=60)
            self.assertEqual((1, 1), (done.returncode, done.stderr.count("\n")), f"{words}: {done.stdout}{done.stderr}")
            yield done.stderr
        self.assertEqual([], [one.name for one in self.folder.glob("out.*")])

    def refused(self, image, *told):
        before = self.victim.read_bytes()
        for said in self.run_all(image):
            for word in (str(image), *told):
                self.assertIn(word, said)
        self.assertTrue(before == self.victim.read_bytes(), "the other file was written")

    def test_a_backing_file_is_not_read_and_who_knows_it_is_told_how_to_take_it_along(self):
        image = self.folder / "disk.qcow2"
        smalls.quiet("qemu-img", "create", "-f", "qcow2", "-F", "raw", "-b", self.victim, image)
        self.refused(image, "in its backing file", "qemu-img convert -O qcow2 FILE WHOLE.qcow2")
        smalls.quiet("qemu-img", "convert", "-O", "qcow2", image, self.folder / "WHOLE.qcow2")
        smalls.quiet(IMAGE / "stamp", self.folder / "WHOLE.qcow2", self.conf)

    def test_an_address_is_not_asked(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            image = self.folder / "disk.qcow2"
            smalls.quiet("qemu-img", "create", "-u", "-f", "qcow2", "-F", "raw", "-b", f"nbd://127.0.0.1:{server.getsockname()[1]}/x", image, "33M")
            self.refused(image, "in its backing file")
            server.setblocking(False)
            self.assertRaises(BlockingIOError, server.accept)

    def test_a_data_file_is_not_written(self):
        raw, image = self.folder / "disk.raw", self.folder / "disk.qcow2"
        self.victim.rename(raw)
        smalls.quiet("qemu-img", "convert", "-f", "raw", "-O", "qcow2", "-o", f"data_file={self.victim}", raw, image)
        self.refused(image, "in its data file")

    def test_a_feature_that_nobody_knows_is_told(self):
        image = smalls.converted(self.victim, "qcow2").rename(self.folder / "disk.qcow2")
        with open(image, "r+b") as file:
            file.seek(72)
            file.write(b"\x80")
        self.refused(image, "a feature that this release does not know")

    def test_a_parent_and_extents_of_a_vmdk_are_not_opened(self):
        image, whole = self.folder / "disk.vmdk", smalls.converted(self.victim, "vmdk")
        smalls.quiet("qemu-img", "create", "-f", "vmdk", "-F", "vmdk", "-b", whole, image)
        self.refused(image, "in its parent")
        self.extents(image)
        self.refused(image, "in its extents")

    def extents(self, path):
        """A VMDK that begins as one file does, and is a list of others: that is what QEMU takes one without a capacity for."""
        head = disks.VMDK_HEAD.pack(b"KDMV", 1, 3, 0, 128, 1, disks.DESCRIPTOR).ljust(disks.SECTOR, b"\0")
        path.write_bytes(head + (LIST % (self.victim.stat().st_size // 512, self.victim)).encode().ljust(disks.DESCRIPTOR * disks.SECTOR, b"\0"))

    def test_a_parent_of_a_vhdx_is_told(self):
        image = smalls.converted(self.victim, "vhdx").rename(self.folder / "disk.vhdx")
        image.write_bytes(image.read_bytes().replace(vhdx.PAGE_83, vhdx.PARENT))
        self.refused(image, "in its parent", "checkpoints in Hyper-V")

    def test_the_configuration_of_an_archive_is_opened_as_what_it_says_it_is(self):
        config, image, listed = self.folder / "config", self.folder / "wow.box", self.folder / "list"
        smalls.quiet("qemu-img", "create", "-f", "qcow2", "-F", "raw", "-b", self.victim, config)
        listed.write_text(LIST % (self.victim.stat().st_size // 512, self.victim))
        for place, told in ((config, "in its backing file"), (listed, "is no disk image")):
            with Archive(image) as box:
                box.add_bytes("metadata.json", b'{"provider": "libvirt"}')
                box.add_file(disks.SYSTEM_QCOW2, smalls.converted(self.victim, "qcow2"))
                box.add_file(disks.QCOW2, place)
            done = subprocess.run([IMAGE / "verify", image], capture_output=True, text=True, check=False)
            self.assertEqual((1, True), (done.returncode, f"verify: {image}: " in done.stderr and told in done.stderr), done.stdout + done.stderr)

    def test_what_a_machine_wrote_to_its_raw_disk_is_no_header(self):
        liar = self.folder / "liar.qcow2"
        smalls.quiet("qemu-img", "create", "-f", "qcow2", "-o", "compat=0.10", "-F", "raw", "-b", self.conf, liar, "33M")
        # As far as the partition table's first part.
        head = liar.read_bytes()[:440]
        self.assertIn(str(self.conf).encode(), head)
        with open(self.victim, "r+b") as file:
            file.write(head)
        whole, out = smalls.converted(self.made, "qcow2"), self.folder / "out.qcow2"
        done = subprocess.run([IMAGE / "replace-base", self.victim, whole, "-o", out], capture_output=True, text=True, check=False)
        self.assertEqual(0, done.returncode, done.stderr)


if __name__ == "__main__":
    unittest.main()
