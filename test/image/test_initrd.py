"""The initrd's archive, and its scripts under the shells that read them."""

import gzip
import hashlib
import pathlib
import re
import shlex
import shutil
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
                     if line and not line.startswith("#") for name in line.partition(":")[2].replace("@amd64", "").split()]
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


class Failures(unittest.TestCase):
    """What a volunteer sees where the boot cannot go on."""

    def test_each_says_file_what_and_what_to_do(self):
        found = 0
        for path in sorted((ROOT / "appliance/initrd").iterdir()):
            text = path.read_text().replace("\\\n", " ")
            for call in re.findall(r"(?:^|[|&;)] |    )(?:stop|warn) (\S.*)", text, re.MULTILINE):
                # What stands in $( ) may have quotation marks of its own.
                while (simpler := re.sub(r"\$\([^()]*\)|\$\(\([^()]*\)\)", "N", call)) != call:
                    call = simpler
                words = shlex.split(call.replace("$#", "N"))
                with self.subTest(f"{path.name}: {call}"):
                    self.assertIn(len(words[:words.index(";;")] if ";;" in words else words), (3,), words)
                    self.assertTrue(all(words[:3]))
                    found += 1
        self.assertGreater(found, 20)

    def test_no_failure_gives_a_shell_or_goes_on(self):
        script = (ROOT / "appliance/initrd/say.sh").read_text()
        with tempfile.TemporaryDirectory() as folder:
            for place in ("/dev/", "/sys/class"):
                script = script.replace(place, f"{folder}{place}")
            for name in ("dev", "sys/class/tty/console"):
                pathlib.Path(folder, name).mkdir(parents=True)
            pathlib.Path(folder, "sys/class/tty/console/active").write_text("tty0 ttyS0\n")
            asks = 'stop /dev/vda4 "WHAT" "REMEDY"; echo goes on'.replace("WHAT", "it holds /dev/vdb (192 MiB), a LUKS volume; " * 9).replace("REMEDY", "do * this; " * 9)
            done = subprocess.run(["sh", "-c", f"{script}\nsync() {{ :; }}\nstart_stopped() {{ :; }}\nsleep() {{ exit 7; }}\n{asks}"], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (7, "", ""))
            for console in ("tty0", "ttyS0"):
                lines = pathlib.Path(folder, "dev", console).read_text().splitlines()
                self.assertLessEqual(max(map(len, lines)), 80)
                self.assertLess(len(lines), 25)
                heads = [line[:6] for line in lines if line[:1].strip()]
                self.assertEqual(heads, ["This m", "What: ", "File: ", "To do:"])
                self.assertIn("do * this; do * this", " ".join(" ".join(lines).split()))
            self.assertRegex(pathlib.Path(folder, "dev/kmsg").read_text(), '^<2>WOW: error t=[0-9.]+ step=boot file=/dev/vda4 what="it holds .*" todo="do .*"\n$')


    def test_a_system_on_trial_waits_for_nobody(self):
        """It is shown for a minute, and the machine starts again. Where it cannot it stays, as any other does."""
        script = (ROOT / "appliance/initrd/say.sh").read_text()
        with tempfile.TemporaryDirectory() as folder:
            for place in ("/dev/", "/sys/class", "/proc/sysrq-trigger"):
                script = script.replace(place, f"{folder}{place}")
            for name in ("dev", "proc", "sys/class/tty/console"):
                pathlib.Path(folder, name).mkdir(parents=True)
            pathlib.Path(folder, "sys/class/tty/console/active").write_text("tty0\n")
            asks = "trial=0\nstop /dev/vda3 'WOWSYS does not mount' 'take a fresh image'; echo goes on"
            stubs = f'sync() {{ echo sync; }}\nstart_stopped() {{ :; }}\nsleep() {{ cat {folder}/dev/tty0 >> {folder}/screens; cat {folder}/proc/sysrq-trigger 2>/dev/null; echo "sleep $1"; [ "$1" = 60 ] || exit 7; }}'
            done = subprocess.run(["sh", "-c", f"set -u\n{script}\n{stubs}\n{asks}"], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout.split("\n"), done.stderr), (7, ["sync", "sleep 60", "sync", "b", "sleep 3600", ""], ""))
            screens = pathlib.Path(folder, "screens").read_text()
            self.assertLess(screens.index("The pool's new system cannot start; this machine starts again in a minute."), screens.index("Switch it off when you have read this."))
            self.assertLessEqual(max(map(len, screens.splitlines())), 80)
            self.assertEqual(pathlib.Path(folder, "dev/kmsg").read_text().count("step=boot file=/dev/vda3"), 1)


class Words(unittest.TestCase):
    """What init takes of the kernel's command line: the part above the other scripts, under the shell."""

    def read(self, line):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "cmdline").write_text(line + "\n")
            script = (ROOT / "appliance/initrd/init").read_text().replace("/proc/cmdline", f"{folder}/cmdline")
            script = script[:script.index("# shellcheck source=say.sh")].replace("export PATH=/bin\n", "mount() { :; }\n")
            done = subprocess.run(["sh", "-c", f'{script}\necho "$mode|$slot|$trial|$given_up|$damaged"'], capture_output=True, text=True, check=True)
            self.assertEqual(done.stderr, "")
            return done.stdout.strip().split("|")

    def test_which_system_this_is(self):
        for line, expected in (("rw", ["release", "A", "", "", ""]), ("wow.system=A rw", ["release", "A", "", "", ""]),
                               ("wow.system=B rw wow.trial=2 panic=30", ["release", "B", "2", "", ""]), ("wow.system=B wow.damaged=A", ["release", "B", "", "", "A"]),
                               ("wow.system=B wow.trial=0 wow.mode=develop", ["develop", "B", "0", "", ""]), ("wow.system=A wow.left=B", ["release", "A", "", "B", ""])):
            self.assertEqual(self.read(line), expected)

    def test_what_is_none_is_left(self):
        for word in ("wow.system=C", "wow.system=", "wow.system=../x", "wow.system=AB", "wow.trial=", "wow.trial=x", "wow.trial=10", "wow.left=", "wow.left=C", "xwow.system=B", "wow.damaged=", "wow.damaged=AB"):
            self.assertEqual(self.read(f"rw {word}"), ["release", "A", "", "", ""], word)


class Systems(unittest.TestCase):
    """What the initrd leaves for the running system of the two that there are."""

    def told(self, words):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "run/layers").mkdir(parents=True)
            script = (ROOT / "appliance/initrd/layers.sh").read_text().replace("/run/layers", f"{folder}/run/layers")
            subprocess.run(["sh", "-c", f"set -u\n{words}\n{script}\ntell_of_system\n"], check=True)
            place = pathlib.Path(folder, "run/layers")
            return (place / "system").read_text(), str((place / "image").readlink()), (place / "trial").exists()

    def test_which_one_whether_on_trial_and_which_was_given_up(self):
        self.assertEqual(self.told("slot=A trial= given_up= damaged="), ("system=A\ntrial=\nleft=\ndamaged=\n", "sys/stacks/A.conf", False))
        self.assertEqual(self.told("slot=B trial=0 given_up= damaged="), ("system=B\ntrial=0\nleft=\ndamaged=\n", "sys/stacks/B.conf", True), "the last try is one, too")
        self.assertEqual(self.told("slot=A trial= given_up=B damaged=B"), ("system=A\ntrial=\nleft=B\ndamaged=B\n", "sys/stacks/A.conf", False))


class Ended(unittest.TestCase):
    """The environment block of GRUB's, when a start came to its end."""

    @staticmethod
    def block(*lines):
        return "".join(f"{line}\n" for line in ("# GRUB Environment Block", *lines)).encode("ascii").ljust(1024, b"#")

    def after(self, data, shell=("sh",), then="start_ended"):
        """What stands there after a start."""
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder, "config/grub/grubenv")
            place.parent.mkdir(parents=True)
            place.write_bytes(data)
            script = (ROOT / "appliance/initrd/ended.sh").read_text().replace("/config", f"{folder}/config").replace("/run/", f"{folder}/")
            stubs = 'partition() { echo "/dev/$1"; }\nload() { :; }\nmount() { :; }\numount() { :; }\n'
            done = subprocess.run([*shell, "-c", f"set -u\n{script}\n{stubs}\n{then}"], capture_output=True, text=True, check=True)
            self.assertEqual((done.stdout, done.stderr, pathlib.Path(folder, "grubenv").exists()), ("", "", False))
            return place.read_bytes()

    def test_it_says_so_and_what_is_on_trial_stays(self):
        for shell in (("sh",), ("busybox", "sh")):
            for rest in ((), ("system=B", "trial=A", "tries=2"), ("system=A", "trial=", "tries=")):
                for at in range(len(rest) + 1):
                    before, after = ([*rest[:at], f"unfinished={word}", *rest[at:]] for word in ("yes", "no"))
                    self.assertEqual(self.after(self.block(*before), shell), self.block(*after, "looked="))

    def test_what_was_found_of_a_system_that_was_left_stays_until_a_start_leaves_none(self):
        left = ("damaged=A", "looked=whole")
        self.assertEqual(self.after(self.block("unfinished=yes", *left), then="damaged=A\nstart_ended"), self.block("unfinished=no", *left))
        self.assertEqual(self.after(self.block("unfinished=yes", "damaged=", "looked=whole")), self.block("unfinished=no", "damaged=", "looked="))

    def test_it_is_asked_what_it_says(self):
        for word, expected in (("looked=whole", "yes"), ("looked=", "no"), ("looked", "no")):
            data = self.block("unfinished=no", "looked=whole")
            self.assertEqual(self.after(data, then=f'if environment_has {word}; then was=yes; else was=no; fi\n[ $was = {expected} ]'), data)

    def test_what_it_did_not_say_stands_behind_the_rest(self):
        change = "change_environment '' system=B trial= damaged=A unfinished=no"
        for shell in (("sh",), ("busybox", "sh")):
            self.assertEqual(self.after(self.block("unfinished=yes", "system=A", "tries="), shell, change), self.block("unfinished=no", "system=B", "tries=", "trial=", "damaged=A"))

    def test_a_start_that_stops_takes_back_its_count(self):
        for word, after in (("again", "yes"), ("yes", "yes"), ("no", "no")):
            self.assertEqual(self.after(self.block(f"unfinished={word}"), then="start_stopped"), self.block(f"unfinished={after}"))

    def test_it_is_that_of_the_system_s_disk_whatever_other_disk_has_one(self):
        """The kernel's folder of a partition stands in that of its disk; names stand in the order of the alphabet."""
        with tempfile.TemporaryDirectory() as folder:
            named = pathlib.Path(folder, "sys/class/block")
            named.mkdir(parents=True)
            for disk in ("sda", "vda"):
                for number, name in (("", ""), ("1", "PARTNAME=WOWBIOS\n"), ("2", "PARTNAME=WOWESP\n"), ("3", "PARTNAME=WOWSYS\n")):
                    place = pathlib.Path(folder, "devices", disk, disk + number if number else "")
                    place.mkdir(parents=True)
                    (place / "uevent").write_text(f"DEVNAME={disk}{number}\n{name}")
                    (named / f"{disk}{number}").symlink_to(place)
            script = "".join((ROOT / "appliance/initrd" / name).read_text() for name in ("disk.sh", "ended.sh")).replace("/sys/class", f"{folder}/sys/class")
            script = script.replace("/config", f"{folder}/config")
            stubs = 'load() { :; }\nmount() { echo "$5"; return 1; }\n'
            for shell in (["sh"], ["busybox", "sh"]):
                for system, told in (("/dev/vda3", "/dev/vda2"), ("/dev/sda3", "/dev/sda2"), ("", "/dev/sda2"), ("/dev/vdb3", "")):
                    done = subprocess.run([*shell, "-c", f"set -u\n{script}\n{stubs}\nsystem={system}\nstart_ended"], capture_output=True, text=True, check=True)
                    self.assertEqual((done.stdout.strip(), done.stderr), (told, ""), system)

    def test_what_says_so_already_and_what_is_no_block_is_not_written(self):
        for data in (self.block("unfinished=no", "trial=B", "tries=3"), self.block(), b"", b"\0" * 1024, b"x unfinished=yes\n".ljust(1024, b"#")):
            self.assertEqual(self.after(data), data)


class Configured(unittest.TestCase):
    """Which disk's configuration is taken: the initrd's scripts under the shell that reads them, with folders in the place of disks."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in ("run/layers/home/state", "dev", "sys/class/block", "sys/block", "sys/class/tty/console"):
            (self.folder / name).mkdir(parents=True)
        (self.folder / "sys/class/tty/console/active").write_text("tty0\n")

    def disk(self, name, pool, **files):
        """A disk, or its partition, that is labelled WOWCFG."""
        disk = name.rstrip("0123456789")
        place = self.folder / "sys/block" / disk / (name if name != disk else "")
        place.mkdir(parents=True)
        (self.folder / "sys/block" / disk / "size").write_text("2048\n")
        (place / "uevent").write_text("PARTNAME=WOWCFG\n" if name != disk else "")
        if name != disk:
            (place / "partition").write_text("1\n")
        (self.folder / "sys/class/block" / name).symlink_to(place)
        for file, text in {"pool.conf": pool, "manager/ca/ca.db": "the CA of " + pool, **files}.items():
            path = self.folder / "disks" / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def taken(self, system="/dev/vda3"):
        """What pool's it is, "" where none is taken; and what was told. A folder of a file that is called unread cannot be read to its end."""
        scripts = "".join((ROOT / "appliance/initrd" / name).read_text() for name in ("say.sh", "disk.sh", "homes.sh", "config.sh"))
        for place in ("/run/", "/dev/kmsg", "/dev/$console", "/sys/", "/config"):
            scripts = scripts.replace(place, f"{self.folder}{place}")
        stubs = """
is_cd() { false; }
load() { :; }
label() { [ "$2" != 43 ] || [ ! -d "$top/disks/${1##*/}" ] || echo WOWCFG; }
findfs() { set -- "$top"/disks/*; echo "/dev/${1##*/}"; }
mount() { command cp -r "$top/disks/${5##*/}/." "$top/config"; }
umount() { rm -r "$top/config"; }
cp() { command cp "$@"; [ ! -e "$2/unread" ]; }
looked_at=
look
echo "ended with $?"
"""
        done = subprocess.run(["busybox", "sh", "-c", f"top={self.folder} system={system}\n{scripts}\n{stubs}"], capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        place, log = self.folder / "run/wow-config", self.folder / "dev/kmsg"
        self.assertEqual(done.stdout, f"ended with {0 if place.exists() else 1}\n")
        self.assertFalse((self.folder / "run/wow-config.new").exists())
        return (place / "manager/ca/ca.db").read_text().removeprefix("the CA of ") if place.exists() else "", log.read_text() if log.exists() else ""

    def test_one_that_cannot_be_read_whole_is_told_and_the_next_one_is_taken(self):
        self.disk("sda", "first", **{"manager/unread": ""})
        found, said = self.taken()
        self.assertEqual(found, "", "half a CA is none")
        self.assertIn('file=/dev/sda what="what is labelled WOWCFG is left, for this of it cannot be read: manager" todo="write it anew with: wow image stamp"', said)
        self.disk("sdb", "second")
        self.assertEqual(self.taken()[0], "second")
        self.assertEqual(sorted(path.name for path in (self.folder / "run/wow-config").rglob("*")), ["ca", "ca.db", "manager", "pool.conf"])
        self.assertEqual((self.folder / "run/wow-config/pool.conf").stat().st_mode & 0o077, 0)

    def test_of_partitions_the_one_beside_the_system_is_taken_and_before_it_a_disk(self):
        self.disk("sda1", "of an earlier machine")
        self.disk("vda1", "of this machine")
        self.assertEqual(self.taken("/dev/vda1"), ("of this machine", ""))
        shutil.rmtree(self.folder / "run/wow-config")
        self.disk("vdb", "of a disk")
        self.assertEqual(self.taken("/dev/vda1"), ("of a disk", ""))

    def leave(self, *pools):
        """The machine left these pools, whose pool.conf and name are the same here."""
        lines = "".join(f"{hashlib.sha256(pool.encode()).hexdigest()} {pool}\n" for pool in pools)
        (self.folder / "run/layers/home/state/pool.left").write_text(lines)

    def passed(self):
        """The line that the node finds of the first one that was passed over, and that nobody else may read it."""
        place = self.folder / "run/layers/left"
        self.assertEqual(place.stat().st_mode & 0o077, 0)
        return place.read_text()

    def test_what_the_machine_left_is_passed_over_wherever_it_lies_and_another_one_is_taken(self):
        self.disk("vda1", "science")
        self.disk("vdb", "science")
        self.leave("maths", "science")
        found, said = self.taken("/dev/vda1")
        self.assertEqual(found, "", "it joins the pool again that it left")
        self.assertTrue(said.endswith(' what="passes over /dev/vda1, for this machine left pool science"\n'), said)
        self.assertEqual(self.passed().split(), [hashlib.sha256(b"science").hexdigest(), "science", "/dev/vdb"], "the first is not the one that is noted")
        self.disk("sr0", "biology")
        self.assertEqual(self.taken("/dev/vda1")[0], "biology", "a CD counts where the disks were left")

    def test_a_pool_that_was_not_left_or_has_a_pool_conf_of_other_content_is_taken_and_so_is_one_that_was_taken_back(self):
        self.disk("vda1", "science")
        for left in ((), ("maths",), ("science with another ticket",)):
            self.leave(*left)
            self.assertEqual(self.taken("/dev/vda1"), ("science", ""), left)
            shutil.rmtree(self.folder / "run/wow-config")
        self.assertFalse((self.folder / "run/layers/left").exists())


class Layers(unittest.TestCase):
    """A list of layers, or a layer, that is not as it must be."""

    def stopped(self, listed, *words, layer=None):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("layers", "stacks"):
                pathlib.Path(folder, "run/layers/sys", name).mkdir(parents=True)
            if listed is not None:
                pathlib.Path(folder, "run/layers/sys/stacks/A.conf").write_text(listed)
            if layer is not None:
                pathlib.Path(folder, "run/layers/sys/layers/a.squashfs").write_bytes(layer)
            script = "slot=A trial= damaged=\n" + "".join((ROOT / "appliance/initrd" / name).read_text() for name in ("layers.sh", "verity.sh", "damage.sh")).replace("/run/layers", f"{folder}/run/layers")
            asks = 'verify=\nmount() { return 1; }\nstop() { printf "%s|%s|%s\\n" "$@"; exit; }\nstack base'
            said = subprocess.run(["sh", "-c", f"{script}\n{asks}"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(said.count("|"), 2, said)
        for word in (*words, "home is kept"):
            self.assertIn(word, said)

    def test_a_list_that_is_missing_empty_or_strange(self):
        self.stopped(None, "/stacks/A.conf|the list of layers is missing")
        self.stopped("# nothing\n", "/stacks/A.conf|the list names no layer")
        self.stopped("case a a.squashfs 1 x\n", "/stacks/A.conf|", "not known: case|")

    def test_a_layer_that_is_missing_cut_damaged_or_none(self):
        line = f"base a a.squashfs 1 {hashlib.sha256(b'x').hexdigest()}\n"
        self.stopped(line, "/layers/a.squashfs|the layer is missing")
        for layer in (b"", b"xx", b"y"):
            self.stopped(line, "/layers/a.squashfs|the layer is damaged", layer=layer)
        self.stopped(line, "/layers/a.squashfs|the layer does not mount", layer=b"x")


class Chosen(unittest.TestCase):
    """Which modules the initrd stacks, and what it tells: its scripts under the shell, with a tree in the place of the machine's."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in ("run/wow-config", "run/layers/home/state", "run/layers/sys/stacks", "dev", "sys/class/tty/console"):
            (self.folder / name).mkdir(parents=True)
        self.put("sys/class/tty/console/active", "tty0 ttyS0\n")
        self.list_modules("one", "two", "three")

    def put(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def list_modules(self, *names, glue=""):
        self.put("run/layers/sys/stacks/A.conf", "".join(f"module {name} {name}-1.squashfs 1 x\n" for name in names) + glue)

    def disk(self, text):
        self.put("run/wow-config/pool.lines", text)

    def accepted(self, text):
        self.put("run/layers/home/state/pool.lines", text)

    def stacked(self):
        """The modules that were mounted, bottom first. Nothing is mounted in fact, and no layer is looked at."""
        scripts = "".join((ROOT / "appliance/initrd" / name).read_text() for name in ("say.sh", "config.sh", "layers.sh", "verity.sh"))
        for place in ("/run/layers", "/run/wow-config", "/dev/", "/sys/class"):
            scripts = scripts.replace(place, f"{self.folder}{place}")
        mounts = 'mount() { [ "$1" = -t ] || { echo "part-${2##*/}"; return; }; case $6 in */glue) ;; *) echo "$5" ;; esac; }\numount() { echo "none-${1##*/}"; }\nsleep() { exit 7; }\n'
        script = f"set -u\nslot=A\n{scripts}\ncheck() {{ :; }}\n{mounts}\nstack node module glue\n"
        found = []
        for shell in (["sh"], ["busybox", "sh"]):
            done = subprocess.run([*shell, "-c", script], capture_output=True, text=True, check=True)
            self.assertEqual(done.stderr, "")
            found.append([name if name != "part" else rest for name, _, rest in (pathlib.PurePath(line).name.partition("-") for line in done.stdout.splitlines())])
        self.assertEqual(found[0], found[1])
        return found[0]

    def stacks_said(self):
        """What the running system is told of the modules that are stacked."""
        return dict(line.split("=") for line in (self.folder / "run/layers/modules").read_text().splitlines())["stacked"]

    def glue_of(self, *rows):
        """A glue with parts for these choices."""
        self.list_modules("one", "two", "three", glue="glue glue glue-1.squashfs 1 x\n")
        place = self.folder / "run/layers/glue/usr/lib/wow/modules/glue"
        place.mkdir(parents=True)
        (place / "choices").write_text("".join(f"{row}\n" for row in rows))

    def said(self, name="kmsg"):
        place = self.folder / "dev" / name
        return place.read_text(encoding="utf-8") if place.exists() else ""

    def test_a_first_start_has_what_the_disk_chooses(self):
        self.disk("modules=three one\nuser=names\n")
        self.assertEqual(self.stacked(), ["one", "three"])

    def test_without_a_choice_all_are_stacked(self):
        self.assertEqual(self.stacked(), ["one", "two", "three"])

    def test_a_glue_lies_above_all_modules(self):
        self.list_modules("one", "two", glue="glue glue glue-1.squashfs 1 x\n")
        self.assertEqual(self.stacked(), ["one", "two", "glue"])
        self.assertEqual(self.said(), "")

    def test_a_choice_of_fewer_modules_has_its_own_part_of_the_glue(self):
        self.glue_of("- one", "2 two", "3 two three", "4 one two")
        for chosen, stacked in (("two", ["two", "2"]), ("three two", ["two", "three", "3"]), ("two one absent", ["one", "two", "4"])):
            self.accepted(f"modules={chosen}\n")
            self.assertEqual(self.stacked(), stacked)
            self.assertEqual(self.stacks_said(), " ".join(stacked[:-1]))
        self.assertNotIn("glue", self.said())

    def test_a_choice_that_needs_no_glue_has_none(self):
        self.glue_of("- one", "2 two")
        self.accepted("modules=one\n")
        self.assertEqual(self.stacked(), ["none", "one"], "the layer is not left mounted")
        self.assertEqual(self.said(), "")

    def test_where_the_glue_has_no_part_for_a_choice_all_modules_are_stacked_and_it_is_told(self):
        self.glue_of("- one", "2 two")
        self.accepted("modules=two three\n")
        self.assertEqual(self.stacked(), ["none", "one", "two", "three", "glue"])
        self.assertEqual(self.stacks_said(), "one two three")
        self.assertIn("[modules] names leaves out one, and this image has no glue for the others alone; so this machine has all modules", self.said())
        self.assertIn("wow image stack --choice 'two three'", self.said())

    def test_a_glue_of_before_has_parts_for_no_choice(self):
        self.list_modules("one", "two", glue="glue glue glue-1.squashfs 1 x\n")
        self.accepted("modules=two\n")
        self.assertEqual(self.stacked(), ["none", "one", "two", "glue"])
        self.assertIn("so this machine has all modules", self.said())

    def test_where_no_module_of_the_list_is_chosen_there_is_no_glue(self):
        self.put("run/layers/sys/stacks/A.conf", "node node node-1.squashfs 1 x\nmodule one one-1.squashfs 1 x\nglue glue glue-1.squashfs 1 x\n")
        self.accepted("modules=physics\n")
        self.assertEqual((self.stacked(), self.stacks_said()), (["node"], ""))

    def test_other_lines_are_no_choice(self):
        self.disk("user=modules\n")
        self.assertEqual(self.stacked(), ["one", "two", "three"])

    def test_without_the_disk_the_accepted_choice_counts(self):
        self.accepted("modules=two\n")
        self.assertEqual(self.stacked(), ["two"])

    def test_a_file_that_nobody_accepted_yet_does_not_change_the_stack(self):
        self.accepted("modules=two\n")
        self.disk("modules=one\n")
        self.assertEqual(self.stacked(), ["two"])
        self.assertEqual((self.folder / "run/layers/modules").read_text(), "modules=two\nabsent=\nstacked=two\n")

    def test_an_accepted_file_without_a_choice_counts_too(self):
        self.accepted("")
        self.disk("modules=one\n")
        self.assertEqual(self.stacked(), ["one", "two", "three"])

    def test_names_that_no_layer_has_are_told_and_the_others_are_stacked(self):
        self.accepted("modules=maths two * physics\n")
        self.assertEqual(self.stacked(), ["two"])
        self.assertEqual((self.folder / "run/layers/modules").read_text(), "modules=maths two * physics\nabsent=maths * physics\nstacked=two\n")
        self.assertIn('step=boot file=pool.conf what="[modules] names: this image has no layer named maths * physics; ', self.said())
        for console in ("tty0", "ttyS0"):
            screen = self.said(console)
            for words in ("What:  [modules] names", "maths", "File:  pool.conf", "To do: take an image that has it"):
                self.assertIn(words, screen)
            self.assertLessEqual(max(len(line) for line in screen.splitlines()), 80)

    def test_where_every_name_has_a_layer_nothing_is_told(self):
        self.accepted("modules=one two\n")
        self.stacked()
        self.assertEqual((self.said(), self.said("tty0")), ("", ""))


if __name__ == "__main__":
    unittest.main()
