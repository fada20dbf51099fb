import json
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from contract import agreed, constants, csharp, settings, shipped  # noqa: E402
from contract.source import Broken  # noqa: E402

CLONE = pathlib.Path(__file__).resolve().parents[2]
ORDINARY = {"session-seconds", "route-protocol", "tap-mtu", "manager-label", "name-server-label", "worker-role", "manager-role", "zone-suffix", "authority-label",
            "most-managers", "stack-notice", "term-notice", "keys-notice", "origins-notice", "authority-notice", "drained-notice", "most-drained", "most-origins",
            "longest-origin", "most-keys", "most-modules", "most-deltas", "largest-stack-text", "delta-word", "architecture-word", "first-architecture",
            "https-port"}
"""Values that mean other things elsewhere, too: 87, 1280, 443, 3600, "manager", 8, rdiff's "delta", Debian's "architecture"."""
KEYS = [{"key": "port", "in": ["ipopd.conf"], "kind": "number", "least": 1, "most": 9, "default": "7", "says": "A port."},
        {"key": "other", "in": ["pool.conf"], "kind": "number", "least": 1, "most": 9, "default": "8", "says": "Another."}]
PORT = {"name": "a-port", "default-of": ["udp port"], "in": ["C#"], "says": "The port.", "stands": {"unit": "--listen {}"}}
MARK = {"name": "mark", "value": "0x1f", "in": ["Python", "C#"], "says": "The mark."}


class Constants(unittest.TestCase):
    """Of a small contract."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "docs/contract").mkdir(parents=True)
        (self.root / settings.SOURCE).write_text(json.dumps({"kinds": {"number": "digits"}, "sections": [{"section": "udp", "keys": KEYS}]}))

    def write(self, *entries):
        (self.root / constants.SOURCE).write_text(json.dumps({"about": "", "constants": entries}))

    def test_a_constant_is_code_of_its_languages(self):
        self.write(PORT, MARK, {**MARK, "name": "word", "value": "a", "in": ["C#"]})
        made = constants.agreed(self.root)
        self.assertIn("    /// <summary>The port.</summary>\n    public const int APort = 7;\n", made)
        self.assertIn("    public const int Mark = 0x1f;\n", made)
        self.assertIn('    public const string Word = "a";\n', made)
        self.write({**MARK, "value": 1 << 31})
        self.assertIn("    public const long Mark = 2147483648;\n", constants.agreed(self.root))
        self.write(PORT, MARK)
        for name in ("files.json", "programs.json"):
            (self.root / "docs/contract" / name).write_bytes((CLONE / "docs/contract" / name).read_bytes())
        self.assertIn('MARK = 0x1f\n"""The mark."""\n', agreed.python(self.root))
        self.assertNotIn("A_PORT", agreed.python(self.root))

    def test_what_stands_elsewhere_is_told_with_the_value(self):
        self.write(PORT)
        self.assertEqual(constants.read(self.root)[0].stands, {"unit": "--listen 7"})

    def test_what_contradicts_itself_is_told(self):
        for words, entries in (("stands twice", (MARK, MARK)), ("make them agree", ({**PORT, "default-of": ["udp port", "udp other"]},)),
                               ("make them agree", ({**PORT, "default-of": ["udp colour"]},))):
            self.write(*entries)
            with self.assertRaises(Broken) as caught:
                constants.read(self.root)
            self.assertIn(words, str(caught.exception))


class Clone(unittest.TestCase):
    """Of this clone: nothing differs from the contract, and nothing says once more what the contract says."""

    @classmethod
    def setUpClass(cls):
        cls.constants, cls.texts = constants.read(CLONE), shipped.texts(CLONE)

    def test_what_takes_no_code_says_the_same(self):
        for one in self.constants:
            for name, text in one.stands.items():
                self.assertTrue(text in (CLONE / name).read_text(encoding="utf-8"), f"{name} has not {text!r}, {one.name} of {constants.SOURCE}: make them agree")

    def test_no_code_says_it_again(self):
        for name, text in self.texts.items():
            told = shipped.values(name, text)
            for one in self.constants:
                value = int(one.value, 0) if str(one.value).startswith("0x") else one.value
                if one.name not in ORDINARY and name not in one.stands and value in told:
                    self.assertIn(value, [other.value for other in self.constants if name in other.stands], f"{name} has {one.value}: take {one.name} of the contract's code")

    def test_every_constant_is_used_by_each_of_its_languages(self):
        for one in self.constants:
            self.assertTrue(one.languages or one.stands, one.name)
            for language, end, word in (("C#", ".cs", f"Agreed.{csharp.pascal(one.name)}"), ("Python", ".py", f"agreed.{one.name.replace('-', '_').upper()}")):
                used = [name for name, text in self.texts.items() if name.endswith(end) and re.search(re.escape(word) + r"\b", text)]
                self.assertEqual(bool(used), language in one.languages, f"{one.name} in {language}: used by {used}; correct `in` of {constants.SOURCE}")


if __name__ == "__main__":
    unittest.main()
