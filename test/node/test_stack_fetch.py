"""Layers from a real server, which cuts, lies, is slow or busy."""
import hashlib
import os
import socket
import tempfile
import threading
import time
import unittest
from unittest import mock

import layer_server
from layer_server import head, header, saying, serving
from wow.lib.errors import WowError
from wow.stack import fetch
from wow.stack.text import Layer

DATA = os.urandom(1 << 20)
WANTED = Layer("module", "maths", len(DATA), hashlib.sha256(DATA).hexdigest())


class Fetching(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.server = None

    def serve(self, *answers):
        self.server = layer_server.Server(*answers)
        self.addCleanup(self.server.close)

    def source(self):
        return fetch.Source("127.0.0.1", self.server.port, "ca.demo.internal", "127.0.0.1")

    def bring(self, **more):
        fetch.layer(self.source(), WANTED, self.folder, **more)

    def fails(self, code, words, **more):
        with self.assertRaises(WowError) as caught:
            self.bring(**more)
        self.assertEqual(caught.exception.code, code, caught.exception)
        self.assertIn(words, str(caught.exception))
        self.assertTrue(caught.exception.todo)

    def kept(self):
        """Name and size of what lies in the folder."""
        return {name.removeprefix(WANTED.digest): os.path.getsize(f"{self.folder}/{name}") for name in os.listdir(self.folder)}

    def test_a_layer_comes_whole_and_only_root_may_read_it(self):
        self.serve(serving(DATA))
        self.bring()
        self.assertEqual(self.kept(), {"": len(DATA)})
        self.assertEqual(self.server.asked[0][0], f"GET /layers/{WANTED.digest} HTTP/1.1")
        self.assertIsNone(header(self.server.asked[0], "Range"))
        self.assertEqual(os.stat(f"{self.folder}/{WANTED.digest}").st_mode & 0o777, 0o600)

    def test_one_that_was_cut_is_gone_on_with_where_it_ended_at_once_or_later(self):
        self.serve(serving(DATA, 300_000), serving(DATA, 500_000), serving(DATA, 9), serving(DATA))
        self.fails("away", "was not brought")
        self.assertEqual(self.kept(), {".part": 800_009})
        self.bring()
        self.assertEqual(self.kept(), {"": len(DATA)})
        self.assertEqual([header(lines, "Range") for lines in self.server.asked], [None, "bytes=300000-", "bytes=800000-", "bytes=800009-"])
        self.assertEqual(header(self.server.asked[0], "Host"), "ca.demo.internal")

    def test_a_server_that_knows_no_range_begins_anew(self):
        self.serve(serving(DATA, 300_000), lambda link, _: link.sendall(head(200, Content_Length=len(DATA)) + DATA))
        self.bring()
        self.assertEqual((self.kept(), len(self.server.asked)), ({"": len(DATA)}, 2))

    def test_a_part_that_is_whole_already_is_not_asked_for_and_one_that_is_too_long_begins_anew(self):
        self.serve(serving(DATA))
        for text, asked in ((DATA, 0), (DATA + b"x", 1)):
            with open(f"{self.folder}/{WANTED.digest}.part", "wb") as file:
                file.write(text)
            self.bring()
            self.assertEqual((self.kept(), len(self.server.asked)), ({"": len(DATA)}, asked))

    def test_other_bytes_do_not_count_and_do_not_stay(self):
        self.serve(serving(bytes(len(DATA))))
        self.fails("lies", "is not what was signed")
        self.assertEqual(self.kept(), {})

    def test_a_part_that_the_disk_cannot_read_is_thrown_away_and_brought_anew(self):
        self.serve(serving(DATA))
        with mock.patch.object(fetch.files, "digest", side_effect=OSError(5, "Input/output error")):
            self.fails("away", "cannot be read back")
        self.assertEqual(self.kept(), {})
        self.bring()
        self.assertEqual(self.kept(), {"": len(DATA)})

    def test_a_part_with_other_bytes_is_thrown_away_in_the_end(self):
        with open(f"{self.folder}/{WANTED.digest}.part", "wb") as file:
            file.write(b"other")
        self.serve(serving(DATA))
        self.fails("lies", "is not what was signed")
        self.bring()
        self.assertEqual(self.kept(), {"": len(DATA)})

    def test_another_size_another_part_and_no_size_are_refused_before_they_are_read(self):
        other = head(206, Content_Length=len(DATA) - 5, Content_Range=f"bytes 4-{len(DATA) - 2}/{len(DATA)}")
        for answer, at in ((head(200, Content_Length=len(DATA) + 1), 0), (head(200, Content_Length=1 << 50), 0), (head(200), 0),
                           (head(200, Transfer_Encoding="chunked"), 0), (head(200, Content_Length=len(DATA), Transfer_Encoding="chunked"), 0),
                           (head(206, Content_Length=len(DATA), Content_Range=f"bytes 0-{len(DATA) - 1}/{len(DATA)}"), 0), (other, 5)):
            if at:
                with open(f"{self.folder}/{WANTED.digest}.part", "wb") as file:
                    file.write(DATA[:at])
            self.serve(saying(answer))
            with self.subTest(answer), self.assertRaises(WowError) as caught:
                self.bring()
            self.assertIn(caught.exception.code, ("lies", "away"))
            self.assertLessEqual(sum(self.kept().values()), at)

    def test_who_sends_more_than_was_signed_is_not_read_on(self):
        def endless(link, _):
            link.sendall(head(200, Content_Length=len(DATA)) + DATA)
            while True:
                link.sendall(bytes(65536))
        self.serve(endless)
        self.bring()
        self.assertEqual(self.kept(), {"": len(DATA)})

    def test_lines_without_end_are_not_read_without_end(self):
        for text in (b"HTTP/1.1 200 " + b"x" * 200_000, b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 1000, b"nonsense\r\n\r\n", b""):
            self.serve(saying(text))
            self.fails("away", "was not brought")

    def test_who_says_nothing_and_who_sends_next_to_nothing_are_left(self):
        def silent(link, _):
            link.recv(1)
        self.serve(silent)
        with mock.patch.object(fetch, "SILENCE", 0.2):
            self.fails("away", "nothing came for")
        times = iter(range(0, 100000, 30))

        def drips(link, _):
            link.sendall(head(200, Content_Length=len(DATA)))
            for one in range(8):
                link.sendall(DATA[one:one + 1])
                link.recv(0)
            link.recv(1)
        self.serve(drips)
        with mock.patch.object(fetch, "PIECE", 1):
            self.fails("away", "with less than 1024 bytes a second", now=lambda: next(times))
        self.assertGreater(self.kept()[".part"], 0, "what came is gone on with")

    def test_a_head_that_comes_byte_by_byte_is_left_though_the_connection_came_late(self):
        over, connect = threading.Event(), socket.create_connection

        def drips(link, _):
            while not over.wait(0.05):
                link.sendall(b"H")

        def late(*arguments, **named):
            time.sleep(0.4)
            return connect(*arguments, **named)
        self.serve(drips)
        # Before the server ends, which waits for what it does.
        self.addCleanup(over.set)
        with mock.patch.object(fetch, "PATIENCE", 0.2), mock.patch.object(socket, "create_connection", late):
            self.fails("away", "was not brought")

    def test_a_busy_ca_says_when_to_come_again_within_bounds(self):
        for said, seconds in (("7", 7.0), ("0", 1.0), ("99999", 600.0), ("soon", 30.0), ("-5", 30.0), ("9" * 40, 30.0)):
            self.serve(saying(head(503, Retry_After=said, Content_Length=0)))
            with self.assertRaises(fetch.Busy) as caught:
                self.bring()
            self.assertEqual(caught.exception.seconds, seconds)

    def test_what_is_not_served_and_other_answers_are_told(self):
        for status in (404, 500, 302, 204):
            self.serve(saying(head(status, Location="https://elsewhere/", Content_Length=0)))
            self.fails("away", "does not serve" if status == 404 else f"answered {status}")
            self.assertEqual(len(self.server.asked), 1)

    def test_where_nobody_listens_or_home_is_full_that_is_told(self):
        self.serve(serving(DATA))
        with mock.patch.object(fetch, "_copy", side_effect=OSError(28, "No space left on device")):
            self.fails("no-room", "home has no room for the module maths")
        with socket.create_server(("127.0.0.1", 0)) as closed:
            port = closed.getsockname()[1]
        with self.assertRaises(WowError) as caught:
            fetch.layer(fetch.Source("127.0.0.1", port, "ca.demo.internal", "127.0.0.1"), WANTED, self.folder)
        self.assertEqual(caught.exception.code, "away")


if __name__ == "__main__":
    unittest.main()
