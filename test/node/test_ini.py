"""INI is read as ipopd reads it: one file of examples tests both languages, and random files beside it (IniFileTests)."""
import json
import pathlib
import re
import unittest

from wow.lib import ini
from wow.lib.errors import WowError

EXAMPLES = json.loads((pathlib.Path(__file__).resolve().parents[1] / "Ipopd.Tests/Configuration/ini.json").read_text(encoding="utf-8"))["files"]


class Ini(unittest.TestCase):
    def test_examples_are_read_as_the_daemon_reads_them(self):
        for one in EXAMPLES:
            data = bytes.fromhex(one["hex"]) if "hex" in one else one["text"].encode()
            if "sections" in one:
                self.assertEqual(ini.parse(data, "f"), {section: {key: tuple(value) for key, value in keys.items()} for section, keys in one["sections"].items()}, one)
                continue
            with self.assertRaises(WowError, msg=one) as caught:
                ini.parse(data, "f")
            self.assertEqual([int(number) for number in re.findall(r"line (\d+)", caught.exception.what)][-1:], [one["wrong"]][:one["wrong"]], caught.exception.what)

    def test_a_file_has_64_kib_at_most(self):
        self.assertEqual(ini.parse(b"#" * ini.LARGEST, "f"), {})
        with self.assertRaises(WowError):
            ini.parse(b"#" * (ini.LARGEST + 1), "f")


if __name__ == "__main__":
    unittest.main()
