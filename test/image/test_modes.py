"""The initrd's choice of a mode, and the folder of a module in work: its scripts under the shell, with a tree in the place of the machine's."""

import json
import pathlib
import subprocess
import tempfile
import unittest

from test_module import ROOT

BASE, OTHER = "ab" * 32, "cd" * 32
AGAIN = "start the machine once more: it starts in release"
SCRIPTS = "".join((ROOT / "appliance/initrd" / name).read_text() for name in ("say.sh", "config.sh", "home.sh", "modes.sh", "reset.sh", "ended.sh"))
# What the rest of the initrd would do: nothing is mounted here, and a stop ends it.
STUBS = f"""
mount() {{ echo "mount $*"; }}
umount() {{ echo "umount $*"; }}
open_home() {{ echo "home $1"; rm -rf "$top/run/layers/home"; mkdir -p "$top/run/layers/home/state"; }}
stop() {{ printf 'stop|%s|%s|%s\\n' "$@"; exit; }}
sync() {{ :; }}
busybox() {{ "$@"; }}
stat() {{ echo "$free 4096"; }}
base={BASE} digests='"{BASE}"' said='' mode=release free=1000000
"""


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in ("run/wow-config", "run/layers/home/state/boot", "run/layers/1/usr/lib/wow", "dev", "sys/class/tty/console"):
            (self.folder / name).mkdir(parents=True)
        (self.folder / "sys/class/tty/console/active").write_text("tty0\n")
        (self.folder / "run/layers/1/usr/lib/wow/base.json").write_text(json.dumps({"sha256": BASE, "date": "2026-11-24", "abi": "cf1d143b", "glibc": []}, indent=1))
        self.home = self.folder / "run/layers/home"
        self.works = self.home / "modules"

    def ask(self, text):
        (self.home / "state/boot").mkdir(parents=True, exist_ok=True)
        (self.home / "state/boot/next").write_text(text)

    def start(self, words=""):
        """What was said of a start, in lines. words: what the kernel's command line set."""
        (self.folder / "run/layers/mode").unlink(missing_ok=True)
        scripts = SCRIPTS
        for place in ("/run/", "/dev/kmsg", "/dev/$console", "/sys/class"):
            scripts = scripts.replace(place, f"{self.folder}{place}")
        script = f"set -u\ntop={self.folder}\n{scripts}\n{STUBS}\n{words}\nreset_asked\ntake_request\nkeep_authority\nopen_work\necho \"$mode|$developed|$above\"\n"
        done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.splitlines()

    def stopped(self, *parts, words=""):
        """It ends at a screen that has these parts and says how to go on."""
        said = self.start(words)[-1]
        self.assertEqual((said.count("|"), said.partition("|")[0]), (3, "stop"), said)
        for part in (*parts, AGAIN):
            self.assertIn(part, said)
        self.assertFalse((self.folder / "run/layers/mode").exists())

    def mode(self):
        return (self.folder / "run/layers/mode").read_text().strip()

    def about(self, name="surge"):
        return json.loads((self.works / name / "about.json").read_text())


class Chosen(Case):
    RELEASE = "release||upperdir=top/upper,workdir=top/work,redirect_dir=nofollow"

    def test_nothing_asked_is_release_and_leaves_no_folder(self):
        self.assertEqual((self.start(), self.mode(), self.works.exists()), ([self.RELEASE], "release", False))

    def test_what_is_asked_counts_for_one_start(self):
        self.ask("develop surge\n")
        self.assertEqual(self.start(), ["develop|surge|upperdir=home/modules/surge/upper,workdir=home/modules/surge/work,redirect_dir=on"])
        self.assertEqual(self.mode(), "develop surge")
        self.assertEqual((self.start(), self.mode()), ([self.RELEASE], "release"))
        self.assertTrue((self.works / "surge/upper").is_dir())

    def test_ephemeral_leaves_the_home_s_disk_and_keeps_the_pool_conf(self):
        for name in ("pool.conf", "pool.lines", "pool.left", "node.key"):
            (self.home / "state" / name).write_text(name)
        self.ask("ephemeral\n")
        said = self.start()
        self.assertEqual([said[1], said[2][:11], self.mode()], ["home ephemeral", "ephemeral||", "ephemeral"])
        self.assertEqual(sorted(path.name for path in (self.home / "state").iterdir()), ["pool.conf", "pool.left", "pool.lines"])
        self.assertFalse((self.folder / "run/kept").exists())

    def test_a_start_that_keeps_nothing_stops_where_the_disk_carries_the_ca(self):
        (self.folder / "run/wow-config/manager/ca").mkdir(parents=True)
        self.stopped("WOWCFG", "the pool's certificate authority", "take that disk or CD away", words="mode=ephemeral said=yes")
        self.ask("ephemeral\n")
        self.stopped("WOWCFG", "the pool's certificate authority")
        self.assertEqual(self.start(), [self.RELEASE])
        (self.folder / "run/wow-config/manager/ca").rmdir()
        self.assertEqual(self.start("mode=ephemeral said=yes")[0][:11], "ephemeral||")

    def test_the_kernel_s_words_come_first_and_the_request_is_gone_all_the_same(self):
        self.ask("develop surge\n")
        self.assertEqual(self.start("said=yes"), [self.RELEASE])
        self.assertEqual(self.start(), [self.RELEASE])

    def test_what_is_no_request_is_told_and_the_start_is_release(self):
        for text in ("maintenance\n", "", "\n", "\x00\xff", "develops surge\n"):
            with self.subTest(text):
                self.ask(text)
                self.assertEqual(self.start(), [self.RELEASE])
                self.assertIn("a mode that there is not", (self.folder / "dev/kmsg").read_text())
                self.assertIn("To do: ask again with: wow boot MODE", (self.folder / "dev/tty0").read_text())

    def test_the_menu_names_no_module_and_takes_the_one_of_last_time(self):
        self.stopped("no module is in work", words="mode=develop said=yes")
        for name in ("old", "new"):
            self.ask(f"develop {name}\n")
            self.start()
        subprocess.run(["touch", "-d", "yesterday", self.works / "old/about.json"], check=True)
        self.assertEqual(self.start("mode=develop said=yes")[0].split("|")[1], "new")
        self.assertEqual(self.start("mode=develop said=yes named=old")[0].split("|")[1], "old")

    def test_a_name_that_is_none_stops(self):
        for name in ("Surge", "-a", "a-", "../state", "a/b", "x" * 33, "a*"):
            self.ask(f"develop {name}\n")
            self.stopped("no name of a module")
        self.assertFalse(self.works.exists())


class TakenBack(Case):
    def setUp(self):
        super().setUp()
        self.ask("develop surge\n")
        self.start()
        for name in ("home/alice", "state/condor"):
            (self.home / name).mkdir(parents=True)
            (self.home / name / "file").write_text("mine")
        (self.works / "surge/upper/file").write_text("mine")

    def files(self):
        return sorted(str(path.relative_to(self.home)) for path in self.home.rglob("file"))

    def test_the_home_goes_as_a_whole_with_the_pool_s_stack_and_modules_stay(self):
        for name in ("stacks", "layers"):
            (self.home / name).mkdir()
            (self.home / name / "file").write_text("of the pool")
        self.start("reset=home")
        self.assertEqual(self.files(), ["modules/surge/upper/file"])
        self.assertEqual(sorted(path.name for path in self.home.iterdir()), ["home", "modules", "state"])
        self.assertEqual((self.home / "state").stat().st_mode & 0o777, 0o700)

    def test_the_home_with_the_pool_s_ca_stays(self):
        (self.home / "state/ca").mkdir()
        (self.home / "state/ca/file").write_text("the ca's")
        self.stopped("state/ca", "the pool's certificate authority", "remove the machine and its disks in the hypervisor", words="reset=home")
        self.assertEqual(self.files(), ["home/alice/file", "modules/surge/upper/file", "state/ca/file", "state/condor/file"])
        self.assertEqual(self.start("reset=module said=yes"), [Chosen.RELEASE])

    def test_the_module_of_last_time_goes_and_the_home_stays(self):
        self.assertEqual(self.start("reset=module said=yes"), [Chosen.RELEASE])
        self.assertEqual(self.files(), ["home/alice/file", "state/condor/file"])
        self.stopped("no module is in work", words="reset=module")

    def test_what_a_power_cut_left_of_it_goes_at_the_next_start(self):
        (self.home / "home").rename(self.home / "gone-home")
        self.start()
        self.assertEqual(self.files(), ["modules/surge/upper/file", "state/condor/file"])
        self.assertFalse((self.home / "gone-home").exists())

    def test_a_home_that_is_full_has_room_before_new_folders_are_made(self):
        full = 'mkdir() { for left in "$top"/run/layers/home/gone-*/*; do [ ! -e "$left" ] || return 1; done; command mkdir "$@"; }'
        self.assertEqual(self.start(f"reset=home\n{full}"), [Chosen.RELEASE])
        self.assertEqual((self.files(), (self.home / "home").is_dir(), (self.home / "state/condor").is_dir()), (["modules/surge/upper/file"], True, True))
        said = self.start("reset=home\nmkdir() { return 1; }")[-1]
        self.assertIn("stop|WOWHOME|the folders home and state cannot be made", said)

    def test_a_power_cut_at_any_step_of_it_leaves_no_home_that_seems_lost(self):
        cut = 'step() { more=$((more - 1)); [ "$more" -ge 0 ] || exit 0; }\n' + "".join(f'{name}() {{ step; command {name} "$@"; }}\n' for name in ("mv", "mkdir", "rm"))
        steps, said = 0, []
        while not said:
            for name in ("home/alice", "state/condor"):
                (self.home / name).mkdir(parents=True, exist_ok=True)
                (self.home / name / "file").write_text("mine")
            said = self.start(f"reset=home more={steps}\n{cut}")
            names = {path.name for path in self.home.iterdir()}
            self.assertTrue({"home", "state"} <= names or any(name.startswith("gone-") for name in names), (steps, names))
            self.assertEqual(self.start(), [Chosen.RELEASE])
            self.assertEqual(sorted(path.name for path in self.home.iterdir()), ["home", "modules", "state"])
            steps += 1
        self.assertEqual((said, self.files()), ([Chosen.RELEASE], ["modules/surge/upper/file"]))
        self.assertGreater(steps, 6)

    def test_nothing_else_is_taken_back(self):
        for words in ("reset=state", "reset=*", "reset=home/.."):
            self.assertIn("stop|grub.cfg|", self.start(words)[-1])
        self.assertEqual(len(self.files()), 3)


class Begun(Case):
    def test_a_new_module_says_what_it_is_begun_over(self):
        self.ask("develop surge\n")
        self.start("digests='\"1\", \"2\"'")
        about = self.about()
        self.assertRegex(about.pop("started"), "^20[0-9]{2}-[0-9]{2}-[0-9]{2}$")
        self.assertEqual(about, {"name": "surge", "base": {"sha256": BASE, "date": "2026-11-24", "abi": "cf1d143b"}, "stack": ["1", "2"]})
        self.assertEqual((self.works.stat().st_mode & 0o777, (self.works / "surge/upper").stat().st_mode & 0o777), (0o700, 0o755))

    def test_it_goes_on_on_another_day_and_over_other_modules(self):
        self.ask("develop surge\n")
        self.start()
        (self.works / "surge/upper/file").write_text("mine")
        place = self.works / "surge/about.json"
        place.write_text(place.read_text().replace(self.about()["started"], "2026-01-02"))
        self.ask("develop surge\n")
        self.start("digests='\"3\"'")
        self.assertEqual((self.about()["started"], self.about()["stack"], (self.works / "surge/upper/file").read_text()), ("2026-01-02", ["3"], "mine"))

    def test_a_base_that_moved_stops_and_changes_nothing_unless_somebody_says_so(self):
        self.ask("develop surge\n")
        self.start()
        before = (self.works / "surge/about.json").read_text()
        self.ask("develop surge\n")
        self.stopped("/modules/surge/about.json", "begun over the base of 2026-11-24", "wow module develop surge --over", words=f"base={OTHER}")
        self.assertEqual((self.works / "surge/about.json").read_text(), before)
        (self.works / "surge/about.json").write_text("{")
        self.ask("develop surge\n")
        self.stopped("begun over another base")
        (self.works / "surge/about.json").write_text(before)
        self.ask("develop surge over\n")
        self.start(f"base={OTHER}")
        self.assertEqual(self.about()["base"]["sha256"], OTHER)

    def test_a_power_cut_before_there_is_an_upper_begins_anew(self):
        (self.works / "surge").mkdir(parents=True)
        for name in ("about.json", "about.json.new"):
            (self.works / "surge" / name).write_text('{"name": "surge", "ba')
        self.ask("develop surge\n")
        self.start()
        self.assertEqual(self.about()["base"]["sha256"], BASE)

    def test_a_full_home_stops_before_anything_is_made(self):
        self.ask("develop surge\n")
        self.stopped("WOWHOME", "less than 64 MiB are free", words=f"free={(64 << 20) // 4096 - 1}")
        self.assertFalse(self.works.exists())
        self.ask("develop surge\n")
        self.start(f"free={(64 << 20) // 4096}")

    def test_on_a_manager_no_module_is_developed(self):
        (self.home / "state/pool.lines").write_text("modules=tutorial\nrole=manager\n")
        self.ask("develop surge\n")
        self.stopped("pool.conf", "is a manager")
        self.assertFalse(self.works.exists())

    def test_the_modules_in_work_are_listed_with_size_and_day(self):
        self.ask("develop surge\n")
        self.start()
        (self.works / "surge/upper/file").write_bytes(b"x" * 100_000)
        (self.works / "half").mkdir()
        self.start()
        name, kib, started = (self.folder / "run/layers/works").read_text().split()
        self.assertEqual((name, started), ("surge", self.about()["started"]))
        self.assertTrue(98 <= int(kib) <= 130, kib)

    def test_apt_keeps_the_base_s_packages_in_their_versions(self):
        for number, version in (("0", "1.0-1"), ("1", "1.0-2")):
            place = self.folder / f"run/layers/{number}/var/lib/dpkg"
            place.mkdir(parents=True)
            (place / "status").write_text(f"Package: libx\nStatus: install ok installed\nVersion: {version}\nDepends: x\n\nPackage: y\nVersion: 2:1\n\n")
        said = self.start(words="pins")
        self.assertEqual(said[:8], ["Package: libx", "Pin: version 1.0-1", "Pin-Priority: 1000", "", "Package: y", "Pin: version 2:1", "Pin-Priority: 1000", ""])
        root = self.folder / "root"
        for name in ("tmp", "var/tmp", "var/log", "root"):
            (root / name).mkdir(parents=True)
        (self.folder / "run/layers/top").mkdir()
        (self.folder / "run/wow").mkdir()
        bound = self.start(words=f"developed=surge mode=develop\nbegin_work '{self.works}/surge'\nbind_work '{root}'\nmode=release")
        self.assertIn(f"mount --bind {self.folder}/run/layers/top/pins {root}/etc/apt/preferences.d", bound)
        self.assertEqual((self.folder / "run/layers/top/pins/wow").read_text().splitlines()[:4], said[:4])

    def test_what_apt_fetched_counts_and_goes_with_the_first_start_that_is_not_for_the_module(self):
        self.ask("develop surge\n")
        self.start()
        fetched = (self.works / "surge/apt/archives/x.deb", self.works / "surge/lists/index")
        for file in fetched:
            file.write_bytes(b"x" * 100_000)
        self.ask("develop surge\n")
        self.start()
        self.assertGreater(int((self.folder / "run/layers/works").read_text().split()[1]), 190)
        self.assertTrue(all(file.exists() for file in fetched))
        (self.works / "surge/upper/file").write_text("mine")
        self.start()
        self.assertLess(int((self.folder / "run/layers/works").read_text().split()[1]), 90)
        self.assertEqual([False, False, True], [file.exists() for file in (*fetched, self.works / "surge/upper/file")])
        self.ask("develop surge\n")
        self.start()
        self.assertTrue((self.works / "surge/apt/archives").is_dir() and (self.works / "surge/lists").is_dir(), "apt finds its folders again")


if __name__ == "__main__":
    unittest.main()
