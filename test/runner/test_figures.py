import contextlib
import importlib.machinery
import io
import json
import pathlib
import sys
import tempfile
import types
import unittest

FIGURES = pathlib.Path(__file__).resolve().parents[1] / "figures"
sys.dont_write_bytecode = True


def load():
    module = types.ModuleType("figures")
    module.__file__ = str(FIGURES)
    importlib.machinery.SourceFileLoader("figures", str(FIGURES)).exec_module(module)
    return module


class Figures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name)

    def main(self, act=lambda module, out: module.main(out)):
        said, complained = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained):
            code = act(load(), self.out)
        return code, said.getvalue(), complained.getvalue()

    def test_shows_what_was_reached_and_whether_it_is_enough(self):
        (self.out / "figures.json").write_text(json.dumps({"origin": "", "figures": [
            {"key": "a", "figure": "OVA, MB", "reached": 124.5, "goal": 140, "met": True},
            {"key": "b", "figure": "login, s", "reached": 30, "goal": 23, "met": False},
            {"key": "c", "figure": "RAM, MiB", "reached": None, "goal": 130, "met": None}]}))
        code, said, _ = self.main()
        self.assertEqual(code, 0)
        self.assertRegex(said, r"OVA, MB +124\.5 +140  yes\n")
        self.assertRegex(said, r"login, s +30 +23  NO\n")
        self.assertRegex(said, r"RAM, MiB +- +130  not measured\n")

    def test_without_a_run_says_what_to_do(self):
        code, said, complained = self.main()
        self.assertEqual((code, said), (1, ""))
        self.assertIn("run `make wow` first", complained)
        self.assertIn("run `make test` first", complained)

    def test_a_broken_file_is_named(self):
        (self.out / "figures.json").write_text("{")
        code, _, complained = self.main()
        self.assertEqual(code, 1)
        self.assertIn("figures.json cannot be read", complained)

    def test_a_contract_that_is_broken_is_told_in_a_line(self):
        (self.out / "docs/contract").mkdir(parents=True)
        (self.out / "docs/contract/settings.json").write_text('{"kinds": {}, "sections": [{"section": "udp", "keys": [{"key": "tries"}]}]}')
        code, said, complained = self.main(lambda module, out: module.write(out, False))
        self.assertEqual((code, said), (1, ""))
        self.assertEqual(complained, "figures: docs/contract/settings.json: [udp] tries lacks ['in', 'kind', 'says']\n")


if __name__ == "__main__":
    unittest.main()
