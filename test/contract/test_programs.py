import json
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from contract import agreed, csharp, programs, shipped  # noqa: E402
from contract.source import Broken  # noqa: E402

CLONE = pathlib.Path(__file__).resolve().parents[2]
DONE = {"code": 0, "name": "done", "of": ["ipopd enroll"], "says": "It is done."}
STOPPED = {"code": 130, "name": "stopped", "of": ["wow"], "says": "It was stopped."}
GRANTED = {"status": 200, "name": "granted", "exit": "done", "says": "Here it is."}


class Programs(unittest.TestCase):
    """Of a small contract."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write()

    def write(self, exits=(DONE, STOPPED), enrolment=(GRANTED,)):
        path = self.root / programs.SOURCE
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"about": "", "exits": exits, "enrolment": enrolment}))

    def test_an_exit_is_code_of_the_languages_that_end_so(self):
        self.assertIn("    /// <summary>It is done.</summary>\n    Done = 0,\n", programs.exit_code(self.root))
        self.assertNotIn("Stopped", programs.exit_code(self.root))
        for name in ("constants.json", "files.json", "settings.json"):
            (self.root / "docs/contract" / name).write_bytes((CLONE / "docs/contract" / name).read_bytes())
        self.assertIn('STOPPED = 130\n"""It was stopped."""\n', agreed.python(self.root))

    def test_a_status_leads_to_an_exit(self):
        made = programs.enrolment_status(self.root)
        self.assertIn("    public const int Granted = 200;\n", made)
        self.assertIn("        Granted => ExitCode.Done,\n        _ => ExitCode.Refused,\n", made)
        self.assertEqual(programs.statuses(self.root), "- 200 (`ipopd enroll` ends with 0): Here it is.")
        self.assertEqual(programs.exits(self.root), "- 0 (`ipopd enroll`): It is done.\n- 130 (`wow`): It was stopped.")

    def test_what_contradicts_itself_is_told(self):
        for words, change in (("stands twice", {"exits": (DONE, {**STOPPED, "code": 0})}), ("stands twice", {"enrolment": (GRANTED, {**GRANTED, "status": 201})}),
                              ("does not end with ['stopped']", {"enrolment": ({**GRANTED, "exit": "stopped"},)})):
            self.write(**change)
            with self.assertRaises(Broken) as caught:
                programs.read(self.root)
            self.assertIn(words, str(caught.exception))


class Clone(unittest.TestCase):
    """Of this clone."""

    def test_every_exit_and_status_is_one_that_a_program_knows(self):
        exits, statuses = programs.read(CLONE)
        sharp = "\n".join(text for name, text in shipped.texts(CLONE).items() if name.endswith(".cs")) + programs.enrolment_status(CLONE)
        python = "\n".join(text for name, text in shipped.texts(CLONE).items() if shipped.is_python(name, text))
        for one in exits:
            if programs.SHARP & set(one.programs):
                self.assertRegex(sharp, rf"\bExitCode\.{csharp.pascal(one.name)}\b")
            if "wow" in one.programs or "ipopd enroll" in one.programs:
                self.assertTrue(re.search(rf"\bagreed\.{one.name.replace('-', '_').upper()}\b", python), one.name)
        for one in statuses:
            self.assertRegex(sharp, rf"\bEnrolmentStatus\.{csharp.pascal(one.name)}\b")


if __name__ == "__main__":
    unittest.main()
