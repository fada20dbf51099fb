"""An image in the formats of other hypervisors: what a machine reads is the same, and so is the file each time."""

import contextlib
import io
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "appliance/image/formats"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import smalls  # noqa: E402
import tools  # noqa: E402
import vhdx  # noqa: E402
from test_module import tool  # noqa: E402

CONVERT = ROOT / "appliance/image/convert"


class Base(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.raw = smalls.table(self.folder / "disk.raw")
        with open(self.raw, "r+b") as file:
            file.seek(5 * smalls.MIB)
            file.write(b"the system" * 5000)

    def convert(self, name, *more):
        return subprocess.run([CONVERT, self.raw, "-o", self.folder / name, *more], capture_output=True, text=True, check=False)

    def made(self, name):
        done = self.convert(name)
        self.assertEqual(0, done.returncode, done.stderr)
        return self.folder / name

    def expect_same(self, disk, form):
        said = subprocess.run(["qemu-img", "compare", "-f", "raw", "-F", form, self.raw, disk], capture_output=True, text=True, check=False)
        self.assertEqual("Images are identical.\n", said.stdout, said.stderr)


class Made(Base):
    def test_a_machine_reads_the_same_and_the_same_image_gives_the_same_file(self):
        for name, form in (("a.vhdx", "vhdx"), ("a.vmdk", "vmdk"), ("a.qcow2", "qcow2"), ("a.raw", "raw")):
            with self.subTest(name):
                first = self.made(name)
                self.expect_same(first, form)
                content = first.read_bytes()
                for one in self.folder.glob("a.*"):
                    one.unlink()
                self.assertTrue(content == self.made(name).read_bytes(), "another file")
                self.assertEqual([], [one.name for one in self.folder.iterdir() if one.name.startswith(".wow")])

    def test_where_there_is_no_room_the_place_of_the_new_file_is_named(self):
        full = self.folder / "full"
        full.mkdir()
        smalls.quiet("mount", "-t", "tmpfs", "-o", "size=32k", "full", full)
        self.addCleanup(smalls.quiet, "umount", full)
        for name in ("a.raw", "a.raw.tar.gz"):
            done = self.convert(f"full/{name}")
            self.assertRegex(done.stderr, rf"^convert: {full}/\S+: there is no room left where it lies; make room, and try again\n$")
        self.assertEqual([], list(full.iterdir()))

    def test_who_ends_it_is_told_so_in_a_line(self):
        said = io.StringIO()
        with contextlib.redirect_stderr(said), self.assertRaises(SystemExit) as caught, tools.command("convert", ""):
            raise KeyboardInterrupt
        self.assertEqual((130, "convert: ended by you; what was there is whole. Type the same command again\n"), (caught.exception.code, said.getvalue()))

    def test_the_archive_for_clouds_holds_one_disk_of_whole_gib(self):
        archive = self.made("a.raw.tar.gz")
        self.assertLess(archive.stat().st_size, 1 << 20)
        smalls.quiet("tar", "-xf", archive, "-C", self.folder)
        disk = self.folder / "disk.raw"
        self.assertEqual(1 << 30, disk.stat().st_size)
        self.assertLess(disk.stat().st_blocks * 512, 1 << 20)

    def test_a_vhdx_is_formed_as_its_format_says_and_has_a_script_beside_it(self):
        disk = self.made("a.vhdx").read_bytes()
        for place in vhdx.HEADERS:
            header = bytearray(disk[place:place + vhdx.HEADER_SIZE])
            told = struct.unpack_from("<I", header, vhdx.CHECKSUM_AT)[0]
            struct.pack_into("<I", header, vhdx.CHECKSUM_AT, 0)
            self.assertEqual(vhdx._crc32c(header), told)
            self.assertNotIn(bytes(16), (header[16:32], header[32:48]))
            self.assertEqual(bytes(16), header[48:64], "there is a log to be replayed")
        self.assertEqual((ROOT / "appliance/image/formats/hyperv.ps1").read_bytes(), (self.folder / "a.ps1").read_bytes())
        # A known value of this checksum (RFC 3720, B.4).
        self.assertEqual(0x8A9136AA, vhdx._crc32c(bytes(32)))

    def test_a_program_is_told_what_was_made(self):
        done = self.convert("a.vhdx", "--json")
        names = [str(self.folder / name) for name in ("a.vhdx", "a.ps1")]
        self.assertEqual({"out": names[0], "made": names}, json.loads(done.stdout))

    def test_what_may_hold_keys_stays_closed_to_others(self):
        self.raw.chmod(0o600)
        self.assertEqual(0o600, self.made("a.qcow2").stat().st_mode & 0o777)


    def test_it_is_on_the_disk_before_it_takes_its_name(self):
        with smalls.synced() as seen, contextlib.redirect_stdout(io.StringIO()):
            tool(CONVERT).main([str(self.raw), "-o", str(self.folder / "a.vhdx")])
        self.assertLessEqual({"a.vhdx", "a.ps1"}, {path.name for path in seen if path.parent.name.startswith(".wow-convert-")})
        self.assertEqual(self.folder, seen[-1], "and so is its name")


class Refused(Base):
    def refused(self, name, *words):
        before = sorted(one.name for one in self.folder.iterdir())
        done = self.convert(name)
        self.assertEqual((1, 1), (done.returncode, done.stderr.count("\n")), done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertEqual(before, sorted(one.name for one in self.folder.iterdir()))

    def test_an_end_that_is_no_format(self):
        self.refused("a.iso", "a.iso: its end names no format", ".vhdx", ".raw.tar.gz")

    def test_a_file_that_is_there_or_a_folder_that_is_not(self):
        (self.folder / "a.ps1").write_text("somebody's")
        self.refused("a.vhdx", "a.ps1: is there already")
        self.refused("nowhere/a.vhdx", "nowhere: no such folder")

    def test_what_is_no_image(self):
        self.raw.write_text("x")
        self.refused("a.vhdx", "is no disk image")
        self.raw.unlink()
        self.refused("a.vhdx", "no such file")


if __name__ == "__main__":
    unittest.main()
