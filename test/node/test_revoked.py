"""The CA's list on its way to charon, and whose SAs end."""

import base64
import os
import subprocess
import tempfile
import unittest
from unittest import mock

import samples

from wow.seal import crl, revoked
from samples import tlv

SERIAL = bytes(range(0x41, 0x51))
OTHER = bytes(range(0x51, 0x61))


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
            source, target = os.path.join(folder, "notice-1"), os.path.join(folder, "x509crl/pool.crl")
            self.assertFalse(crl.install(source, target), "without notice there is none")
            with open(source, "wb") as file:
                file.write(notice(crl_of(SERIAL)))
            self.assertTrue(crl.install(source, target))
            with open(target, "rb") as file:
                self.assertEqual(file.read(), crl_of(SERIAL))
            self.assertFalse(crl.install(source, target))

    def test_what_is_no_notice_changes_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            source, target = os.path.join(folder, "notice-1"), os.path.join(folder, "pool.crl")
            for wrong in (b"", b"WOWN", notice(b""), b"X" + notice(b"body")):
                with open(source, "wb") as file:
                    file.write(wrong)
                self.assertFalse(crl.install(source, target))
                self.assertFalse(os.path.exists(target))

    def test_its_serial_numbers_are_read(self):
        self.assertEqual(revoked.serials(crl_of()), set())
        self.assertEqual(revoked.serials(crl_of(SERIAL, OTHER)), {int.from_bytes(SERIAL, "big"), int.from_bytes(OTHER, "big")})


class Associations(unittest.TestCase):
    def test_a_certificate_tells_serial_number_and_addresses(self):
        pem = certificate(SERIAL, "10.128.0.5")
        self.assertEqual(revoked.holder(base64.b64decode("".join(pem.splitlines()[1:-1]))), (int.from_bytes(SERIAL, "big"), ["10.128.0.5"]))

    def test_certificates_of_the_openssl_program_are_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "pem")
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "/dev/null", "-out", path,
                            "-subj", "/CN=x", "-set_serial", "0x1234", "-addext", "subjectAltName=DNS:x,IP:10.128.0.7"], check=True, capture_output=True)
            with open(path, encoding="ascii") as file:
                self.assertEqual(revoked.holders(file.read(), set()), ({"10.128.0.7"}, set()))

    def test_who_is_revoked_or_not_known_is_ended_and_nobody_else(self):
        listed = certificate(SERIAL, "10.128.0.5") + certificate(OTHER, "10.128.0.6")
        self.assertEqual(self.ended(listed, {int.from_bytes(SERIAL, "big")}), ["3"])
        self.assertEqual(self.barred, {"10.128.0.5"})
        self.assertEqual(self.ended(listed, set()), [])
        self.assertEqual(self.barred, set())
        self.assertEqual(self.ended(certificate(OTHER, "10.128.0.6"), set()), ["3"])
        # An old certificate of the same machine does not excuse a revoked one.
        self.assertEqual(self.ended(listed + certificate(OTHER, "10.128.0.5"), {int.from_bytes(SERIAL, "big")}), ["3"])

    def ended(self, certificates, serials):
        """The SAs that were ended."""
        commands = []
        answers = {"--list-certs": certificates, "--list-sas": SAS}
        with mock.patch("wow.lib.system.must", lambda command: answers[command[1]]), \
                mock.patch("wow.lib.system.run", lambda command: commands.append(command[3])), mock.patch("builtins.print"), \
                mock.patch("wow.lib.barred.write", lambda addresses: self.barred.update(addresses)):
            self.barred = set()
            revoked.end(serials)
        return commands


if __name__ == "__main__":
    unittest.main()
