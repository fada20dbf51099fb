import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from contract import control  # noqa: E402
from contract.source import Broken  # noqa: E402

ASK = {"command": "look-at", "right": "read", "reply": "view", "says": "Looks.", "fields": [
    {"name": "patience_ms", "type": "integer?", "least": 1, "most": 9, "default": 5, "says": "How long."}]}
VIEW = {"says": "What is seen.", "fields": [
    {"name": "who", "type": "string?", "says": "Whoever."}, {"name": "things", "type": "[thing]", "says": "Each."}, {"name": "most", "type": "thing?", "says": "The best."}]}
THING = {"says": "A thing.", "fields": [
    {"name": "kind", "type": "string", "of": ["red-hot", "cold"], "says": "How it is."}, {"name": "size_s", "type": "number?", "says": "How long."},
    {"name": "count", "type": "integer", "says": "How many."}, {"name": "is", "type": "boolean", "says": "Whether."}, {"name": "names", "type": "[string]", "says": "Names."}]}
MOOD = {"says": "A mood.", "fields": []}
STATE = {"says": "A state.", "fields": [{"name": "moods", "type": "[mood]", "says": "Each."}]}
STATUS = {"says": "How it is.", "fields": [{"name": "state", "type": "state?", "says": "The state."}]}
ONE = {"kind": "cold", "size_s": 1.5, "count": 2, "is": True, "names": ["a"]}


class ControlSocket(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write()

    def write(self, ask=None, view=None):
        path = self.root / control.SOURCE
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({
            "about": "A socket.", "requests": [ask or ASK], "codes": {"not-there": "It is not there."}, "replies": {"view": view or VIEW, "status": STATUS},
            "parts": {"thing": THING, "state": STATE, "mood": MOOD}}))

    def test_a_reply_is_a_record_that_writes_itself(self):
        made = control.replies(self.root) + control.other_parts(self.root)
        self.assertIn("internal sealed record ViewReply(string? Who, IReadOnlyList<ThingReply> Things, ThingReply? Most) : IControlReply\n", made)
        self.assertIn('        json.WriteBoolean("ok"u8, true);\n        json.WriteString("who"u8, Who);\n        ControlWriter.Write(json, "things"u8, Things);\n', made)
        self.assertIn("internal sealed record ThingReply(string Kind, double? SizeS, long Count, bool Is, IReadOnlyList<string> Names) : IControlReply\n", made)
        self.assertIn('    internal const string KindRedHot = "red-hot";\n', made)
        # A part has no ok of its own.
        self.assertNotIn('"ok"u8', control.other_parts(self.root))
        self.assertIn('/// <param name="Kind">How it is. One of red-hot, cold.</param>\n', made)

    def test_parts_of_the_status_stand_in_a_file_of_their_own(self):
        made, others = control.status_parts(self.root), control.other_parts(self.root)
        for name in ("StateReply", "MoodReply"):
            self.assertIn(f"record {name}(", made)
            self.assertNotIn(f"record {name}(", others)
        self.assertNotIn("ThingReply", made)

    def test_a_request_is_a_kind_with_its_fields_and_limits(self):
        made = control.requests(self.root)
        self.assertIn("    internal long? PatienceMs { get; private set; }\n", made)
        self.assertIn("    internal const long LeastPatienceMs = 1, MostPatienceMs = 9, UsualPatienceMs = 5;\n", made)
        self.assertIn("        new(ControlCommand.LookAt, ControlRight.Read),\n", made)
        self.assertIn('        else if (json.ValueTextEquals("patience_ms"u8))\n        {\n            PatienceMs = ReadInteger(ref json);\n', made)
        self.assertIn('    public const string LookAt = "look-at";\n', control.commands(self.root))
        self.assertIn('    public const string NotThere = "not-there";\n', control.codes(self.root))

    def test_the_type_checker_knows_each_answer(self):
        made = control.answers(self.root)
        self.assertIn('class Thing(TypedDict):\n    """A thing."""\n    kind: Literal["red-hot", "cold"]\n    size_s: float | None\n    count: int\n    is: bool\n'
                      "    names: list[str]\n", made)
        self.assertIn("    who: str | None\n    things: list[Thing]\n    most: Thing | None\n", made)
        self.assertLess(made.index("class Thing("), made.index("class View("))

    def test_the_reference_has_it_all(self):
        made = control.reference(self.root)
        self.assertIn("- **look-at** (whoever may ask; answered by [view](#view)): Looks.\n  - `patience_ms`, integer?: How long. From 1 to 9, 5 if it is missing.\n", made)
        self.assertIn("\n- `not-there`: It is not there.\n", made)
        self.assertIn("\n### thing\n\nA thing.\n\n- `kind`, string: How it is. One of red-hot, cold.\n", made)

    def test_what_contradicts_itself_is_told(self):
        for words, change in (
                ("of which one is unknown", {"ask": {**ASK, "reply": "vista"}}), ("of which one is unknown", {"ask": {**ASK, "right": "none"}}),
                ("a field has", {"ask": {**ASK, "fields": [{**ASK["fields"][0], "colour": "red"}]}}),
                ("there are string", {"view": {**VIEW, "fields": [{"name": "a", "type": "colour", "says": "A."}]}}),
                ("there are string", {"view": {**VIEW, "fields": [{"name": "a", "type": "[integer]", "says": "A."}]}})):
            self.write(**change)
            with self.assertRaises(Broken) as caught:
                control.read(self.root)
            self.assertIn(words, str(caught.exception))

    def test_an_answer_that_is_not_as_the_contract_says_is_found(self):
        found = control.read(self.root)
        right = {"ok": True, "who": None, "things": [ONE], "most": None}
        self.assertEqual(control.faults(found, "view", right), [])
        for wrong, words in (
                ({**right, "colour": "red"}, ["colour is no field of view"]), ({"ok": True, "who": None, "things": []}, ["most is missing"]),
                ({**right, "things": None}, ["things is null"]), ({**right, "things": ONE}, ["things is no list"]),
                ({**right, "most": {**ONE, "kind": "warm"}}, ["most.kind is 'warm', none of red-hot, cold"]),
                ({**right, "things": [{**ONE, "count": True}]}, ["things[0].count is True, no integer"]),
                ({**right, "most": {**ONE, "ok": True}}, ["most.ok is no field of thing"]), ([], ["view is no object"])):
            self.assertEqual(control.faults(found, "view", wrong), words)


if __name__ == "__main__":
    unittest.main()
