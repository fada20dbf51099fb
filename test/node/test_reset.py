"""`wow reset`: what the machine forgets and what stays, and that a power cut at any moment leaves none of it half done."""
import os
import tempfile
import unittest
from unittest import mock

from wow.acts import reset
from wow.lib import files
from wow.setup import configure, forget

GOES = ("node.key", "node.pem", "pool.conf", "ca/ca.key", "ca/ca.db", "condor/job_queue.log", "given/given.json", "execute/dir_7/data", "boot/next", "history/history.db",
        "pause/place.json")
STAYS = ("users", "machine-id", "pause/pause.json", "pause/limits.json", "pause/month.json", "pause/computer.json", "pause/keyboard", "pause/password",
         "refused/projects")
MODULES = ("stacks/next", "layers/abc")


class PowerCut(Exception):
    """The machine is off."""


class Case(unittest.TestCase):
    """A state folder and a home, as a machine of a pool has them."""

    def setUp(self):
        self.made = tempfile.TemporaryDirectory()
        self.addCleanup(self.made.cleanup)
        self.begin("first")
        self.patch(reset.system, "systemctl", mock.Mock())
        self.patch(reset.console, "say", mock.Mock())

    def patch(self, place, name, value):
        """For this test."""
        patch = mock.patch.object(place, name, value)
        patch.start()
        self.addCleanup(patch.stop)

    def begin(self, name):
        """A machine of its own."""
        self.state, self.home = (f"{self.made.name}/{name}/{part}" for part in ("state", "home"))
        for folder, names in ((self.state, (*GOES, *STAYS)), (self.home, (*MODULES, "home/alice/work"))):
            for each in names:
                os.makedirs(os.path.dirname(f"{folder}/{each}"), exist_ok=True)
                files.write(f"{folder}/{each}", each)

    def files(self, folder):
        """The paths of all files in it."""
        return sorted(os.path.relpath(f"{place}/{name}", folder) for place, _, names in os.walk(folder) for name in names)

    def reset(self):
        """Exit code."""
        with mock.patch.object(reset.paths, "STATE", self.state), mock.patch.object(reset.kept, "HOME", self.home):
            return reset.main()

    def start(self):
        """What wow-config does first of all."""
        with mock.patch.object(reset.kept, "HOME", self.home):
            forget.finish(self.state)


class Forgotten(Case):
    def test_the_identity_goes_and_the_owner_s_choices_stay(self):
        self.assertEqual(0, self.reset())
        self.assertEqual((sorted(STAYS), ["home/alice/work"]), (self.files(self.state), self.files(self.home)))
        self.assertEqual(sorted(["users", "machine-id", "refused", "pause", *forget.EMPTIED]), sorted(os.listdir(self.state)))
        self.start()
        self.assertEqual(sorted(STAYS), self.files(self.state))

    def test_what_writes_into_the_state_folder_is_stopped_before_and_the_machine_starts_again_after(self):
        with mock.patch.object(reset, "wipe", lambda _: reset.system.systemctl("wipe")):
            self.reset()
        calls = [call.args for call in reset.system.systemctl.call_args_list]
        self.assertEqual(["stop", "wipe", "reboot"], [words[0] for words in calls])
        self.assertLessEqual({"wow-jobs.service", "condor.service", "ipopd.service", "wow-ca.service"}, set(calls[0]))

    def test_a_disk_that_does_not_do_it_is_told_and_the_machine_does_not_start_again_as_if_it_had(self):
        os.rename(self.state, f"{self.made.name}/elsewhere")
        files.write(self.state, "no folder")
        with mock.patch.object(reset.console, "say_error") as said:
            self.assertEqual(1, self.reset())
        self.assertIn("has not forgotten its pool", str(said.call_args.args[0]))
        self.assertEqual(["stop"], [call.args[0] for call in reset.system.systemctl.call_args_list])


class Cut(Case):
    def cut(self, after):
        """The power is gone after so many changes of the disk. Whether it was before the end."""
        left = [after]

        def counted(real):
            def change(*words, **named):
                left[0] -= 1
                if left[0] < 0:
                    raise PowerCut
                return real(*words, **named)
            return change
        with mock.patch.multiple(os, **{name: counted(getattr(os, name)) for name in ("rename", "unlink", "rmdir", "mkdir")}):
            try:
                self.reset()
            except PowerCut:
                return True
        return False

    def test_a_power_cut_at_any_moment_leaves_all_or_the_next_start_finishes(self):
        number, finished = 0, 0
        while self.cut(number):
            self.start()
            if "node.key" in self.files(self.state):
                self.assertEqual((sorted([*GOES, *STAYS]), sorted([*MODULES, "home/alice/work"])), (self.files(self.state), self.files(self.home)), number)
            else:
                finished += 1
                self.assertEqual((sorted(STAYS), ["home/alice/work"]), (self.files(self.state), self.files(self.home)), number)
                self.assertEqual(set(), {"going", "gone"} & set(os.listdir(self.state)))
            number += 1
            self.begin(f"after-{number}")
        self.assertGreater(finished, len(GOES))

    def test_one_that_is_cut_and_asked_again_loses_nothing_of_what_stays(self):
        self.assertTrue(self.cut(4))
        files.write(f"{self.state}/node.key", "another one")
        self.assertEqual(0, self.reset())
        self.assertEqual(sorted(STAYS), self.files(self.state))

    def test_wow_config_finishes_it_before_it_reads_what_is_kept(self):
        done = []
        with mock.patch.object(configure.forget, "finish", lambda: done.append("finish")), mock.patch.object(configure.console, "begin"), \
                mock.patch.object(configure.modes, "developed", side_effect=PowerCut), mock.patch.object(configure.os, "makedirs"), \
                mock.patch.object(configure.os, "umask"):
            self.assertRaises(PowerCut, configure.main)
        self.assertEqual(["finish"], done)

    def test_what_the_disk_cannot_remove_brings_no_reset_of_the_next_pool(self):
        os.makedirs(f"{self.state}/gone/1")
        with mock.patch("shutil.rmtree") as removed:
            self.start()
        removed.assert_called_once_with(f"{self.state}/gone", ignore_errors=True)
        self.assertEqual(sorted([*GOES, *STAYS]), self.files(self.state))


if __name__ == "__main__":
    unittest.main()
