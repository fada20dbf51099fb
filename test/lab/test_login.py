import dataclasses
import unittest

import lab_path  # noqa: F401
from login import must_run
from shell import LabError
from sites import ALPHA


class LoginTests(unittest.TestCase):
    def test_whoever_logs_in_while_no_pool_runs_is_told_how_to_start_one(self):
        with self.assertRaisesRegex(LabError, "no pool with alpha runs here: `make wow KEEP=1` starts one"):
            must_run(dataclasses.replace(ALPHA, namespace="wowlab-nowhere"))
