"""The initrd's archive, and its scripts under the shells that read them."""

import gzip
import os
import pathlib
import subprocess
import tempfile
import unittest

from test_module import ROOT, tool

initrd = tool(ROOT / "appliance/initrd/build")


class Archive(unittest.TestCase):
    def test_cpio_reads_it_back(self):
        archive = initrd.Archive()
        archive.add("dev/console", 0o020600, device=(5, 1))
        archive.add("lib/a/file", 0o100644, b"four")
        archive.add("bin/sh", 0o120777, b"busybox")
        listing = subprocess.run(["cpio", "-tv"], input=archive.finish(), capture_output=True, check=True).stdout.decode()
        lines = [line.split() for line in listing.splitlines()]
        self.assertEqual([line[9 if line[0][0] == "c" else 8] for line in lines], ["dev", "dev/console", "lib", "lib/a", "lib/a/file", "bin", "bin/sh"])
        self.assertEqual(lines[1][4:6], ["5,", "1"])
        self.assertEqual(lines[6][9:], ["->", "busybox"])


class Modules(unittest.TestCase):
    def test_dependencies_come_first_and_built_in_ones_need_no_file(self):
        with tempfile.TemporaryDirectory() as folder:
            base = pathlib.Path(folder)
            (base / "modules").mkdir()
            names = [name for line in (ROOT / "appliance/initrd/modules.list").read_text().splitlines()
                     if line and not line.startswith("#") for name in line.partition(":")[2].split()]
            builtin = "".join(f"kernel/{name}.ko\n" for name in names if name not in ("ahci", "loop"))
            (base / "modules/modules.builtin").write_text(builtin)
            (base / "modules/modules.dep").write_text("k/loop.ko:\nk/ahci.ko: k/libahci.ko k/libata.ko\nk/libata.ko:\n")
            sets = {name: (files, is_packed) for name, files, is_packed in initrd.module_sets(base)}
            self.assertEqual(sets["ahci"], (["k/libata.ko", "k/libahci.ko", "k/ahci.ko"], True))
            self.assertEqual(sets["stack"], (["k/loop.ko"], False))

    def test_a_packed_module_is_unpacked_once_and_another_is_taken_as_it_is(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, data in (("a.ko", b"a"), ("b.ko.gz", gzip.compress(b"b"))):
                pathlib.Path(folder, name).write_bytes(data)
            script = (ROOT / "appliance/initrd/disk.sh").read_text().replace("/modules/", f"{folder}/")
            asks = 'for name in a.ko b.ko.gz b.ko.gz; do unpack "$name"; cat "$file"; rm -f "$file.gz"; done'
            self.assertEqual(subprocess.run(["sh", "-c", f"{script}\n{asks}"], capture_output=True, text=True, check=True).stdout, "abb")

    def test_a_module_that_the_kernel_lacks_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            base = pathlib.Path(folder)
            (base / "modules").mkdir()
            (base / "modules/modules.builtin").write_text("")
            (base / "modules/modules.dep").write_text("")
            with self.assertRaises(SystemExit) as caught:
                list(initrd.module_sets(base))
            self.assertIn("crc32c_generic", str(caught.exception))


class WantedModules(unittest.TestCase):
    """What the initrd takes of the lines beside pool.conf."""

    def wanted(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "pool.lines")
            if text is not None:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            script = (ROOT / "appliance/initrd/config.sh").read_text().replace("/run/wow-config/pool.lines", path)
            return subprocess.run(["sh", "-c", script + "\nwanted_modules"], capture_output=True, text=True, check=True).stdout

    def test_names_have_a_blank_on_both_sides(self):
        self.assertEqual(self.wanted("modules=a b\nuser=names\n"), " a b \n")

    def test_without_the_line_or_the_file_there_is_no_choice(self):
        self.assertEqual(self.wanted("user=modules\n"), "")
        self.assertEqual(self.wanted(None), "")


if __name__ == "__main__":
    unittest.main()
