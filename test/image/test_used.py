"""Old entries of a cache are removed, those in use are not."""

import os
import pathlib
import subprocess
import tempfile
import time
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "appliance/image/used"
DAY = 86400


class Used(unittest.TestCase):
    def test_what_was_not_used_for_30_days_goes_and_nothing_else(self):
        with tempfile.TemporaryDirectory() as folder:
            cache = pathlib.Path(folder, "base")
            ages = {"mine": 90, "lately": 20, "old": 40, "older": 400}
            for name, days in ages.items():
                (cache / name / "inside").mkdir(parents=True)
                (cache / name / "inside/file").write_text("x", encoding="ascii")
                os.utime(cache / name, (time.time() - days * DAY,) * 2)
            (cache / "lock").touch()
            (pathlib.Path(folder) / "beside").mkdir()
            for path in (cache / "lock", pathlib.Path(folder) / "beside"):
                os.utime(path, (time.time() - 400 * DAY,) * 2)
            subprocess.run([TOOL, cache / "mine"], check=True)
            self.assertEqual(sorted(path.name for path in cache.iterdir()), ["lately", "lock", "mine"])
            self.assertEqual(sorted(path.name for path in pathlib.Path(folder).iterdir()), ["base", "beside"])
            self.assertLess(time.time() - (cache / "mine").stat().st_mtime, DAY)

    def test_an_entry_that_is_not_there_is_not_made(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([TOOL, os.path.join(folder, "none")], check=True)
            self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    unittest.main()
