"""Which stack of modules the initrd takes: the pool's, one that was found good before, or the image's. Its scripts run under the shell, with a tree in the
place of the machine's and no mounts; test/image/stacking.py has the same on the image's own kernel."""

import hashlib
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
OWN = "base base base-1.squashfs 1 aa\nnode node node-1.squashfs 1 bb\n"
IMAGE = f"# kind name file size sha256; bottom first\n{OWN}module tutorial tutorial-1.squashfs 1 cc\n"


def layer(text):
    """(file, its size and digest as a list has them) of a layer that holds this text."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    return digest, f"{digest} {len(text)} {digest}"


class Stacks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.home = self.folder / "run/layers/home"
        for name in ("run/wow-config", "run/layers/home/state", "run/layers/home/layers", "run/layers/home/stacks", "run/layers/sys/stacks", "run/layers/sys/layers",
                     "dev", "sys/class/tty/console"):
            (self.folder / name).mkdir(parents=True)
        (self.folder / "sys/class/tty/console/active").write_text("tty0\n")
        (self.folder / "run/layers/sys/stacks/A.conf").write_text(IMAGE)
        self.mode, self.slot = "release", "A"

    def stack(self, name, number, *modules, own=OWN, glue=""):
        """A published stack in home; its modules are named like what their layers hold."""
        lines = [f"# stack {number}\n{own}"]
        for kind, text in [*(("module", one) for one in modules), *([("glue", glue)] if glue else [])]:
            digest, rest = layer(text)
            (self.home / "layers" / digest).write_text(text)
            lines.append(f"{kind} {'glue' if kind == 'glue' else text} {rest}\n")
        (self.home / "stacks" / name).write_text("".join(lines))
        (self.home / "stacks" / name).chmod(0o600)

    def start(self, then=""):
        """One start: the modules that are stacked, bottom first. A layer that holds `nolayer` does not mount; the image's mount all."""
        scripts = "".join((ROOT / "appliance/initrd" / name).read_text() for name in ("say.sh", "config.sh", "layers.sh", "verity.sh", "stacks.sh"))
        for place in ("/run/layers", "/run/wow-config", "/run/systemd", "/dev/", "/sys/class"):
            scripts = scripts.replace(place, f"{self.folder}{place}")
        script = f"""set -u
mode={self.mode} verify= slot={self.slot}
{scripts}
stacked=
mount() {{
    echo "$*" >> {self.folder}/mounts
    [ "$1" = -t ] || return 0
    ! grep -q 'nolayer' "$5" 2>/dev/null || return 1
    case $6 in */glue) ;; *) stacked="$stacked $5" ;; esac
}}
umount() {{ echo "off $1" >> {self.folder}/mounts; case $1 in */glue) ;; *) stacked=${{stacked% *}} ;; esac; }}
sync() {{ :; }}
real_check() {{ {re.search(r"check[(][)] [{](.*?)^[}]", scripts, re.S | re.M).group(1)} }}
check() {{ case $1 in */sys/*) ;; *) real_check "$@" ;; esac }}
stack node
stacked=
# What the other scripts leave in variables of the usual names.
left=1 why=2 known=3 before=4 text=5 of=6 count=7 state=8 found=9
stack_modules
{then}
echo $stacked
echo "$lower"
"""
        (self.folder / "mounts").write_text("")
        done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True, umask=0o022)
        self.mounts = [*(self.folder / "mounts").read_text().splitlines(), "end"]
        self.assertEqual(done.stderr, "")
        stacked, lower = done.stdout.split("\n")[-3:-1]
        found = [pathlib.Path(one) for one in stacked.split()]
        self.assertEqual(lower, ":".join(str(number) for number in range(len(found), -1, -1)))
        return [one.read_text() if one.parent.parent.name == "home" else one.name.partition("-")[0] for one in found]

    def facts(self):
        """What the running system is told."""
        return dict(line.split("=", 1) for line in (self.folder / "run/layers/stack").read_text().splitlines())

    def said(self, name="kmsg"):
        place = self.folder / "dev" / name
        return place.read_text(encoding="utf-8") if place.exists() else ""

    def tries(self):
        place = self.home / "stacks/tries"
        return place.read_text().split()[1] if place.exists() else None

    def test_without_a_published_stack_the_image_s_modules_are_stacked_and_nothing_is_written(self):
        self.assertEqual(self.start(), ["tutorial"])
        self.assertEqual((self.facts(), os.listdir(self.home / "stacks"), self.said()), ({"source": "image"}, [], ""))

    def test_a_published_stack_takes_the_place_of_the_image_s_modules(self):
        self.stack("next", 12, "maths", "physics", glue="shared")
        self.assertEqual(self.start(), ["maths", "physics", "shared"])
        self.assertEqual(self.facts(), {"source": "next", "number": "12"})
        self.assertEqual((self.folder / "run/layers/list").read_text(), (self.home / "stacks/next").read_text())
        self.assertEqual((self.folder / "run/layers/list").stat().st_mode & 0o777, 0o644, "`wow status` is for everybody")
        self.assertEqual(self.said("tty0"), "")
        self.assertIn("WOW: stack ", self.said())
        self.assertTrue((self.folder / "run/systemd/system/run-layers-home.mount.d/wow.conf").exists(), "shutdown would try to unmount what is in use")

    def test_pool_conf_chooses_among_the_modules_of_the_stack(self):
        self.stack("next", 12, "maths", "physics")
        (self.home / "state/pool.lines").write_text("modules=physics tutorial\n")
        self.assertEqual(self.start(), ["physics"])
        self.assertIn("[modules] names: the pool's stack 12 has no layer named tutorial", " ".join(self.said("tty0").split()))

    def test_a_choice_has_its_part_of_the_glue_and_is_taken_back_with_the_stack(self):
        self.stack("next", 12, "maths", "physics", glue="shared")
        (self.home / "state/pool.lines").write_text("modules=physics\n")
        place = self.folder / "run/layers/glue/usr/lib/wow/modules/glue"
        place.mkdir(parents=True)
        (place / "choices").write_text("- maths\n2 physics\n")
        self.assertEqual(self.start(then='lower=${lower#*:}'), ["physics"])
        self.assertEqual(self.mounts[-2:], [f"--bind {place}/of/2 {self.folder}/run/layers/2", "end"])
        # A layer above does not mount: nothing of the stack is left, for the image's own is taken.
        self.stack("next", 13, "maths", "physics", "nolayer", glue="shared")
        (self.home / "state/pool.lines").write_text("modules=physics nolayer\n")
        (place / "choices").write_text("3 physics nolayer\n")
        self.assertEqual(self.start(), [])
        self.assertEqual(self.mounts.count(f"off {self.folder}/run/layers/glue"), 1)
        self.assertEqual(self.facts()["source"], "image")

    def test_a_damaged_glue_is_no_stack_for_a_choice_either(self):
        self.stack("next", 12, "maths", "physics", glue="shared")
        next((self.home / "layers").glob(hashlib.sha256(b"shared").hexdigest())).write_text("sharep")
        (self.home / "state/pool.lines").write_text("modules=physics\n")
        self.assertEqual(self.start(), [])
        self.assertEqual(self.facts()["why"], "glue: the layer is damaged (not what stacks/next lists)")

    def test_a_stack_that_is_not_found_good_is_left_after_three_starts_and_told(self):
        self.stack("next", 12, "maths")
        for count in "123":
            self.assertEqual(self.start(), ["maths"])
            self.assertEqual(self.tries(), count)
        self.assertEqual(self.start(), ["tutorial"])
        self.assertEqual(self.start(), ["tutorial"], "it does not come back by itself")
        self.assertEqual(self.facts(), {"source": "image", "left": "12", "why": "after 3 starts with it this machine was not back in its pool"})
        self.assertIn('file=stacks/next what="the pool\'s stack 12 is not taken: after 3 starts', self.said())
        for words in ("Something is wrong; this machine starts all the same.", "the modules of its image", "To do: tell the pool's administrator"):
            self.assertIn(words, self.said("tty0"))
        self.assertLessEqual(max(map(len, self.said("tty0").splitlines())), 80)

    def test_the_one_that_was_found_good_before_comes_first_then(self):
        self.stack("good", 11, "former")
        self.stack("next", 12, "maths")
        for _ in range(3):
            self.start()
        self.assertEqual(self.start(), ["former"])
        self.assertEqual(self.facts()["source"], "good")
        self.assertIn("which was found good before", " ".join(self.said("tty0").split()))

    def test_a_newer_stack_has_its_own_three_starts(self):
        self.stack("next", 12, "maths")
        for _ in range(4):
            self.start()
        self.stack("next", 13, "maths")
        self.assertEqual((self.start(), self.tries()), (["maths"], "1"))

    def test_a_stack_that_was_found_good_is_not_counted(self):
        for name in ("next", "good"):
            self.stack(name, 12, "maths")
        for _ in range(5):
            self.assertEqual(self.start(), ["maths"])
        self.assertEqual(self.tries(), None)

    def test_a_layer_that_is_missing_cut_damaged_or_none_has_the_stack_left_at_once(self):
        digest, _ = layer("physics")
        place = self.home / "layers" / digest
        cases = ((place.unlink, "physics: the layer is missing"), (lambda: place.write_text("phys"), "physics: the layer is damaged"),
                 (lambda: place.write_text("physiks"), "physics: the layer is damaged (not what stacks/next lists)"))
        for number, (spoil, words) in enumerate(cases):
            self.stack("next", 20 + number, "maths", "physics")
            spoil()
            self.assertEqual(self.start(), ["tutorial"])
            self.assertIn(words, self.facts()["why"])
        self.stack("next", 30, "maths", "nolayer")
        self.assertEqual(self.start(), ["tutorial"])
        self.assertIn("nolayer: the layer does not mount", self.facts()["why"])

    def test_one_whose_layers_do_not_stack_is_left_too(self):
        self.stack("next", 12, "maths")
        self.assertEqual(self.start("leave 'its layers do not stack'; stack_modules"), ["tutorial"])
        self.assertEqual(self.facts()["why"], "its layers do not stack")

    def test_one_that_was_found_good_and_is_damaged_since_is_not_tried_twice(self):
        for name in ("next", "good"):
            self.stack(name, 12, "maths")
        (self.home / "layers" / layer("maths")[0]).unlink()
        self.assertEqual(self.start(), ["tutorial"])
        self.assertEqual(self.said("tty0").count("What:"), 1)

    def test_over_another_base_or_node_it_is_not_taken(self):
        self.stack("next", 12, "maths", own=OWN.replace("bb", "b0"))
        self.assertEqual(self.start(), ["tutorial"])
        self.assertIn("another base or node", self.facts()["why"])
        self.assertEqual(self.tries(), None)

    def two(self):
        """The machine has B beside A, and the stack of B, which was made over its base and node."""
        self.b = OWN.replace("-1.", "-2.").replace("aa", "a2").replace("bb", "b2")
        (self.folder / "run/layers/sys/stacks/B.conf").write_text(f"# stack 12\n{self.b}")
        self.stack("next", 12, "maths", own=self.b)
        self.stack("good", 11, "former")

    def test_a_stack_goes_with_the_system_that_came_with_it(self):
        self.two()
        self.slot = "B"
        for count in "123":
            self.assertEqual((self.start(), self.tries(), self.facts()), (["maths"], count, {"source": "next", "number": "12"}))
        self.assertEqual(self.start(), [], "B has no modules of its own, and good is of A")
        self.assertEqual(self.facts(), {"source": "image", "left": "12", "why": "after 3 starts with it this machine was not back in its pool"})

    def test_the_former_system_leaves_it_and_takes_what_was_found_good_there(self):
        self.two()
        self.assertEqual(self.start(), ["former"])
        self.assertEqual((self.facts(), self.tries()), ({"source": "good", "number": "11", "left": "12",
                                                         "why": "it was made over another base or node than this image has"}, None))
        (self.home / "stacks/good").unlink()
        self.assertEqual(self.start(), ["tutorial"])
        self.assertEqual((self.folder / "run/layers/list").read_text(), IMAGE)

    def test_a_system_that_comes_without_modules_starts_without(self):
        self.two()
        self.slot = "B"
        self.stack("next", 12, own=self.b)
        self.assertEqual((self.start(), self.facts()), ([], {"source": "next", "number": "12"}))
        self.assertEqual((self.folder / "run/layers/list").read_text(), f"# stack 12\n{self.b}")
        (self.home / "stacks/next").unlink()
        self.assertEqual((self.start(), self.facts()), ([], {"source": "image"}))

    def test_a_list_that_is_no_list_is_left(self):
        for text in ("", "\0\0\0\0", f"# stack 12\n{OWN}case maths x 1 x\n", f"# stack 12\n{OWN}module maths\n", f"# stack 12\n{OWN}module maths x y z\n"):
            (self.home / "stacks/next").write_text(text)
            with self.subTest(text):
                self.assertEqual(self.start(), ["tutorial"])
                self.assertTrue(self.facts()["why"])

    def test_ephemeral_and_develop(self):
        self.stack("next", 12, "maths")
        self.mode = "develop"
        for _ in range(4):
            self.assertEqual(self.start(), ["maths"])
        self.assertEqual(self.tries(), None, "the start after it is in release again")
        self.mode = "ephemeral"
        self.assertEqual(self.start(), ["tutorial"])

    def test_where_starts_cannot_be_counted_it_is_not_taken(self):
        self.stack("next", 12, "maths")
        (self.home / "stacks/tries.new").mkdir()
        script = ROOT / "appliance/initrd/stacks.sh"
        self.assertIn('echo "$text $((count + 1))" > "$stacks/tries.new" && sync && mv', script.read_text())
        with self.assertRaises(AssertionError):
            self.start()  # the shell says why on its error output
        self.assertEqual(self.facts()["why"], "its starts cannot be counted, for home cannot be written")

    def test_power_that_goes_between_the_writes_leaves_what_was_there(self):
        """wow-stack's order: layers, then next; a new next beside an old count; the empty stack takes next first."""
        self.stack("good", 11, "former")
        self.stack("next", 11, "former")
        (self.home / "stacks/next.new").write_text("# stack 1")
        (self.home / "stacks/tries").write_text(f"{'0' * 64} 3\n")
        (self.home / "layers/x.part").write_text("half")
        self.assertEqual(self.start(), ["former"])
        (self.home / "stacks/tries.new").write_text("")
        self.stack("next", 12, "maths")
        self.assertEqual((self.start(), self.tries()), (["maths"], "1"))
        (self.home / "stacks/next").unlink()
        self.assertEqual(self.start(), ["tutorial"], "what was taken off does not come back by what was good before")


if __name__ == "__main__":
    unittest.main()
