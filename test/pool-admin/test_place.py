import pathlib
import socket
import tempfile
import unittest

import world  # noqa: F401
from pool import conf, place
from pool.node import WowError, poolconf

HEAD = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
ROUTES = (HEAD + "eth0\t00000000\t0101A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
          "eth0\t0001A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
          "docker0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0\n")
"""/proc/net/route of a machine with a default route, 192.168.1.0/24 and 172.17.0.0/16, as x86 writes it."""


class Networks(unittest.TestCase):
    def overlaps(self, subnet, text=ROUTES):
        with tempfile.NamedTemporaryFile("w", encoding="ascii") as file:
            file.write(text)
            file.flush()
            return place.overlaps(subnet, file.name)

    def test_a_subnet_that_this_machine_s_network_uses_is_told(self):
        (told,) = self.overlaps("172.16.0.0/12")
        for words in ("172.16.0.0/12", "172.17.0.0/16", "docker0", "--subnet"):
            self.assertIn(words, told)
        self.assertEqual(1, len(self.overlaps("192.168.1.128/25")))

    def test_the_default_route_and_other_networks_are_no_matter(self):
        self.assertEqual([], self.overlaps("10.128.0.0/16"))
        self.assertEqual([], self.overlaps("10.128.0.0/16", HEAD))

    def test_this_machine_s_own_file_is_read(self):
        self.assertTrue(pathlib.Path("/proc/net/route").exists())
        self.assertEqual(len(pathlib.Path("/proc/net/route").read_text(encoding="ascii").splitlines()) - 1, len(place.networks("/proc/net/route")))


class Places(unittest.TestCase):
    def test_an_address_or_a_name_with_and_without_a_port(self):
        self.assertEqual(("manager.example.org", 4433), place.read("Manager.example.org"))
        self.assertEqual(("8.8.4.4", 443), place.read("8.8.4.4:443"))
        self.assertEqual([], place.doubts("8.8.4.4", "10.128.0.0/16", False))

    def test_an_address_of_the_documentation_is_doubted(self):
        (told,) = place.doubts("203.0.113.7", "10.128.0.0/16", False)
        self.assertIn("for examples", told)

    def named(self, *found, private=False):
        def ask(_):
            if not found:
                raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
            return list(found)
        return place.doubts("manager.example.org", "10.128.0.0/16", private, ask)

    def test_a_name_without_an_address_is_doubted_with_what_to_do(self):
        (told,) = self.named()
        for words in ("manager.example.org has no address", "Name or service not known", " pool stamp FOLDER --at HOST"):
            self.assertIn(words, told)

    def test_a_name_whose_address_strangers_do_not_reach_is_doubted(self):
        self.assertEqual([], self.named("8.8.4.4"))
        (private, own, loopback) = self.named("8.8.4.4", "192.168.1.5", "10.128.3.4", "127.0.1.1")
        self.assertIn("has the address 192.168.1.5 here, which is a private address", private)
        self.assertIn("lies in the pool's own subnet", own)
        self.assertIn("127.0.1.1 here, which is this machine's own loopback", loopback)

    def test_the_resolver_of_this_machine_is_asked(self):
        self.assertIn("127.0.0.1", place.look_up("localhost"))
        with self.assertRaises(OSError):
            place.look_up("nobody.invalid")

    def test_a_subnet_holds_as_many_machines_as_it_has_addresses_that_nobody_else_has(self):
        self.assertEqual(12, place.room("10.0.0.0/28"))
        place.holds("10.0.0.0/28", 12)
        with self.assertRaises(WowError):
            place.holds("10.0.0.0/28", 13)


class Files(unittest.TestCase):
    FACTS = conf.Facts("science", "10.128.0.0/16", "8.8.4.4:4433", "ab" * 32, "no certificate")

    def test_nothing_is_written_that_the_reader_refuses(self):
        for write in (lambda: conf.manager(self.FACTS), lambda: conf.worker(self.FACTS, "1:2")):
            with self.assertRaises(poolconf.WowError) as caught:
                write()
            self.assertIn("[ca] certificate", str(caught.exception))

    def test_a_key_without_value_is_left_out(self):
        self.assertEqual("[a]\nb = c\n", conf.text([("a", {"b": "c", "d": None})]))


if __name__ == "__main__":
    unittest.main()
