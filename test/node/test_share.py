"""What a machine hands to others of its pool: files of the published stack, and nothing else of it."""
import contextlib
import hashlib
import os
import pathlib
import re
import socket
import tempfile
import threading
import time
import unittest
from unittest import mock

from test_stack import notice
from wow.lib import agreed
from wow.lib.errors import WowError
from wow.limits import state
from wow.stack import fetch, kept, peers, share
from wow.stack.systems import Systems
from wow.stack.text import Layer

UNITS = pathlib.Path(__file__).resolve().parents[2] / "appliance/node/root/usr/lib/systemd/system"
MATHS, BASE, NODE, KERNEL, INITRD, DELTA, OTHER = (os.urandom(size) for size in (300_000, 5000, 4000, 3000, 2000, 1000, 100))


def digest(data):
    return hashlib.sha256(data).hexdigest()


TEXT = "wow-stack 1\n" + "".join(f"{name} {digest(data)} {len(data)}\n" for name, data in (("base", BASE), ("node", NODE), ("kernel", KERNEL), ("initrd", INITRD))) + \
    f"module maths {len(MATHS)} {digest(MATHS)}\ndelta {digest(BASE)} {'f1' * 32} {len(DELTA)} {digest(DELTA)}\n"


class Sharing(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root, self.pause, self.now = pathlib.Path(folder.name), None, 0.0
        for data in (MATHS, DELTA, OTHER):
            self.write(f"home/layers/{digest(data)}", data)
        self.write(f"home/layers/{digest(NODE)}.part", NODE)
        self.write("sys/stacks/B.conf", f"# stack 12\nbase base base-1.squashfs {len(BASE)} {digest(BASE)}\n".encode())
        self.write("sys/layers/base-1.squashfs", BASE)
        self.write("sys/boot/B/vmlinuz", KERNEL)
        self.write("sys/boot/B/initrd.img", b"cut")
        self.write("sys/boot/B/SHA256SUMS", f"{digest(KERNEL)}  vmlinuz\n{digest(INITRD)}  initrd.img\n".encode())
        self.write("notice-3", notice(12, TEXT.encode()))
        self.giving = share.Giving(kept.Place(f"{self.root}/home"), Systems(f"{self.root}/sys", f"{self.root}/none"), f"{self.root}/notice-3", f"{self.root}/sent",
                                   lambda: self.pause is None, lambda: self.now)

    def write(self, name, data):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def say(self, request, reads=True):
        """The answer to some bytes: (status, head, body)."""
        with socket.create_server(("127.0.0.1", 0)) as door, socket.create_connection(door.getsockname()) as asker:
            link, _ = door.accept()
            answer = bytearray()
            def read():
                # Who was not heard to the end is cut after the answer.
                with contextlib.suppress(ConnectionResetError):
                    while part := asker.recv(65536):
                        answer.extend(part)
            reader = threading.Thread(target=read)
            asker.sendall(request)
            if reads:
                reader.start()
            with link:
                share.serve(link, self.giving)
            reader.join()
        head, _, body = bytes(answer).partition(b"\r\n\r\n")
        return int(head.split()[1]), head.decode(), body

    def get(self, data, more="", method="GET"):
        return self.say(f"{method} /layers/{digest(data)} HTTP/1.1\r\nHost: x\r\n{more}\r\n".encode())

    def test_each_file_of_the_published_stack_that_is_here_whole_is_sent_wherever_it_is(self):
        for data in (MATHS, BASE, KERNEL, DELTA):
            status, head, body = self.get(data)
            self.assertEqual((status, body), (200, data))
            self.assertIn(f"Content-Length: {len(data)}\r\n", head)
        for data in (NODE, INITRD):
            self.assertEqual(self.get(data)[0], 404, "it is not here whole")

    def test_nothing_else_is_sent(self):
        self.assertEqual(self.get(OTHER)[0], 404, "it is of another stack")
        path = f"/layers/{digest(MATHS)}"
        for request in (f"POST {path} HTTP/1.1", f"HEAD {path} HTTP/1.1", f"GET {path}/ HTTP/1.1", f"GET {path} HTTP/2", f"GET {path}", f"GET  {path} HTTP/1.1", f"GET {path.upper()} HTTP/1.1",
                        f"GET /layers/../{digest(MATHS)} HTTP/1.1", "GET /layers/../../A.conf HTTP/1.1", "GET / HTTP/1.1", "", "\x00\xff", f"GET {path}\r HTTP/1.1", "GET /layers/ HTTP/1.1"):
            self.assertEqual(self.say(f"{request}\r\nHost: x\r\n\r\n".encode("latin-1"))[::2], (404, b""), request)
        for data in (notice(12, b"nonsense"), b""):
            self.write("notice-3", data)
            self.assertEqual(self.get(MATHS)[0], 404)
        os.unlink(self.root / "notice-3")
        self.assertEqual(self.get(MATHS)[0], 404)

    def test_the_rest_is_sent_from_where_it_begins(self):
        size = len(MATHS)
        for asked, first in (("bytes=7-", 7), (f"bytes={size - 1}-", size - 1), ("bytes=0-", 0), ("bytes=5-9", 0), ("bytes=-5", 0), ("bytes=+5-", 0), ("bytes=5-,7-", 0), ("lines=5-", 0),
                             ("bytes=99999999999-", 0), ("bytes=\xb2-", 0)):
            status, head, body = self.get(MATHS, f"Range: {asked}\r\n".encode("latin-1").decode("latin-1")) if asked.isascii() else \
                self.say(f"GET /layers/{digest(MATHS)} HTTP/1.1\r\nRange: {asked}\r\n\r\n".encode("latin-1"))
            self.assertEqual((status, body), (206 if first else 200, MATHS[first:]), asked)
            self.assertEqual(f"Content-Range: bytes {first}-{size - 1}/{size}" in head, first > 0)
        for at in (size, size + 1, 9_999_999_999):
            self.assertEqual(self.get(MATHS, f"Range: bytes={at}-\r\n")[::2], (416, b""))

    def test_a_request_has_its_bounds_in_length_and_time(self):
        self.assertEqual(self.say(b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 1000)[0], 404)
        with mock.patch.object(share, "PATIENCE", 0.1), self.assertRaises(TimeoutError):
            self.say(b"GET /layers/")

    def publish(self, size):
        """A stack with one module that has so many bytes."""
        data = os.urandom(size)
        self.write("notice-3", notice(13, f"wow-stack 1\nbase {'ba' * 32}\nnode {'0d' * 32}\nmodule maths {size} {digest(data)}\n".encode()))
        self.write(f"home/layers/{digest(data)}", data)
        return data

    def test_who_takes_nothing_is_left(self):
        large = self.publish(9 << 20)
        with mock.patch.object(share, "SILENCE", 0.2), mock.patch.object(share, "PACE", 1 << 30), self.assertRaises(TimeoutError):
            self.say(f"GET /layers/{digest(large)} HTTP/1.1\r\n\r\n".encode(), reads=False)

    def test_while_its_owner_pauses_the_machine_nothing_is_sent_and_what_is_being_sent_ends(self):
        self.pause = object()
        self.assertEqual(self.get(MATHS)[0], 404)
        self.pause = None
        looks = []
        with mock.patch.object(share, "STEP", 100_000), mock.patch.object(share.Giving, "may", lambda _, count: looks.append(count) or len(looks) < 3):
            self.assertEqual(self.get(MATHS)[2], MATHS[:200_000])
        self.assertEqual(looks, [100_000, 100_000, 100_000])

    def test_no_more_is_sent_a_day_than_so_much(self):
        with mock.patch.object(share, "DAILY", 2 * len(MATHS)):
            self.assertEqual([self.get(MATHS)[0] for _ in range(3)], [200, 200, 404])
            self.now = 86399.0
            self.assertEqual(self.get(MATHS)[0], 404)
            self.now = 86400.0
            self.assertEqual(self.get(MATHS)[0], 200)
        self.assertEqual((self.root / "sent").read_text(), f"1 {len(MATHS)}\n")
        for text in (b"nonsense", b"1 x\n", b"1 -5\n"):
            self.write("sent", text)
            self.assertEqual(self.get(MATHS)[0], 200, "what is no count is none")

    def test_one_connection_has_no_more_of_the_line_than_so_much(self):
        large = self.publish(3 << 20)
        with mock.patch.object(share, "PACE", 4 << 20):
            began = time.monotonic()
            self.assertEqual(self.get(large)[2], large)
        # The kernel lets the first ten packets pass, which on a loopback have 64 KiB each.
        self.assertGreater(time.monotonic() - began, 0.5, "3 MiB at 4 MiB a second")

    def test_another_machine_fetches_from_it(self):
        wanted = Layer("module", "maths", len(MATHS), digest(MATHS))
        with socket.create_server(("127.83.1.1", agreed.SHARE_PORT)) as door, tempfile.TemporaryDirectory() as folder:
            def once():
                link, _ = door.accept()
                with link:
                    share.serve(link, self.giving)
            for begun in (0, 100_000):
                with open(f"{folder}/{wanted.digest}.part", "wb") as file:
                    file.write(MATHS[:begun])
                giver = threading.Thread(target=once)
                giver.start()
                fetch.layer(peers.Peer("127.83.1.1", "127.83.1.2"), wanted, folder)
                giver.join()
                self.assertEqual(pathlib.Path(folder, wanted.digest).read_bytes(), MATHS)
            giver = threading.Thread(target=once)
            self.pause = object()
            giver.start()
            with self.assertRaises(WowError):
                fetch.layer(peers.Peer("127.83.1.1", "127.83.1.2"), wanted, folder)
            giver.join()


class Owner(unittest.TestCase):
    def test_a_paused_machine_and_one_that_others_would_find_slow_hand_out_nothing(self):
        for pause, speed, is_wanted in ((None, None, True), (object(), None, False), (None, 65, False), (None, 66, True), (object(), 66, False)):
            limits = state.Limits()
            limits.speed = speed
            with mock.patch.object(share.holding, "read", return_value=pause), mock.patch.object(share.state, "read", return_value=limits):
                self.assertEqual(share.is_wanted(), is_wanted, (pause, speed))


class Unit(unittest.TestCase):
    def test_the_socket_is_where_others_ask_and_takes_few_at_a_time(self):
        text = (UNITS / "wow-share.socket").read_text(encoding="utf-8")
        for line in (f"ListenStream=0.0.0.0:{agreed.SHARE_PORT}", "Accept=yes", "MaxConnections=2", "MaxConnectionsPerSource=1", "TriggerLimitIntervalSec=0", "Requires=wow-fence.service"):
            self.assertIn(f"\n{line}\n", text)

    def test_the_count_of_a_day_is_kept_where_the_unit_may_write_and_outlives_a_connection(self):
        text = (UNITS / "wow-share@.service").read_text(encoding="utf-8")
        self.assertEqual(re.findall("^RuntimeDirectory=(.*)$", text, re.MULTILINE), [os.path.basename(os.path.dirname(share.SENT))])
        self.assertIn("\nRuntimeDirectoryPreserve=yes\n", text)


if __name__ == "__main__":
    unittest.main()
