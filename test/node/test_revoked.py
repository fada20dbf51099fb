"""The CA's list on its way to charon, and whose SAs end."""

import base64
import os
import subprocess
import tempfile
import unittest
from unittest import mock

import samples

from wow.lib.errors import WowError
from wow.lib.system import run
from wow.seal import crl, revoked
from samples import tlv

SERIAL = bytes(range(0x41, 0x51))
OTHER = bytes(range(0x51, 0x61))
NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")


def crl_of(*serials):
    """The outer form of a CRL (RFC 5280 section 5.1)."""
    algorithm, name, time = tlv(0x30, tlv(0x06, b"\x2a\x03")), tlv(0x30), tlv(0x17, b"260101000000Z")
    entries = [tlv(0x30, *(tlv(0x30, tlv(0x02, serial), time) for serial in serials))] if serials else []
    body = tlv(0x30, tlv(0x02, b"\x01"), algorithm, name, time, time, *entries, tlv(0xA0, tlv(0x30)))
    return tlv(0x30, body, algorithm, tlv(0x03, b"\x00" * 70))


def notice(body):
    """A notice's file."""
    return b"WOWN\x01" + (7).to_bytes(8, "big") + b"\x03sig" + body


def certificate(serial, *addresses):
    """A certificate with that serial number and these addresses, in PEM."""
    names = tlv(0x30, tlv(0x82, b"host"), *(tlv(0x87, bytes(map(int, address.split(".")))) for address in addresses))
    extensions = tlv(0xA3, tlv(0x30, tlv(0x30, tlv(0x06, b"\x55\x1d\x13"), tlv(0x04, tlv(0x30))), tlv(0x30, tlv(0x06, b"\x55\x1d\x11"), tlv(0x04, names))))
    empty = tlv(0x30)
    data = tlv(0x30, tlv(0x30, tlv(0xA0, tlv(0x02, b"\x02")), tlv(0x02, serial), empty, empty, empty, empty, empty, extensions), empty, tlv(0x03, b"\x00"))
    return "-----BEGIN CERTIFICATE-----\n" + base64.encodebytes(data).decode() + "-----END CERTIFICATE-----\n"


SAS = """list-sa event {overlay {uniqueid=3 version=2 state=ESTABLISHED local-host=10.128.0.9 local-port=500 remote-host=10.128.0.5 remote-port=500 \
remote-id=10.128.0.5 child-sas {any-4 {name=any uniqueid=4 reqid=77 state=INSTALLED}}}}
list-sa event {overlay {uniqueid=5 version=2 state=ESTABLISHED local-host=10.128.0.9 local-port=500 remote-host=10.128.0.6 remote-port=500 child-sas {}}}
list-sas reply {}
"""


class List(unittest.TestCase):
    def test_is_put_where_swanctl_finds_it_and_only_once(self):
        with tempfile.TemporaryDirectory() as folder:
            source, target, pending = (os.path.join(folder, name) for name in ("notice-1", "x509crl/pool.crl", "pending"))
            self.assertFalse(crl.install(source, target, pending), "without notice there is none")
            with open(source, "wb") as file:
                file.write(notice(crl_of(SERIAL)))
            self.assertTrue(crl.install(source, target, pending))
            with open(target, "rb") as file:
                self.assertEqual(file.read(), crl_of(SERIAL))
            self.assertFalse(crl.install(source, target, pending))
            os.unlink(source)
            os.symlink("/proc/self/mem", source)  # reading that fails as a bad block does
            self.assertFalse(crl.install(source, target, pending))

    def test_what_is_no_notice_changes_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            source, target, pending = (os.path.join(folder, name) for name in ("notice-1", "pool.crl", "pending"))
            for wrong in (b"", b"WOWN", notice(b""), b"X" + notice(b"body")):
                with open(source, "wb") as file:
                    file.write(wrong)
                self.assertFalse(crl.install(source, target, pending))
                self.assertFalse(os.path.exists(target) or os.path.exists(pending))

    def test_its_serial_numbers_are_read(self):
        self.assertEqual(revoked.serials(crl_of()), set())
        self.assertEqual(revoked.serials(crl_of(SERIAL, OTHER)), {int.from_bytes(SERIAL, "big"), int.from_bytes(OTHER, "big")})


class Authority:
    """A CA of the openssl program's, and what it signs."""

    def __init__(self, folder, name, subject):
        self._files = [f"{folder}/{name}.{kind}" for kind in ("pem", "key", "csr")]
        self.certificate, key, _ = self._files
        openssl("req", "-x509", *NEW_KEY, "-keyout", key, "-out", self.certificate, "-subj", subject)

    def issue(self, serial, address, *more):
        """A certificate with that serial number and address, in PEM."""
        certificate, key, request = self._files
        openssl("req", *NEW_KEY, "-keyout", "/dev/null", "-out", request, "-subj", "/CN=x", "-addext", f"subjectAltName=DNS:x,IP:{address}")
        return openssl("x509", "-req", "-in", request, "-CA", certificate, "-CAkey", key, "-set_serial", f"0x{serial.hex()}", "-copy_extensions", "copy", *more)


def openssl(*words):
    """What it printed."""
    return subprocess.run(["openssl", *words], check=True, capture_output=True, text=True).stdout


def number(serial):
    """The same as a number."""
    return int.from_bytes(serial, "big")


class Associations(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.pool = Authority(self.folder, "ca", "/CN=pool")
        patch = mock.patch.object(revoked, "CA", self.pool.certificate)
        patch.start()
        self.addCleanup(patch.stop)

    def test_a_certificate_tells_serial_number_and_addresses(self):
        pem = certificate(SERIAL, "10.128.0.5")
        self.assertEqual(revoked.holder(base64.b64decode("".join(pem.splitlines()[1:-1]))), (int.from_bytes(SERIAL, "big"), ["10.128.0.5"]))

    def test_who_is_revoked_or_not_known_is_ended_and_nobody_else(self):
        one, other = (self.pool.issue(serial, address) for serial, address in ((SERIAL, "10.128.0.5"), (OTHER, "10.128.0.6")))
        self.assertEqual(self.ended(one + other, {number(SERIAL)}), ["3"])
        self.assertEqual(self.barred, {"10.128.0.5"})
        self.assertEqual(self.ended(one + other, set()), [])
        self.assertEqual(self.barred, set())
        self.assertEqual(self.ended(other, set()), ["3"])
        # An old certificate of the same machine does not excuse a revoked one.
        self.assertEqual(self.ended(one + other + self.pool.issue(OTHER, "10.128.0.5"), {number(SERIAL)}), ["3"])

    def test_a_certificate_that_a_stranger_made_spares_nobody_and_revokes_nobody(self):
        """charon keeps those that it refused, too."""
        one, other = (self.pool.issue(serial, address) for serial, address in ((SERIAL, "10.128.0.5"), (OTHER, "10.128.0.6")))
        stranger = Authority(self.folder, "stranger", "/CN=pool")
        self.assertEqual(self.ended(other + stranger.issue(OTHER, "10.128.0.5"), set()), ["3"])
        self.assertEqual(self.ended(one + other + stranger.issue(SERIAL, "10.128.0.6"), {number(SERIAL)}), ["3"])
        self.assertEqual(self.barred, {"10.128.0.5"})
        self.assertEqual(self.ended(other + self.pool.issue(OTHER, "10.128.0.5", "-days", "-1"), set()), ["3"], "one that has ended counts no more")

    def test_what_openssl_takes_and_we_can_t_read_spares_nobody_and_keeps_nothing_back(self):
        one, other = (self.pool.issue(serial, address) for serial, address in ((SERIAL, "10.128.0.5"), (OTHER, "10.128.0.6")))
        raw = base64.b64decode("".join(one.splitlines()[1:-1]))
        self.assertEqual(raw[:2], b"\x30\x82")
        longer = f"-----BEGIN CERTIFICATE-----\n{base64.encodebytes(b'0' + bytes((0x84, 0, 0)) + raw[2:]).decode()}-----END CERTIFICATE-----\n"
        with self.assertRaises(ValueError):
            revoked.holder(base64.b64decode("".join(longer.splitlines()[1:-1])))
        self.assertEqual(self.ended(longer + other, set()), ["3"])

    def test_where_openssl_finds_none_of_the_ca_the_list_is_not_done(self):
        with self.assertRaises(WowError):
            revoked.signed(Authority(self.folder, "stranger", "/CN=pool").issue(SERIAL, "10.128.0.5"))
        self.assertEqual(revoked.signed(""), [])

    def test_a_list_that_charon_did_not_take_is_given_again(self):
        source, target, pending = (os.path.join(self.folder, name) for name in ("notice-1", "x509crl/pool.crl", "pending"))
        with open(source, "wb") as file:
            file.write(notice(crl_of(SERIAL)))
        asked, broken = [], ["--flush-certs"]

        def must(command):
            asked.append(command[1])
            if command[1] in broken:
                raise WowError("charon is away", "Wait")
            return {"--list-certs": self.pool.issue(SERIAL, "10.128.0.5"), "--list-sas": SAS}.get(command[1], "")
        install = crl.install
        with mock.patch.object(crl, "PENDING", pending), mock.patch.object(crl, "LIST", target), mock.patch("wow.lib.system.must", must), \
                mock.patch.object(crl, "install", lambda: install(source, target, pending)), mock.patch("wow.lib.console.say_change"), \
                mock.patch.object(revoked, "end", lambda serials: asked.append(serials)):
            self.assertEqual((revoked.main(), asked), (1, ["--load-creds", "--flush-certs"]))
            broken.clear()
            asked.clear()
            self.assertEqual((revoked.main(), asked), (0, ["--load-creds", "--flush-certs", {number(SERIAL)}]))
            asked.clear()
            self.assertEqual((revoked.main(), asked), (0, []), "and once is enough")
            # A joining that ran just then has put the next list there.
            with open(source, "wb") as file:
                file.write(notice(crl_of(SERIAL, OTHER)))
            self.assertTrue(crl.install())
            self.assertEqual((revoked.main(), asked), (0, ["--load-creds", "--flush-certs", {number(SERIAL), number(OTHER)}]))

    def ended(self, certificates, serials):
        """The SAs that were ended."""
        commands = []
        answers = {"--list-certs": certificates, "--list-sas": SAS}
        with mock.patch("wow.lib.system.must", lambda command: answers[command[1]]), \
                mock.patch("wow.lib.system.run", lambda command: run(command) if command[0] == "openssl" else commands.append(command[3])), mock.patch("builtins.print"), \
                mock.patch("wow.lib.barred.write", lambda addresses: self.barred.update(addresses)):
            self.barred = set()
            revoked.end(serials)
        return commands


if __name__ == "__main__":
    unittest.main()
