"""What the units of the node say where a person at the console notices it, and who may make them do something."""

import configparser
import pathlib
import re
import unittest

CLONE = pathlib.Path(__file__).resolve().parents[2]
ROOT = CLONE / "appliance/node/root"
UNITS = "usr/lib/systemd/system"
CONFINED = {
    "NoNewPrivileges": "yes", "ProtectSystem": "strict", "ProtectHome": "yes", "PrivateTmp": "yes", "ProtectControlGroups": "yes",
    "ProtectKernelModules": "yes", "ProtectKernelTunables": "yes"}
HEARS_STRANGERS = {"ipopd.service": "CAP_NET_ADMIN CAP_NET_BIND_SERVICE CAP_SYSLOG CAP_SYS_TIME", "wow-ca.service": "", "wow-power.service": ""}
"""Confined units and the capabilities that they keep."""
WATCHED_OF_OTHERS = {"wow-asked.path": "/run/wow/asked/", "wow-upstream.path": "/run/systemd/netif/", "wow-watch.path": "/run/systemd/netif/"}
"""Where somebody else than root may write and a unit of root's watches."""
OF_ROOT = ("/var/lib/wow/notice-1", "/run/wow/copied")


def unit(path):
    """A unit's sections."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.optionxform = str
    parser.read_string((ROOT / path).read_text(encoding="utf-8"))
    return parser


def own_units():
    """Name and file of every unit that the node brings along."""
    folders = (ROOT / UNITS, CLONE / "appliance/image/root" / UNITS, CLONE / "ipop/Ipopd")
    return {file.name: file for folder in folders for file in folder.iterdir() if file.suffix in (".service", ".path", ".socket", ".timer")}


def values(file, *keys):
    """Each value of some keys, in their order; a key may stand often."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return [line.partition("=")[2] for line in lines if line.partition("=")[0] in keys]


def table():
    """SECURITY.md's row of each unit: its cells."""
    rows = {}
    for line in (CLONE / "SECURITY.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 4:
            rows.update({name: cells for name in re.findall("`([^`]+)`", cells[0])})
    return rows


class Memory(unittest.TestCase):
    def test_what_keeps_the_machine_in_its_pool_is_not_what_the_kernel_ends_first(self):
        keepers = [own_units()[name] for name in ("ipopd.service", "wow-ca.service", "wow-names.service")]
        for file in (*keepers, ROOT / UNITS / "strongswan.service.d/wow.conf"):
            self.assertEqual(values(file, "OOMScoreAdjust"), ["-500"], file.name)


class Login(unittest.TestCase):
    def test_people_log_in_once_they_have_accounts_and_need_not_wait_for_the_network(self):
        after = unit("etc/systemd/system/systemd-user-sessions.service")["Unit"]["After"].split()
        self.assertIn("wow-config.service", after)
        self.assertNotIn("network.target", after)

    def test_the_prompt_does_not_wait_for_what_is_still_being_started(self):
        for console in ("getty@", "serial-getty@"):
            self.assertEqual("simple", unit(f"usr/lib/systemd/system/{console}.service.d/wow.conf")["Service"]["Type"])


class Command(unittest.TestCase):
    """SECURITY.md, "Who may ask and who may command on the machine itself"."""

    def test_every_unit_stands_in_the_table_and_the_table_names_no_other(self):
        self.assertEqual(sorted(table()), sorted(own_units()))

    def test_accounts_and_watched_places_are_those_of_the_files(self):
        rows = table()
        for name, file in own_units().items():
            for account in values(file, "User") or (["root"] if file.suffix == ".service" else []):
                self.assertTrue(rows[name][1].startswith(account), name)
            for place in values(file, "PathExists", "PathChanged", "PathModified", "PathExistsGlob", "DirectoryNotEmpty"):
                self.assertIn(f"`{place}`", rows[name][2], name)

    def test_what_hears_strangers_is_confined(self):
        for name, capabilities in HEARS_STRANGERS.items():
            file = own_units()[name]
            for key, wanted in CONFINED.items():
                self.assertEqual(values(file, key), [wanted], f"{name}: {key}")
            self.assertEqual(values(file, "CapabilityBoundingSet"), [capabilities], name)
            self.assertTrue(values(file, "RestrictAddressFamilies"), name)
            self.assertTrue(values(file, "DevicePolicy") == ["closed"] or values(file, "PrivateDevices") == ["yes"], name)

    def test_where_others_may_write_only_the_units_that_are_made_for_it_look(self):
        for name, file in own_units().items():
            for place in values(file, "PathExists", "PathChanged"):
                self.assertTrue(place in OF_ROOT or place.startswith(WATCHED_OF_OTHERS.get(name, "nowhere")), f"{name}: {place}")

    def test_root_runs_what_stands_where_only_root_writes(self):
        for name, file in own_units().items():
            for command in values(file, "ExecStart", "ExecStartPre", "ExecStartPost", "ExecStop", "ExecStopPost", "ExecReload"):
                self.assertRegex(command.lstrip("-+!@:"), "^(/usr/|/bin/kill )", name)
            for place in values(file, "EnvironmentFile"):
                self.assertEqual(place, "/run/wow/ca-address", name)

    def test_whoever_asks_without_end_does_not_make_the_machine_deaf(self):
        units = own_units()
        self.assertEqual(values(units["wow-asked.service"], "StartLimitIntervalSec"), ["0"])
        self.assertEqual(values(units["wow-asked.path"], "TriggerLimitIntervalSec"), ["0"])


if __name__ == "__main__":
    unittest.main()
