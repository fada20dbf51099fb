import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from contract import agent  # noqa: E402
from contract.source import Broken  # noqa: E402

LOOK = {"command": "look-at", "who": ["root", "member"], "says": "Looks.", "fields": [{"name": "place", "type": "string?", "says": "Where."}]}
STOP = {"command": "stop", "who": ["root"], "says": "Stops.", "fields": []}
REPLIES = {"done": {"says": "It was done.", "fields": []}, "error": {"says": "It was not.", "fields": [
    {"name": "error", "type": "string", "says": "Why."}, {"name": "code", "type": "string", "says": "One of the codes."}]}}


class Socket(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write()

    def write(self, *requests, limits=(("most-of-one", 4),)):
        path = self.root / agent.SOURCE
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({
            "about": ["A", "socket."], "requests": requests or [LOOK, STOP], "replies": REPLIES, "codes": {"not-permitted": "This user may not."},
            "limits": [{"name": name, "value": value, "says": "So many."} for name, value in limits]}))

    def test_the_agent_gets_who_may_ask_for_what_the_codes_and_the_limits(self):
        made = {}
        exec(agent.python(self.root), made)  # pylint: disable=exec-used
        self.assertEqual(made["REQUESTS"], {"look-at": (("root", "member"), ("place",)), "stop": (("root",), ())})
        self.assertEqual((made["NOT_PERMITTED"], made["MOST_OF_ONE"]), ("not-permitted", 4))

    def test_the_reference_has_it_all(self):
        made = agent.reference(self.root)
        for words in ("A socket.\n", "- **look-at** (root, members): Looks.\n  - `place`, string?: Where.\n- **stop** (root): Stops.\n",
                      "- **error**: It was not.\n  - `error`, string: Why.\n", "- `not-permitted`: This user may not.\n", "- 4: So many."):
            self.assertIn(words, made)

    def test_what_contradicts_itself_is_told(self):
        for words, requests in (("stands twice", [LOOK, LOOK]), ("is for ['king']", [{**LOOK, "who": ["king"]}]), ("is for []", [{**LOOK, "who": []}]),
                                ("of the type integer?", [{**LOOK, "fields": [{"name": "place", "type": "integer?", "says": "Where."}]}]),
                                ("of the type string:", [{**LOOK, "fields": [{"name": "place", "type": "string", "says": "Where."}]}]),
                                ("a field has", [{**LOOK, "fields": [{"name": "place", "colour": "red"}]}])):
            self.write(*requests)
            with self.assertRaises(Broken) as caught:
                agent.read(self.root)
            self.assertIn(words, str(caught.exception))
        self.write(limits=(("most", 1), ("most", 2)))
        with self.assertRaises(Broken):
            agent.read(self.root)

    def test_a_reply_that_is_not_as_the_contract_says_is_found(self):
        found = agent.read(self.root)
        for right in ({"ok": True}, {"ok": False, "error": "no", "code": "not-permitted"}):
            self.assertEqual(agent.faults(found, right), [])
        for wrong, words in (({"ok": True, "code": "x"}, "code is no field of done"), ({"ok": False, "error": "no"}, "code is missing"),
                             ({"ok": False, "error": "no", "code": "busy"}, "code is 'busy'"), ({"error": "no", "code": "not-permitted"}, "ok is None"),
                             ({"ok": False, "error": 1, "code": "not-permitted"}, "no string"), ([], "no object")):
            self.assertIn(words, " ".join(agent.faults(found, wrong)))


if __name__ == "__main__":
    unittest.main()
