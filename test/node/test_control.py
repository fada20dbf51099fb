"""Talking to ipopd."""
import json
import socket
import tempfile
import threading
import unittest

from wow.lib import control
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


if __name__ == "__main__":
    unittest.main()
