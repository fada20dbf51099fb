"""What `stamp` accepts and refuses, and the descriptor that it changes."""

import base64
import io
import json
import pathlib
import random
import re
import struct
import subprocess
import sys
import tarfile
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "appliance/image/formats"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.append(str(ROOT / "test/node"))

import configdisk  # noqa: E402
import disks  # noqa: E402
import ovf  # noqa: E402
import samples  # noqa: E402
import smalls  # noqa: E402
import tools  # noqa: E402
from archive import Archive  # noqa: E402
from places import POOL_CONF  # noqa: E402

CERTIFICATE = base64.b64encode(samples.certificate()).decode()
STAMP = ROOT / "appliance/image/stamp"
REPLACE = ROOT / "appliance/image/replace-base"
VALUES = {"URLS": "", "VERSION": "1", "VENDOR": "us", "SYSTEM_SIZE": 10, "SYSTEM_CAPACITY": 20, "HOME_SIZE": 50, "HOME_CAPACITY": 60, "CONFIG_SIZE": 30, "CONFIG_CAPACITY": 40}


def stamp(*words, **how):
    return subprocess.run([STAMP, *words], capture_output=True, text=True, check=False, **how)


def small_ova(path, size=9):
    """An OVA formed as that of a build, whose system has so many bytes."""
    text = ovf.render(VALUES).encode()
    with Archive(path) as made:
        for name, data in ((ovf.NAME, text), (ovf.MANIFEST, b""), (ovf.SYSTEM, bytes(size)), (ovf.HOME, b"-"), (ovf.CONFIG, b"-")):
            made.add_bytes(name, data)
    return path


def archived(path, members, mode="w"):
    """An archive with these members: bytes, or the type of one that is no file."""
    with tarfile.open(path, mode) as made:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            if data in (tarfile.DIRTYPE, tarfile.SYMTYPE):
                entry.type, entry.linkname, data = data, "nowhere", b""
            entry.size = len(data)
            made.addfile(entry, io.BytesIO(data))


class Descriptor(unittest.TestCase):
    def test_every_word_of_the_template_needs_a_value(self):
        with self.assertRaises(ValueError):
            ovf.render({"VERSION": "1"})

    def test_only_the_configuration_disk_is_replaced(self):
        before = ovf.render(VALUES)
        after = ovf.replace_config(before, 31, 41)
        self.assertEqual(after, ovf.render({**VALUES, "CONFIG_SIZE": 31, "CONFIG_CAPACITY": 41}))

    def test_a_foreign_descriptor_is_refused(self):
        with self.assertRaises(ValueError):
            ovf.replace_config("<Envelope/>", 1, 1)

    def test_the_manifest_reads_back(self):
        digests = {"wow.ovf": "a" * 64, "wow.vmdk": "b" * 64}
        self.assertEqual(ovf.parse_manifest(ovf.manifest(digests)), digests)


class Disks(unittest.TestCase):
    def test_a_disk_of_an_ova_is_the_same_whatever_id_qemu_img_took_for_it(self):
        with tempfile.TemporaryDirectory() as folder:
            raw, out = pathlib.Path(folder, "wow.raw"), pathlib.Path(folder, "wow.vmdk")
            raw.write_bytes(b"WOW" * 7000 + bytes(1 << 20))
            disks.to_vmdk(raw, out)
            made = out.read_bytes()
            # A short id, behind whose text the end of a longer one was left.
            head, _, tail = made.partition(b"# Disk DescriptorFile")
            text, _, rest = tail.partition(b"\0")
            short = re.sub(rb"CID=[0-9a-f]{8}\n", b"CID=7035b\n", text, count=1)
            left = b"\0" * (len(text) - len(short) - 1) + b"\n"
            out.write_bytes(head + b"# Disk DescriptorFile" + short + b"\0" + left + rest)
            self.assertEqual(out.stat().st_size, len(made))
            disks.name_by_content(out)
            self.assertEqual(out.read_bytes(), made)


    def test_a_blank_disk_takes_next_to_nothing_and_reads_as_zeros(self):
        with tempfile.TemporaryDirectory() as folder:
            raw = pathlib.Path(folder, "raw")
            # The last one ends within a table, the second has a table and no more.
            for size in (64 << 30, 32 << 20, (40 << 20) + 65536):
                out = pathlib.Path(folder, f"{size}.vmdk")
                disks.blank_vmdk(out, size)
                self.assertLess(out.stat().st_size, 100_000)
                with open(raw, "wb") as file:
                    file.truncate(size)
                said = subprocess.run(["qemu-img", "compare", "-f", "vmdk", "-F", "raw", out, raw], capture_output=True, text=True, check=False)
                self.assertEqual((0, "Images are identical.\n"), (said.returncode, said.stdout), said.stderr)
                subprocess.run(["qemu-img", "check", "-q", out], check=True)

    def test_a_blank_disk_is_formed_as_the_format_says(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "blank.vmdk")
            disks.blank_vmdk(out, 64 << 30)
            made, sector = out.read_bytes(), disks.SECTOR
        # The first sector leaves the directory's place to the footer, which is the last but one; at the end stands a sector of zeros.
        head, footer = made[:sector], made[-2 * sector:-sector]
        self.assertEqual((b"\xff" * 8, bytes(sector)), (head[56:64], made[-sector:]))
        self.assertEqual((head[:56], head[64:]), (footer[:56], footer[64:]))
        at = struct.unpack("<Q", footer[56:64])[0]
        self.assertEqual((16, 0, 2), struct.unpack("<QII", made[(at - 1) * sector:][:16]), "no marker of a directory of 16 sectors before it")
        self.assertEqual(bytes(16 * sector), made[at * sector:][:16 * sector], "the directory names a table")
        self.assertEqual((1, 0, 3), struct.unpack("<QII", made[-3 * sector:][:16]))


class WhatIsThere(unittest.TestCase):
    def test_the_disk_of_a_machine_is_never_written_over(self):
        with tempfile.TemporaryDirectory() as folder:
            disk, image, conf = (pathlib.Path(folder, name) for name in ("machine.qcow2", "wow.qcow2", "pool.conf"))
            conf.write_text(POOL_CONF)
            for path in (disk, image):
                subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", path, "1M"], check=True)
            before = disk.read_bytes()
            for words in ((STAMP, image, conf, "-o", disk), (STAMP, "--config", folder, "-o", disk), (REPLACE, disk, image, "-o", disk),
                          (REPLACE, image, image, "-o", disk)):
                done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
                self.assertNotEqual(done.returncode, 0, words)
                self.assertIn(f"{disk}: is ", done.stderr)
                self.assertEqual(disk.read_bytes(), before)

    def test_a_disk_that_is_no_machine_s_gets_no_other_base_and_that_is_told_in_a_line(self):
        with tempfile.TemporaryDirectory() as folder:
            disk, out = pathlib.Path(folder, "machine.qcow2"), pathlib.Path(folder, "out.qcow2")
            subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", disk, "1M"], check=True)
            done = subprocess.run([REPLACE, disk, disk, "-o", out], capture_output=True, text=True, check=False)
            self.assertEqual((1, 1, True), (done.returncode, done.stderr.count("\n"), f"{disk}: has no partition table" in done.stderr), done.stderr)

    def test_nothing_is_written_over_but_what_was_stamped(self):
        with tempfile.TemporaryDirectory() as folder:
            image, conf, ova, out = (pathlib.Path(folder, name) for name in ("wow.raw", "pool.conf", "wow.ova", "out"))
            conf.write_text(POOL_CONF)
            small_ova(ova)
            machines = [smalls.converted(smalls.table(image), form) for form in smalls.FORMS]
            (exported := pathlib.Path(folder, "exported.ova")).write_bytes(ova.read_bytes().replace(b"wowcfg.vmdk", b"wow-003.vmdk"))
            for disk in (*machines, exported, conf):
                before = disk.read_bytes()
                for words in ((disk, conf), (ova, conf), ("--iso", conf), ("--config", folder)):
                    done = stamp(*words, "-o", disk)
                    self.assertEqual((1, 1, True), (done.returncode, done.stderr.count("\n"), f"{disk}: is " in done.stderr), f"{words}: {done.stdout}{done.stderr}")
                    # Of large bytes that differ unittest would make a list.
                    self.assertTrue(before == disk.read_bytes(), words)
            out.touch()
            for words in ((image, conf), ("--iso", conf), (ova, conf), ("--config", folder), ("--iso", conf)):
                self.assertEqual(0, stamp(*words, "-o", out).returncode, words)


class Archives(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.conf, self.ova = self.folder / "pool.conf", small_ova(self.folder / "wow.ova", 2 << 20)
        self.conf.write_text(POOL_CONF)

    def test_what_has_a_configuration_is_for_its_owner_alone(self):
        box, out = self.folder / "wow.box", self.folder / "out"
        with Archive(box) as made:
            made.add_bytes("metadata.json", b'{"provider": "libvirt"}')
            made.add_bytes(disks.SYSTEM_QCOW2, b"-")
            made.add_bytes(disks.QCOW2, b"-")
        for image in (self.ova, box):
            done = stamp(image, self.conf, "-o", out, umask=0o022)
            self.assertEqual((0, 0o600), (done.returncode, out.stat().st_mode & 0o777), done.stderr)

    def expect_former(self, out, *told, image=None):
        """It is not written, people are told, and the former file is there and nothing beside it."""
        before, there = out.read_bytes(), sorted(out.parent.iterdir())
        done = stamp(image or self.ova, self.conf, "-o", out)
        self.assertEqual((1, 1), (done.returncode, done.stderr.count("\n")), done.stderr)
        for word in told:
            self.assertIn(word, done.stderr)
        self.assertEqual((before, there), (out.read_bytes(), sorted(out.parent.iterdir())))

    def test_a_former_one_stays_where_there_is_no_room_for_another(self):
        full = self.folder / "full"
        full.mkdir()
        smalls.quiet("mount", "-t", "tmpfs", "-o", "size=1m", "full", full)
        self.addCleanup(smalls.quiet, "umount", full)
        out = small_ova(full / "science.ova")
        self.expect_former(out, f"stamp: {out}: there is no room left where it lies")
        configdisk.make(out := full / "config.img")
        smalls.quiet("sh", "-c", 'yes > "$1" || true', "fill", full / "filler")
        self.expect_former(out, f"stamp: {out}: ", image=smalls.table(self.folder / "disk.raw"))

    def test_an_archive_that_another_program_made_is_refused_in_a_line_that_says_what_to_do(self):
        out, text = small_ova(self.folder / "science.ova"), ovf.render(VALUES).encode()
        image, members = self.folder / "other.ova", {ovf.NAME: text, ovf.MANIFEST: b"", **dict.fromkeys(ovf.DISKS, b"-")}
        for change, *told in (({ovf.NAME: b"<Envelope/>"}, f"its {ovf.NAME} has no configuration disk of WOW (file-config)", "wow image stamp --iso POOL.CONF"),
                              ({ovf.NAME: b"\xff"}, f"its {ovf.NAME} is not there, or none that this release reads"),
                              ({ovf.NAME: tarfile.DIRTYPE}, f"its {ovf.NAME} is no plain file"),
                              ({ovf.MANIFEST: tarfile.SYMTYPE}, f"its {ovf.MANIFEST} is no plain file"),
                              ({ovf.SYSTEM: tarfile.SYMTYPE}, f"its {ovf.SYSTEM} is no plain file"), ({"x" * 300: b"-"}, "has too long a name")):
            archived(image, {**members, **change})
            self.expect_former(out, f"stamp: {image}: ", *told, image=image)

    def test_a_box_that_another_program_made_is_refused_in_a_line(self):
        out, image, members = small_ova(self.folder / "science.ova"), self.folder / "other.box", {disks.SYSTEM_QCOW2: b"-", disks.QCOW2: b"-"}
        for said, told in ((b"{", "its metadata.json is no JSON"), (b"[]", "no OVA or Vagrant box of WOW"), (b"{}", "no OVA or Vagrant box of WOW"),
                           (b'{"provider": ["libvirt"]}', "no OVA or Vagrant box of WOW"), (b'{"provider": "virtualbox"}', "no OVA or Vagrant box of WOW")):
            archived(image, {"metadata.json": said, **members})
            self.expect_former(out, f"stamp: {image}: ", told, image=image)
        archived(image, {"metadata.json": b'{"provider": "virtualbox"}', ovf.SYSTEM: b"-", ovf.CONFIG: b"-"})
        self.expect_former(out, f"stamp: {image}: its box.ovf is not there", image=image)

    def test_a_packed_archive_that_is_damaged_is_refused_in_a_line(self):
        out, image = small_ova(self.folder / "science.ova"), self.folder / "wow.box"
        members = {"metadata.json": b'{"provider": "libvirt"}', "noise": random.Random(1).randbytes(99999).hex().encode()}
        for form in ("gz", "xz", "bz2"):
            archived(image, members, f"w:{form}")
            data = image.read_bytes()
            for damaged in (data[:len(data) // 2], data[:40000] + b"\xff" * 9999 + data[49999:]):
                image.write_bytes(damaged)
                self.expect_former(out, f"stamp: {image}: ", "was cut short", image=image)
            self.assertIn("was cut short", stamp(image, self.conf).stderr)

    def test_an_image_that_was_cut_short_and_a_folder_that_is_not_there_are_told(self):
        out = small_ova(self.folder / "science.ova")
        data = self.ova.read_bytes()
        for size in (1 << 20, len(ovf.NAME) + 700):
            self.ova.write_bytes(data[:size])
            self.expect_former(out, f"stamp: {self.ova}: ", "was cut short")
        self.ova.write_bytes(data)
        self.assertIn(f"{self.folder}/none: no such folder", stamp(self.ova, self.conf, "-o", self.folder / "none/x.ova").stderr)


class Vagrantfile(unittest.TestCase):
    def test_a_box_that_an_earlier_release_left_perhaps_half_is_made_anew_by_this_one(self):
        text = (ROOT / "Vagrantfile").read_text(encoding="utf-8")
        self.assertRegex(text, r"(?ms)File\.mtime\(box\) > \[source, \*PROGRAMS, \*GIVEN\]\.map [^\n]*\.max$.*^    FileUtils\.rm_f\(box\)$.*^    system\(STAMP, source, ")
        self.assertIn('STAMP = File.join(ROOT, "appliance/image/stamp")\n', text)
        pattern = re.search(r'^PROGRAMS = \[STAMP, \*Dir\[File\.join\(ROOT, "([^"]+)"\)\]\]$', text, re.M)[1]
        self.assertLessEqual({"stamps.py", "archive.py", "tools.py"}, {path.name for path in ROOT.glob(pattern)})


class ConfigurationDisk(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.conf = self.folder / "pool.conf"
        self.conf.write_text(POOL_CONF)

    def refused(self, *words, manager=None, machine=None, managers=None):
        with self.assertRaises(configdisk.StampError) as caught:
            configdisk.check(self.conf, manager, machine, managers)
        for word in words:
            self.assertIn(word, str(caught.exception))

    def listing(self, image):
        return subprocess.run(["mdir", "-b", "-/", "-i", image, "::"], check=True, capture_output=True, text=True).stdout.split()

    def test_a_missing_file_is_named(self):
        self.conf.unlink()
        self.refused("pool.conf", "no such file")

    def test_an_unknown_key_is_named(self):
        self.conf.write_text(POOL_CONF + "colour = red\n")
        self.refused("pool.conf", "[pool]", "colour")

    def test_a_manager_needs_its_folder(self):
        self.conf.write_text(POOL_CONF.replace("open = yes", "[ca]\ncertificate = AA==\n[node]\nrole = manager"))
        self.refused("pool.conf")

    def test_a_worker_must_not_hold_the_managers_key(self):
        self.refused("--manager", manager=self.folder)

    def test_the_managers_folder_is_on_the_disk(self):
        manager = self.folder / "m"
        (manager / "ca").mkdir(parents=True)
        for name in ("node.key", "node.pem", "ca/ca.db", "stray"):
            (manager / name).write_text("x")
        image = self.folder / "disk"
        self.assertEqual(configdisk.make(image, configdisk.entries(self.conf, manager)), 1024 * 1024)
        self.assertEqual(sorted(self.listing(image)),
                         ["::/manager/", "::/manager/ca/", "::/manager/ca/ca.db", "::/manager/node.key", "::/manager/node.pem", "::/pool.conf", "::/pool.lines"])

    def certified(self, role):
        self.conf.write_text(POOL_CONF.replace("open = yes", f"[ca]\ncertificate = {CERTIFICATE}\n[node]\nrole = {role}"))

    def test_a_machines_folder_is_for_a_machine_with_a_certificate(self):
        self.refused("--machine", "open", machine=self.folder)
        self.certified("manager")
        self.refused("--machine", "manager", machine=self.folder)
        self.certified("worker")
        self.refused("node.key", "wow-ca machine", machine=self.folder)

    def test_the_machines_key_and_certificate_are_on_the_disk_and_nothing_else(self):
        self.certified("worker")
        machine = self.folder / "m"
        (machine / "ca").mkdir(parents=True)
        for name in ("node.key", "node.pem", "ca/ca.db"):
            (machine / name).write_text("x")
        configdisk.check(self.conf, None, machine)
        image = self.folder / "disk"
        configdisk.make(image, configdisk.entries(self.conf, None, machine))
        self.assertEqual(sorted(self.listing(image)), ["::/machine/", "::/machine/node.key", "::/machine/node.pem", "::/pool.conf", "::/pool.lines"])

    def lines(self, text):
        self.conf.write_text(text)
        configdisk.make(self.folder / "disk", configdisk.entries(self.conf))
        return subprocess.run(["mtype", "-i", self.folder / "disk", "::/pool.lines"], check=True, capture_output=True, text=True).stdout

    def test_what_the_initrd_needs_stands_beside_pool_conf(self):
        self.assertEqual(self.lines(POOL_CONF), "")
        self.assertEqual(self.lines(POOL_CONF + "[modules]\nnames = tutorial   genomics\n"), "modules=tutorial genomics\n")
        # The machine says what is wrong with it.
        self.assertEqual(self.lines(POOL_CONF + "[colour]\n"), "")

    def test_a_manager_beside_others_has_their_list_and_no_ca(self):
        manager, listed, image = self.folder / "m", self.folder / "list", self.folder / "disk"
        manager.mkdir()
        for path in (manager / "node.key", manager / "node.pem", listed):
            path.write_text("x")
        self.refused("open", managers=listed)
        self.certified("manager")
        self.refused("ca: is missing", manager=manager)
        self.refused("nowhere", manager=manager, managers=self.folder / "nowhere")
        configdisk.check(self.conf, manager, None, listed)
        configdisk.make(image, configdisk.entries(self.conf, manager, None, listed))
        self.assertEqual(["::/manager/", "::/manager/node.key", "::/manager/node.pem", "::/managers.notice", "::/pool.conf", "::/pool.lines"], sorted(self.listing(image)))

    def test_the_keys_that_sign_what_is_published_go_onto_the_disk_and_from_one_disk_to_the_next(self):
        keys, first, second = self.folder / "notice-5", self.folder / "first", self.folder / "second"
        keys.write_bytes(b"WOWN\5")
        with self.assertRaisesRegex(configdisk.StampError, "open is yes"):
            configdisk.check(self.conf, keys=keys)
        self.certified("worker")
        with self.assertRaisesRegex(configdisk.StampError, "no file"):
            configdisk.check(self.conf, keys=self.folder / "nowhere")
        configdisk.check(self.conf, keys=keys)
        configdisk.make(first, configdisk.entries(self.conf, keys=keys))
        (self.folder / "unpacked").mkdir()
        parts = configdisk.unpacked(first, self.folder / "unpacked")
        configdisk.check(*parts)
        configdisk.make(second, configdisk.entries(*parts))
        self.assertEqual(["::/keys.notice", "::/pool.conf", "::/pool.lines"], sorted(self.listing(second)))

    def test_a_large_content_gets_a_larger_disk(self):
        (self.folder / "manager").mkdir()
        (self.folder / "manager/node.key").write_bytes(bytes(3 * 1024 * 1024))
        image = self.folder / "disk"
        self.assertGreater(configdisk.make(image, configdisk.entries_of(self.folder)), 3 * 1024 * 1024)
        self.assertIn("::/manager/node.key", self.listing(image))

    def test_more_than_the_machine_reads_is_refused(self):
        (self.folder / "manager").mkdir()
        (self.folder / "manager/big").write_bytes(bytes(17 * 1024 * 1024))
        for make in (configdisk.make, configdisk.make_cd):
            with self.assertRaises(configdisk.StampError):
                make(self.folder / "disk", configdisk.entries_of(self.folder))

    def test_a_cd_holds_the_same_as_a_disk_for_root_alone(self):
        manager = self.folder / "m=n"
        (manager / "ca").mkdir(parents=True)
        for name in ("node.key", "node.pem", "ca/ca.db"):
            (manager / name).write_text(name)
        image, out = self.folder / "cd.iso", self.folder / "read"
        configdisk.make_cd(image, configdisk.entries(self.conf, manager))
        self.assertEqual(image.stat().st_mode & 0o777, 0o600)
        self.assertEqual(image.read_bytes()[32808:32840].rstrip(), b"WOWCFG")
        subprocess.run(["xorriso", "-osirrox", "on", "-indev", image, "-extract", "/", out], check=True, capture_output=True)
        self.assertEqual({path.relative_to(out).as_posix(): path.read_text() for path in out.rglob("*") if path.is_file()},
                         {"pool.conf": POOL_CONF, "pool.lines": "", **{f"manager/{name}": name for name in ("node.key", "node.pem", "ca/ca.db")}})

    def test_each_program_keeps_a_lock_that_is_held(self):
        entries, image, run = configdisk.entries(self.conf), self.folder / "disk", subprocess.run
        for make in (configdisk.make, configdisk.make_cd):
            kept = []

            def noted(*words, pass_fds=(), **how):
                kept.append(list(pass_fds))
                return run(*words, pass_fds=pass_fds, **how)
            with open(self.conf, "rb") as lock, tools.held([lock.fileno()]), mock.patch.object(subprocess, "run", noted):
                number = lock.fileno()
                make(image, entries)
            self.assertEqual({(number,)}, {tuple(one) for one in kept})
            self.assertEqual([], tools.HELD)

    def test_a_cd_is_made_again_where_the_program_for_it_crashed_and_once_only(self):
        good, image = configdisk._burn, self.folder / "cd.iso"
        entries = configdisk.entries(self.conf)

        def crashes(folder, file):
            file.write(b"half")
            file.flush()
            return subprocess.CompletedProcess([], 32, None, configdisk.CRASHED)
        with mock.patch.object(configdisk, "_burn") as burn:
            burn.side_effect = lambda folder, file: (crashes if burn.call_count == 1 else good)(folder, file)
            configdisk.make_cd(image, entries)
        self.assertEqual(image.read_bytes()[32808:32840].rstrip(), b"WOWCFG")
        with mock.patch.object(configdisk, "_burn", side_effect=crashes) as burn, self.assertRaisesRegex(configdisk.StampError, "SIGSEGV"):
            configdisk.make_cd(self.folder / "other.iso", entries)
        self.assertEqual(burn.call_count, 2)


class Command(unittest.TestCase):
    def stamp(self, *words):
        done = subprocess.run([STAMP, *words], capture_output=True, text=True, check=False)
        self.assertNotIn("Traceback", done.stderr)
        self.assertNotEqual(done.returncode, 0)
        return done.stderr

    def test_what_is_no_image_is_refused(self):
        with tempfile.NamedTemporaryFile("w", suffix=".conf") as conf:
            conf.write(POOL_CONF)
            conf.flush()
            self.assertIn("is no image (qcow2, VHDX, VMDK, raw, OVA, Vagrant box)", self.stamp(conf.name, conf.name, "-o", "/dev/null/x"))
            self.assertIn("no such file", self.stamp("absent.ova", conf.name, "-o", "/dev/null/x"))

    def test_a_program_is_told_what_was_made(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "pool.conf").write_text(POOL_CONF)
            out = f"{folder}/disk.img"
            done = subprocess.run([STAMP, "--json", "--config", folder, "-o", out], capture_output=True, text=True, check=True)
            self.assertEqual((json.loads(done.stdout), pathlib.Path(out).is_file()), ({"out": out, "what": "configuration disk"}, True))

    def test_who_cannot_read_it_is_told_what_stands_in_it(self):
        with tempfile.NamedTemporaryFile("w", suffix=".conf") as conf:
            conf.write(POOL_CONF + "[user:bob]\n[user:alice]\n[modules]\nnames = tutorial\n")
            conf.flush()
            done = subprocess.run([STAMP, "--lines", conf.name], capture_output=True, text=True, check=True)
            self.assertEqual(done.stdout, "modules=tutorial\nuser=bob\n")
            conf.write("colour = red\n")
            conf.flush()
            self.assertIn("[modules] colour", self.stamp("--lines", conf.name))

    def test_a_cd_goes_with_any_image(self):
        with tempfile.TemporaryDirectory() as folder:
            conf, out = pathlib.Path(folder, "pool.conf"), pathlib.Path(folder, "pool.iso")
            conf.write_text(POOL_CONF)
            done = subprocess.run([STAMP, "--iso", conf, "-o", out], capture_output=True, text=True, check=True)
            self.assertEqual(done.stdout, f"{out}: put it into the machine's CD drive and start it\n")
            self.assertIn(POOL_CONF.encode(), out.read_bytes())
            self.assertIn("--iso POOL.CONF -o OUT.iso", self.stamp("--iso", "wow.ova", conf, "-o", out))
            conf.write_text(POOL_CONF + "colour = red\n")
            self.assertIn("colour", self.stamp("--iso", conf, "-o", out))

    def test_a_closed_pool_s_configuration_without_the_keys_of_its_stack_is_made_and_warned_of(self):
        with tempfile.TemporaryDirectory() as folder:
            conf, out, keys = (pathlib.Path(folder, name) for name in ("pool.conf", "pool.iso", "keys.notice"))
            keys.write_bytes(b"WOWN\5")
            closed = samples.text(samples.sections())
            for text, more, is_warned in ((closed, (), True), (closed, ("--keys", keys), False), (POOL_CONF, (), False)):
                conf.write_text(text, encoding="utf-8")
                done = subprocess.run([STAMP, "--iso", conf, *more, "-o", out, "--json"], capture_output=True, text=True, check=True)
                self.assertEqual((is_warned, str(out)), ("--keys" in done.stderr, json.loads(done.stdout)["out"]), done.stderr)

    def test_each_line_of_the_documents_that_stamps_a_pool_conf_names_the_keys_of_the_stack(self):
        texts = [path.read_text(encoding="utf-8").replace("\\\n", "") for path in sorted((ROOT / "docs").glob("*.md"))]
        # A command stands in a line of a block, or between two marks in a sentence, which may go on in the next line.
        pieces = [one for text in texts for one in (*text.splitlines(), *re.findall("`([^`]+)`", text.replace("```", "")))]
        commands = [one for one in pieces if "wow image stamp " in one and ".conf" in one]
        self.assertGreater(len(commands), 1)
        for one in commands:
            self.assertIn(" --keys ", one)

    def test_missing_words_are_explained(self):
        self.assertIn("IMAGE POOL.CONF -o OUT", self.stamp("x.ova"))


if __name__ == "__main__":
    unittest.main()
