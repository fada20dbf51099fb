"""Talking to ipopd."""
import json
import socket
import tempfile
import threading
import unittest
from unittest import mock

from wow.lib import control, paths, system
from wow.lib.errors import WowError


class Socket(unittest.TestCase):
    def ask(self, answer):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/s"
            with socket.socket(socket.AF_UNIX) as server:
                server.bind(path)
                server.listen()

                def serve():
                    connection, _ = server.accept()
                    with connection:
                        self.heard = connection.recv(1000)
                        connection.sendall(answer)
                thread = threading.Thread(target=serve)
                thread.start()
                try:
                    return control.ask("resolve", path, name="manager.science.internal")
                finally:
                    thread.join()

    def test_one_line_out_one_line_in(self):
        self.assertEqual(self.ask(b'{"ok":true,"address":"10.128.0.1"}\n')["address"], "10.128.0.1")
        self.assertEqual(json.loads(self.heard), {"command": "resolve", "name": "manager.science.internal"})

    def test_errors_name_the_socket_and_what_to_do(self):
        for answer in (b'{"ok":false,"error":"no such name"}\n', b"hello\n", b""):
            with self.assertRaises(WowError) as caught:
                self.ask(answer)
            self.assertTrue(caught.exception.file.endswith("/s") and caught.exception.todo)
        with self.assertRaises(WowError) as caught:
            control.ask("status", "/nonexistent/ipopd.sock")
        self.assertIn("/nonexistent/ipopd.sock: does not exist: ipopd is not running", str(caught.exception))

    def test_on_a_computer_that_is_no_machine_of_a_pool_the_todo_is_to_go_to_one(self):
        with tempfile.TemporaryDirectory() as run:
            for place, is_here in ((run, True), (f"{run}/none", False)):
                socket_of = f"{place}/ipopd.sock"
                with mock.patch.object(paths, "RUN", place), mock.patch.object(paths, "SOCKET", socket_of):
                    for asked in (lambda: control.ask("status", socket_of), lambda: system.run([f"{run}/no-condor_q"])):
                        with self.assertRaises(WowError) as caught:
                            asked()
                        self.assertEqual(caught.exception.todo != system.ELSEWHERE, is_here)


if __name__ == "__main__":
    unittest.main()
