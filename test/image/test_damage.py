"""What the initrd does where the disk lost a part of a system: its scripts under the shells that read them, with a tree in the place of the machine's.
test/image/rotten.py has the same in a machine."""

import hashlib
import os
import pathlib
import subprocess
import tempfile
import unittest

from test_module import ROOT

FILES = {"base": "layers/base-{}.squashfs", "node": "layers/node-{}.squashfs", "kernel": "boot/{}/vmlinuz", "initrd": "boot/{}/initrd.img"}
STUBS = """
stop() { echo "stopped|$1|$2"; exit; }
change_environment() { shift; echo "grub $*"; [ -z "$is_read_only" ]; }
environment_has() { [ "$noted" = "$1" ]; }
say() { echo "said $*"; }
sync() { :; }
sleep() { echo "slept"; exit; }
show() { echo "shown $1"; }
warn() { echo "warned $1"; }
line() { :; }
"""


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.home = self.folder / "run/layers/home"
        for place in ("run/layers/sys/layers", "run/layers/sys/stacks", "run/layers/home", "proc/sys/kernel", "run/systemd"):
            (self.folder / place).mkdir(parents=True)
        self.put("A")
        self.put("B")

    def file(self, system, kind):
        return self.folder / "run/layers/sys" / FILES[kind].format(system)

    def put(self, system):
        """A system that is whole."""
        (self.folder / "run/layers/sys/boot" / system).mkdir(parents=True, exist_ok=True)
        digests = {}
        for kind in FILES:
            data = f"{kind} of {system}".encode()
            self.file(system, kind).write_bytes(data)
            digests[kind] = hashlib.sha256(data).hexdigest()
        rows = [f"{kind} {kind} {kind}-{system}.squashfs 9 {digests[kind]}\n" for kind in ("base", "node")]
        (self.folder / f"run/layers/sys/stacks/{system}.conf").write_text("# stack 12\n" + "".join(rows) + "module maths maths-1.squashfs 9 x\n")
        (self.folder / f"run/layers/sys/boot/{system}/SHA256SUMS").write_text(f"{digests['kernel']}  vmlinuz\n{digests['initrd']}  initrd.img\n")

    def damage(self, system, kind):
        path = self.file(system, kind)
        path.write_bytes(b"x" + path.read_bytes()[1:])

    def run_script(self, asks, slot="A", trial="", damaged="", mode="release", given_up="", is_read_only="", noted="", shell=("busybox", "sh")):
        """What it said, in lines."""
        script = (ROOT / "appliance/initrd/damage.sh").read_text().replace("/run/", f"{self.folder}/run/").replace("/proc/sys", f"{self.folder}/proc/sys")
        script = script.replace("/proc/sysrq", f"{self.folder}/proc/sysrq")
        head = f"slot={slot} trial={trial} damaged={damaged} given_up={given_up} mode={mode} is_read_only={is_read_only} noted={noted} fresh=fresh\n"
        done = subprocess.run([*shell, "-c", f"set -u\n{head}{script}{STUBS}\n{asks}"], capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.splitlines()

    def begun(self):
        path = self.home / "stacks/begun"
        return path.read_text().strip() if path.exists() else ""

    def begin(self, word):
        (self.home / "stacks").mkdir(exist_ok=True)
        (self.home / "stacks/begun").write_text(f"{word}\n")


OVER = {slot: f"grub system={other} trial= tries= damaged={slot} looked=lost unfinished=no" for slot, other in ("AB", "BA")}


class Lost(Case):
    """A system that cannot start."""

    def test_the_other_one_is_started_where_it_is_whole(self):
        for shell in (("sh",), ("busybox", "sh")):
            for slot, other in (("A", "B"), ("B", "A")):
                said = self.run_script("lost /layers/x WHAT", slot, shell=shell)
                self.assertEqual(said, [OVER[slot], f"shown This machine's system {slot} is damaged; it starts again with its other one, {other}.", "slept"])

    def test_it_is_not_where_any_file_of_it_is_damaged_or_away(self):
        for kind in FILES:
            for harm in (self.damage, lambda system, kind: self.file(system, kind).unlink()):
                self.put("B")
                harm("B", kind)
                (said,) = self.run_script("lost /layers/x WHAT")
                self.assertEqual(said, "stopped|/layers/x|WHAT, and the other system of this machine, B, is damaged, too")

    def test_it_is_not_where_it_is_known_to_be_damaged_has_no_list_or_a_list_of_nothing(self):
        self.assertIn("stopped|", self.run_script("lost /layers/x WHAT", damaged="B")[0])
        listed = self.folder / "run/layers/sys/stacks/B.conf"
        listed.write_text("")
        self.assertIn("stopped|", self.run_script("lost /layers/x WHAT")[0])
        listed.unlink()
        self.assertEqual(self.run_script("lost /layers/x WHAT"), ["stopped|/layers/x|WHAT"])

    def test_one_that_was_given_up_is_better_than_none(self):
        self.assertEqual(self.run_script("lost /layers/x WHAT", given_up="B")[0], OVER["A"])

    def test_it_is_not_where_grub_cannot_be_told(self):
        said = self.run_script("lost /layers/x WHAT", is_read_only="yes")
        self.assertEqual((said[0], said[1][:8], len(said)), (OVER["A"], "stopped|", 2))

    def test_a_trial_goes_back_by_its_count(self):
        self.assertEqual(self.run_script("lost /layers/x WHAT", "B", trial="2"), ["stopped|/layers/x|WHAT"])


class Accused(Case):
    """A system that GRUB left, for two starts in a row did not come to their end."""

    LOOKS = 'said system what="two starts with the other system of this machine, {}, did not come to their end; all of it is looked at"'

    def told(self):
        """What the running system is told of this start."""
        path = self.folder / "run/layers/system"
        return path.read_text() if path.exists() else ""

    def test_one_that_is_whole_is_started_again(self):
        for shell in (("sh",), ("busybox", "sh")):
            for slot, other in ("AB", "BA"):
                said = self.run_script("look_at_left; echo on", slot, damaged=other, shell=shell)
                self.assertEqual(said, [self.LOOKS.format(other), f"grub system={other} damaged= looked=whole unfinished=no",
                                        f'said system take={other} what="the system {other} is whole: this machine starts with it again"', "slept"])

    def test_one_of_which_the_disk_lost_something_stays_left_and_is_read_once(self):
        for kind in FILES:
            self.put("A")
            self.damage("A", kind)
            self.assertEqual(self.run_script("look_at_left; echo on", "B", damaged="A"), [self.LOOKS.format("A"), "grub looked=lost", "on"])
            self.assertEqual(self.run_script("look_at_left; echo on", "B", damaged="A", noted="looked=lost"), ["on"])
            self.assertEqual(self.told(), "")

    def test_one_that_was_started_again_and_left_again_stays_left_and_the_disk_is_not_blamed(self):
        self.assertEqual(self.run_script("look_at_left; echo on", "B", damaged="A", noted="looked=whole"), ["on"])
        self.assertEqual(self.told(), "cut=yes\n")

    def test_what_was_chosen_in_the_menu_is_done_first_and_where_nothing_can_be_noted_nothing_starts_again(self):
        for words, more in (("look_at_left", {"mode": "develop"}), ("look_at_left", {"mode": "ephemeral"}), ("reset=home; look_at_left", {}),
                            ("look_at_left", {"is_read_only": "yes"})):
            (self.folder / "run/layers/system").write_text("")
            self.assertNotIn("slept", self.run_script(words, "B", damaged="A", **more))
            self.assertEqual(self.told(), "cut=yes\n", more)

    def test_nothing_is_looked_at_where_no_other_one_was_left(self):
        for damaged in ("", "B"):
            self.assertEqual((self.run_script("look_at_left; echo on", "B", damaged=damaged), self.told()), (["on"], ""))

    def test_it_is_better_than_one_that_cannot_start_and_no_better_than_one_that_runs(self):
        self.assertEqual(self.run_script("look_at_left; lost /layers/x WHAT", "B", damaged="A", noted="looked=whole")[0], OVER["B"])
        self.begin("once")
        self.damage("B", "base")
        self.assertEqual(self.run_script("look_at_left; look_back", "B", damaged="A", noted="looked=whole"), [])


class Looking(Case):
    """The look at all of a system, after a start that did not bring the machine back into its pool."""

    def panic(self):
        path = self.folder / "proc/sys/kernel/panic"
        return path.read_text().strip() if path.exists() else ""

    def test_the_first_start_is_noted_and_may_start_again_by_itself_once(self):
        self.assertEqual(self.run_script("look_back"), [])
        self.assertEqual((self.begun(), self.panic()), ("once", "30"))
        self.assertIn("CrashAction=reboot", (self.folder / "run/systemd/system.conf.d/wow.conf").read_text())
        self.assertEqual(os.stat(self.home / "stacks").st_mode & 0o777, 0o700)
        (self.folder / "proc/sys/kernel/panic").unlink()
        for _ in range(3):
            self.assertEqual(self.run_script("look_back"), [])
            self.assertEqual((self.begun(), self.panic()), ("whole", ""), "it is read once, and does not start again by itself")

    def test_a_panic_stands_behind_the_initrd_unless_a_look_follows_or_the_system_is_on_trial(self):
        for words, more, expected in (("look_back; panic_stands", {}, "30"), ("look_back; panic_stands", {}, "0"), ("look_back; panic_stands", {"mode": "ephemeral"}, "0"),
                                      ("look_back; panic_stands", {"trial": "1"}, "30")):
            (self.folder / "proc/sys/kernel/panic").write_text("30\n")
            self.assertEqual(self.run_script(words, **more), [])
            self.assertEqual(self.panic(), expected, more)

    def test_a_system_that_is_damaged_is_left_for_one_that_is_whole(self):
        for kind in FILES:
            self.put("A")
            self.begin("once")
            self.damage("A", kind)
            said = self.run_script("look_back")
            self.assertEqual((said[0], said[-1], self.begun()), (OVER["A"], "slept", "once"))

    def test_where_both_are_it_goes_on_and_says_so_at_each_start(self):
        self.begin("once")
        self.damage("A", "base")
        self.damage("B", "node")
        self.assertEqual(self.run_script("look_back"), ["warned /layers/base-A.squashfs"])
        self.assertEqual((self.begun(), (self.folder / "run/layers/system").read_text()), ("kept", "kept=yes\n"))
        self.assertEqual(self.run_script("look_back"), ["warned /stacks/A.conf"])
        self.assertEqual(self.panic(), "")

    def test_where_there_is_no_other_one_on_trial_and_in_another_mode_nothing_is_written_or_read(self):
        self.damage("A", "base")
        for more in ({"trial": "1"}, {"mode": "ephemeral"}, {"mode": "develop"}, {"given_up": "B"}, {"damaged": "B"}):
            self.assertEqual(self.run_script("look_back", **more), [])
        (self.folder / "run/layers/sys/stacks/B.conf").unlink()
        self.assertEqual(self.run_script("look_back"), [])
        self.assertEqual((self.begun(), self.panic()), ("", ""))


if __name__ == "__main__":
    unittest.main()
