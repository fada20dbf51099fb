"""What of networkd's and the kernel's word becomes a line for dnsmasq and a command for nftables."""

import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "appliance/node/root/usr/lib/wow/node/upstream"


class Resolvers(unittest.TestCase):
    def told(self, state, addresses=""):
        """(upstream.conf, what nft was told) for networkd's file state, and for what `ip address` says."""
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            (place / "state").write_text(state, encoding="utf-8")
            (place / "nft").write_text(f"#!/bin/sh\ncat >> {folder}/told\n", encoding="utf-8")
            (place / "ip").write_text(f"#!/bin/sh\ncat << 'E'\n{addresses}\nE\n", encoding="utf-8")
            for name in ("nft", "ip"):
                (place / name).chmod(0o755)
            script = SCRIPT.read_text(encoding="utf-8").replace("run=/run/wow", f"run={folder}").replace("/run/systemd/netif/state", f"{folder}/state")
            for _ in range(2):  # What is known is not told again.
                subprocess.run(["sh", "-c", script], check=True, env={"PATH": f"{folder}:{os.environ['PATH']}"})
            told = place / "told"
            return (place / "upstream.conf").read_text(encoding="utf-8"), told.read_text(encoding="utf-8") if told.exists() else ""

    def test_addresses_are_taken_without_port_and_name_and_only_ipv4(self):
        listed, told = self.told("DNS=192.0.2.1 192.0.2.2:5353 192.0.2.3#name fe80::1\n")
        self.assertEqual(listed.split(), ["nameserver", "192.0.2.1", "nameserver", "192.0.2.2", "nameserver", "192.0.2.3"])
        self.assertIn("{ 192.0.2.1, 192.0.2.2, 192.0.2.3 }", told)

    def test_what_is_no_address_becomes_no_command(self):
        listed, told = self.told("DNS=192.0.2.1 }\tflush\truleset;{ 1;reset 192.0.2.9}\n")
        self.assertEqual(listed.split(), ["nameserver", "192.0.2.1"])
        self.assertEqual(told.splitlines()[1:], ["add element inet wow resolvers { 192.0.2.1 }"])

    def test_near_is_what_stands_on_the_cards_of_the_machine_s_own_network(self):
        cards = ("1: lo    inet 127.0.0.1/8 scope host lo\\       valid_lft forever\n2: eth0    inet 10.0.2.15/24 metric 1024 brd 10.0.2.255 scope global dynamic eth0\n"
                 "3: wow0    inet 10.128.3.4/16 scope global wow0\n4: eth1    inet 192.168.56.7/24 brd 192.168.56.255 scope global eth1\n5: x    inet 1;flush scope global")
        _, told = self.told("DNS=192.0.2.1\n", cards)
        self.assertEqual(told.splitlines()[2:], ["flush set inet wow near", "add element inet wow near { 10.0.2.15/24, 192.168.56.7/24 }"])


if __name__ == "__main__":
    unittest.main()
