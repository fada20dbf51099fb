"""Unit tests: what is said of the clients is what they are put through; and the reader of dhclient's file."""

import pathlib
import re
import unittest

import guests

FIRST = 'lease {\n  interface "wow0";\n  renew 0 1970/01/04 00:00:05;\n  expire 0 1970/01/04 00:00:10;\n}\n'
SECOND = FIRST.replace("expire 0 1970/01/04 00:00:10", "expire 1 1970/01/05 00:00:10")


DOCUMENT = pathlib.Path(__file__).resolve().parents[3] / "docs/operating.md"


class Table(unittest.TestCase):
    """docs/operating.md, where it speaks of DHCP clients."""

    def test_each_cell_is_what_the_stage_does(self):
        """A message is told as one that a client has if the client is put through it, else with a reason."""
        text = DOCUMENT.read_text(encoding="utf-8").split("## DHCP clients\n")[1].split("\n## ")[0]
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
        clients = [name.split()[0].replace("systemd-", "").capitalize() for name in rows[0][1:]]
        self.assertEqual(sorted(clients), sorted(guests.NAMES))
        self.assertEqual([row[0] for row in rows[2:]], list(guests.MESSAGES))
        reasons = re.findall(r"^(\d)\. ", text, re.MULTILINE)
        for message, *cells in rows[2:]:
            for client, cell in zip(clients, cells):
                lacks = message in getattr(guests, client).lacks
                self.assertTrue(cell in reasons if lacks else cell == "yes", f"{client}: {message}: {cell}")


class Expiry(unittest.TestCase):
    """When the client's memory runs out."""

    def test_the_last_lease_counts(self):
        """dhclient.leases(5): in UTC, and later ones overrule."""
        self.assertEqual(guests.expiry(FIRST), 3 * 86400 + 10)
        self.assertEqual(guests.expiry(FIRST + SECOND), 4 * 86400 + 10)

    def test_nothing_or_half_a_lease_is_no_memory(self):
        """A file that is being written."""
        self.assertEqual(guests.expiry(""), 0)
        self.assertEqual(guests.expiry(FIRST + SECOND[:-3]), 0)


if __name__ == "__main__":
    unittest.main()
