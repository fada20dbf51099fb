"""What a starter enters before it becomes HTCondor's, and with what: the program `starter`, wow/slots/alone.py, wow/lib/libc.py."""
import contextlib
import errno
import importlib.machinery
import importlib.util
import os
import pathlib
import posix
import signal
import struct
import sys
import tempfile
import unittest
from unittest import mock

from wow.lib import libc
from wow.slots import alone, begun, groups, homes

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "appliance/node/root/usr/lib/wow/node/starter"
ARGUMENTS = ["-f", "-a", "slot1_2", "alpha"]


def starter():
    """The program, loaded and not run."""
    loader = importlib.machinery.SourceFileLoader("starter", str(PROGRAM))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("starter", loader))
    loader.exec_module(module)
    return module


class Starter(unittest.TestCase):
    def run_it(self, refusal=None, arguments=ARGUMENTS):
        """What it did, in order; with what it became the starter, or None; what the journal got."""
        done, said = [], []
        with mock.patch.object(begun, "begin", side_effect=lambda *arguments: done.append(("begin", *arguments))), \
                mock.patch.object(groups, "bound", side_effect=lambda: done.append(("bound",))), \
                mock.patch.object(alone, "enter", side_effect=refusal or (lambda: done.append(("enter",)))), \
                mock.patch("posix.execv", side_effect=lambda *arguments: done.append(("execv", *arguments))), \
                mock.patch("syslog.syslog", side_effect=said.append), mock.patch.object(libc, "call", side_effect=lambda *what: done.append(what)), \
                mock.patch.object(sys, "argv", ["starter", *arguments]), mock.patch.dict(posix.environ, {b"CONDOR_INHERIT": b"1 <a> 0"}):
            try:
                starter().main()
            except SystemExit as error:
                done.append(("exit", error.code))
        return done, said

    def test_disk_and_control_groups_are_bounded_then_the_slot_shut_then_it_becomes_the_starter_with_its_arguments(self):
        done, said = self.run_it()
        hidden = [("mount", b"none", folder, b"tmpfs", alone.MS_RDONLY, b"mode=0") for folder in (b"/home", b"/run/layers")]
        self.assertEqual([("begin", ARGUMENTS, "1 <a> 0"), ("bound",), ("enter",), *hidden], done[:5])
        self.assertEqual(("execv", "/usr/sbin/condor_starter", ["/usr/sbin/condor_starter", *ARGUMENTS]), done[-1])
        self.assertEqual([], said)

    def test_signals_that_python_ignores_are_as_they_were(self):
        changed = {number for name, number, *what in (one for one in self.run_it()[0] if one[0] == "signal") if what == [signal.SIG_DFL]}
        self.assertEqual({signal.SIGPIPE, signal.SIGXFSZ}, changed)

    def test_a_machine_that_cannot_shut_a_job_in_starts_none_and_says_why(self):
        done, said = self.run_it(OSError(errno.ENOSYS, "Function not implemented"))
        self.assertEqual(("exit", 1), done[-1])
        self.assertNotIn("execv", [one[0] for one in done])
        self.assertIn("Function not implemented. Start the image's own kernel", said[0])

    def test_one_that_is_for_no_slot_makes_no_control_group_and_hides_no_homes(self):
        done = [what[0] for what in self.run_it(arguments=["-classad"])[0]]
        self.assertIn("enter", done)
        self.assertFalse({"bound", "mount"}.intersection(done))

    def test_a_folder_that_is_not_there_need_not_be_hidden_and_one_that_cannot_be_is_told(self):
        for error, is_raised in ((FileNotFoundError(errno.ENOENT, "No such file or directory"), False), (OSError(errno.EPERM, "Operation not permitted"), True)):
            with mock.patch.object(libc, "call", side_effect=error) as call, self.assertRaises(OSError) if is_raised else contextlib.nullcontext():
                homes.hide()
            self.assertEqual(1 if is_raised else 2, call.call_count, error)


class Groups(unittest.TestCase):
    """The kernel's part, that it makes no group below, is for test/pool and test/vm."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.unit, self.other = pathlib.Path(folder.name) / "condor.service", pathlib.Path(folder.name) / "htcondor"
        patch = mock.patch.object(groups, "GROUPS", (f"{self.unit}/htcondor", str(self.other)))
        patch.start()
        self.addCleanup(patch.stop)

    def bound(self, *there):
        """Bounds them; the kernel has the file in each group."""
        for group in there:
            (group / groups.DEPTH).touch()
        groups.bound()
        return [(group / groups.DEPTH).read_text(encoding="ascii") for group in there]

    def test_each_group_of_jobs_has_one_level_below_it(self):
        for group in (self.unit / "htcondor", self.other):
            group.mkdir(parents=True)
        for _ in range(2):
            self.assertEqual(["1", "1"], self.bound(self.unit / "htcondor", self.other))

    def test_the_unit_s_is_made_before_the_first_job_and_no_other_one(self):
        self.unit.mkdir()
        groups.bound()
        self.assertEqual((True, False), ((self.unit / "htcondor").is_dir(), self.other.exists()))

    def test_a_unit_without_a_group_is_left_alone(self):
        self.other.mkdir()
        self.assertEqual((["1"], False), (self.bound(self.other), self.unit.exists()))


class Alone(unittest.TestCase):
    def test_it_enters_namespaces_without_systemd_s_sockets_and_a_domain_of_landlock_for_sockets(self):
        calls = []
        with mock.patch.object(libc, "call", side_effect=lambda *arguments: calls.append(arguments) or 7), mock.patch("posix.close") as close:
            alone.enter()
        namespaces = [("unshare", 0x08020000), ("mount", None, b"/", None, 0x84000, None), ("mount", b"none", b"/run/systemd", b"tmpfs", 1, b"mode=0")]
        self.assertEqual([("syscall", 444, struct.pack("=3Q", 0, 0, 1), 24, 0), *namespaces, ("syscall", 446, 7, 0)], calls)
        close.assert_called_once_with(7)

    def test_what_the_kernel_refuses_is_raised(self):
        for refused in range(5):
            answers = [7, 0, 0, 0, 0]
            answers[refused] = OSError(errno.EPERM, "Operation not permitted")
            with mock.patch.object(libc, "call", side_effect=answers), mock.patch("posix.close"), self.assertRaises(OSError):
                alone.enter()

    def test_a_kernel_without_landlock_refuses_while_the_journal_can_be_told(self):
        with mock.patch.object(libc, "call", side_effect=OSError(errno.ENOSYS, "Function not implemented")) as call, self.assertRaises(OSError):
            alone.enter()
        self.assertEqual(["syscall"], [one.args[0] for one in call.call_args_list], "systemd's sockets are hidden by then")


class Library(unittest.TestCase):
    def test_a_function_is_called_with_numbers_bytes_and_room_for_what_it_writes(self):
        room = libc.room(8)
        self.assertEqual(5, libc.call("snprintf", room, 8, b"%d-%s", 42, b"ab"))
        self.assertEqual(b"42-ab\0\0\0", room.raw)

    def test_what_fails_says_why(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(FileNotFoundError) as raised:
            libc.call("chdir", f"{folder}/none".encode())
        self.assertEqual((errno.ENOENT, os.strerror(errno.ENOENT)), (raised.exception.errno, raised.exception.strerror))
