"""Unit tests: what fails in a client's story fails once, and is counted."""

import io
import pathlib
import sys
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "vm")]

import guests  # noqa: E402
import leasing  # noqa: E402
from frames import Message  # noqa: E402
from tally import Tally  # noqa: E402

ADDRESS = "10.128.0.9"


class Machine:
    """A node, its client and their pool at once: a client that starts is bound, one that gives back has nothing."""

    loses_signals = False
    lacks = frozenset(("DISCOVER", "REQUEST", "renewing", "rebinding", "INIT-REBOOT", "rapid commit", "INFORM", "DECLINE"))

    def __init__(self):
        self.address, self.alive, self.starts, self.heard, self.guests = None, False, 0, [], []
        self.nodes = {"Client": self}

    def __call__(self, node, interface):
        return self

    def start(self):
        self.starts += 1
        self.address, self.alive = ADDRESS, True
        self.heard.append(Message("ACK", "", "", "", ADDRESS, {}))

    def runs(self):
        return self.alive

    def kill(self):
        self.alive = False

    def release(self):
        raise OSError("no RELEASE today")

    def renew(self):
        self.heard += [Message(kind, "", "", "", assigned, {}) for kind, assigned in (("NAK", ""), ("ACK", "10.128.0.10"))]
        self.address = "10.128.0.10"

    def ask(self, command, **arguments):
        return {}

    def said(self, name):
        # Who has an address renews it all the time.
        self.heard += [Message("ACK", "", "", "", ADDRESS, {})] * self.alive
        return self.heard

    def run(self, *command, **options):
        return mock.Mock(stdout=f" {self.address}/16 lladdr ")


class Busy(Machine):
    """Its client was in the middle of something when it was told first."""

    loses_signals = True
    told = 0

    def release(self):
        self.told += 1
        if self.told == 2:
            self.heard.append(Message("RELEASE", "", "", ADDRESS, "", {}))
            self.address, self.alive = None, False


class Stories(unittest.TestCase):
    """A story with a fault in it."""

    def setUp(self):
        self.told = io.StringIO()
        self.tally = Tally(lambda error: [f"{type(error).__name__}: {error}"], self.told)
        self.machine = Machine()

    def tell(self, **tales):
        """Runs the story of the one client, some of its tales replaced."""
        known = {"_release": leasing.Story._release}
        with mock.patch.object(guests, "Client", self.machine, create=True), mock.patch.multiple(leasing.Story, **{**known, **tales}):
            leasing.run(self.tally, self.machine, ["Client"])

    def test_a_case_does_not_fail_because_the_one_before_it_did(self):
        """The RELEASE is lost; NAK, which comes next, finds a client that is bound."""
        self.tell()
        self.assertEqual((self.tally.passed, self.tally.failed), (2, 1), self.told.getvalue())
        self.assertIn("FAIL Client: RELEASE", self.told.getvalue())

    def test_a_client_that_loses_signals_is_told_again_until_it_gives_back(self):
        self.machine = Busy()
        with mock.patch.object(leasing, "AGAIN_SECONDS", 0.3):
            self.tell()
        self.assertEqual((self.tally.passed, self.tally.failed, self.machine.told), (3, 0, 2), self.told.getvalue())

    def test_a_case_binds_a_client_that_the_one_before_left_dead(self):
        """And no client is started anew that is well."""
        def dead(story):
            with story._case("RELEASE", begins=story._bind):
                story._guest.kill()
                story._guest.address = None

        self.tell(_release=dead)
        self.assertEqual((self.tally.passed, self.tally.failed, self.machine.starts), (3, 0, 2), self.told.getvalue())

    def test_what_ends_a_story_is_a_failure(self):
        """Outside of the cases, too, where a thread would take it to its grave."""
        self.tell(_refuse=mock.Mock(side_effect=KeyError("lost in the thread")))
        self.assertEqual((self.tally.passed, self.tally.failed), (0, 2))
        self.assertIn("lost in the thread", self.told.getvalue())


if __name__ == "__main__":
    unittest.main()
