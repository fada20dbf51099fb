"""A connection to QEMU's socket, which is a file before QEMU listens."""

import pathlib
import socket
import sys
import tempfile
import threading
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "appliance/lab"))

import qmp  # noqa: E402


class Connecting(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = f"{folder.name}/qmp"
        self.server = socket.socket(socket.AF_UNIX)
        self.addCleanup(self.server.close)
        self.server.bind(self.path)
        self.pauses = []

    def connect(self, pause):
        with mock.patch.object(qmp.time, "sleep", pause):
            return qmp.Qmp(self.path)

    def test_one_that_listens_a_moment_after_its_file_is_there_is_waited_for(self):
        def pause(seconds):
            self.pauses.append(seconds)
            if len(self.pauses) == 3:
                self.server.listen()

        def answer():
            one = self.server.accept()[0]
            with one, one.makefile("rw", encoding="utf-8") as file:
                file.write('{"QMP": {}}\n')
                file.flush()
                self.assertIn("qmp_capabilities", file.readline())
                file.write('{"return": {}}\n')
                file.flush()

        accepting = threading.Thread(target=lambda: (listening.wait(20), answer()), daemon=True)
        listening = threading.Event()
        accepting.start()
        self.connect(lambda seconds: (pause(seconds), len(self.pauses) == 3 and listening.set())).close()
        accepting.join(20)
        self.assertEqual((len(self.pauses), accepting.is_alive()), (3, False))

    def test_one_that_never_does_is_told_in_the_end(self):
        with self.assertRaises(ConnectionRefusedError):
            self.connect(self.pauses.append)
        self.assertEqual(len(self.pauses), qmp.LISTENS - 1)

    def test_where_there_is_no_file_nothing_is_waited_for(self):
        self.path += "-none"
        with self.assertRaises(FileNotFoundError):
            self.connect(self.pauses.append)
        self.assertEqual(self.pauses, [])


if __name__ == "__main__":
    unittest.main()
