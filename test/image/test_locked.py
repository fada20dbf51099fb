"""The lock of the base's packages: how it is read, and what is said where a package is not to be had."""

import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from test_module import ROOT

BASE = ROOT / "appliance/base"
sys.path.append(str(BASE))

import locked  # noqa: E402

ROW = "small 1.0-1 all required {sha256} debian/pool/main/s/small/small_1.0-1_all.deb"
CONTROL = "Package: small\nVersion: 1.0-1\nArchitecture: all\nPriority: optional\nMaintainer: Nobody <nobody@example.org>\nDescription: small\n of two lines\n"


class WithFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.lock = self.folder / "packages.lock"

    def write(self, *rows):
        self.lock.write_text("\n".join(["# a lock", "at debian 20260102T030405Z", "at debian-security 20260102T030406Z", *rows]) + "\n")


class Reading(WithFolder):
    def test_what_was_written_is_read(self):
        self.write(ROW.format(sha256="0" * 64))
        lock = locked.read(self.lock)
        self.lock.write_text(locked.text(lock))
        self.assertEqual(locked.read(self.lock), lock)
        self.assertEqual(lock.packages["small"].file, "small_1.0-1_all.deb")
        self.assertEqual(locked.address(lock, lock.packages["small"]),
                         "https://snapshot.debian.org/archive/debian/20260102T030405Z/pool/main/s/small/small_1.0-1_all.deb")

    def test_what_is_no_lock_is_refused_with_its_line(self):
        good = ROW.format(sha256="0" * 64)
        for rows, words in (
                ([good, "small 1.0"], "line 5: 2 words instead of 6"), ([good.replace("0" * 64, "0" * 63)], "line 4: no SHA256"),
                ([good.replace("debian/pool/main/s/small", "debian/../../etc")], "no path"), ([good.replace("small ", "../x ")], "no name"),
                ([good, good], "line 5: small stands there twice"), ([], "ends without a package"), ([good.replace("1.0-1 ", "one ")], "no version")):
            with self.subTest(words):
                self.write(*rows)
                with self.assertRaisesRegex(locked.LockError, words) as caught:
                    locked.read(self.lock)
                self.assertIn(str(self.lock), str(caught.exception))

    def test_a_lock_without_the_times_of_its_archives_is_refused(self):
        self.lock.write_text(ROW.format(sha256="0" * 64) + "\n")
        with self.assertRaisesRegex(locked.LockError, "without the time of an archive that a package is from"):
            locked.read(self.lock)

    def test_a_package_from_another_archive_has_its_address_and_needs_no_time(self):
        self.lock.write_text(ROW.format(sha256="0" * 64).replace("debian/pool/main/s/small", "http://example.org:8080/own") + "\n")
        lock = locked.read(self.lock)
        self.assertEqual((lock.moments, lock.packages["small"].archive), ({}, ""))
        self.assertEqual(locked.address(lock, lock.packages["small"]), "http://example.org:8080/own/small_1.0-1_all.deb")
        self.assertNotIn("at ", locked.text(lock, ""))
        for address in ("ftp://example.org/small_1.0-1_all.deb", "http://example.org/small_1.0-1_all.tar", "http://example.org/%2e%2e%2fsmall.deb"):
            self.lock.write_text(ROW.format(sha256="0" * 64).replace("debian/pool/main/s/small/small_1.0-1_all.deb", address) + "\n")
            with self.assertRaises(locked.LockError):
                locked.read(self.lock)

    def test_the_build_refuses_what_is_no_lock_or_not_there(self):
        self.lock.write_text("small 1.0\n")
        for file in (self.lock, self.folder / "absent"):
            done = subprocess.run([BASE / "build"], env={"PATH": "/usr/bin:/bin", "WOW_CACHE": str(self.folder), "WOW_LOCK": str(file)},
                                  capture_output=True, text=True, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(str(file), done.stderr)
            self.assertIn("packages.lock", done.stderr)


class GoingBack(WithFolder):
    """The line of docs/operating.md, where the base of today's packages is there, and that of a stack folder which was kept."""

    LINE = re.compile(r"^# (WOW_LOCK=(\S+)/packages\.lock make image)$", re.M)

    def setUp(self):
        super().setUp()
        script = (BASE / "build").read_text()
        named = script[script.index("recipe="):script.index("\nmkdir")]
        asked = f'here=$1 layers=$1/../layers\n{named}\necho "$recipe"'
        self.recipe = subprocess.run(["sh", "-c", asked, "sh", BASE], check=True, capture_output=True, text=True).stdout.strip()
        (self.folder / "bin").mkdir()
        # Nobody builds a base here.
        (self.folder / "bin/id").write_text("#!/bin/sh\necho 1000\n")
        (self.folder / "bin/id").chmod(0o755)

    def have(self, lock):
        """The base of these packages, as a build names it."""
        place = self.folder / "cache/base" / hashlib.sha256(f"{self.recipe}\n{lock}".encode()).hexdigest()[:16]
        place.mkdir(parents=True)
        (place / "base.squashfs").write_text(lock)

    def built(self, line):
        """The packages of the base that a line gives."""
        done = subprocess.run(["sh", "-c", line.replace("make image", f'"{BASE}/build"')], capture_output=True, text=True, check=False, cwd=self.folder,
                              env={"PATH": f"{self.folder}/bin:/usr/bin:/bin", "WOW_CACHE": str(self.folder / "cache")})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return pathlib.Path(done.stdout.strip(), "base.squashfs").read_text()

    def test_the_line_gives_the_former_base_and_a_build_without_it_today_s(self):
        (line, kept), = self.LINE.findall((ROOT / "docs/operating.md").read_text())
        former, today = (f"at debian 20260102T030405Z\n{ROW.format(sha256=digit * 64)}\n" for digit in "01")
        self.have(former)
        self.have(today)
        (self.folder / f"cache/base/{self.recipe}.packages").write_text(today)
        (self.folder / kept).mkdir()
        (self.folder / kept / "packages.lock").write_text(former)
        self.assertEqual([self.built("make image"), self.built(line), self.built("make image")], [today, former, today])


class Checking(WithFolder):
    """What was installed is held against the lock."""

    def check(self, *installed):
        self.write(ROW.format(sha256="0" * 64))
        admin = self.folder / "root/var/lib/dpkg"
        for folder in ("info", "updates", "triggers"):
            (admin / folder).mkdir(parents=True, exist_ok=True)
        (admin / "status").write_text("\n".join(
            f"Package: {name}\nStatus: install ok {state}\nVersion: {version}\nArchitecture: all\nMaintainer: x <x@example.org>\nDescription: x\n"
            for name, version, state in installed))
        return subprocess.run([BASE / "record", "--check", self.folder / "root", self.lock], capture_output=True, text=True, check=False)

    def test_a_root_with_these_packages_is_taken(self):
        self.assertEqual(self.check(("small", "1.0-1", "installed")).returncode, 0)

    def test_another_version_a_package_more_or_one_half_installed_stops_the_build(self):
        for installed, words in (
                ([("small", "1.0-2", "installed")], "small 1.0-2 all installed"), ([], "lacks of the lock: ['small 1.0-1 all installed']"),
                ([("small", "1.0-1", "installed"), ("stray", "1", "installed")], "the lock lacks: ['stray 1 all installed']"),
                ([("small", "1.0-1", "unpacked")], "small 1.0-1 all unpacked")):
            with self.subTest(words):
                done = self.check(*installed)
                self.assertEqual(done.returncode, 1)
                self.assertIn(words, done.stderr)


class Mirrors(unittest.TestCase):
    def mirror(self, *arguments, **environment):
        return subprocess.run([BASE / "mirror", "trixie", *arguments], env={"PATH": "/usr/bin:/bin", **environment}, check=True, capture_output=True, text=True).stdout

    def test_the_security_updates_lie_beside_the_archive_unless_they_are_named(self):
        self.assertEqual(self.mirror(MIRROR="http://one/debian/"), "http://one/debian\n")
        self.assertEqual(self.mirror("security", MIRROR="http://one/debian/"), "http://one/debian-security\n")
        self.assertEqual(self.mirror("security", MIRROR="http://one/debian/1", MIRROR_SECURITY="http://one/debian-security/2/"), "http://one/debian-security/2\n")


class Collecting(WithFolder):
    """From an archive with one package, by HTTP, as Debian's mirrors have it."""

    def setUp(self):
        super().setUp()
        tree = self.folder / "tree"
        (tree / "DEBIAN").mkdir(parents=True)
        (tree / "DEBIAN/control").write_text(CONTROL)
        self.site = self.folder / "site"
        (self.site / "pool/main/s/small").mkdir(parents=True)
        self.deb = self.site / "pool/main/s/small/small_1.0-1_all.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "--build", tree, self.deb], check=True, capture_output=True)
        self.write(ROW.format(sha256=hashlib.sha256(self.deb.read_bytes()).hexdigest()))

    def collect(self):
        command = f'"{BASE}/collect" "{self.lock}" trixie "$WOW_ARCHIVE" "$WOW_ARCHIVE" "{self.folder}/store" "{self.folder}/archive"'
        return subprocess.run([BASE / "serve", self.site, "sh", "-c", command], capture_output=True, text=True, check=False)

    def test_the_archive_has_the_package_and_says_of_it_what_the_lock_says(self):
        done = self.collect()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        index = (self.folder / "archive/dists/trixie/main/binary-amd64/Packages").read_bytes()
        for line in ("Package: small", "Priority: required", "Filename: pool/small_1.0-1_all.deb", f"Size: {self.deb.stat().st_size}", " of two lines"):
            self.assertIn(line, index.decode().splitlines())
        self.assertTrue(index.endswith(b"\n\n"), "debootstrap overlooks the last package")
        self.assertIn(hashlib.sha256(index).hexdigest(), (self.folder / "archive/dists/trixie/Release").read_text())
        self.assertEqual((self.folder / "archive/pool/small_1.0-1_all.deb").read_bytes(), self.deb.read_bytes())

    def test_what_was_fetched_is_not_fetched_again(self):
        self.collect()
        self.deb.unlink()
        self.assertEqual(self.collect().returncode, 0)

    def test_a_package_that_is_gone_or_changed_is_named_with_what_to_do(self):
        for change in (lambda: self.deb.write_bytes(b"other bytes"), self.deb.unlink):
            change()
            done = self.collect()
            self.assertEqual(done.returncode, 1)
            for words in ("small 1.0-1\n", "MIRROR=https://snapshot.debian.org/archive/debian/20260102T030405Z ",
                          "MIRROR_SECURITY=https://snapshot.debian.org/archive/debian-security/20260102T030406Z ", f"WOW_LOCK={self.lock}",
                          "WOW_FRESH=1 appliance/base/build"):
                self.assertIn(words, done.stderr)
            self.assertFalse((self.folder / "archive").exists())


if __name__ == "__main__":
    unittest.main()
