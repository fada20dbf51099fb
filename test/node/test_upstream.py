"""What of networkd's word becomes a line for dnsmasq and a command for nftables."""

import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "appliance/node/root/usr/lib/wow/node/upstream"


class Resolvers(unittest.TestCase):
    def told(self, state):
        """(upstream.conf, what nft was told) for networkd's file state."""
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            (place / "state").write_text(state, encoding="utf-8")
            (place / "nft").write_text(f"#!/bin/sh\ncat > {folder}/told\n", encoding="utf-8")
            (place / "nft").chmod(0o755)
            script = SCRIPT.read_text(encoding="utf-8").replace("run=/run/wow", f"run={folder}").replace("/run/systemd/netif/state", f"{folder}/state")
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


if __name__ == "__main__":
    unittest.main()
