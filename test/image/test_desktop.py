"""The module desktop's program wow-desktop, as far as it needs no X server: its folder, its port, its secrets, its words. The rest is tried in desktops.py (--long)."""

import contextlib
import fcntl
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import socket
import sys
import tempfile
import unittest
from unittest import mock

import desktops

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "modules/desktop/root/usr/bin/wow-desktop"
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("wow_desktop", str(PROGRAM))
desktop = importlib.util.module_from_spec(importlib.util.spec_from_loader("wow_desktop", loader))
loader.exec_module(desktop)


class Desktop(unittest.TestCase):
    def setUp(self):
        self.scratch = self.enterContext(tempfile.TemporaryDirectory())
        self.place = desktop.Place()
        self.place.path = pathlib.Path(self.scratch, "own")

    def refused(self, said, call, *words):
        with self.assertRaises(desktop.Refused) as wrong:
            call(*words)
        self.assertIn(said, str(wrong.exception))

    def test_its_folder_is_for_one_person_and_a_link_or_an_open_one_is_refused(self):
        self.place.make()
        self.assertEqual(0o700, self.place.path.stat().st_mode & 0o777)
        self.place.make()
        self.place.path.chmod(0o755)
        self.refused("not a folder of yours alone", self.place.make)
        self.place.path.rmdir()
        self.place.path.symlink_to(self.scratch)
        self.refused("not a folder of yours alone", self.place.make)
        self.place.path.unlink()
        self.place.path.write_text("x")
        self.refused("not a folder of yours alone", self.place.make)

    def test_a_second_one_says_where_the_first_is_and_what_a_dead_one_left_is_gone(self):
        self.place.make()
        (self.place.path / "doors").mkdir()
        (self.place.path / "doors/old").symlink_to("../vnc")
        (self.place.path / "link").write_text("old")
        self.assertTrue(self.place.taken())
        self.assertEqual(["lock"], [one.name for one in self.place.path.iterdir()])
        other = desktop.Place()
        other.path = self.place.path
        self.assertFalse(other.taken())
        self.assertEqual(os.getpid(), other.owner())
        (self.place.path / "link").write_text("http://here\n")
        self.assertEqual("http://here\n", other.said())
        self.place.lock.close()
        other.lock.close()
        self.assertTrue(other.taken())
        other.lock.close()

    def test_it_listens_at_127_0_0_1_alone_at_the_first_free_port(self):
        taken = socket.create_server(("127.0.0.1", 0))
        first = taken.getsockname()[1]
        with taken, mock.patch.object(desktop, "FIRST_PORT", first), desktop.listening(None) as one:
            self.assertEqual("127.0.0.1", one.getsockname()[0])
            self.assertLess(first, one.getsockname()[1])
            self.refused("somebody listens there already", desktop.listening, first)
            # Whoever takes all of them keeps nobody from a desktop.
            with mock.patch.object(desktop, "PORTS", 1), desktop.listening(None) as other:
                self.assertNotIn(other.getsockname()[1], (0, first))

    def test_the_x_server_s_secret_is_in_a_file_of_ones_own_and_another_one_each_time(self):
        found = set()
        for _ in range(2):
            self.place.make()
            file = desktop.authority(self.place)
            data = file.read_bytes()
            self.assertEqual(0o600, file.stat().st_mode & 0o777)
            self.assertEqual(b"\xff\xff\0\0\0\0\0\x12MIT-MAGIC-COOKIE-1\0\x10", data[:-16])
            found.add(data[-16:])
            file.unlink()
        self.assertEqual(2, len(found))

    def test_the_line_to_open_has_the_secret_behind_its_hash_which_no_server_is_sent(self):
        with mock.patch.dict(os.environ, SSH_CONNECTION="192.0.2.50 50000 192.0.2.11 22"):
            text = desktop.message(6081, "abc")
        self.assertRegex(text, r"ssh -L 6081:127\.0\.0\.1:6081 \S+@192\.0\.2\.11\n")
        link = next(line.strip() for line in text.splitlines() if "http" in line)
        self.assertTrue(link.startswith("http://localhost:6081/vnc.html#"), link)
        self.assertTrue(link.endswith("token%3Dabc"), link)
        with mock.patch.dict(os.environ, SSH_CONNECTION=""):
            self.assertIn("@HOST\n", desktop.message(6081, "abc"))

    def test_behind_a_hypervisor_s_nat_the_line_to_type_goes_by_the_port_that_leads_there(self):
        product = pathlib.Path(self.scratch, "product")
        product.write_text("VirtualBox\n", encoding="ascii")
        with mock.patch.dict(os.environ, SSH_CONNECTION="10.0.2.2 50000 10.0.2.15 22"):
            for path, port in ((product, "4422"), (product.with_name("none"), "PORT")):
                self.assertRegex(desktop.message(6080, "abc", path), rf"ssh -L 6080:127\.0\.0\.1:6080 -p {port} \S+@127\.0\.0\.1\n")

    def test_sizes_and_ports_that_are_none_are_refused_in_words(self):
        for words, said in ((["--size", "1280"], "write it like 1280x800"), (["--size", "100x800"], "320 to 8192"), (["--size", "99999x800"], "320 to 8192"),
                            (["--port", "0"], "is no port"), (["--port", "65536"], "is no port"), (["--port", "x"], "is no port"), (["begin"], "invalid choice")):
            with self.subTest(words), mock.patch("sys.argv", ["wow-desktop", *words]), contextlib.redirect_stderr(io.StringIO()) as told:
                with self.assertRaises(SystemExit) as ended:
                    desktop.main()
                self.assertEqual(2, ended.exception.code)
                self.assertIn(said, told.getvalue())

    def test_root_and_accounts_without_a_shell_get_none(self):
        for uid, shell in ((0, "/bin/bash"), (2001, "/usr/sbin/nologin"), (101, "/bin/false")):
            account = mock.Mock(pw_uid=uid, pw_shell=shell, pw_name="somebody")
            with self.subTest(uid), mock.patch("sys.argv", ["wow-desktop"]), mock.patch.object(desktop.pwd, "getpwuid", return_value=account):
                self.refused("somebody gets no desktop", desktop.main)

    def test_a_part_that_does_not_start_says_what_it_said(self):
        part = desktop.Part("the server", "sh", "-c", "echo there is no screen >&2; exit 3")
        part.process.wait()
        self.refused("the server did not start: ", part.wait_for, lambda: False)
        part.process.stdout.close()

    def test_a_lock_that_nobody_holds_is_none(self):
        self.place.make()
        (self.place.path / "lock").write_text("1")
        self.assertTrue(self.place.taken())
        with open(self.place.path / "lock", encoding="ascii") as other, self.assertRaises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self.place.lock.close()


class Complaints(unittest.TestCase):
    """What the browser wrote, and what of it stops the check."""

    def test_a_picture_that_novnc_leaves_to_the_collector_is_taken_once_and_nothing_else_is(self):
        leak = f"{desktops.NOVNC}. Applications should call close() on frames when done with them to prevent stalls."
        known = ["Failed to load resource: the server responded with a status of 404 (File not found)"]
        self.assertEqual([], desktops.wrong([leak, *known]))
        self.assertEqual([leak], desktops.wrong([leak, leak]))
        self.assertEqual(["TypeError: x is undefined"], desktops.wrong([leak, "TypeError: x is undefined"]))
        self.assertEqual([f"Uncaught: {leak}"], desktops.wrong([f"Uncaught: {leak}"]))


if __name__ == "__main__":
    unittest.main()
