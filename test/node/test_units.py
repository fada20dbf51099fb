"""What the units of the node say where a person at the console notices it, and who may make them do something."""

import configparser
import json
import os
import pathlib
import re
import sys
import unittest

from wow.acts import boot, requests
from wow.acts import pause as act
from wow.acts import place as placing
from wow.acts import screen as screens
from wow.condor import managers
from wow.config import users
from wow.lib import paths
from wow.limits import tell
from wow.pause import state
from wow.refuse import state as refused
from wow.seal import charon
from wow.setup import take
from wow.slots import groups
from wow.stack import kept, named, term
from wow.stops import tell as pause
from wow.support import collect

CLONE = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(CLONE / "test"))

from contract import shipped  # noqa: E402

ROOT = CLONE / "appliance/node/root"
UNITS = "usr/lib/systemd/system"
CONFINED = {
    "NoNewPrivileges": "yes", "ProtectSystem": "strict", "ProtectHome": "yes", "PrivateTmp": "yes", "ProtectControlGroups": "yes",
    "ProtectKernelModules": "yes", "ProtectKernelTunables": "yes"}
HEARS_STRANGERS = {
    "ipopd.service": "CAP_NET_ADMIN CAP_NET_BIND_SERVICE CAP_SYSLOG CAP_SYS_TIME", "wow-ca.service": "", "wow-pool.service": "", "wow-pool-page.service": "",
    "wow-power.service": "", "wow-agent.service": "", "wow-stack.service": "", "wow-share@.service": "", "wow-console.service": "", "wow-web.service": "",
    "wow-origin@.service": ""}
"""Confined units and the capabilities that they keep."""
WATCHED_OF_OTHERS = {"wow-upstream.path": "/run/systemd/netif/", "wow-watch.path": "/run/systemd/netif/"}
"""Where somebody else than root may write and a unit of root's watches."""
PLACES = ("PathExists", "PathChanged", "PathModified", "PathExistsGlob", "DirectoryNotEmpty")
OF_ROOT = ("/var/lib/wow/notice-1", "/var/lib/wow/notice-2", "/var/lib/wow/notice-3", "/var/lib/wow/notice-4", "/var/lib/wow/notice-6", "/var/lib/wow/ca.pem", "/var/lib/wow/node.pem",
           "/run/wow/stack.wanted", "/run/wow/copied", "/run/wow/upstream.wanted", "/run/wow/watch.wanted")


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


def watched(name, file):
    """What a path unit waits for, by all of its instances."""
    return [place.replace("%i", one) for place in values(file, *PLACES) for one in (shipped.instances(CLONE, name) if "%i" in place else [""])]


def told():
    """What SECURITY.md says of each unit: {name: {"account": .., "takes": .., "from": ..}}."""
    text = (CLONE / "SECURITY.md").read_text(encoding="utf-8")
    units = {}
    for names, points in re.findall(r"^- ((?:`[\w.@-]+`[ \n]*)+)\n((?:  .*\n)+)", text, re.MULTILINE):
        says = {key: " ".join(words.split()) for key, words in re.findall(r"^  - (\w+): (.*(?:\n    .*)*)", points, re.MULTILINE)}
        units.update(dict.fromkeys(re.findall("`([^`]+)`", names), says))
    return units


class Memory(unittest.TestCase):
    def test_what_keeps_the_machine_in_its_pool_is_not_what_the_kernel_ends_first(self):
        keepers = [own_units()[name] for name in ("ipopd.service", "wow-ca.service", "wow-names.service")]
        for file in (*keepers, ROOT / UNITS / "strongswan.service.d/wow.conf"):
            self.assertEqual(values(file, "OOMScoreAdjust"), ["-500"], file.name)

    def test_why_the_ca_ended_last_stays_while_it_begins_again(self):
        file = own_units()["wow-ca.service"]
        self.assertEqual(["restart"], values(file, "RuntimeDirectoryPreserve"))
        self.assertEqual([os.path.dirname(paths.AUTHORITY_TROUBLE)], [f"/run/{name}" for name in values(file, "RuntimeDirectory")])

    def test_what_people_write_to_their_archives_fills_a_place_of_its_own_and_not_run(self):
        file = ROOT / UNITS / "run-wow-support.mount"
        self.assertEqual((["tmpfs"], [collect.FOLDER]), (values(file, "Type"), values(file, "Where")))
        self.assertIn("size=16M", values(file, "Options")[0].split(","))
        self.assertEqual([collect.FOLDER], values(own_units()["wow-support@.service"], "RequiresMountsFor"))


class Power(unittest.TestCase):
    def test_a_machine_without_a_button_passes_it_over_and_does_not_try_it_again(self):
        # systemd.service(5): ExecCondition comes first, and one that fails is no failure: Restart= does not count then.
        file = own_units()["wow-power.service"]
        conditions = [line.lstrip("+").split() for line in values(file, "ExecCondition")]
        self.assertEqual([["/usr/sbin/modprobe", "--quiet", "--all", "button", "evdev"], ["/usr/bin/test", "-e", "/dev/input/event0"]], conditions)
        self.assertEqual([], values(file, "ExecStartPre"), "the modules are loaded before it is looked for a device")


class Managers(unittest.TestCase):
    def test_what_htcondor_reads_at_its_start_is_noted_before_it_starts(self):
        file = ROOT / UNITS / "condor.service.d/wow.conf"
        for made, read in ((managers.FILE, managers.READ), (pause.FILE, pause.READ), (tell.FILE, tell.READ)):
            self.assertIn(f"-/usr/bin/cp {made} {read}", values(file, "ExecStartPre"))

    def test_what_could_not_be_acted_on_is_tried_again_and_less_often_each_time(self):
        for name, longest in (("wow-watch.service", "5min"), ("wow-join.service", "1min")):
            file = own_units()[name]
            self.assertEqual([["on-failure"], [longest]], [values(file, key) for key in ("Restart", "RestartMaxDelaySec")], name)
            self.assertGreater(int(values(file, "RestartSteps")[0]), 0, "without steps the longest delay counts for nothing")


class Renewal(unittest.TestCase):
    def test_a_machine_that_was_asleep_looks_when_it_goes_on_and_one_that_failed_looks_again_within_two_hours(self):
        timer = own_units()["wow-renew.timer"]
        # A monotonic time stands still while a hypervisor keeps the machine saved. What Persistent= needs, /var/lib/systemd/timers, is in memory here.
        self.assertEqual([["hourly"], ["yes"], ["1h"]], [values(timer, key) for key in ("OnCalendar", "OnClockChange", "RandomizedDelaySec")])
        self.assertEqual([], values(timer, "OnBootSec", "OnUnitActiveSec", "Persistent"))
        # A start by hand would wait for as long as the next try is off.
        self.assertEqual([], values(own_units()["wow-renew.service"], "Restart"))


class Login(unittest.TestCase):
    def test_people_log_in_once_they_have_accounts_and_need_not_wait_for_the_network(self):
        after = unit("etc/systemd/system/systemd-user-sessions.service")["Unit"]["After"].split()
        self.assertIn("wow-config.service", after)
        self.assertNotIn("network.target", after)

    def test_the_prompt_does_not_wait_for_what_is_still_being_started(self):
        for console in ("getty@", "serial-getty@"):
            self.assertEqual("simple", unit(f"usr/lib/systemd/system/{console}.service.d/wow.conf")["Service"]["Type"])

    def test_what_all_services_wait_for_waits_for_none_of_ours(self):
        # By its default dependencies such a unit stands before sockets.target, paths.target or timers.target, and these before basic.target.
        early = [name for name, file in own_units().items() if file.suffix != ".service" and "no" not in values(file, "DefaultDependencies")]
        self.assertGreater(len(early), 3)
        for name in early:
            waits = " ".join(values(own_units()[name], "After")).split()
            self.assertEqual([], [other for other in waits if other.endswith(".service")], name)


class Command(unittest.TestCase):
    """SECURITY.md, "Who may ask and who may command on the machine itself"."""

    def test_every_unit_stands_in_the_list_and_the_list_names_no_other(self):
        self.assertEqual(sorted(told()), sorted(own_units()))

    def test_accounts_and_watched_places_are_those_of_the_files(self):
        says = told()
        for name, file in own_units().items():
            for account in values(file, "User") or (["root"] if file.suffix == ".service" else []):
                self.assertTrue(says[name]["account"].startswith(account), name)
            for place in watched(name, file):
                self.assertIn(f"`{place}`", says[name]["takes"], name)
            for place in values(file, "ListenStream"):
                self.assertIn(place.removeprefix("0.0.0.0:"), says[name]["takes"], name)

    def test_what_hears_strangers_is_confined(self):
        for name, capabilities in HEARS_STRANGERS.items():
            file = own_units()[name]
            for key, wanted in CONFINED.items():
                self.assertEqual(values(file, key), [wanted], f"{name}: {key}")
            self.assertEqual(values(file, "CapabilityBoundingSet"), [capabilities], name)
            self.assertTrue(values(file, "RestrictAddressFamilies"), name)
            self.assertTrue(values(file, "DevicePolicy") == ["closed"] or values(file, "PrivateDevices") == ["yes"], name)

    def test_what_sees_a_read_only_system_may_write_what_the_contract_says_it_writes(self):
        kept = json.loads((CLONE / "docs/contract/files.json").read_text(encoding="utf-8"))
        for one in kept["files"]:
            file = own_units().get(f"{one['by']}.service")
            if file and values(file, "ProtectSystem") == ["strict"]:
                path = f"{kept['folders'][one['in']]['path']}/{one['name']}"
                places = [place for line in values(file, "ReadWritePaths") for place in line.split()]
                places += [f"/run/{name}" for name in values(file, "RuntimeDirectory")] + [f"/var/lib/{name}" for name in values(file, "StateDirectory")]
                self.assertTrue(any(path == place or path.startswith(f"{place}/") for place in places), f"{file}: {path}")

    def test_where_others_may_write_only_the_units_that_are_made_for_it_look(self):
        for name, file in own_units().items():
            for place in watched(name, file):
                self.assertTrue(place in OF_ROOT or place.startswith(WATCHED_OF_OTHERS.get(name, "nowhere")), f"{name}: {place}")

    def test_what_changes_while_a_service_looks_is_noted_and_not_lost(self):
        """systemd.path(5): of PathChanged= nothing is seen while the unit that it starts is active. So that one only leaves a note, which another path unit waits for."""
        for name, file in own_units().items():
            if not values(file, "PathChanged"):
                continue
            of, units = re.fullmatch(r"wow-([a-z]+)(?:@|-copied)?[.]path", name)[1], own_units()
            self.assertEqual(values(file, "Unit"), [f"wow-changed@{of}.service"])
            noted, looks = units[f"wow-{of}-wanted.path"], units[f"wow-{of}.service"]
            self.assertEqual((values(noted, "PathExists"), values(noted, "Unit")), ([f"/run/wow/{of}.wanted"], [looks.name]))
            self.assertIn(f"wow-changed@{of}.service", values(looks, "After")[0].split())
            self.assertEqual(values(looks, "ConditionPathExists"), [], "what does not start leaves the note, and is started again without end")
            script = (ROOT / "usr/lib/wow/node" / of).read_text(encoding="utf-8")
            self.assertRegex(script, rf'\nrm -f "?[^ ]*/{of}.wanted', "it does not take the note away first")

    def test_what_may_be_missing_is_watched_alone(self):
        """path.c of systemd 257, path_spec_watch: a file that is missing is waited for in its folder, and each change there has the unit forget what it saw of its
        others."""
        for name, file in own_units().items():
            if name != "wow-upstream.path":  # Both of its own are there before it, and a change of one comes with one of the other.
                self.assertLessEqual(len(values(file, "PathChanged")), 1, name)

    def test_the_notices_that_somebody_acts_on_are_watched(self):
        units = own_units()
        self.assertEqual(watched("wow-stack@.path", units["wow-stack@.path"]), [kept.NOTICE, term.NOTICE, named.NOTICE])
        self.assertEqual(watched("wow-watch@.path", units["wow-watch@.path"]), [f"{paths.STATE}/notice-1", managers.KEPT, *(f"{paths.STATE}/{name}" for name in charon.SEEN)])

    def test_root_runs_what_stands_where_only_root_writes(self):
        for name, file in own_units().items():
            for command in values(file, "ExecCondition", "ExecStart", "ExecStartPre", "ExecStartPost", "ExecStop", "ExecStopPost", "ExecReload"):
                self.assertRegex(command.lstrip("-+!@:"), "^(/usr/|/bin/kill )", name)
            for place in values(file, "EnvironmentFile"):
                self.assertEqual(place, "/run/wow/ca-address", name)

    def test_whoever_asks_without_end_does_not_make_the_machine_deaf(self):
        units = own_units()
        self.assertEqual(values(units["wow-agent.service"], "StartLimitIntervalSec"), ["0"])
        self.assertEqual(values(units["wow-agent.socket"], "TriggerLimitIntervalSec"), ["0"])
        self.assertEqual(values(units["wow-web.service"], "StartLimitIntervalSec"), ["0"])
        self.assertEqual(values(units[placing.PACE], "StartLimitIntervalSec"), ["0"])
        self.assertEqual(values(units[screens.UNIT], "StartLimitIntervalSec"), ["0"])
        self.assertEqual(values(units["wow-web.socket"], "TriggerLimitIntervalSec"), ["0"])
        self.assertEqual(values(units["wow-pool-page.service"], "StartLimitIntervalSec"), ["0"])
        self.assertEqual(values(units["wow-pool-page.socket"], "TriggerLimitIntervalSec"), ["0"])

    def test_the_agent_s_socket_is_where_it_is_asked_and_lets_in_root_and_the_people_of_pool_conf(self):
        file = own_units()["wow-agent.socket"]
        self.assertEqual([values(file, key) for key in ("ListenStream", "SocketMode", "SocketGroup", "SocketUser")],
                         [[paths.AGENT], ["0660"], [str(users.GROUP_ID)], []])

    def test_the_pool_s_page_has_one_place_whether_a_manager_makes_it_or_another_machine_keeps_a_copy(self):
        units = own_units()
        page, manager, copy = units["wow-pool-page.socket"], units["wow-pool.service"], units["wow-pool-page.service"]
        self.assertEqual([[paths.POOL_SOCKET], ["0660"], [str(users.GROUP_ID)]], [values(page, key) for key in ("ListenStream", "SocketMode", "SocketGroup")])
        self.assertEqual([["wow"], ["wow"]], [values(one, "SupplementaryGroups") for one in (manager, copy)])
        self.assertEqual([[os.path.dirname(paths.POOL_PAGE)], []], [values(copy, key) for key in ("ReadWritePaths", "RuntimeDirectory")],
                         "systemd would give the socket to another group")
        there = values(manager, "ConditionPathExists")[0]
        self.assertIn(f"!{there}", values(page, "ConditionPathExists"), "two would listen there")

    def test_the_web_page_has_no_network_but_its_socket_which_stands_behind_the_fence(self):
        units = own_units()
        self.assertEqual([values(units["wow-web.service"], key) for key in ("PrivateNetwork", "RestrictAddressFamilies", "User", "SupplementaryGroups")],
                         [["yes"], ["AF_UNIX"], [users.WEB], [str(users.ADMINS_ID)]])
        self.assertEqual([values(units["wow-web.socket"], key) for key in ("Requires", "ListenStream")], [["wow-fence.service"], [f"0.0.0.0:{paths.PAGE_PORT}"]])

    def test_what_speaks_with_origins_has_an_account_of_its_own_and_root_alone_asks_it(self):
        units = own_units()
        self.assertEqual([values(units["wow-origin@.service"], key) for key in ("User", "Group", "SupplementaryGroups", "RestrictAddressFamilies")],
                         [[users.ORIGIN], [], [], ["AF_UNIX AF_INET"]])
        self.assertEqual([values(units["wow-origin.socket"], key) for key in ("Requires", "ListenStream", "SocketMode", "SocketUser", "ConditionPathExists")],
                         [["wow-fence.service"], [paths.ORIGIN_SOCKET], ["0600"], [], [paths.IPOPD_CONF]])
        self.assertIn(f"\n{users.ORIGIN}:x:{users.ORIGIN_UID}:{users.NOGROUP}:", users.own("", "")[0])

    def test_what_the_agent_starts_is_a_unit_of_ours_that_takes_nothing_but_the_asker_s_number(self):
        text = (ROOT / "usr/lib/wow/node/wow/acts/requests.py").read_text(encoding="utf-8")
        started = {name.replace("@{uid}", "@") for name in re.findall(r'start\("\w+", f?"([^"]+)"\)', text)}
        here = {"pause", "resume", "limit", "computer", "boot", "power-off", "login", "join", "rejoin", "refuse", "accept", "place", "screen", "unlock"}
        self.assertEqual(len(started), len(requests.TABLE.keys() - here), "what is done in the agent itself is named here")
        self.assertLessEqual(started | {act.KEEPER, take.UNIT, placing.PACE, screens.UNIT}, set(own_units()))

    def test_of_the_kernel_s_control_groups_the_agent_may_write_htcondor_s_alone(self):
        (paths_,) = values(own_units()["wow-agent.service"], "ReadWritePaths")
        self.assertEqual(paths_.split(), [paths.RUN, f"-{state.FOLDER}", f"-{refused.FOLDER}", f"-{os.path.dirname(boot.FILE)}", f"-{groups.GROUPS[0].rpartition('/')[0]}", f"-{groups.GROUPS[1]}"])


if __name__ == "__main__":
    unittest.main()
