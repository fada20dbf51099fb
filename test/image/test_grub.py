"""GRUB's script: whether GRUB has what it calls, and which system it starts. Its language is that of the shell but for `set` and the menu, so the shell runs it."""

import pathlib
import re
import struct
import subprocess
import tempfile
import unittest

from test_module import ROOT, tool

install = tool(ROOT / "appliance/image/boot/install")
AMD64 = install.architecture.ALL["amd64"]
SCRIPT = (ROOT / "appliance/image/boot/grub.cfg").read_text(encoding="ascii")
OF_NORMAL = {"set", "export", "menuentry", "submenu", "insmod"}
"""What GRUB knows without a module that command.lst names."""
# What stands for GRUB's commands: each says what it is told.
STUBS = r"""
load_env() { [ ! -f env ] || . ./env; }
save_env() { [ -z "$is_read_only" ] || return 1; for name; do eval "echo \"$name=\$$name\""; done >> env; echo saved; }
keystatus() { return 1; }
regexp() { disk=hd0; }
linux() { shift 0; echo "linux $*"; [ -z "$is_gone" ]; }
linux16() { linux "$@"; }
initrd() { echo "initrd $*"; }
initrd16() { initrd "$@"; }
boot() { echo boot; [ -n "$is_gone" ] || exit 0; }
sleep() { echo "sleep $*"; }
reboot() { echo reboot; }
insmod() { [ -z "$has_no_modules" ]; }
hashsum() { echo "hashsum $*"; [ "$is_lost" != yes ]; }
"""


def shell():
    """The script up to its menu, as the shell has it."""
    text = SCRIPT[:SCRIPT.index("menuentry ")]
    text = re.sub(r"\bset (\w+=)", r"\1", text).replace("\nexport ", "\n: ")
    return re.sub(r"^function (\w+) {", r"\1() {", text, flags=re.M)


def signed():
    """The modules that are built into Debian's signed GRUB: it takes no others where Secure Boot is on. They follow a struct grub_module_info64, each behind a
    struct grub_module_header (include/grub/kernel.h), as an ELF file that has its name in the section .modname."""
    data = install.esp(AMD64)["EFI/BOOT/grubx64.efi"].read_bytes()
    start = data.index(b"mimg\0\0\0\0")
    at, size = struct.unpack_from("<QQ", data, start + 8)
    at, end, names = start + at, start + size, []
    while at < end:
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 0:
            names.append(modname(data[at + 8:at + length]))
        at += length
    return names


def modname(module):
    """The name in an ELF file of 64 bits (System V ABI: e_shoff, e_shentsize, e_shnum, e_shstrndx; sh_name, sh_offset, sh_size)."""
    (shoff,), (width, count, strings) = struct.unpack_from("<Q", module, 0x28), struct.unpack_from("<HHH", module, 0x3A)
    sections = [struct.unpack_from("<I20xQQ", module, shoff + width * number) for number in range(count)]
    names = module[sections[strings][1]:]
    offset, size = next(rest for name, *rest in sections if names[name:].startswith(b".modname\0"))
    return module[offset:offset + size].rstrip(b"\0").decode("ascii")


class Script(unittest.TestCase):
    def test_grub_reads_it(self):
        done = subprocess.run(["grub-script-check", ROOT / "appliance/image/boot/grub.cfg"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_each_command_is_in_a_module_that_grub_is_made_with(self):
        text = re.sub(r'"[^"]*"', "word", re.sub(r"^\s*#.*", "", SCRIPT, flags=re.M))
        own = set(re.findall(r"^function (\w+)", text, re.M))
        text = re.sub(r"^function \w+", "", text, flags=re.M)
        found = {command for part in re.split(r"[;\n{}]|\b(?:then|else|if|elif)\b", text) if (command := part.strip().partition(" ")[0])} - {"fi", *own}
        self.assertLessEqual({"[", "set", "load_env", "save_env", "true", "linux16", "initrd", "boot", "reboot", "sleep", "menuentry"}, found)
        for target, commands in (("i386-pc", install.MODULES), ("x86_64-efi", signed())):
            rows = (line.lstrip("*").split(": ") for line in (install.GRUB / target / "command.lst").read_text().splitlines())
            module_of = dict(rows)
            needs = dict(line.split(":", 1) for line in (install.GRUB / target / "moddep.lst").read_text().splitlines())
            there = set()
            more = list(commands)
            while more:
                if (name := more.pop()) not in there:
                    there.add(name)
                    more += needs.get(name, "").split()
            lacking = {command for command in found - OF_NORMAL if module_of.get(command) not in there}
            # Which of the two pairs is called the script decides; the module of hashsum lies beside it.
            self.assertEqual(lacking - ({"linux16", "initrd16", "hashsum"} if target == "x86_64-efi" else set()), set(), target)


class Starting(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def environment(self, **values):
        (self.folder / "env").write_text("".join(f"{name}={value}\n" for name, value in values.items()))

    def saved(self, name):
        found = [line.partition("=")[2].strip('"') for line in (self.folder / "env").read_text().splitlines() if line.startswith(f"{name}=")]
        return found[-1] if found else ""

    def start(self, asks="start", platform="pc", is_read_only="", is_gone="", cpu="x86_64", more=""):
        """What GRUB does, in lines."""
        head = f"grub_platform={platform} grub_cpu={cpu} root=hd0,gpt2 is_read_only={is_read_only} is_gone={is_gone} {more}\nunfinished= trial= tries= left= whole=\n"
        done = subprocess.run(["dash", "-c", f"{head}{STUBS}{shell()}\n{asks}"], capture_output=True, text=True, check=False, cwd=self.folder)
        self.assertEqual(done.stderr, "")
        return done.stdout.splitlines()

    def taken(self, *words, **more):
        """(which system, words beside the usual ones) of a start."""
        said = [line for line in self.start(*words, **more) if line.startswith("linux ")]
        self.assertEqual(len(said), 1)
        _, kernel, *rest = said[0].split()
        own = [word for word in rest if word.startswith(("wow.", "panic", "systemd.crash"))]
        self.assertEqual(kernel, f"(hd0,gpt3)/boot/{own[0][-1]}/vmlinuz")
        self.assertIn("rw", rest)
        return own[0].removeprefix("wow.system="), own[1:]

    def test_a_fresh_image_starts_a_and_the_environment_says_that_it_did(self):
        for platform in ("pc", "efi"):
            self.environment(unfinished="no")
            self.assertEqual(self.start(platform=platform)[0], "saved")
            self.environment(unfinished="no")
            self.assertEqual(self.taken(platform=platform), ("A", []))
            self.assertEqual(self.saved("unfinished"), "yes")
        (self.folder / "env").unlink()
        self.assertEqual(self.taken(), ("A", []))

    def test_the_kernel_is_not_to_count_ticks_which_come_late_on_a_busy_computer(self):
        for platform, cpu, expected in (("pc", "i386", True), ("efi", "x86_64", True), ("efi", "arm64", False)):
            self.environment(unfinished="no")
            said = next(line for line in self.start(platform=platform, cpu=cpu) if line.startswith("linux "))
            self.assertEqual("no_timer_check" in said.split(), expected, cpu)

    def test_a_mode_is_the_last_word(self):
        self.assertEqual(self.taken("start wow.mode=ephemeral"), ("A", ["wow.mode=ephemeral"]))

    def test_the_good_system_is_started(self):
        for system, expected in (("A", "A"), ("B", "B"), ("", "A"), ("C", "A")):
            for trial in ("", expected, "C"):
                self.environment(unfinished="no", system=system, trial=trial, tries="3" if trial else "")
                self.assertEqual(self.taken(), (expected, []))

    def test_a_trial_has_three_starts_each_counted_before_and_then_it_is_given_up(self):
        for system, trial in (("A", "B"), ("B", "A")):
            self.environment(unfinished="no", system=system, trial=trial, tries="3")
            for tries in "210":
                self.assertEqual(self.taken("start wow.mode=develop"), (trial, [f"wow.trial={tries}", "panic=30", "systemd.crash_action=reboot", "wow.mode=develop"]))
                self.assertEqual(self.saved("tries"), tries)
            for _ in range(3):
                self.assertEqual(self.taken(), (system, [f"wow.left={trial}"]))
                self.assertEqual(self.saved("tries"), "0")

    def test_a_number_that_is_none_gives_no_start(self):
        for tries in ("", "4", "x", "-1", "33"):
            self.environment(unfinished="no", system="A", trial="B", tries=tries)
            self.assertEqual(self.taken(), ("A", ["wow.left=B"]))

    def test_where_nothing_can_be_counted_nothing_is_tried(self):
        self.environment(unfinished="no", system="A", trial="B", tries="3")
        self.assertEqual(self.taken(is_read_only="yes"), ("A", []))

    def both_are_there(self):
        place = self.folder / "(hd0,gpt3)/stacks"
        place.mkdir(parents=True, exist_ok=True)
        for name in "AB":
            (place / f"{name}.conf").touch()

    def test_after_two_starts_without_a_word_of_the_initrd_s_the_other_system_is_taken_and_stays(self):
        for system, other in (("A", "B"), ("B", "A")):
            self.both_are_there()
            self.environment(unfinished="no", system=system)
            self.assertEqual([self.taken(), self.saved("unfinished")], [(system, ["panic=30"]), "yes"])
            self.assertEqual([self.taken(), self.saved("unfinished")], [(system, ["panic=30"]), "again"])
            self.assertEqual([self.taken(), self.saved("unfinished")], [(other, [f"wow.damaged={system}"]), "yes"])
            self.assertEqual((self.saved("system"), self.saved("damaged")), (other, system))
            for _ in range(4):
                self.assertEqual(self.taken("start wow.mode=develop"), (other, [f"wow.damaged={system}", "wow.mode=develop"]), "it does not go back to what is damaged")

    def test_one_that_the_initrd_finds_whole_has_its_two_starts_again_and_what_was_found_is_kept(self):
        """As look_at_left has it (appliance/initrd/damage.sh)."""
        self.both_are_there()
        self.environment(unfinished="no", system="A")
        self.assertEqual([self.taken()[0] for _ in range(3)], ["A", "A", "B"])
        with open(self.folder / "env", "a", encoding="ascii") as block:
            block.write("system=A\ndamaged=\nlooked=whole\nunfinished=no\n")
        self.assertEqual([self.taken() for _ in range(4)], [("A", ["panic=30"])] * 2 + [("B", ["wow.damaged=A"])] * 2)
        self.assertEqual((self.saved("system"), self.saved("damaged"), self.saved("looked")), ("B", "A", "whole"))

    def test_the_other_system_is_taken_where_it_is_there_and_was_not_given_up_alone(self):
        self.environment(unfinished="again")
        self.assertEqual([self.taken(), self.saved("unfinished"), self.saved("damaged")], [("A", []), "again", ""])
        self.both_are_there()
        for more, words in (({"trial": "B", "tries": "0"}, ["wow.left=B"]), ({"damaged": "B"}, ["wow.damaged=B"])):
            self.environment(unfinished="again", **more)
            self.assertEqual((self.taken(), self.saved("system")), (("A", words), ""))
        self.environment(unfinished="again", trial="B", tries="3")
        self.assertEqual(self.taken()[0], "B", "a trial has its three starts")

    def test_a_system_without_its_list_is_not_started_where_the_other_has_one(self):
        lists = self.folder / "(hd0,gpt3)/stacks"
        lists.mkdir(parents=True)
        for there, said, expected in (("B", {}, "B"), ("B", {"system": "A", "trial": "B", "tries": "2"}, "B"), ("A", {"system": "B"}, "A"), ("B", {"system": "B"}, "B"),
                                      ("", {"system": "B"}, "B"), ("AB", {}, "A"), ("AB", {"system": "B"}, "B")):
            for name in there:
                (lists / f"{name}.conf").touch()
            self.environment(unfinished="no", **said)
            self.assertEqual(self.taken(), (expected, ["panic=30"] if there == "AB" else []))
            self.assertEqual(self.taken('begin "$spare" ""'), ("A" if expected == "B" else "B", []))
            for name in there:
                (lists / f"{name}.conf").unlink()

    def test_the_menu_offers_the_system_that_the_first_entry_does_not_start(self):
        self.assertIn('menuentry "WOW, with the other system ($spare)" { begin "$spare" "" }', SCRIPT)
        for values, spare in (({}, "B"), ({"system": "B"}, "A"), ({"trial": "B", "tries": "3"}, "A"), ({"trial": "B", "tries": "0"}, "B"), ({"system": "B", "trial": "A", "tries": "1"}, "B")):
            self.environment(unfinished="yes", **values)
            self.assertEqual(self.taken('begin "$spare" ""'), (spare, []))

    def test_a_kernel_that_cannot_be_read_starts_the_machine_again_unless_it_is_the_good_one(self):
        self.environment(system="A", trial="B", tries="3")
        self.assertEqual(self.start(is_gone="yes")[-2:], ["sleep 5", "reboot"])
        self.environment(system="A")
        self.assertEqual(self.start(is_gone="yes")[-1], "boot")

    def test_where_the_good_one_s_cannot_be_read_the_other_is_taken_at_the_next_start(self):
        self.both_are_there()
        self.environment(system="A")
        self.assertEqual(self.start(is_gone="yes")[-4:], ["boot", "saved", "sleep 5", "reboot"])
        self.assertEqual(self.taken(), ("B", ["wow.damaged=A"]))
        self.assertEqual(self.start(is_gone="yes")[-1], "boot", "that cannot be read either, and nothing is left")

    def test_it_does_not_start_again_where_that_cannot_be_noted_or_the_other_one_is_no_better(self):
        self.both_are_there()
        self.environment(system="A")
        self.assertEqual(self.start(is_gone="yes", is_read_only="yes")[-1], "boot")
        for more in ({"trial": "B", "tries": "0"}, {"damaged": "B"}):
            self.environment(system="A", **more)
            self.assertEqual(self.start(is_gone="yes")[-1], "boot")

    def have_sums(self, *systems):
        """They have those by which GRUB looks at kernel and initrd."""
        for name in systems:
            place = self.folder / f"(hd0,gpt3)/boot/{name}"
            place.mkdir(parents=True, exist_ok=True)
            (place / "CRC32").touch()

    def test_where_another_system_is_there_kernel_and_initrd_are_proved_before_they_are_started(self):
        self.both_are_there()
        self.have_sums("A", "B")
        for values, taken in (({"system": "A"}, "A"), ({"system": "B"}, "B"), ({"system": "A", "trial": "B", "tries": "3"}, "B")):
            self.environment(unfinished="no", **values)
            proof, kernel = [line for line in self.start() if line.startswith(("hashsum", "linux"))]
            self.assertEqual(f"hashsum --hash crc32 --check (hd0,gpt3)/boot/{taken}/CRC32 --prefix (hd0,gpt3)/boot/{taken}", proof)
            self.assertIn(f"boot/{taken}/vmlinuz", kernel)

    def test_a_system_whose_kernel_or_initrd_is_other_than_it_was_written_is_not_started_and_the_other_one_is_next(self):
        self.both_are_there()
        self.have_sums("A", "B")
        self.environment(system="A")
        said = self.start(more="is_lost=yes")
        self.assertEqual(["saved", "sleep 5", "reboot"], said[-3:])
        self.assertEqual([True, False], [any(line.startswith(word) for line in said) for word in ("The disk has lost a part of this machine's system A:", "linux")])
        self.assertEqual(self.taken(), ("B", ["wow.damaged=A"]))
        self.environment(system="A", trial="B", tries="3")
        self.assertEqual(["sleep 5", "reboot"], self.start(more="is_lost=yes")[-2:])
        self.assertEqual(self.saved("tries"), "2", "a start of the trial is gone")

    def test_nothing_is_proved_where_nothing_else_can_be_started_or_grub_cannot(self):
        self.have_sums("A")
        self.environment(unfinished="no")
        self.assertNotIn("hashsum", " ".join(self.start()), "it has no other system")
        self.both_are_there()
        for system, more in (("B", ""), ("A", "lockdown=y"), ("A", "has_no_modules=yes")):
            self.environment(unfinished="no", system=system)
            said = self.start(more=f"is_lost=yes {more}")
            self.assertEqual([False, True], [any(line.startswith(word) for line in said) for word in ("hashsum", "linux")], (system, more))

    def test_each_menu_within_another_has_what_the_functions_take(self):
        functions = SCRIPT[SCRIPT.index("function start"):SCRIPT.index("menuentry ")] + 'begin "$spare"'
        exported = set(re.search(r"^export (.*)", SCRIPT, re.M).group(1).split())
        self.assertEqual(set(re.findall(r"\$([a-z]\w*)", functions)) - {"grub_platform", "from", "lost", "lockdown"}, exported, "GRUB exports the last")


if __name__ == "__main__":
    unittest.main()
