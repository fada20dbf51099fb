"""The script that runs when a lease, a list of revoked certificates or a copy of the machine is noticed."""
import os
import subprocess
import tempfile
import unittest
from unittest import mock

from wow.lib import paths
from wow.seal import charon

WATCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../appliance/node/root/usr/lib/wow/node/watch")
FAR = 2_000_000_000


class Watch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        for name in ("run/wow", "var/lib/wow", "etc/swanctl/x509crl", "bin"):
            os.makedirs(f"{self.root}/{name}")
        self.write("run/wow/joined", "10.128.3.4 alpha\n")
        self.code = None
        for program in ("python3", "systemctl", "ip", "swanctl"):
            self.write(f"bin/{program}", f"#!/bin/sh\necho {program} \"$@\" >> {self.root}/calls\n[ ! -e {self.root}/fails ] && [ ! -e {self.root}/fails-$4 ]\n")
            os.chmod(f"{self.root}/bin/{program}", 0o755)

    def write(self, name, text):
        with open(f"{self.root}/{name}", "w", encoding="utf-8") as file:
            file.write(text)

    def notice(self, text, written, kind=1):
        """ipopd writes a notice, whole or not at all, when its clock shows that."""
        self.write("new", text)
        os.utime(f"{self.root}/new", (written, written))
        os.replace(f"{self.root}/new", f"{self.root}/var/lib/wow/notice-{kind}")

    def loaded(self):
        """How often charon has been given all that it reads, with one more look."""
        self.given()
        if not os.path.exists(f"{self.root}/calls"):
            return 0
        with open(f"{self.root}/calls", encoding="utf-8") as file:
            return sum(line == "swanctl --load-all --noprompt\n" for line in file)

    def given(self, program="revoked"):
        """How often the program has been started that acts on a notice, charon's by default, with one more look."""
        with open(WATCH, encoding="utf-8") as file:
            script = file.read()
        for name in ("/run/wow", "/var/lib/wow", "/etc/swanctl"):
            script = script.replace(name, self.root + name)
        self.code = subprocess.run(["sh", "-c", script], env={"PATH": f"{self.root}/bin:{os.environ['PATH']}"}, check=False, capture_output=True).returncode
        try:
            with open(f"{self.root}/calls", encoding="utf-8") as file:
                return sum(f"main.py {program}" in line for line in file)
        except FileNotFoundError:
            return 0

    def test_what_charon_did_not_take_counts_as_unread_until_it_does(self):
        state, seen = f"{self.root}/var/lib/wow", {name: f"{self.root}/run/wow/{os.path.basename(file)}" for name, file in charon.SEEN.items()}
        with mock.patch.object(charon, "SEEN", seen):
            self.write("var/lib/wow/node.pem", "one")
            self.assertIsNone(charon.unread(state), "before the first joining")
            self.loaded()
            self.assertIsNone(charon.unread(state))
            self.write("var/lib/wow/node.pem", "another")
            os.utime(f"{state}/node.pem", (FAR, FAR))
            self.write("fails", "")
            self.loaded()
            self.assertEqual(FAR, charon.unread(state))
            os.remove(f"{self.root}/fails")
            self.loaded()
            self.assertIsNone(charon.unread(state))

    def test_each_new_list_is_given_to_charon_once_also_after_one_that_was_written_while_the_clock_was_ahead(self):
        self.assertEqual(self.given(), 0)
        self.notice("first", FAR)
        self.write("etc/swanctl/x509crl/pool.crl", "first")
        os.utime(f"{self.root}/etc/swanctl/x509crl/pool.crl", (FAR, FAR))
        self.assertEqual((self.given(), self.given()), (1, 1))
        self.notice("second", FAR - 365 * 86400)
        self.assertEqual((self.given(), self.given()), (2, 2))

    def test_charon_reads_a_renewed_certificate_once_the_ca_s_and_its_own_and_none_that_it_read_when_the_machine_joined(self):
        for name in charon.SEEN:
            self.write(f"var/lib/wow/{name}", "first")
        with mock.patch.multiple(paths, STATE=f"{self.root}/var/lib/wow"), \
                mock.patch.multiple(charon, CONFIG=f"{self.root}/run/wow/swanctl.conf", SEEN={name: self.root + seen for name, seen in charon.SEEN.items()}), \
                mock.patch.object(charon.crl, "install"), mock.patch.object(charon.system, "systemctl"), mock.patch.object(charon.system, "run", return_value=(0, "")), \
                mock.patch.object(charon.console, "say"):
            charon.load("10.128.0.0/16", "10.128.3.4")
        self.assertEqual((self.loaded(), self.loaded()), (0, 0))
        for before, name in ((0, "ca.pem"), (3, "node.pem")):
            self.write("new", "renewed")
            os.replace(f"{self.root}/new", f"{self.root}/var/lib/wow/{name}")
            self.assertEqual((self.loaded() - before, self.loaded() - before, self.code), (1, 1, 0))
            self.write("new", "again")
            os.replace(f"{self.root}/new", f"{self.root}/var/lib/wow/{name}")
            self.write("fails", "")
            self.assertEqual((self.loaded() - before, self.code), (2, 1))
            os.remove(f"{self.root}/fails")
            self.assertEqual((self.loaded() - before, self.loaded() - before, self.code), (3, 3, 0))

    def test_a_list_of_managers_is_no_list_of_revoked_certificates(self):
        self.notice("managers", FAR, kind=2)
        self.assertEqual((self.given("managers"), self.given("managers"), self.given()), (1, 1, 0))

    def test_a_list_that_could_not_be_given_is_given_at_the_next_look(self):
        self.notice("first", FAR)
        self.write("fails", "")
        self.assertEqual(self.given(), 1)
        os.remove(f"{self.root}/fails")
        self.assertEqual((self.given(), self.given()), (2, 2))

    def test_one_that_fails_keeps_no_other_and_systemd_hears_of_it(self):
        self.write("run/wow/copied", "")
        self.write("fails-revoked", "")
        self.notice("certificates", FAR)
        self.notice("managers", FAR, kind=2)
        self.write("bin/ip", f"#!/bin/sh\necho ip \"$@\" >> {self.root}/calls\n[ \"$1\" != xfrm ] && echo '7: wow0 inet 10.128.9.9/16 scope'\n")
        self.assertEqual((self.given(), self.code), (1, 1))
        with open(f"{self.root}/calls", encoding="utf-8") as file:
            calls = file.read()
        self.assertIn("main.py managers", calls)
        self.assertIn("restart --no-block wow-join.service", calls)
        os.remove(f"{self.root}/fails-revoked")
        self.assertEqual((self.given(), self.given("managers"), self.code), (2, 1, 0))


if __name__ == "__main__":
    unittest.main()
