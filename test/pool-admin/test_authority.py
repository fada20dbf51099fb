import pathlib
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "appliance"))

from pool.authority import Authority  # noqa: E402
from pool.node import WowError  # noqa: E402


class Answers(unittest.TestCase):
    """What wow-ca says is taken from its answer for programs alone. In its place stands a script that says what a test wants."""

    def ticket(self, said):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            program = folder / "wow-ca"
            program.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" > '{folder}/asked'\ncat <<'END'\n{said}\nEND\n", encoding="utf-8")
            program.chmod(0o755)
            try:
                return Authority(program, folder).ticket(7, "2099-01-01")
            finally:
                self.asked = (folder / "asked").read_text(encoding="utf-8").splitlines()

    def test_a_ticket_is_a_field_of_the_answer(self):
        self.assertEqual("t1:hushhush", self.ticket('{"uses": 7, "ticket": "t1:hushhush"}'))
        self.assertEqual(("ticket", "--json"), (self.asked[0], self.asked[-1]))

    def test_words_for_people_are_no_answer(self):
        with self.assertRaisesRegex(WowError, "wow-ca ticket --json: answered what is no JSON.*make image"):
            self.ticket("t1:hushhush")

    def test_an_answer_without_a_ticket_is_told(self):
        for said in ("{}", "[]", '{"ticket": null}'):
            with self.assertRaisesRegex(WowError, "answered without a ticket.*make image"):
                self.ticket(said)

    def test_what_it_holds_is_asked_once_until_something_changes(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            asked, program = folder / "asked", folder / "wow-ca"
            answer = '{"tickets": [{"used": %d}], "ticket": "t1:hush"}'
            program.write_text(f"#!/bin/sh\necho $1 >> '{asked}'\nprintf '{answer}' $(wc -l < '{asked}')\n", encoding="utf-8")
            program.chmod(0o755)
            authority = Authority(program, folder)
            self.assertEqual((1, 1), (authority.admitted(), authority.admitted()))
            for change in (lambda: authority.ticket(7, "2099-01-01"), lambda: authority.end_ticket("t1"), lambda: authority.renew_manager(folder)):
                change()
                before = len(asked.read_text(encoding="utf-8").split())
                self.assertEqual((before + 1, before + 1), (authority.admitted(), authority.admitted()))
            self.assertEqual("list ticket list ticket list renew list".split(), asked.read_text(encoding="utf-8").split())
            self.assertEqual(8, Authority(program, folder).admitted(), "another run was told what is past")


if __name__ == "__main__":
    unittest.main()
