import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from contract import authority  # noqa: E402
from contract.source import Broken  # noqa: E402

CLONE = pathlib.Path(__file__).resolve().parents[2]
GOOD = {
    "about": ["What the", "CA says."], "commands": {"list": ["all"]},
    "messages": {"answer": {"says": "An answer.", "fields": [{"name": "exit", "type": "integer", "says": "A code."}]}},
    "replies": {"all": {"says": "All.", "fields": [{"name": "rows", "type": "[row]", "says": "Rows."}, {"name": "ends", "type": "[integer]", "says": "Counts."}]}},
    "parts": {"row": {"says": "A row.", "fields": [{"name": "host", "type": "string?", "says": "A name."}]}}}


class Contract(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, **changes):
        path = self.root / authority.SOURCE
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({**GOOD, **changes}), encoding="utf-8")

    def test_the_reference_has_it_all(self):
        self.write()
        made = authority.reference(self.root)
        for words in ("What the CA says.\n", "- **answer**: An answer.\n  - `exit`, integer: A code.\n", "- **list**: All.\n  - `rows`, [row]: Rows.\n", "- **row**: A row.\n"):
            self.assertIn(words, made)

    def test_what_contradicts_itself_is_told(self):
        for words, changes in (("without a command", {"commands": {}}), ("without a command", {"commands": {"list": ["all", "more"]}}), ("nothing is made of ['row', 'two']", {
                "replies": {"all": {"says": "All.", "fields": []}}, "parts": {**GOOD["parts"], "two": {"says": "Two.", "fields": []}}}),
                ("of the type [rows]", {"replies": {"all": {"says": "All.", "fields": [{"name": "rows", "type": "[rows]", "says": "Rows."}]}}})):
            self.write(**changes)
            with self.assertRaises(Broken) as caught:
                authority.read(self.root)
            self.assertIn(words, str(caught.exception))

    def test_a_reply_that_is_not_as_the_contract_says_is_found(self):
        self.write()
        found = authority.read(self.root)
        for right in ({"rows": [], "ends": [1, 2]}, {"rows": [{"host": None}, {"host": "a"}], "ends": []}):
            self.assertEqual(authority.faults(found, "all", right), [])
        for wrong, words in (({"rows": []}, "ends is missing"), ({"rows": [{"host": 1}], "ends": []}, "rows[0].host is 1"), ({"rows": [], "ends": ["a"]}, "no integer"),
                             ({"rows": [], "ends": [], "x": 1}, "x is no field"), ([], "no object")):
            self.assertIn(words, " ".join(authority.faults(found, "all", wrong)))

    def test_every_command_of_wow_ca_has_its_replies_and_no_other_has(self):
        table = json.loads((CLONE / "appliance/help/wow-ca.json").read_text(encoding="utf-8"))
        self.assertEqual({one["name"] for one in table["commands"]}, set(authority.read(CLONE).commands))
        self.assertEqual(authority.faults(authority.read(CLONE), "help", table), [])


if __name__ == "__main__":
    unittest.main()
