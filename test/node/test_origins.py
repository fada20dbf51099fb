"""Layers from origins: real servers that speak TLS, by wow-origin@'s own code, which a thread runs for each connection as systemd does. They are honest, lie, are slow,
busy, dead or endless."""
import hashlib
import os
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest
from unittest import mock

import samples
from layer_server import Server, head, saying, serving
from wow.lib import files, paths
from wow.lib.errors import WowError
from wow.lib.origin import Origin
from wow.limits import line, state
from wow.stack import fetch, kept, lent, origins, peers, share, text, tls
from wow.stack.text import Layer

DATA = os.urandom(1 << 20)
WANTED = Layer("module", "maths", len(DATA), hashlib.sha256(DATA).hexdigest())
LIES = bytes(len(DATA))
CA = "127.84.0.1"


def certificate(folder, name, address):
    """A certificate that signs itself, for an address: the paths of it and its key, and its SHA-256."""
    path, key = f"{folder}/{name}.pem", f"{folder}/{name}.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", f"/CN={name}",
                    "-addext", f"subjectAltName=IP:{address}", "-keyout", key, "-out", path], check=True, capture_output=True)
    der = ssl.PEM_cert_to_DER_cert(open(path, encoding="ascii").read())  # pylint: disable=consider-using-with
    return path, key, hashlib.sha256(der).hexdigest()


class Sealed:
    """A server of layer_server behind TLS: what it does with a connection it does once that is open."""

    def __init__(self, files, answers, handshakes=True):
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(files[0], files[1])
        self.there = Server(*answers)
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port, self._handshakes = self._door.getsockname()[1], handshakes
        self._over = threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                link, _ = self._door.accept()
            except OSError:
                return
            threading.Thread(target=self._one, args=(link,), daemon=True).start()

    def _one(self, link):
        if not self._handshakes:
            self._over.wait()
            link.close()
            return
        try:
            with self._context.wrap_socket(link, server_side=True) as sealed, socket.create_connection(("127.0.0.1", self.there.port)) as plain:
                if request := sealed.recv(4096):
                    plain.sendall(request)
                while piece := plain.recv(4096):
                    sealed.sendall(piece)
        except OSError:
            pass

    def close(self):
        """Ends it."""
        self._over.set()
        self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()
        self.there.close()


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        made = tempfile.TemporaryDirectory()
        cls.addClassCleanup(made.cleanup)
        cls.files = certificate(made.name, "origin", "127.0.0.1")
        cls.other = certificate(made.name, "other", "127.0.0.9")

    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.place = made.name
        self.folder = f"{made.name}/layers"
        os.mkdir(self.folder)
        self.named, self.servers = [], []
        patch = mock.patch("builtins.print")
        self.said = patch.start()
        self.addCleanup(patch.stop)
        for patch in (mock.patch.object(paths, "ORIGINS_LEFT", f"{made.name}/left"), mock.patch.object(paths, "BESIDE", f"{made.name}/carried"),
                      mock.patch.object(paths, "ORIGIN_SOCKET", f"{made.name}/socket"),
                      mock.patch.object(origins, "SILENCE", 0.6), mock.patch.dict(os.environ, SSL_CERT_FILE=self.files[0])):
            patch.start()
            self.addCleanup(patch.stop)
        self.door = socket.socket(socket.AF_UNIX)
        self.door.bind(f"{made.name}/socket")
        self.door.listen()
        self.addCleanup(self.door.close)
        self.addCleanup(self.door.shutdown, socket.SHUT_RDWR)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                link, _ = self.door.accept()
            except OSError:
                return
            threading.Thread(target=self._one, args=(link,), daemon=True).start()

    def _one(self, link):
        with link:
            try:
                tls.serve(link, self.named)
            except OSError:
                pass

    def origin(self, *answers, pin="", files=None, **more):
        server = Sealed(files or self.files, answers, **more)
        self.addCleanup(server.close)
        self.servers.append(server)
        self.named.append(f"https://127.0.0.1:{server.port}/wow{f'#sha256={pin}' if pin else ''}")
        return server.there

    def bring(self, run=None):
        """Whether an origin brought it; then it is what was signed, and nothing else is there."""
        came = (run or origins.Origins(self.named)).bring(WANTED, self.folder)
        self.assertEqual(came, os.path.exists(f"{self.folder}/{WANTED.digest}"))
        if came:
            self.assertEqual(files.digest(f"{self.folder}/{WANTED.digest}"), WANTED.digest)
        return came

    def left(self):
        """What is told of those that were left."""
        with open(paths.ORIGINS_LEFT, encoding="utf-8") as file:
            return file.read()

    def refused(self, words):
        self.assertFalse(self.bring())
        self.assertIn(words, self.left())


class Bringing(Case):
    def test_a_file_comes_from_an_origin_by_its_digest_and_the_journal_says_so(self):
        there = self.origin(serving(DATA))
        self.assertTrue(self.bring())
        self.assertEqual((len(there.asked), there.asked[0][0]), (1, f"GET /wow/{WANTED.digest} HTTP/1.1"))
        self.assertIn(f"Host: 127.0.0.1:{self.servers[0].port}", there.asked[0])
        self.said.assert_called_with(f"maths came from https://127.0.0.1:{self.servers[0].port}/wow", flush=True)
        self.assertEqual(os.listdir(self.folder), [WANTED.digest])
        self.assertFalse(os.path.exists(paths.ORIGINS_LEFT))

    def test_what_was_cut_is_gone_on_with_at_the_same_origin_also_in_the_next_run(self):
        first, second = self.origin(serving(DATA, 300_000), saying(b""), serving(DATA)), self.origin(saying(head(404, Content_Length=0)))
        self.assertFalse(self.bring())
        self.assertTrue(self.bring())
        self.assertEqual([line for asked in first.asked for line in asked if line.startswith("Range")], ["Range: bytes=300000-"] * 2)
        self.assertEqual(len(second.asked), 1)

    def test_bytes_of_two_origins_are_never_mixed_and_one_part_is_kept(self):
        self.origin(serving(LIES, 300_000), saying(b""))
        there = self.origin(serving(DATA, 400_000), saying(b""))
        self.assertFalse(self.bring())
        self.assertEqual([os.path.getsize(path) for path in kept.parts(self.folder, WANTED.digest)], [400_000])
        self.assertNotIn("Range", "".join(there.asked[0]))

    def test_the_part_of_an_origin_outlives_the_look_round_and_that_of_a_machine_does_not(self):
        self.origin(serving(DATA, 300_000), saying(b""))
        self.assertFalse(self.bring())
        (begun,) = kept.parts(self.folder, WANTED.digest)
        with open(f"{self.folder}/{WANTED.digest}.other.part", "wb"):
            pass
        place = kept.Place(self.place, f"{self.place}/image", f"{self.place}/started", f"{self.place}/list")
        place.tidy(text.Stack(1, layers=(WANTED,)))
        self.assertEqual(kept.parts(self.folder, WANTED.digest), [begun])
        place.tidy()
        self.assertEqual(os.listdir(self.folder), [])

    def test_other_bytes_and_other_sizes_are_a_lie_that_costs_one_file_and_the_next_origin_is_asked(self):
        for answer in (serving(LIES), saying(head(200, Content_Length=len(DATA) - 1)), saying(head(200, Content_Length=1 << 40)), saying(head(200))):
            self.named.clear()
            liar, honest = self.origin(answer), self.origin(serving(DATA))
            run = origins.Origins(self.named)
            self.assertTrue(self.bring(run))
            self.assertEqual(os.listdir(self.folder), [WANTED.digest])
            os.unlink(f"{self.folder}/{WANTED.digest}")
            self.assertTrue(self.bring(run))
            self.assertEqual((len(liar.asked), len(honest.asked)), (1, 2))
            self.assertRegex(self.left(), "^https://[0-9.:]+/wow .*sign")
            os.unlink(f"{self.folder}/{WANTED.digest}")

    def test_more_bytes_than_were_signed_are_not_read(self):
        def endless(link, lines):
            serving(DATA)(link, lines)
            while True:
                link.sendall(LIES)
        self.origin(endless)
        self.assertTrue(self.bring())
        self.assertEqual(os.path.getsize(f"{self.folder}/{WANTED.digest}"), len(DATA))

    def test_another_part_than_was_asked_for_is_a_lie_and_what_came_goes(self):
        self.origin(serving(DATA, 300_000), saying(head(206, Content_Length=len(DATA) - 300_000, Content_Range=f"bytes 0-1/{len(DATA)}")))
        self.refused("sends another part")
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_redirect_is_not_followed_and_refusals_are_told_in_the_server_s_words_and_busy_is_left(self):
        other = self.origin(serving(DATA))
        self.named.clear()
        self.origin(saying(head(301, Location=f"https://127.0.0.1:{other.port}/x", Content_Length=0)))
        self.refused("redirects, which is not followed")
        for answer, words in ((b"HTTP/1.1 418 I'm \x1b[2Ja teapot\r\n\r\n", "answered 418 I'm ?[2Ja teapot"), (head(404, Content_Length=0), "does not serve the module maths"),
                              (head(503, Content_Length=0), "is busy"), (b"nonsense\r\n\r\n", "nonsense"), (b"HTTP/1.1 200 X\r\nA: " + b"a" * 70_000, "was not brought")):
            self.named.clear()
            self.origin(saying(answer))
            self.refused(words)
        self.assertEqual(other.asked, [])

    def test_who_is_silent_or_slow_or_sends_its_head_or_tls_without_end_is_left(self):
        over = threading.Event()

        def silent(link, _):
            over.wait()

        def slow(link, _):
            link.sendall(head(200, Content_Length=len(DATA)))
            while not over.wait(0.05):
                link.sendall(bytes(700))

        def dripping(link, _):
            while not over.wait(0.05):
                link.sendall(b"H")
        with mock.patch.object(origins, "PATIENCE", 1.2):
            for answer in (silent, slow, dripping):
                self.origin(answer)
            self.origin(serving(DATA), handshakes=False)
            # Before the servers end, which wait for what they do.
            self.addCleanup(over.set)
            self.assertFalse(self.bring())
        self.assertEqual(len(self.left().splitlines()), 4)

    def test_a_dead_server_and_a_name_without_address_are_told(self):
        with socket.create_server(("127.0.0.1", 0)) as closed:
            self.named.append(f"https://127.0.0.1:{closed.getsockname()[1]}")
        self.refused("answered 502 Connection refused")
        self.named[:] = ["https://nowhere.invalid/wow"]
        self.refused("https://nowhere.invalid/wow answered 502 ")

    def test_where_wow_origin_does_not_listen_the_origin_is_left(self):
        self.origin(serving(DATA))
        with mock.patch.object(paths, "ORIGIN_SOCKET", f"{self.place}/nothing"):
            self.refused("No such file")

    def test_no_room_ends_it_at_once(self):
        self.origin(serving(DATA))
        with mock.patch.object(fetch, "_copy", side_effect=OSError(28, "No space left on device")), self.assertRaises(WowError) as caught:
            self.bring()
        self.assertEqual(caught.exception.code, "no-room")


class Certificates(Case):
    def test_a_certificate_that_nobody_signed_or_that_is_another_one_s_is_refused_before_anything_is_asked(self):
        with mock.patch.dict(os.environ, SSL_CERT_FILE=self.other[0]):
            there = self.origin(serving(DATA))
            self.refused("certificate is refused: self-signed certificate")
        self.named.clear()
        with mock.patch.dict(os.environ, SSL_CERT_FILE=self.other[0]):
            another = self.origin(serving(DATA), files=self.other)
            self.refused("certificate is refused: IP address mismatch")
        self.assertEqual((there.asked, another.asked), ([], []))

    def test_a_certificate_whose_sha256_pool_conf_names_is_believed_and_no_other(self):
        with mock.patch.dict(os.environ, SSL_CERT_FILE=os.devnull):
            there = self.origin(serving(DATA), pin=self.other[2])
            self.refused("its certificate is not the one that #sha256= names")
            self.assertNotIn(self.other[2], self.left())
            self.assertEqual(there.asked, [])
            self.named.clear()
            self.origin(serving(DATA), pin=self.files[2])
            self.assertTrue(self.bring())


class Way(Case):
    """Origins, machines of the pool and the CA."""

    def way(self, *named, layer=serving(DATA)):
        self.asked = []

        def authority(link, lines):
            method, path, _ = lines[0].split(" ")
            self.asked.append(f"{method} {path.split('/')[1]}")
            if path.startswith("/layers/"):
                layer(link, lines)
            else:
                link.sendall(head(200, Content_Length=0))
        there = Server(authority, at=(CA, 0))
        self.addCleanup(there.close)
        return peers.Way(fetch.Source(CA, there.port, "ca.demo.internal", "127.84.0.2"), "127.84.0.2", lambda: True, origins.Origins(self.named))

    def without_ca(self):
        """The way of a machine that finds no address of the CA."""
        nowhere = peers.Nowhere("ca.demo.internal has no address", "ca.demo.internal", "127.84.0.2")
        return peers.Way(nowhere, "127.84.0.2", lambda: True, origins.Origins(self.named))

    def test_an_origin_spares_the_ca_and_the_other_machines_which_learn_that_this_one_has_it(self):
        self.origin(serving(DATA))
        peers.layer(self.way(), WANTED, self.folder)
        self.assertEqual(self.asked, ["POST seeders"])

    def test_where_no_origin_gives_it_the_others_are_asked_and_the_ca_last_and_no_part_stays(self):
        self.origin(serving(DATA, 300_000), saying(b""))
        way = self.way()
        peers.layer(way, WANTED, self.folder)
        self.assertEqual(self.asked, ["GET seeders", "GET layers", "POST seeders"])
        self.assertEqual(os.listdir(self.folder), [WANTED.digest])

    def test_what_the_ca_began_it_ends(self):
        there = self.origin(serving(LIES))
        with open(f"{self.folder}/{WANTED.digest}.part", "wb") as file:
            file.write(DATA[:500_000])
        peers.layer(self.way(), WANTED, self.folder)
        self.assertEqual((there.asked, self.asked), ([], ["GET layers", "POST seeders"]))

    def test_where_the_ca_has_no_address_an_origin_gives_it_also_what_the_ca_began(self):
        self.origin(serving(DATA))
        with open(f"{self.folder}/{WANTED.digest}.part", "wb") as file:
            file.write(DATA[:500_000])
        peers.layer(self.without_ca(), WANTED, self.folder)
        self.assertEqual(os.listdir(self.folder), [WANTED.digest])

    def test_where_nobody_gives_it_and_the_ca_has_no_address_that_is_told(self):
        self.origin(saying(head(404, Content_Length=0)))
        with self.assertRaisesRegex(WowError, "was not brought: ca.demo.internal has no address") as caught:
            peers.layer(self.without_ca(), WANTED, self.folder)
        self.assertEqual(caught.exception.code, "away")


class Lending(Case):
    """What the owner lends of the line holds for origins, too."""

    def setUp(self):
        super().setUp()
        self.slept, self.now, self.full = [], 1000.0, None
        self.limits = state.Limits()
        for patch in (mock.patch.object(state, "read", lambda: self.limits), mock.patch.object(lent.month, "pause", lambda *_: self.full)):
            patch.start()
            self.addCleanup(patch.stop)
        self.lent = lent.Lent(self.sleep, lambda: self.now)

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds

    def fetch(self, **more):
        return self.bring(origins.Origins(self.named, lent.Lent(self.sleep, lambda: self.now)), **more)

    def test_what_came_is_counted_both_ways_and_goes_on_after_a_run_that_was_ended(self):
        self.assertEqual(line.beside(), (0, 0))
        self.origin(serving(DATA))
        self.assertTrue(self.fetch())
        sent, received = line.beside()
        self.assertTrue(len(DATA) * 1.03 < received < len(DATA) * 1.06 and received * 0.01 < sent < received * 0.03, (sent, received))
        os.unlink(f"{self.folder}/{WANTED.digest}")
        self.assertTrue(self.fetch())
        # Pieces are cut at other places, so the heads are rounded at others.
        for one, both in zip((sent, received), line.beside()):
            self.assertAlmostEqual(both, 2 * one, delta=500)
        for bad in ("", "1", "1 2 3", "-1 2", "1 \u0661", f"1 {'9' * 30}"):
            with open(paths.BESIDE, "w", encoding="utf-8") as file:
                file.write(bad)
            self.assertEqual(line.beside(), (0, 0), bad)

    def test_a_server_that_is_left_is_counted_too(self):
        self.origin(serving(DATA, 300_000), saying(b""))
        self.assertFalse(self.fetch())
        self.assertGreater(line.beside()[1], 300_000)

    def test_it_comes_as_fast_as_the_owner_lends_and_nobody_is_slow_for_that(self):
        self.limits.speed = 16
        self.origin(serving(DATA))
        with mock.patch.object(fetch.time, "monotonic", lambda: self.now):
            self.assertTrue(self.fetch())
        self.assertAlmostEqual(sum(self.slept), len(DATA) / 16_000, 3)
        self.assertLess(max(self.slept), 0.5, "the line is not busy for long")

    def test_nothing_is_asked_where_the_month_is_used_up(self):
        self.full = object()
        there = self.origin(serving(DATA))
        with self.assertRaisesRegex(WowError, "this month's share of the line is used up") as caught:
            self.fetch()
        self.assertEqual((caught.exception.code, there.asked, line.beside()), ("month", [], (0, 0)))

    def test_a_month_that_is_used_up_meanwhile_ends_the_answer_and_what_came_stays(self):
        self.origin(serving(DATA))
        with mock.patch.object(lent, "STEP", 400_000), self.assertRaises(WowError) as caught:
            check = lent.check
            with mock.patch.object(lent, "check", side_effect=[None, WowError("used up", "", code="month")]):
                self.fetch()
        self.assertEqual(caught.exception.code, "month")
        self.assertIs(check, lent.check)
        (part,) = os.listdir(self.folder)
        self.assertTrue(300_000 <= os.path.getsize(f"{self.folder}/{part}") < len(DATA))
        self.assertGreater(line.beside()[1], 300_000)
        self.assertTrue(self.fetch(), "it goes on there")
        self.assertEqual(len(self.servers[0].there.asked), 2)


class Asking(Case):
    """What wow-origin@ lets itself be asked."""

    def asked(self, request):
        with socket.socket(socket.AF_UNIX) as link:
            link.settimeout(10)
            link.connect(paths.ORIGIN_SOCKET)
            link.sendall(request)
            said = b""
            while piece := link.recv(4096):
                said += piece
        return said.split(b"\r\n")[0].decode()

    def test_only_an_origin_of_pool_conf_is_asked_and_only_for_a_file_by_its_digest(self):
        there = self.origin(serving(DATA))
        good = f"GET /layers/{WANTED.digest} HTTP/1.1\r\nHost: "
        for request in (good + "1\r\n\r\n", good + "-1\r\n\r\n", good + "\u00b9\r\n\r\n",
                        good + "evil.example\r\n\r\n", good + "\r\n\r\n", f"GET /layers/{WANTED.digest}\r\nHost: 0\r\n\r\n",
                        "GET /layers/../../secret HTTP/1.1\r\nHost: 0\r\n\r\n", f"POST /layers/{WANTED.digest} HTTP/1.1\r\nHost: 0\r\n\r\n"):
            self.assertEqual(self.asked(request.encode("latin-1")), "HTTP/1.1 404 Not Found", request)
        self.assertEqual(there.asked, [])
        self.assertEqual(self.asked((good + "0\r\n\r\n").encode()), "HTTP/1.1 200 X")

    def test_a_handshake_without_end_ends_the_process(self):
        self.origin(serving(DATA), handshakes=False)
        self.origin(serving(DATA))
        with open(f"{self.place}/named", "w", encoding="ascii") as file:
            file.write("\n".join(self.named))
        code = f"from wow.lib import paths; from wow.stack import tls; tls.PATIENCE, paths.ORIGINS = 1, '{self.place}/named'; tls.main()"
        for number, said in ((0, b""), (1, b"HTTP/1.1 200 X")):
            here, there = socket.socketpair()
            with here, subprocess.Popen([sys.executable, "-c", code], stdin=there, env={**os.environ, "PYTHONPATH": sys.path[0]}) as process:
                there.close()
                here.settimeout(20)
                here.sendall(f"GET /layers/{WANTED.digest} HTTP/1.1\r\nHost: {number}\r\n\r\n".encode())
                self.assertEqual(here.recv(14), said)
                here.close()
                self.assertEqual(process.wait(20), 0 if said else -signal.SIGALRM)
        self.assertLess(tls.PATIENCE, 20, "wow-stack waits longer")

    def test_pool_conf_s_spelling_gives_host_port_path_and_pin(self):
        for said, parts in (("https://a.example", ("a.example", 443, "", "")), ("https://192.0.2.7:8443/x/y#sha256=" + "ab" * 32, ("192.0.2.7", 8443, "/x/y", "ab" * 32))):
            origin = Origin(samples.pool(modules__origins=said).origins[0])
            self.assertEqual((origin.host, origin.port, origin.path, origin.pin), parts)
        self.assertEqual(Origin("https://a.example").request("ab", 7),
                         b"GET /ab HTTP/1.1\r\nHost: a.example\r\nAccept-Encoding: identity\r\nRange: bytes=7-\r\nConnection: close\r\n\r\n")


class Doctor(Case):
    def test_which_origin_was_left_and_why_is_found(self):
        from wow.doctor import diagnose
        self.assertEqual(diagnose.origins({"origins": ""}), [])
        self.origin(saying(head(404, Content_Length=0)))
        self.assertFalse(self.bring())
        (found,) = diagnose.origins({"origins": self.left()})
        self.assertEqual((found.code, found.state), ("origins", "wrong"))
        self.assertIn("does not serve the module maths", found.what)


if __name__ == "__main__":
    unittest.main()
