"""Which connections are ended when a manager is gone: those of HTCondor's own daemons that wait for it, and no job's."""
import contextlib
import io
import os
import tempfile
import unittest
from unittest import mock

from wow.jobs import updates

GONE, THERE, WORKER = "10.128.0.1", "10.128.0.2", "10.128.0.3"
ROUTES = """Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
wow0\t0000800A\t00000000\t0001\t0\t0\t1\t0080FFFF\t9000\t0\t0
wow0\t0200800A\t00000000\t0005\t0\t0\t1\tFFFFFFFF\t0\t0\t0
*\t0000A8C0\t00000000\t0201\t0\t0\t0\t00FFFFFF\t0\t0\t0
*\t0100800A\t00000000\t0205\t0\t0\t0\tFFFFFFFF\t0\t0\t0
*\t0300800A\t00000000\t0205\t0\t0\t0\tFFFFFFFF\t0\t0\t0
"""
"""As Linux 6.12 prints them: a prefix and a host through the tap, a network and two hosts that are unreachable."""
TABLE = """  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0900800A:9F01 0100800A:2592 01 00000AC3:00000000 01:00000000 00000000     0        0 11 1 0000000000000000 20 4 30 10 -1
   1: 0900800A:9F02 0100800A:2592 01 00000000:00000000 00:00000000 00000000     0        0 12 1 0000000000000000 20 4 30 10 -1
   2: 0900800A:9F03 0200800A:2592 01 00000AC3:00000000 01:00000000 00000000     0        0 13 1 0000000000000000 20 4 30 10 -1
   3: 0900800A:9F04 0300800A:2592 01 00000AC3:00000000 01:00000000 00000000     0        0 14 1 0000000000000000 20 4 30 10 -1
   4: 0900800A:9F05 0100800A:2592 02 00000001:00000000 01:00000000 00000000     0        0 15 1 0000000000000000 20 4 30 10 -1
   5: 0900800A:2592 0100800A:9F06 01 00000AC3:00000000 01:00000000 00000000     0        0 16 1 0000000000000000 20 4 30 10 -1
   6: 0900800A:9F07 0100800A:2592 01 00000AC3:00000000 01:00000000 00000000     0        0 17 1 0000000000000000 20 4 30 10 -1
   7: 0900800A:9F08 0100800A:2592 01 00000AC3:00000000 01:00000000 00000000     0        0 18 1 0000000000000000 20 4 30 10 -1
"""
"""One that waits and one that has sent all; to a manager that is there; to a worker that is gone; one that begins; one that the manager made; two more that wait."""
STATUS = {"managers": [{"host": "manager", "address": GONE, "ca": True}, {"host": "second", "address": THERE, "ca": False}], "manager": GONE}


class UpdatesTests(unittest.TestCase):
    """A round, with the kernel's files and the program that ends connections in the test's hands."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.proc = folder.name
        os.mkdir(f"{self.proc}/net")
        self.write("net/route", ROUTES)
        self.write("net/tcp", TABLE)
        for number, program, inodes in ((60, "/usr/sbin/condor_schedd", range(11, 17)), (61, "/usr/sbin/condor_shadow", [17]), (62, "/home/eve/condor_schedd", [18])):
            os.makedirs(f"{self.proc}/{number}/fd")
            os.symlink(program, f"{self.proc}/{number}/exe")
            for at, inode in enumerate(inodes):
                os.symlink(f"socket:[{inode}]", f"{self.proc}/{number}/fd/{at}")
        self.asked, self.ended = 0, []

    def write(self, name, text):
        """A file of /proc."""
        with open(f"{self.proc}/{name}", "w", encoding="ascii") as file:
            file.write(text)

    def round(self, status=None, code=0):
        """Plays one; what it prints."""
        def told():
            self.asked += 1
            return STATUS if status is None else status

        def run(words, **_):
            self.ended.append(words)
            return code, "not permitted"

        said = io.StringIO()
        with mock.patch("wow.lib.control.status", told), mock.patch("wow.lib.system.run", run), contextlib.redirect_stdout(said):
            updates.Updates(self.proc).round(0.0)
        return said.getvalue()

    def test_what_a_daemon_cannot_tell_a_manager_that_is_gone_is_ended_and_nothing_else(self):
        said = self.round()
        self.assertEqual([["ss", "--kill", "--tcp", "--no-header", "state", "established", "dst", f"{GONE}:9618", "sport", "=", f":{0x9F01}"]], self.ended)
        self.assertIn(f"{GONE} is gone", said)

    def test_where_nobody_is_gone_nothing_is_asked(self):
        self.write("net/route", "\n".join(line for line in ROUTES.splitlines() if "0205" not in line) + "\n")
        self.assertEqual(("", 0, []), (self.round(), self.asked, self.ended))

    def test_a_worker_that_is_gone_keeps_its_connections(self):
        self.round({"managers": [], "manager": THERE})
        self.assertEqual([], self.ended)

    def test_a_pool_without_a_list_has_one_manager(self):
        self.round({"managers": [], "manager": GONE})
        self.assertEqual(1, len(self.ended))
        self.assertEqual(set(), updates.managers({"managers": [{"host": "x", "address": None}], "manager": None}))

    def test_what_the_kernel_refuses_is_said(self):
        self.assertEqual("ss: not permitted\n", self.round(code=255))


if __name__ == "__main__":
    unittest.main()
