import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from contract import console, shipped  # noqa: E402

CLONE = pathlib.Path(__file__).resolve().parents[2]
SAYING = ("appliance/node", "appliance/initrd", "appliance/image/root")


class Readers(unittest.TestCase):
    def test_what_python_says_is_found(self):
        self.assertEqual(console.said_in_python('console.say("ring", node=1, near=2)\nsay("error", what=3)\nother.say("x", y=1)\nconsole.say(step)'),
                         [("ring", {"node", "near"}), ("error", {"what"})])

    def test_what_a_script_says_is_found(self):
        self.assertEqual(console.said_in_shell('say home "make=$1"\n    say error "step=boot file=$1 what=\\"a b\\"" \\\n        "todo=\\"c\\""\n'
                                               'line 2 error "step=boot ${where}what=\\"$why\\""\necho "<3>WOW: error t=$now key=$1" \\\n    "what=1" > /dev/kmsg\n'),
                         [("home", {"make"}), ("error", {"step", "file", "what", "todo"}), ("error", {"step", "what"}), ("error", {"key", "what"})])


class Clone(unittest.TestCase):
    """Of this clone: every line is one of the contract's, and the other way round."""

    @classmethod
    def setUpClass(cls):
        cls.steps, cls.said = console.read(CLONE), {}
        for name, text in shipped.texts(CLONE).items():
            if name.startswith(SAYING):
                cls.said[name] = console.said_in_python(text) if shipped.is_python(name, text) else console.said_in_shell(text)

    def test_every_line_has_a_step_and_keys_of_the_contract(self):
        for name, lines in self.said.items():
            for step, keys in lines:
                self.assertIn(step, self.steps, f"{name}: put it into {console.SOURCE}")
                self.assertLessEqual(keys, set(self.steps[step][0]), f"{name}, {step}: put the keys into {console.SOURCE}")

    def test_every_step_and_key_of_the_contract_is_said(self):
        for step, (keys, _) in self.steps.items():
            said = set().union(*(found for lines in self.said.values() for one, found in lines if one == step))
            self.assertEqual(set(keys) - said, set(), f"{console.SOURCE}: nobody says this of {step}")

    def test_who_waits_for_a_step_knows_its_name(self):
        for name, text in shipped.texts(CLONE).items():
            if name.startswith("appliance/lab"):
                self.assertLessEqual(set(re.findall(r"\.last\(\"(\w+)\"\)", text)), {*self.steps, "login"}, name)


class Scripts(unittest.TestCase):
    """Both scripts write the line as the contract has it."""

    LINE = re.compile(r"<[0-7]>WOW: ([a-z]+) t=[0-9]+\.[0-9]{2}((?: [a-z]+=(?:\"[^\"]+\"|[^ \"]+))+)\n")

    def said(self, script, words):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder, "log")
            # What people are shown goes to no console of this machine.
            consoles = pathlib.Path(folder, "active")
            consoles.touch()
            text = (CLONE / script).read_text(encoding="utf-8").replace("/dev/kmsg", str(log)).replace("/sys/class/tty/console/active", str(consoles))
            # What stops a boot sleeps for ever.
            subprocess.run(["sh", "-c", f"{text}\nstart_stopped() {{ exit; }}\n{words}"], check=False)
            line = self.LINE.fullmatch(log.read_text(encoding="utf-8"))
            self.assertTrue(line, log.read_text(encoding="utf-8"))
            return line[1], line[2].split(" ", 2)[1:]

    def test_of_the_initrd(self):
        script = "appliance/initrd/say.sh"
        self.assertEqual(self.said(script, 'say home "make=/dev/vda4"'), ("home", ["make=/dev/vda4"]))
        for does in ("stop", "warn"):
            self.assertEqual(self.said(script, f'{does} /dev/vda4 "the disk cannot be written" "take another"'),
                             ("error", ["step=boot", 'file=/dev/vda4 what="the disk cannot be written" todo="take another"']))

    def test_of_the_node(self):
        self.assertEqual(self.said("appliance/node/root/usr/lib/wow/node/say.sh", 'fail /x "is missing" "Make it"'), ("error", ["file=/x", 'what="is missing" todo="Make it"']))


if __name__ == "__main__":
    unittest.main()
