"""What people are told to type can be typed where they are."""

import contextlib
import os
import pathlib
import shlex
import subprocess
import tempfile
import unittest
from unittest import mock

from world import ROOT

from pool import here
from pool.clone import Clone


class Typed(unittest.TestCase):
    def typed(self, place):
        """What is told there; it is a command there."""
        with contextlib.chdir(place):
            said = here.typed()
            done = subprocess.run(f"{said} show /nowhere", shell=True, capture_output=True, text=True, check=False)
        self.assertEqual((1, True), (done.returncode, done.stderr.startswith("wow pool show: /nowhere: is no folder of a pool")), done.stderr)
        return said

    def test_it_is_what_leads_to_the_clone_from_the_current_folder(self):
        with tempfile.TemporaryDirectory() as far:
            for place, said in ((ROOT, "appliance/wow pool"), (ROOT / "appliance", "./wow pool"), (ROOT / "docs", "../appliance/wow pool")):
                self.assertEqual(said, self.typed(place))
            self.assertLessEqual(len(self.typed(far)), len(f"{here.ANYWHERE} pool"))

    def test_where_the_clone_s_own_is_found_by_its_name_that_is_enough(self):
        with tempfile.TemporaryDirectory() as programs:
            with mock.patch.dict(os.environ, {"PATH": f"{programs}:{os.environ['PATH']}"}):
                pathlib.Path(programs, "wow").symlink_to(here.WOW)
                self.assertEqual("wow pool", self.typed(ROOT))
                pathlib.Path(programs, "wow").unlink()
                pathlib.Path(programs, "wow").symlink_to("/bin/true")
                self.assertEqual("appliance/wow pool", self.typed(ROOT))

    def test_where_the_current_folder_is_gone_it_is_the_whole_path(self):
        gone = tempfile.mkdtemp()
        with contextlib.chdir(gone):
            os.rmdir(gone)
            self.assertEqual(f"{here.ANYWHERE} pool", here.typed())

    def test_what_makes_the_image_can_be_typed_where_the_clone_s_folder_has_a_blank_in_its_name(self):
        self.assertEqual(["cd", "/srv/Zürich lab/wow", "&&", "make", "image"], shlex.split(Clone("/srv/Zürich lab/wow").make_image))


if __name__ == "__main__":
    unittest.main()
