"""What the units of the node say where a person at the console notices it."""

import configparser
import pathlib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2] / "appliance/node/root"


def unit(path):
    """A unit's sections."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.optionxform = str
    parser.read_string((ROOT / path).read_text(encoding="utf-8"))
    return parser


class Login(unittest.TestCase):
    def test_people_log_in_once_they_have_accounts_and_need_not_wait_for_the_network(self):
        after = unit("etc/systemd/system/systemd-user-sessions.service")["Unit"]["After"].split()
        self.assertIn("wow-config.service", after)
        self.assertNotIn("network.target", after)

    def test_the_prompt_does_not_wait_for_what_is_still_being_started(self):
        for console in ("getty@", "serial-getty@"):
            self.assertEqual("simple", unit(f"usr/lib/systemd/system/{console}.service.d/wow.conf")["Service"]["Type"])


if __name__ == "__main__":
    unittest.main()
