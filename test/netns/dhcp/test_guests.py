"""Unit tests of the reader of dhclient's file."""

import unittest

import guests

FIRST = 'lease {\n  interface "wow0";\n  renew 0 1970/01/04 00:00:05;\n  expire 0 1970/01/04 00:00:10;\n}\n'
SECOND = FIRST.replace("expire 0 1970/01/04 00:00:10", "expire 1 1970/01/05 00:00:10")


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
