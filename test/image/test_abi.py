"""Which base a layer was made over: what the number follows from, and how old it is."""

import datetime
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from test_module import ROOT
from test_publish import fill

sys.path.append(str(ROOT / "appliance/layers"))

import abi  # noqa: E402
import elf  # noqa: E402

LIBC = pathlib.Path("/lib/x86_64-linux-gnu/libc.so.6")
LOADER = pathlib.Path("/lib64/ld-linux-x86-64.so.2")
PLACE = "usr/lib/x86_64-linux-gnu"
LOCK = ("# a lock\nat debian 20260101T120000Z\nat debian-security 20260203T040506Z\n"
        f"apt 1 amd64 required {'0' * 64} debian/pool/main/a/apt/apt_1_amd64.deb\n")


def readelf(option, file):
    return subprocess.run(["readelf", "-W", option, file], check=True, capture_output=True, text=True).stdout


class Libraries(unittest.TestCase):
    def test_sonames_and_versions_are_those_that_readelf_finds(self):
        for file in (LIBC, LOADER, LIBC.with_name("libm.so.6"), LIBC.with_name("libz.so.1")):
            with self.subTest(file.name):
                found = elf.library(file.read_bytes())
                self.assertEqual(found.soname, re.search(r"Library soname: \[(.*)\]", readelf("-d", file))[1])
                definitions = readelf("-V", file).partition("Version definition section")[2].partition("Version needs section")[0]
                names = {name for flags, name in re.findall(r"Flags: (\S+) .*Name: (\S+)", definitions) if flags != "BASE"}
                self.assertEqual(found.versions, names)

    def test_what_a_program_asks_for_is_what_readelf_finds(self):
        for file in (pathlib.Path("/bin/true"), pathlib.Path(sys.executable), LIBC.with_name("libm.so.6"), LOADER):
            with self.subTest(file.name):
                needs = readelf("-V", file).partition("Version needs section")[2]
                found, soname = set(), ""
                for line in needs.splitlines():
                    soname = said[1] if (said := re.search(r"Version: 1  File: (\S+)", line)) else soname
                    if said := re.search(r"Name: (\S+)  Flags: (\S+)", line):
                        found |= {(soname, said[1])} if said[2] != "WEAK" else set()
                self.assertEqual(elf.wanted(file.read_bytes()), found)
                self.assertEqual(elf.needed(file.read_bytes()), re.findall(r"Shared library: \[(.*)\]", readelf("-d", file)))

    def test_what_is_no_library_is_none(self):
        for data in (b"", b"/* GNU ld script */", b"\x7fELF\x01\x01", pathlib.Path(sys.executable).read_bytes()):
            self.assertIsNone(elf.library(data))

    def test_a_cut_or_damaged_one_is_told(self):
        data = LIBC.with_name("libz.so.1").read_bytes()
        for length in (16, 63, 100, 2000):
            with self.subTest(length), self.assertRaises(elf.ElfError):
                elf.library(data[:length])


class Base(unittest.TestCase):
    """A base of a few files, with this machine's glibc."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "packages.lock").write_text(LOCK)
        self.tree = self.folder / "tree"
        fill(self.tree, {"usr/bin/python3.13": "", "usr/bin/python3": "->python3.13", "etc/ld.so.conf.d/x.conf": "# paths\n/usr/lib/x86_64-linux-gnu\n/opt/lib\n",
                         f"{PLACE}/script.so": "GROUP ( libc.so.6 )", f"{PLACE}/libc.so": "->libc.so.6"})
        self.put(f"{PLACE}/libc.so.6", LIBC.read_bytes())

    def put(self, name, data):
        place = self.tree / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)

    def about(self):
        subprocess.run(["mksquashfs", self.tree, self.folder / "base.squashfs", "-noappend", "-quiet", "-no-progress", "-all-root", "-all-time", "0", "-mkfs-time", "0"],
                       check=True, stdout=subprocess.DEVNULL)
        return abi.about(self.folder)

    def test_it_says_content_day_and_what_the_number_follows_from(self):
        found = self.about()
        self.assertEqual((found["date"], found["python"], found["sonames"]), ("2026-02-03", "3.13", ["libc.so.6"]))
        self.assertIn("GLIBC_2.34", found["glibc"])
        self.assertNotIn("GLIBC_PRIVATE", found["glibc"])
        self.assertRegex(found["sha256"], "^[0-9a-f]{64}$")
        self.assertRegex(found["abi"], f"^[0-9a-f]{{{abi.LENGTH}}}$")
        self.assertEqual(found, self.about(), "another run says something else")

    def test_two_bases_with_other_contents_are_told_apart_and_have_one_number_where_nothing_moved(self):
        first = self.about()
        self.put("usr/bin/tool", b"fixed")
        second = self.about()
        self.assertNotEqual(first["sha256"], second["sha256"])
        self.assertEqual(first["abi"], second["abi"])

    def test_a_soname_a_python_or_a_symbol_version_that_moved_is_another_number(self):
        numbers = [self.about()["abi"]]
        libz = LIBC.with_name("libz.so.1").read_bytes()
        self.put("opt/lib/libz.so.1", libz)
        numbers.append(self.about()["abi"])
        self.put("opt/lib/libz.so.1", libz.replace(b"libz.so.1\0", b"libz.so.2\0"))
        numbers.append(self.about()["abi"])
        (self.tree / "usr/bin/python3.13").rename(self.tree / "usr/bin/python3.14")
        numbers.append(self.about()["abi"])
        self.put(f"{PLACE}/libc.so.6", LIBC.read_bytes().replace(b"GLIBC_2.34\0", b"GLIBC_2.99\0"))
        numbers.append(self.about()["abi"])
        self.assertEqual(len(set(numbers)), len(numbers), numbers)

    def test_a_library_where_the_loader_does_not_look_is_none_of_it(self):
        first = self.about()
        self.put(f"{PLACE}/private/libz.so.1", LIBC.with_name("libz.so.1").read_bytes())
        self.assertEqual(first["sonames"], self.about()["sonames"])

    def test_what_is_no_base_is_told(self):
        (self.tree / "usr/bin/python3.13").unlink()
        with self.assertRaises(abi.LayerError) as caught:
            self.about()
        self.assertIn("holds no python3", str(caught.exception))
        with self.assertRaises(abi.LayerError) as caught:
            abi.about(self.folder / "tree")
        self.assertIn("no base.squashfs", str(caught.exception))

    def test_a_damaged_library_is_named(self):
        self.put("opt/lib/libz.so.1", LIBC.with_name("libz.so.1").read_bytes()[:2000])
        with self.assertRaises(abi.LayerError) as caught:
            self.about()
        self.assertIn("libz.so.1: a damaged ELF file", str(caught.exception))


class Age(unittest.TestCase):
    def told(self, day):
        return abi.told({"date": "2026-02-03", "abi": "0badcafe"}, datetime.date.fromisoformat(day))

    def test_the_age_is_told_and_warned_of_after_thirty_days(self):
        self.assertEqual(self.told("2026-02-04"), ["base of 2026-02-03, 1 day old, ABI 0badcafe"])
        self.assertEqual(self.told("2026-02-02"), ["base of 2026-02-03, 0 days old, ABI 0badcafe"], "a lock's moment lies some hours ahead")
        self.assertEqual(len(self.told("2026-03-05")), 1)
        first, second = self.told("2026-03-06")
        self.assertIn("31 days old", first)
        self.assertIn("WOW_FRESH=1 make image", second)

    def test_the_tool_tells_of_a_file(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"date": "2020-01-01", "abi": "0badcafe"}, file)
            file.flush()
            done = subprocess.run([ROOT / "appliance/layers/about", "--tell", file.name], capture_output=True, text=True, check=True)
        self.assertRegex(done.stdout, "^image: base of 2020-01-01, [0-9]+ days old, ABI 0badcafe\nimage: warning: ")


if __name__ == "__main__":
    unittest.main()
