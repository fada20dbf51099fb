import contextlib
import io
import os
import pathlib
import sys
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import program  # noqa: E402


class Publish(unittest.TestCase):
    def test_a_build_that_fails_ends_the_run_with_the_end_of_its_log(self):
        said = io.StringIO()
        environment = {name: value for name, value in os.environ.items() if name != "IPOPD"}
        with mock.patch.dict(os.environ, environment, clear=True), contextlib.redirect_stdout(said), self.assertRaises(SystemExit) as ended:
            program.publish(("sh", "-c", "seq 100; echo 'error CS1002' >&2; exit 3"))
        lines = said.getvalue().splitlines()
        self.assertEqual(ended.exception.code, 1)
        self.assertIn("ended with 3", lines[0])
        self.assertEqual(lines[1:-1], [*(str(number) for number in range(82, 101)), "error CS1002"])
        self.assertEqual(lines[-1], "0 passed, 1 failed")

    def test_a_daemon_that_is_named_is_taken(self):
        with mock.patch.dict(os.environ, {"IPOPD": "/there/ipopd"}):
            self.assertEqual(program.publish(("false",)), "/there/ipopd")


if __name__ == "__main__":
    unittest.main()
