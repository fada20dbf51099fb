"""What is said of an image, and what is found to be wrong with it."""

import io
import json
import pathlib
import resource
import subprocess
import sys
import tarfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "appliance/image/formats"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import configdisk  # noqa: E402
import disks  # noqa: E402
import ovf  # noqa: E402
import smalls  # noqa: E402
from archive import Archive  # noqa: E402
from places import POOL_CONF  # noqa: E402

STAMP, VERIFY = ROOT / "appliance/image/stamp", ROOT / "appliance/image/verify"
HALF = 8 * smalls.MIB
MEMORY = 1 << 30
"""Bytes of room for addresses: enough for each of the tools, and too little for what a stranger claims to have."""


class Verified(smalls.Made):
    def setUp(self):
        super().setUp()
        self.raw = self.folder / "wow.raw"
        smalls.quiet("cp", "--sparse=always", self.made, self.raw)

    def verify(self, image, *more):
        done = subprocess.run([VERIFY, image, *more], capture_output=True, text=True, check=False)
        self.assertNotIn("Traceback", done.stderr)
        return done

    def found(self, image, code=0):
        done = self.verify(image, "--json")
        self.assertEqual(code, done.returncode, done.stderr)
        return json.loads(done.stdout)

    def put(self, offset, data):
        with open(self.raw, "r+b") as file:
            file.seek(offset)
            file.write(data)

    def stamped(self, image, *more):
        conf = self.folder / "pool.conf"
        conf.write_text(POOL_CONF)
        subprocess.run([STAMP, image, conf, *more], check=True, capture_output=True)

    def test_every_form_of_a_disk_says_what_is_in_it(self):
        for form in smalls.FORMS:
            with self.subTest(form):
                found = self.found(smalls.converted(self.raw, form))
                self.assertEqual(("0.3.0", "amd64", form, None, None, []), tuple(found[key] for key in ("version", "architecture", "format", "pool", "signed", "wrong")))
                self.assertEqual([("base", "base"), ("node", "node"), ("module", "tutorial")], [(one["kind"], one["name"]) for one in found["layers"]])

    def test_people_are_told_the_pool_and_that_nobody_signed_it(self):
        self.assertIn("none: the image is for any pool", self.verify(self.raw).stdout)
        self.stamped(self.raw)
        said = self.verify(self.raw).stdout
        for words in ("WOW 0.3.0 for amd64, raw", "whole", "demo, 10.128.0.0/16, role worker", "signed  by nobody"):
            self.assertIn(words, said)

    def test_a_layer_that_is_damaged_or_missing_is_named(self):
        at = self.raw.read_bytes().index(b"the basethe base")
        self.put(at + 8, b"X")
        found = self.found(self.raw, 1)
        self.assertEqual(["base-1.squashfs: is damaged"], found["wrong"])
        self.remove("layers/tutorial-1.squashfs")
        self.assertIn("tutorial-1.squashfs: is missing", self.verify(self.raw).stdout)

    def test_a_list_of_layers_in_which_the_disk_lost_a_byte_is_told(self):
        at = self.raw.read_bytes().index(b"base base base-1.squashfs", smalls.PARTS["WOWSYS"][0] * smalls.MIB)
        self.put(at, b"\xff")
        done = self.verify(self.raw)
        self.assertEqual((1, True), (done.returncode, "its list of layers, /stacks/A.conf, is none that this release reads" in done.stderr), done.stderr)

    def remove(self, name):
        smalls.quiet("debugfs", "-w", "-R", f"rm {name}", f"{self.raw}?offset={smalls.PARTS['WOWSYS'][0] * smalls.MIB}")

    def small(self, image, words):
        """What a stranger made is refused in a line, in little memory."""
        def bounded():
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        done = subprocess.run([VERIFY, image], capture_output=True, text=True, check=False, preexec_fn=bounded)
        self.assertEqual((1, 1, True), (done.returncode, done.stderr.count("\n"), words in done.stderr), done.stderr)

    def zeros(self, path):
        """A file that takes no room."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "wb") as file:
            file.truncate(MEMORY)
        return path

    def test_a_release_that_is_large_is_refused_in_little_memory(self):
        layer = self.folder / "node"
        self.zeros(self.folder / "tree/usr/lib/wow/node/wow/lib/version.py")
        smalls.quiet("mksquashfs", self.folder / "tree", layer)
        self.remove("layers/node-1.squashfs")
        smalls.quiet("debugfs", "-w", "-R", f"write {layer} layers/node-1.squashfs", f"{self.raw}?offset={smalls.PARTS['WOWSYS'][0] * smalls.MIB}")
        self.small(self.raw, "usr/lib/wow/node/wow/lib/version.py, is none that this release reads")

    def test_a_list_of_layers_that_is_large_is_refused_in_little_memory(self):
        self.remove("stacks/A.conf")
        smalls.quiet("debugfs", "-w", "-R", f"write {self.zeros(self.folder / 'list')} stacks/A.conf", f"{self.raw}?offset={smalls.PARTS['WOWSYS'][0] * smalls.MIB}")
        self.small(self.raw, "/stacks/A.conf is none that this release reads")

    def test_what_says_what_a_box_holds_is_refused_in_little_memory_where_it_is_large_and_where_it_is_none(self):
        box = self.folder / "wow.box"
        with tarfile.open(box, "w:gz") as archive:
            (self.folder / "large").write_bytes(bytes(2 * smalls.MIB))
            archive.add(self.folder / "large", "metadata.json")
        self.small(box, "its metadata.json is not there, or none that this release reads")
        for text in ("{", "[]", "[" * 100_000):
            with tarfile.open(box, "w:gz") as archive:
                entry = tarfile.TarInfo("metadata.json")
                entry.size = len(text)
                archive.addfile(entry, io.BytesIO(text.encode()))
            self.small(box, "wow.box: ")

    def test_a_kernel_an_initrd_or_a_hash_tree_that_is_damaged_or_missing_is_named(self):
        self.assertEqual(["boot/A/vmlinuz", "boot/A/initrd.img", "layers/base-1.tree"], [one["file"] for one in self.found(self.raw)["boot"]])
        for word, file in ((b"the kernelthe", "boot/A/vmlinuz"), (b"the initrdthe", "boot/A/initrd.img"), (b"the treethe", "layers/base-1.tree")):
            at = self.raw.read_bytes().index(word)
            self.put(at, b"X")
            self.assertEqual([f"{file}: is damaged"], self.found(self.raw, 1)["wrong"])
            self.assertIn(f"WRONG   {file}: is damaged", self.verify(self.raw).stdout)
            self.put(at, b"t")
            self.assertEqual([], self.found(self.raw)["wrong"])
        self.remove("boot/A/vmlinuz")
        self.assertEqual(["boot/A/vmlinuz: is missing"], self.found(self.raw, 1)["wrong"])
        self.remove("boot/A/SHA256SUMS")
        self.assertEqual(["boot/A/vmlinuz: is missing", "boot/A/initrd.img: is not named in boot/A/SHA256SUMS, or that is damaged"], self.found(self.raw, 1)["wrong"])

    def test_the_disk_of_a_machine_is_told_from_an_image(self):
        self.assertFalse(self.found(self.raw)["used"])
        self.put(smalls.PARTS["WOWHOME"][0] * smalls.MIB + 1024, b"a home")
        self.assertTrue(self.found(self.raw)["used"])
        self.assertIn("has its home on it", self.verify(self.raw).stdout)

    def test_a_stamp_that_was_cut_is_told(self):
        self.stamped(self.raw)
        self.put(smalls.PARTS["WOWCFG"][0] * smalls.MIB + HALF, b"what was left")
        self.assertEqual(("demo", 1), (self.found(self.raw, 1)["pool"]["name"], len(self.found(self.raw, 1)["wrong"])))
        self.assertIn("stamp it again", self.verify(self.raw).stdout)

    def test_an_ova_and_its_boxes(self):
        parts = {ovf.HOME: b"-"}
        for name in (ovf.SYSTEM, ovf.CONFIG):
            raw = self.raw
            if name == ovf.CONFIG:
                raw = self.folder / "config.raw"
                configdisk.make(raw)
            disks.to_vmdk(raw, self.folder / name)
            parts[name] = (self.folder / name).read_bytes()
        size = len(parts[ovf.SYSTEM])
        text = ovf.render({"VERSION": "1", "VENDOR": "us", "URLS": "", "SYSTEM_SIZE": size, "SYSTEM_CAPACITY": 1, "HOME_SIZE": 1, "HOME_CAPACITY": 1, "CONFIG_SIZE": 1, "CONFIG_CAPACITY": 1})
        parts[ovf.NAME] = text.encode()
        digests = {name: ovf.digest_of_stream(io.BytesIO(data)) for name, data in parts.items()}
        ova, box = self.folder / "wow.ova", self.folder / "wow.box"
        with Archive(ova) as archive:
            for name, data in ((ovf.NAME, parts[ovf.NAME]), (ovf.MANIFEST, ovf.manifest(digests).encode()), *((name, parts[name]) for name in ovf.DISKS)):
                archive.add_bytes(name, data)
        with Archive(box) as archive:
            archive.add_bytes("metadata.json", b'{"provider": "virtualbox"}')
            archive.add_bytes("box.ovf", parts[ovf.NAME])
            for name in ovf.DISKS:
                archive.add_bytes(name, parts[name])
        self.assertEqual(("OVA", "0.3.0", None, []), tuple(self.found(ova)[key] for key in ("format", "version", "pool", "wrong")))
        for image, form in ((ova, "OVA"), (box, "Vagrant box for virtualbox")):
            out = self.folder / f"stamped{image.suffix}"
            self.stamped(image, "-o", out)
            found = self.found(out)
            self.assertEqual((form, "demo", []), (found["format"], found["pool"]["name"], found["wrong"]))
        data = ova.read_bytes()
        ova.write_bytes(data.replace(b"<Vendor>us<", b"<Vendor>me<"))
        self.assertEqual([f"{ovf.NAME}: is not what the OVA's manifest says"], self.found(ova, 1)["wrong"])
        ova.write_bytes(data[:size // 2])
        self.assertIn("was cut short", self.verify(ova).stderr)

    def test_a_partition_table_that_is_empty_or_says_what_no_disk_has_is_refused_in_a_line(self):
        empty = self.folder / "empty.raw"
        smalls.table(empty, {})
        self.assertIn("has no partitions WOWESP and WOWSYS", self.verify(empty).stderr)
        for copy_at in (b"\xff" * 8, (1 << 50).to_bytes(8, "little")):
            self.put(544, copy_at)
            done = self.verify(smalls.converted(self.raw, "qcow2"))
            self.assertEqual((1, 1, True), (done.returncode, done.stderr.count("\n"), "wow.qcow2: is damaged: its partition table says" in done.stderr), done.stderr)

    def test_what_is_no_image_is_refused_in_a_line(self):
        for content, words in ((b"x" * 9999, "is no image"), (b"", "is no image"), (None, "no such file"), (b"vhdxfile" + bytes(9999), "is damaged or was cut short")):
            place = self.folder / "other"
            if content is None:
                place.unlink()
            else:
                place.write_bytes(content)
            done = self.verify(place)
            self.assertEqual((1, 1, True), (done.returncode, done.stderr.count("\n"), words in done.stderr), done.stderr)


if __name__ == "__main__":
    unittest.main()
