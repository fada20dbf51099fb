import unittest

from wow.seal import enrolment

HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"


def row(peer, state):
    return f"   0: E138800A:9E47 {peer} {state} 00000000:00000000 00:00000000 00000000     0        0 1 1\n"


class GoodbyeTests(unittest.TestCase):
    def test_only_connections_with_the_ca_s_port_that_wait_for_the_ca_count(self):
        ca, elsewhere = "0100800A:20FB", "0100800A:2592"
        table = HEAD + row(ca, "01") + row(ca, "05") + row(ca, "06") + row(elsewhere, "01")
        self.assertEqual(2, enrolment.open_connections("10.128.0.1", table))
        self.assertEqual(0, enrolment.open_connections("10.128.0.1", HEAD + row(ca, "06") + row(ca, "07")))

    def test_waiting_ends_with_the_last_connection_and_after_its_patience(self):
        tables = [HEAD + row("0100800A:20FB", "04"), HEAD]
        enrolment.wait_for_goodbye("10.128.0.1", read=lambda: tables.pop(0))
        self.assertEqual([], tables)
        enrolment.wait_for_goodbye("10.128.0.1", patience=0.0, read=lambda: HEAD + row("0100800A:20FB", "04"))


if __name__ == "__main__":
    unittest.main()
