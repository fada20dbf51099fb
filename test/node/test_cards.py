"""A machine without a network card that it can drive."""
import pathlib
import tempfile
import unittest
from unittest import mock

from wow.join import join
from wow.lib import cards, console, control
from wow.lib.errors import WowError
import samples


class Cards(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.pci, self.net = (pathlib.Path(folder.name, name) for name in ("pci", "net"))
        self.device("0000:00:00.0", "0x060000", "0x8086", "0x29c0")

    def device(self, slot, kind, vendor, device, driver=False):
        place = self.pci / slot
        place.mkdir(parents=True)
        for name, text in (("class", kind), ("vendor", vendor), ("device", device)):
            (place / name).write_text(text + "\n")
        if driver:
            (place / "driver").mkdir()

    def interface(self, name, kind="1"):
        (self.net / name).mkdir(parents=True)
        (self.net / name / "type").write_text(kind + "\n")

    def trouble(self):
        return cards.trouble(str(self.pci), str(self.net))

    def test_a_card_that_works_is_no_trouble_whatever_else_there_is(self):
        self.device("0000:00:03.0", "0x020000", "0x8086", "0x100e")
        self.interface("ens4")
        self.assertIsNone(self.trouble())

    def test_a_card_without_a_driver_is_named_as_lspci_names_it(self):
        self.device("0000:00:03.0", "0x020000", "0x8086", "0x100e")
        self.interface("lo", "772")
        self.interface("wow0")
        trouble = self.trouble()
        self.assertEqual(trouble.what, "network card 8086:100e has no driver here")
        self.assertIn("virtio or vmxnet3", trouble.todo)

    def test_two_are_named(self):
        self.device("0000:00:03.0", "0x020000", "0x8086", "0x100e")
        self.device("0000:00:04.0", "0x020000", "0x10ec", "0x8139")
        self.device("0000:00:05.0", "0x020000", "0x1af4", "0x1000", driver=True)
        self.assertEqual(self.trouble().what, "network cards 8086:100e and 10ec:8139 have no driver here")

    def test_none_at_all_is_told(self):
        self.assertEqual(self.trouble().what, "there is no network card")

    def test_a_network_that_gives_no_ipv4_address_is_one_where_no_connected_card_has_one(self):
        for name, parts in (("ens3", ("device",)), ("ens4", ("device",)), ("ens5", ("device", "carrier")), ("wow0", ())):
            self.interface(name)
            for part in parts:
                (self.net / name / part).mkdir()  # A card that is down: its carrier can't be read.
        for connected, addressed, wanted in (((), (), False), (("ens3",), (), True), (("ens3",), ("wow0",), True), (("ens3", "ens4"), ("ens4",), False)):
            for name in ("ens3", "ens4", "wow0"):
                (self.net / name / "carrier").write_text("1\n" if name in (*connected, "wow0") else "0\n")
            with self.subTest(connected=connected, addressed=addressed):
                self.assertEqual(wanted, cards.without_ipv4(lambda name, addressed=addressed: name in addressed, str(self.net)))


class Told(unittest.TestCase):
    def seconds(self, trouble, until):
        """(when, what) was told in so many seconds of a wait that does not end."""
        now, told = [0.0], []
        lost = {**samples.STATUS, "address": None, "ring": {"joined": False, "connections": 0, "near": 0}}

        def sleep(seconds):
            now[0] += seconds
            if now[0] > until:
                raise TimeoutError

        with mock.patch.object(join.time, "monotonic", lambda: now[0]), mock.patch.object(join.time, "sleep", sleep), \
                mock.patch.object(control, "status", lambda: lost), mock.patch.object(cards, "trouble", lambda: trouble), \
                mock.patch.object(console, "say_error", lambda error: told.append((round(now[0]), error.what))), self.assertRaises(TimeoutError):
            join.wait_for_address(samples.pool())
        return told

    def test_the_card_is_blamed_in_seconds_and_not_the_bootstrap(self):
        told = self.seconds(WowError("no card", "buy one"), 100)
        self.assertEqual(told[0], (5, "no card"))
        self.assertNotIn("no machine of pool science answers", [what for _, what in told])
        self.assertLess(len(told), 8)

    def test_with_a_card_the_bootstrap_is_blamed_after_a_minute(self):
        self.assertEqual([what for _, what in self.seconds(None, 100)], ["no machine of pool science answers"])
