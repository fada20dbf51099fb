"""Layers from other machines of the pool, real ones on addresses of the loopback: honest, away, slow, busy, lying."""
import hashlib
import os
import socket
import tempfile
import threading
import unittest
from unittest import mock

from layer_server import Server, head, saying, serving
from wow.lib import agreed
from wow.lib.errors import WowError
from wow.stack import fetch, peers, share
from wow.stack.text import Layer

DATA = os.urandom(1 << 20)
WANTED = Layer("module", "maths", len(DATA), hashlib.sha256(DATA).hexdigest())
CA, OWN, ONE, TWO, THREE = "127.83.0.1", "127.83.0.2", "127.83.0.3", "127.83.0.4", "127.83.0.5"
LIES = bytes(len(DATA))


class Authority:
    """Answers of a CA: who has a file, what is noted, and the file. named: the lines of each answer, one after the other; the last one stays."""

    def __init__(self, *named, layer=serving(DATA)):
        self.named, self.layer = list(named), layer
        self.noted, self.asked = [], 0

    def __call__(self, link, lines):
        method, path, _ = lines[0].split(" ")
        if path.startswith(agreed.LAYERS_PATH):
            self.asked += 1
            self.layer(link, lines)
        elif method == "POST":
            self.noted.append(path)
            link.sendall(head(200, Content_Length=0))
        else:
            text = self.named.pop(0) if len(self.named) > 1 else self.named[0]
            link.sendall(text if isinstance(text, bytes) else head(200, Content_Length=len(text)) + text.encode())


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.gives = folder.name, True
        self.ca, self.peers = None, {}
        for patch in (mock.patch("builtins.print"), mock.patch.object(peers, "SILENCE", 0.3)):
            patch.start()
            self.addCleanup(patch.stop)

    def server(self, address, port, *answers):
        made = Server(*answers, at=(address, port))
        self.addCleanup(made.close)
        return made

    def machine(self, address, *answers):
        self.peers[address] = self.server(address, agreed.SHARE_PORT, *answers)

    def authority(self, *named, **more):
        self.ca = Authority(*named, **more)
        self.there = self.server(CA, 0, self.ca)
        self.way = peers.Way(fetch.Source(CA, self.there.port, "ca.demo.internal", OWN), OWN, lambda: self.gives)

    def bring(self, wanted=WANTED):
        peers.layer(self.way, wanted, self.folder)
        with open(f"{self.folder}/{wanted.digest}", "rb") as file:
            self.assertEqual(hashlib.sha256(file.read()).hexdigest(), wanted.digest)
        self.assertEqual(os.listdir(self.folder), [wanted.digest])

    def asked(self):
        """How often each machine was asked."""
        return {address: len(server.asked) for address, server in self.peers.items()}

    def again(self):
        os.unlink(f"{self.folder}/{WANTED.digest}")
        self.bring()


class Bringing(Case):
    def test_who_has_it_is_asked_and_the_ca_sends_none_of_it_and_learns_who_else_has_it(self):
        self.machine(ONE, serving(DATA))
        self.authority(f"{ONE}\n")
        self.bring()
        self.assertEqual((self.asked(), self.ca.asked, self.ca.noted), ({ONE: 1}, 0, [f"/seeders/{WANTED.digest}"]))
        self.assertEqual(self.there.asked[0][0], f"GET /seeders/{WANTED.digest} HTTP/1.1")

    def test_where_nobody_has_it_and_at_a_ca_that_knows_no_such_question_it_comes_from_the_ca(self):
        for answer in ("", head(404, Content_Length=0), head(500, Content_Length=0), b"nonsense\r\n\r\n", b"", head(200, Content_Length=9) + b"\xff\x00 \r\n\n\n\n\n"):
            self.authority(answer)
            self.bring()
            self.assertEqual(self.ca.asked, 1)
            os.unlink(f"{self.folder}/{WANTED.digest}")

    def test_what_is_no_address_and_more_than_a_few_and_this_machine_itself_and_the_ca_are_not_asked(self):
        self.authority("\n".join((OWN, CA, "maths.example", "127.83.0.03", ONE)) + "\n")
        self.machine(ONE, serving(DATA))
        self.bring()
        self.assertEqual((self.asked(), self.ca.asked), ({ONE: 0}, 1))

    def test_a_list_without_end_is_not_read_without_end(self):
        def endless(link, lines):
            link.sendall(head(200) + f"{ONE}\n".encode())
            while True:
                link.sendall(b"127.83.0.9\n" * 1000)
        self.machine(ONE, serving(DATA))
        self.authority("", layer=serving(DATA))
        self.there.answers[:] = [endless, self.ca]
        self.bring()
        self.assertEqual((self.asked(), self.ca.asked), ({ONE: 1}, 0))

    def test_a_paused_machine_has_itself_not_named(self):
        self.gives = False
        self.authority("")
        self.bring()
        self.assertEqual(self.ca.noted, [])

    def test_who_is_away_is_left_and_the_ca_or_another_one_gives_it(self):
        self.machine(TWO, serving(DATA))
        self.authority(f"{ONE}\n{TWO}\n", f"{ONE}\n")
        self.bring()
        self.assertEqual((self.asked(), self.ca.asked), ({TWO: 1}, 0))
        self.again()
        self.assertEqual(self.ca.asked, 1)
        self.assertIn(ONE, self.way._left)

    def test_who_is_silent_or_slow_or_sends_its_head_without_end_is_left_and_what_came_goes(self):
        def silent(link, _):
            link.recv(1)

        def slow(link, _):
            link.sendall(head(200, Content_Length=len(DATA)))
            for at in range(0, len(DATA), 700):
                link.sendall(DATA[at:at + 700])
                if WAIT.wait(0.05):
                    return

        def dripping(link, _):
            while not WAIT.wait(0.05):
                link.sendall(b"H")
        WAIT = threading.Event()
        with mock.patch.object(peers, "PATIENCE", 0.5):
            self.machine(ONE, silent)
            self.machine(TWO, slow)
            self.machine(THREE, dripping)
            # Before the servers end, which wait for what they do.
            self.addCleanup(WAIT.set)
            self.authority(f"{ONE}\n{TWO}\n{THREE}\n")
            self.bring()
        self.assertEqual((self.asked(), self.ca.asked), ({ONE: 1, TWO: 1, THREE: 1}, 1))
        self.assertEqual(self.way._left, {ONE, TWO, THREE})
        self.assertFalse(any(line.startswith("Range: bytes=") for line in self.there.asked[1]), "what the slow one sent is not gone on with")

    def test_who_sends_a_little_and_is_silent_again_and_again_is_left(self):
        def piecemeal(link, lines):
            serving(DATA, fetch.WORTH + 1)(link, lines)
            link.recv(1)
        self.machine(ONE, piecemeal)
        self.authority(f"{ONE}\n")
        with mock.patch.object(peers, "PATIENCE", 1.0), mock.patch.object(share, "LEAST", 1 << 20):
            self.bring()
        self.assertEqual((self.way._left, self.ca.asked), ({ONE}, 1))
        self.assertLess(self.asked()[ONE], 6)

    def test_other_bytes_and_another_size_cost_no_more_than_two_files_and_the_liars_are_left(self):
        self.machine(ONE, serving(LIES))
        self.machine(TWO, saying(head(200, Content_Length=1 << 40)))
        self.machine(THREE, serving(DATA))
        self.authority(f"{ONE}\n{TWO}\n{THREE}\n")
        self.bring()
        self.assertEqual((self.asked(), self.ca.asked), ({ONE: 1, TWO: 1, THREE: 0}, 1), "after two lies the run believes the CA alone")
        self.again()
        self.assertEqual((self.asked()[THREE], self.ca.asked), (0, 2))

    def test_after_one_lie_another_machine_is_asked(self):
        self.machine(ONE, serving(LIES))
        self.machine(TWO, serving(DATA))
        self.authority(f"{ONE}\n{TWO}\n")
        self.bring()
        self.again()
        self.assertEqual((self.asked(), self.ca.asked), ({ONE: 1, TWO: 2}, 0))

    def test_what_one_sent_he_alone_goes_on_with_so_nobody_is_blamed_for_another_one_s_bytes(self):
        self.machine(ONE, serving(LIES, 300_000), saying(b""))
        self.machine(TWO, serving(DATA))
        self.authority(f"{ONE}\n{TWO}\n")
        self.bring()
        self.assertEqual((self.way._left, self.asked(), self.ca.asked), (set(), {ONE: 2, TWO: 1}, 0))

    def test_who_was_cut_and_is_busy_then_is_asked_first_for_the_rest(self):
        self.machine(ONE, serving(DATA, 300_000), saying(b""), serving(DATA))
        self.machine(TWO, serving(DATA))
        self.authority(f"{ONE}\n", f"{TWO}\n")
        with self.assertRaises(fetch.Busy):
            self.bring()
        self.bring()
        self.assertEqual((self.asked(), self.ca.asked), ({ONE: 3, TWO: 0}, 0))
        self.assertIn("Range: bytes=300000-", self.peers[ONE].asked[2])

    def test_what_the_ca_began_it_ends_and_nobody_s_bytes_come_between(self):
        self.machine(ONE, serving(LIES))
        self.authority(f"{ONE}\n")
        with open(f"{self.folder}/{WANTED.digest}.part", "wb") as file:
            file.write(DATA[:500_000])
        self.bring()
        self.assertEqual((self.asked(), self.ca.asked), ({ONE: 0}, 1))
        self.assertIn("Range: bytes=500000-", self.there.asked[0])

    def test_a_ca_that_lies_itself_is_told(self):
        self.authority("", layer=serving(LIES))
        with self.assertRaises(WowError) as caught:
            self.bring()
        self.assertEqual((caught.exception.code, self.ca.asked), ("lies", 1))

    def test_who_closes_without_a_word_has_others_to_serve_and_is_asked_again_but_not_for_ever(self):
        self.machine(ONE, saying(b""), saying(b""), serving(DATA))
        self.authority(f"{ONE}\n")
        for _ in range(2):
            with self.assertRaises(fetch.Busy):
                self.bring()
        self.bring()
        self.assertEqual((self.asked(), self.ca.asked), ({ONE: 3}, 0))
        self.peers[ONE].answers[:] = [saying(b"")]
        os.unlink(f"{self.folder}/{WANTED.digest}")
        for _ in range(peers.MOST_TURNS - 2):
            with self.assertRaises(fetch.Busy):
                self.bring()
        self.bring()
        self.assertEqual(self.ca.asked, 1)

    def test_a_busy_ca_has_it_waited(self):
        self.authority("", layer=saying(head(503, Retry_After="7", Content_Length=0)))
        with self.assertRaises(fetch.Busy) as caught:
            self.bring()
        self.assertEqual((caught.exception.seconds, self.ca.noted), (7.0, []))

    def test_no_room_ends_it_at_once(self):
        self.machine(ONE, serving(DATA))
        self.authority(f"{ONE}\n")
        with mock.patch.object(fetch, "_copy", side_effect=OSError(28, "No space left on device")), self.assertRaises(WowError) as caught:
            self.bring()
        self.assertEqual((caught.exception.code, self.ca.asked), ("no-room", 0))

    def test_where_the_ca_is_away_that_is_told(self):
        with socket.create_server((CA, 0)) as closed:
            port = closed.getsockname()[1]
        self.way = peers.Way(fetch.Source(CA, port, "ca.demo.internal", OWN), OWN, lambda: True)
        with self.assertRaises(WowError) as caught:
            self.bring()
        self.assertEqual(caught.exception.code, "away")


if __name__ == "__main__":
    unittest.main()
