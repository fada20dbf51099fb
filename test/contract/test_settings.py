import json
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from contract import settings, shipped  # noqa: E402
from contract.source import Broken  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
ONE = {"key": "rest", "in": ["ipopd.conf", "pool.conf"], "kind": "number", "least": 1, "most": 9, "default": "3", "says": ["How long it", "rests, s."]}
NEEDED = {"key": "name", "in": ["ipopd.conf"], "kind": "label", "example": "a", "says": "Who it is."}


class Settings(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, *keys, text=None):
        path = self.root / settings.SOURCE
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text or json.dumps({
            "kinds": {"number": "digits", "label": "a label", "choice": "a word", "public-key": "a line"}, "sections": [{"section": "node", "says": "The node.", "keys": list(keys)}]}))

    def broken(self, words, **change):
        self.write({key: value for key, value in {**ONE, **change}.items() if value is not None})
        with self.assertRaises(Broken) as caught:
            settings.read(self.root)
        self.assertIn(words, str(caught.exception))

    def test_one_entry_becomes_key_option_line_and_reference(self):
        self.write(ONE, NEEDED)
        self.assertIn('    internal static readonly OptionKey NodeRest = new("node", "rest", "3", 1, 9);\n', settings.option_key(self.root))
        self.assertIn("        NodeRest, NodeName,\n", settings.option_key(self.root))
        options = settings.daemon_options(self.root)
        self.assertIn("    /// <summary>[node] rest: How long it rests, s. From 1 to 9.</summary>\n    internal required ushort NodeRest { get; init; }\n", options)
        self.assertIn("        NodeRest = reader.Number(OptionKey.NodeRest),\n", options)
        # What is required is never null.
        self.assertIn("    internal required string NodeName { get; init; }\n", options)
        self.assertIn("        NodeName = reader.Label(OptionKey.NodeName)!,\n", options)
        self.assertIn("\n# The node.\n[node]\n# How long it rests, s. From 1 to 9.\nrest = 3\n# Who it is. Required.\nname = a\n", settings.commented(self.root))
        self.assertEqual(settings.reference(self.root, settings.POOL), "## [node]\n\nThe node.\n\n- **rest** (number, `3`): How long it rests, s. From 1 to 9.")
        self.assertIn("- **name** (label, required): Who it is.", settings.reference(self.root, settings.DAEMON))
        self.assertEqual(settings.kinds(self.root, settings.POOL), "- number: digits")

    def test_a_number_of_pool_conf_may_have_a_tenth(self):
        self.write({**ONE, "in": ["pool.conf"], "least": 0.5, "default": "1.5"})
        self.assertIn('        "rest": ("number", "1.5", ("0.5", "9")),\n', settings.python_keys(self.root))
        self.assertIn("- **rest** (number, `1.5`): How long it rests, s. From 0.5 to 9.", settings.reference(self.root, settings.POOL))

    def test_what_contradicts_itself_is_told(self):
        self.broken("a setting has", colour="red")
        self.broken("[node] rest lacks ['kind', 'says']", kind=None, says=None)
        self.broken("no kind or file", kind="colour")
        self.broken("no kind or file", **{"in": ["condor.conf"]})
        self.broken("which ipopd does not read", kind="public-key", least=None, most=None)
        self.broken("a number has least and most", least=None)
        self.broken("a choice has of", of=["a"])
        self.broken("ipopd reads whole numbers only", least=0.5)
        self.broken("its default is not from 1 to 9", default="10")
        self.broken("give a default, or an example", default=None)
        self.broken("give a default, or an example", example="3")

    def test_what_stands_twice_or_is_no_json_is_told(self):
        for text in ('{"kinds": {}, "kinds": {}}', "{"):
            self.write(text=text)
            with self.assertRaises(Broken) as caught:
                settings.read(self.root)
            self.assertIn(settings.SOURCE, str(caught.exception))


class Clone(unittest.TestCase):
    def test_every_setting_is_used(self):
        texts = shipped.texts(ROOT)
        daemon = "\n".join(text for name, text in texts.items() if name.startswith("ipop/") and name.endswith(".cs"))
        node = "\n".join(text for name, text in texts.items() if name.startswith("appliance/node/") and shipped.is_python(name, text))
        for _, _, keys in settings.read(ROOT)[1]:
            for one in keys:
                # The sections of people and projects are read key by key, under each name.
                word = f'"{one.key}"' if ":" in one.section else f'"{one.section}", "{one.key}"'
                used = re.search(rf"\b{one.name}\b", daemon) if settings.DAEMON in one.files else word in node
                self.assertTrue(used, f"nobody asks for [{one.section}] {one.key} of {' and '.join(one.files)}")


if __name__ == "__main__":
    unittest.main()
