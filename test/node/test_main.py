"""The entry to what systemd starts: units and scripts name its programs, each program is there, and none loads what costs a boot time."""
import ast
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2] / "appliance/node/root"
NODE = ROOT / "usr/lib/wow/node"
COSTLY = {"argparse", "asyncio", "configparser", "dataclasses", "importlib", "inspect", "ipaddress", "logging", "pathlib", "ssl", "subprocess", "typing"}
"""Each takes a twentieth of a second and more of an emulated guest's boot."""
BEFORE_LOGIN = {"json", "re", "enum", "hmac", "hashlib", "socket", "wow.condor.drop_in"}
"""What wow-config, which the login waits for, has no use for: together 0.4 s there."""


def run(*arguments):
    """What Python of the guest's kind says to it on standard output and error."""
    done = subprocess.run([sys.executable, "-I", "-S", *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


class Entry(unittest.TestCase):
    def test_units_and_scripts_start_each_of_its_programs_and_no_other(self):
        files = [*(ROOT / "usr/lib/systemd/system").rglob("*.service"), NODE / "watch", NODE / "stack"]
        called = {name for file in files for name in re.findall(r"/usr/lib/wow/node/main\.py (\w+)", file.read_text(encoding="utf-8"))}
        code, said = run(str(NODE / "main.py"))
        self.assertEqual((code, set(said.strip().rpartition("one program of ")[2].split(", "))), (1, called))

    def test_each_program_can_be_loaded_and_loads_nothing_costly(self):
        modules = re.findall(r"^    from (wow\.\w+) import (\w+)", (NODE / "main.py").read_text(encoding="utf-8"), re.M)
        self.assertGreaterEqual(len(modules), 4)
        for package, name in modules:
            code, said = run("-c", f"import sys; sys.dont_write_bytecode = True; sys.path.insert(0, {str(NODE)!r})\n"
                             f"from {package} import {name}\n{name}.main\nprint(*sys.modules)")
            self.assertEqual((code, COSTLY & set(said.split())), (0, set()), f"{package}.{name}: {said}")

    def test_what_the_login_waits_for_loads_less(self):
        code, said = run("-c", f"import sys; sys.dont_write_bytecode = True; sys.path.insert(0, {str(NODE)!r})\nfrom wow.setup import configure\nprint(*sys.modules)")
        self.assertEqual((code, BEFORE_LOGIN & set(said.split()), "wow.setup.configure" in said.split()), (0, set(), True), said)

    def test_nothing_hangs_on_what_the_image_leaves_out(self):
        """appliance/image/node-layer compiles without docstrings and assertions."""
        for file in NODE.rglob("*.py"):
            for one in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                self.assertNotIsInstance(one, ast.Assert, f"{file}:{getattr(one, 'lineno', 0)}")
                self.assertFalse(getattr(one, "attr", getattr(one, "id", "")) in ("__doc__", "__debug__"), f"{file}:{getattr(one, 'lineno', 0)}")


if __name__ == "__main__":
    unittest.main()
