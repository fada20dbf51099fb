"""The doctor's decisions, from facts as they were gathered on machines that were ill."""
import hmac
import json
import os
import pathlib
import socket
import tempfile
import threading
import unittest
from unittest import mock

import samples
from wow import dispatch
from wow.doctor import call, diagnose, dns, finding, gather, ipopdconf, warned
from wow.lib import der
from wow.lib.errors import WowError
from wow.verbs import doctor

NOW = 1_800_000_000
DAY = 86400

STATUS = {
    **samples.STATUS, "warnings": [],
    "certificate": {**samples.STATUS["certificate"], "not_before": "2027-01-05T00:00:00Z", "not_after": "2027-02-04T00:00:00Z", "renew_from": "2027-01-25T00:00:00Z"}}
CONTROL = pathlib.Path(__file__).resolve().parents[2] / "docs/contract/control.json"
CODES = next(one["of"] for one in json.loads(CONTROL.read_text(encoding="utf-8"))["parts"]["warning"]["fields"] if one["name"] == "code")
OVERLAP = "the pool's subnet 10.128.0.0/16 overlaps this machine's network 10.0.0.0/8 on eth0"

HEALTHY = {"now": NOW, "socket": "/run/wow/ipopd.sock", "status": STATUS, "trouble": None, "config": {"open": False},
           "config_trouble": None, "authority": (NOW - 100 * DAY, NOW + 3000 * DAY), "certificate": (NOW - DAY, NOW + 20 * DAY),
           "bootstrap": [{"entry": "udp:boot.example.org:4433", "addresses": [("192.0.2.1", 4433)], "asked": False, "answer_ms": None, "error": None}],
           "tap": {"name": "wow0", "exists": True, "address": "10.128.3.4"}, "has_no_ipv4": False,
           "names": [{"who": "ipopd", "server": "127.0.0.54:5354", "answer": 0}, {"who": "dnsmasq", "server": "127.0.0.1:53", "answer": 3}],
           "ca": {"address": "10.128.0.1", "open": True, "by": "ping", "says": None},
           "services": {"strongswan.service": "active", "condor.service": "active", "wow-names.service": "active"}, "condor": None, "notice": "",
           "is_manager": False, "warnings": [],
           "list_ahead": None, "homes": [], "failing": None, "stack": None, "origins": "", "system": None, "unread": None}


def facts(status=None, boot=None, **changes):
    """The healthy machine with something else."""
    found = {**HEALTHY, **changes}
    if status is not None and found["status"]:
        found["status"] = {**STATUS, **status}
    if boot is not None:
        found["bootstrap"] = [{**HEALTHY["bootstrap"][0], **boot}]
    return found


def lost(received=0):
    """What of the status is different while the ring is not joined."""
    return {"ring": {"joined": False, "connections": 0, "near": 0}, "udp": {**STATUS["udp"], "received_datagrams": received}, "address": None}


class Decisions(unittest.TestCase):
    def wrong(self, found):
        """[(check, text)] of what is wrong."""
        return [(one.check, f"{one.what} {one.todo}") for one in diagnose.diagnose(found) if one.state == finding.WRONG]

    def test_a_certificate_that_charon_did_not_read(self):
        for age, services, is_told in ((3600, "active", True), (3600, None, True), (3600, "failed", False), (60, "active", False)):
            with self.subTest(age=age, services=services):
                found = facts(unread=NOW - age, services={**HEALTHY["services"], "strongswan.service": services})
                told = [text for check, text in self.wrong(found) if "has not read the certificate" in text]
                self.assertEqual([is_told], [bool(told)])
        self.assertIn("systemctl start wow-watch", " ".join(text for _, text in self.wrong(facts(unread=NOW - 3600))))

    def only(self, found, check, *parts):
        """The one thing that is wrong is this one, and it says so."""
        wrong = self.wrong(found)
        self.assertEqual([check], [name for name, _ in wrong], wrong)
        for part in parts:
            self.assertIn(part, wrong[0][1])

    def test_other_keys_of_what_is_published_are_told_in_ipopd_s_words(self):
        self.only(facts({"warnings": [{"code": "keys", "text": "somebody tells of 2 keys"}]}), "keys", "Somebody tells of 2 keys.")

    def test_a_manager_says_a_year_before_that_the_ca_s_certificate_ends_and_another_machine_a_month(self):
        for role, days in (("manager", 365), ("worker", 30)):
            own = {"certificate": {**STATUS["certificate"], "role": role}}
            self.assertEqual([], self.wrong(facts(own, authority=(0, NOW + days * DAY))))
            self.only(facts(own, authority=(0, NOW + days * DAY - 1)), "CA", "Its certificate ends on", "wow-ca renew-authority")
        self.only(facts(authority=(0, NOW - 1)), "clock", "The CA's certificate ended")

    def test_a_healthy_machine_has_nothing_wrong_and_everything_was_looked_at(self):
        findings = diagnose.diagnose(HEALTHY)
        self.assertEqual({finding.OK}, {one.state for one in findings})
        self.assertEqual(["ipopd", "clock", "ring", "tap", "subnet", "certificate", "CA", "names", "names", "services", "services", "services"],
                         [one.check for one in findings])

    def test_another_home_that_is_attached_is_named_beside_the_one_that_was_taken(self):
        self.only(facts(homes=["/dev/sdb", "/dev/sdc", "/dev/sda4"]), "home", "that on /dev/sdb, which was used last", "left as it is: /dev/sdc, /dev/sda4", "take off")

    def test_a_home_in_which_the_kernel_found_errors_is_told_and_whether_it_takes_writes(self):
        self.only(facts(failing={"errors": 1, "is_closed": False}), "home", "The kernel found 1 error in the file system of the home.", "Start the machine again")
        self.only(facts(failing={"errors": 3, "is_closed": True}), "home", "found 3 errors in the file system of the home, and writes nothing more there", "disk is failing")

    def test_without_ipopd_that_comes_first_and_the_rest_is_found_all_the_same(self):
        found = facts(status={}, boot={"asked": True, "answer_ms": 20.4})
        found.update(status=None, trouble="does not exist: ipopd is not running", names=[], ca=None)
        findings = diagnose.diagnose(found)
        self.assertEqual(("ipopd", finding.WRONG), (findings[0].check, findings[0].state))
        self.assertIn("ipopd is not running", findings[0].what)
        self.assertIn("udp:boot.example.org:4433 answers by UDP after 20 ms", findings[2].what)
        self.only(found, "ipopd", "systemctl status ipopd")

    def test_no_udp_is_told_apart_from_a_seed_that_is_down(self):
        silent = {"asked": True, "answer_ms": None}
        self.only(facts(lost(), silent), "udp", "No answer comes by UDP to 40 datagrams", "does not let UDP out", "Let UDP out")
        self.only(facts(lost(received=12), silent), "seed", "though datagrams came from elsewhere")
        self.only(facts(lost(), {**silent, "error": "refused"}), "seed", "nobody listens on that UDP port")
        self.only(facts(lost(), {**silent, "error": "unreachable"}), "seed", "no route")
        self.only(facts(lost(), {"asked": True, "answer_ms": 3.0}), "ring", "answers by UDP, but ipopd is not on the ring yet")

    def test_a_ring_that_is_joined_by_tcp_alone_lacks_udp(self):
        self.only(facts({"udp": {**STATUS["udp"], "received_datagrams": 0}}), "udp", "joined by TCP alone", "Let UDP out")

    def test_without_ipopd_and_without_rights_nothing_is_claimed_of_udp(self):
        found = facts()
        found.update(status=None, trouble="gone", names=[], ca=None, config_trouble="/run/wow/ipopd.conf: Permission denied")
        ring = [one for one in diagnose.diagnose(found) if one.check == "ring"]
        self.assertEqual([finding.UNKNOWN], [one.state for one in ring])

    def test_a_name_that_does_not_resolve(self):
        self.only(facts(lost(), {"addresses": []}), "bootstrap", "The name in udp:boot.example.org:4433 does not resolve", "DNS")
        joined = self.wrong(facts(boot={"addresses": []}))
        self.assertEqual(["bootstrap"], [check for check, _ in joined])

    def test_a_network_without_ipv4_is_told_before_what_follows_of_it(self):
        lacking = facts(lost(), {"addresses": []}, has_no_ipv4=True)
        (check, text), *others = self.wrong(lacking)
        self.assertEqual(("network", ["bootstrap"]), (check, [name for name, _ in others]))
        self.assertIn("This network gives no IPv4 address; the machine needs one.", text)

    def test_a_clock_that_is_behind_and_one_that_is_ahead(self):
        self.only(facts(now=NOW - 200 * DAY), "clock", "the CA's certificate is valid from", "the clock is behind", "[time] ntp")
        self.only(facts(now=NOW - 2 * DAY), "clock", "this machine's certificate is valid from")
        checks = [check for check, _ in self.wrong(facts(now=NOW + 4000 * DAY))]
        self.assertEqual(["clock", "certificate"], checks)

    def test_a_list_of_managers_that_keeps_others_out(self):
        self.only(facts(list_ahead=NOW + 400 * DAY), "managers", "signed under a clock that was ahead: its number means 2028-02-19 08:00 UTC", "wow pool manager sign")
        self.only(facts(list_ahead=2**64 - 1), "managers", "9999-12-31")

    def test_what_the_clock_follows_is_said_and_one_that_is_off_is_wrong(self):
        clock = {"follows": "hypervisor", "device": "rtc0", "error_s": 0.4, "zone_min": -120, "voices": 5, "set": True, "trouble": None}

        def text(**changes):
            found = diagnose.diagnose(facts({"clock": {**clock, **changes}}))
            return next(f"{one.state} {one.what} {one.todo}" for one in found if one.check == "clock")

        self.assertIn("follows the hypervisor's (rtc0, which shows a local time, 2:00 h ahead of UTC); it is right within 2 s", text())
        self.assertIn("what 5 other machines say", text(follows="peers", zone_min=0))
        self.only(facts({"clock": {**clock, "error_s": -28800.0}}), "clock", "it is 28800 s behind", "mended within a minute")
        self.only(facts({"clock": {**clock, "error_s": 700.0, "set": False}}), "clock", "700 s ahead", "set = no")
        self.only(facts({"clock": {**clock, "error_s": 700.0, "trouble": "it's forbidden"}}), "clock", "cannot set it: it's forbidden")
        self.assertIn("nothing", text(follows="nothing", device=None, error_s=None))
        for follows in ("hypervisor", "peers", "signature", "ntp", "server", "nothing"):
            self.assertNotIn("timedatectl", text(follows=follows))

    def test_a_certificate_that_is_missing_refused_ended_or_late(self):
        none = {"certified": False, "certificate": None}
        self.only(facts(none, certificate=None, ca=None, notice="WOW: ticket used up"), "certificate", "has none", "WOW: ticket used up", "Do what the console says")
        self.only(facts(none, certificate=None, ca=None), "certificate", "has none", "wow enroll --ticket")
        refused = {**none, "warnings": [{"code": "capture", "text": "the certificate node.pem"}, {"code": "certificate", "text": "it can't be used: not signed by the pool's CA; enrol anew"}]}
        self.only(facts(refused, ca=None), "certificate", "It is refused: it can't be used: not signed")
        self.only(facts(now=NOW + 21 * DAY), "certificate", "It ended on")
        self.only(facts(now=NOW + 17 * DAY), "certificate", "should have been renewed 7 days ago")
        # Half of the time that there is for it is not past.
        self.assertEqual([], self.wrong(facts(now=NOW + 14 * DAY)))
        # ipopd, which is not there, knows when it should have been.
        self.assertEqual(["ipopd"], [check for check, _ in self.wrong({**HEALTHY, "now": NOW + 17 * DAY, "status": None, "trouble": "gone"})])

    def test_a_certificate_that_ended_has_the_help_of_what_the_console_said_and_on_a_manager_that_of_a_new_disk(self):
        none, ended = {"certified": False, "certificate": None}, (NOW - 40 * DAY, NOW - 10 * DAY)
        asks = "WOW: the key 3f0c waits. Send the administrator that key (wow-ca approve KEY)"
        self.only(facts(none, certificate=ended, ca=None, notice=asks), "certificate", "It ended on", "wow-ca approve KEY", "Do what the console says")
        for dates, what in ((ended, "It ended on"), (None, "has none"), (HEALTHY["certificate"], "It is refused")):
            found = facts(none, certificate=dates, ca=None, notice=asks, is_manager=True)
            self.only(found, "certificate", what, "wow pool stamp, where the pool was made; then start this machine with its new WOWCFG disk")
            self.assertNotIn("ticket", self.wrong(found)[0][1])

    def test_a_copy_of_the_machine_explains_why_it_is_off_the_ring(self):
        told = {"warnings": [{"code": "twin", "text": "mind the gap"}]}
        for found in (facts(told), facts({**lost(9), **told}, {"asked": True, "answer_ms": 20.0})):
            check, text = self.wrong(found)[0]
            self.assertEqual("twin", check)
            self.assertIn("one is a copy of the other", text)
            self.assertIn("press L, start it, and press J there; or type wow reset", text)
        self.only(facts(told, is_manager=True), "twin", "Delete the copy")

    def test_every_code_of_a_warning_makes_a_finding(self):
        chosen = []
        for code in CODES:
            with self.subTest(code=code):
                warning = {"code": code, "text": "mind the gap"}
                before = [one.facts() for one in diagnose.diagnose(HEALTHY)]
                status = {"shortages": {"count": 3, "last_s": 12}} if code == "shortage" else {}
                found = facts(status, warnings=[warning]) if code in ("home-full", "config") else facts({**status, "warnings": [warning]})
                new, = (one for one in diagnose.diagnose(found) if one.facts() not in before)
                self.assertTrue(code in ("twin", "shortage") or "ind the gap" in new.what, new.what)
                if new.state == finding.OK:
                    chosen.append(code)
        self.assertEqual(["open-pool", "capture"], chosen)

    def test_what_wow_config_found_wrong_is_a_finding_each_and_needs_no_ipopd(self):
        said = ["pool.conf: [pool] name: is of another pool", "/var/lib/wow/ca: the pool's CA was damaged", "pool.conf: [user:backup]: backup can have no account here"]
        with mock.patch("wow.lib.console.of_start", return_value=said):
            warnings = [one for one in warned.own("/nonexistent") if one["code"] == "config"]
        for found in (facts(warnings=warnings), {**HEALTHY, "warnings": warnings, "status": None, "trouble": "gone", "names": [], "ca": None}):
            self.assertEqual([f"At this start: {text}. " for text in said], [text for check, text in self.wrong(found) if check == "config"])

    def test_an_open_pool_needs_neither_certificate_nor_ca_nor_ipsec(self):
        found = facts({"open": True, "certified": False, "certificate": None}, certificate=None, authority=None, ca=None,
                      services={**HEALTHY["services"], "strongswan.service": "inactive"})
        self.assertEqual([], self.wrong(found))

    def test_descriptors_that_ran_out(self):
        self.only(facts({"shortages": {"count": 3, "last_s": 12}}), "kernel", "no more descriptors or memory for ipopd, 3 times so far, 12 s ago", "LimitNOFILE")
        self.assertEqual([], self.wrong(facts({"shortages": None})))

    def test_a_ca_that_is_not_reached_and_a_manager_that_is_not_known(self):
        self.only(facts(ca={"address": "10.128.0.1", "open": False, "by": "port"}), "CA", "10.128.0.1 does not take connections", "wow doctor")
        self.only(facts(ca={"address": "10.128.0.1", "open": False, "by": "ping"}), "CA", "10.128.0.1, where the CA is, does not answer", "wow status")
        self.assertEqual([], self.wrong(facts(ca={"address": "10.128.0.1", "open": True, "by": "port"})))

    def test_on_the_manager_with_the_ca_a_ca_that_does_not_serve_is_told_in_its_own_words_and_another_machine_claims_nothing_of_it(self):
        own = {"address": "10.128.3.4", "open": False, "by": "own", "says": "/var/lib/wow/ca/ca.key is not there: copy the CA's key back.\n"}
        self.only(facts(ca=own), "CA", "on this machine and does not serve", "ca.key is not there: copy the CA's key back. The pool's", "docs/operating.md")
        self.only(facts(ca={**own, "says": None}), "CA", "does not serve", "wow support")
        self.assertEqual([], self.wrong(facts(ca={**own, "open": True})))
        self.assertIn("Whether the CA serves, wow doctor says there", "".join(one.what for one in diagnose.diagnose(HEALTHY) if one.check == "CA"))
        self.only(facts({"manager": None}, ca=None), "CA", "no manager")

    def test_an_interface_that_is_missing_or_has_no_or_another_address(self):
        self.only(facts(tap={"name": "wow0", "exists": False, "address": None}), "tap", "is missing", "modprobe tun")
        self.only(facts(tap={"name": "wow0", "exists": True, "address": None}), "tap", "gave out 10.128.3.4, but wow0 has no address")
        self.only(facts(tap={"name": "wow0", "exists": True, "address": "10.128.9.9"}), "tap", "has 10.128.9.9")
        self.only(facts({"address": None}, tap={"name": "wow0", "exists": True, "address": None}), "address", "no virtual address yet")

    def test_networks_that_overlap(self):
        # By the code: the text is ipopd's to choose.
        self.only(facts({"warnings": [{"code": "capture", "text": "it overlaps"}, {"code": "overlap", "text": OVERLAP}]}), "subnet", OVERLAP)

    def test_services_that_nobody_may_ask_for_are_not_said_to_be_down(self):
        found = facts(services=dict.fromkeys(HEALTHY["services"]))
        self.assertEqual([], self.wrong(found))
        hidden, = (one for one in diagnose.diagnose(found) if one.state == finding.UNKNOWN)
        self.assertIn("strongSwan, HTCondor, dnsmasq", hidden.what)
        self.assertIn("wow support", hidden.todo)

    def test_name_servers_and_services_that_do_not_answer(self):
        self.only(facts(names=[{"who": "dnsmasq", "server": "127.0.0.1:53", "answer": None}]), "names", "dnsmasq does not answer DNS on 127.0.0.1:53", "wow-names")
        for unit, name in (("strongswan.service", "strongSwan does not run (failed)"), ("condor.service", "HTCondor does not run (failed): no jobs")):
            self.only(facts(services={**HEALTHY["services"], unit: "failed"}), "services", name)

    def test_exit_code_and_json(self):
        for found, code in ((HEALTHY, 0), (facts({"warnings": [{"code": "overlap", "text": OVERLAP}]}), 1)):
            with mock.patch("wow.doctor.gather.gather", return_value=found), mock.patch("builtins.print") as said:
                self.assertEqual(code, dispatch.main(["doctor", "--json"]))
                self.assertIn(f'"healthy": {"true" if code == 0 else "false"}', said.call_args[0][0])
                self.assertEqual(code, dispatch.main(["doctor"]))
        self.assertEqual("One thing is wrong.", doctor.verdict(diagnose.diagnose(facts({"warnings": [{"code": "overlap", "text": OVERLAP}]}))))


class Gathering(unittest.TestCase):
    def test_dates_of_a_certificate(self):
        self.assertEqual((1767225600, 2082758400), der.validity(samples.certificate()))
        with self.assertRaises(ValueError):
            der.validity(b"\x30\x00")

    def test_ipopd_conf_is_read_and_what_cannot_be_read_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ipopd.conf")
            with open(path, "w", encoding="utf-8") as file:
                file.write("# x\n[node]\nstate = /s\n[pool]\nname = a\nsubnet = 10.0.0.0/8\nbootstrap = udp:a:1 udp:[2001:db8::1]:2\n[tap]\n[pool]\nopen = yes\n")
            config = ipopdconf.read(path)
            self.assertEqual(("/s", True, ["udp:a:1", "udp:[2001:db8::1]:2"], 8443), (config.state, config.open, config.bootstrap, config.ca_port))
            for broken in (path + "x", folder, __file__):
                with self.assertRaises(WowError) as caught:
                    ipopdconf.read(broken)
                self.assertEqual((caught.exception.file, bool(caught.exception.todo)), (broken, True))
        self.assertEqual([("2001:db8::1", 2)], gather.resolve("udp:[2001:db8::1]:2"))
        self.assertIsNone(gather.dates("/proc/self/mem"), "reading fails as a bad block does")
        self.assertEqual([], gather.resolve("udp:no-such-name.invalid:2"))

    def test_what_the_kernel_says_of_the_home_s_file_system(self):
        """As kernels of 6.1, 6.12 and 6.18 say it. What a unit may not write is no fault of the disk."""
        with tempfile.TemporaryDirectory() as folder:
            mounts, errors = os.path.join(folder, "mountinfo"), os.path.join(folder, "vdb/errors_count")
            os.mkdir(os.path.dirname(errors))

            def found(options, count, kind="ext4", own="rw"):
                with open(mounts, "w", encoding="ascii") as file:
                    file.write("22 1 0:5 / /proc rw,nosuid shared:14 - proc proc rw\n"
                               f"40 30 254:16 /state /var/lib/wow {own},noatime shared:20 - {kind} /dev/vdb {options}\n")
                with open(errors, "w", encoding="ascii") as file:
                    file.write(f"{count}\n")
                return gather.failing(mounts, folder)
            self.assertIsNone(found("rw,usrquota", 0, own="ro"))
            self.assertIsNone(found("rw,size=50%", 0, "tmpfs"))
            self.assertEqual({"errors": 2, "is_closed": False}, found("rw,usrquota", 2))
            for options in ("ro,usrquota", "rw,usrquota,emergency_ro", "rw,shutdown"):
                self.assertEqual({"errors": 1, "is_closed": True}, found(options, 1))
            os.unlink(mounts)
            self.assertIsNone(gather.failing(mounts, folder))

    def test_the_machine_with_the_ca_tries_its_own_port_and_reads_why_it_ended(self):
        with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as server, \
                mock.patch.object(gather.paths, "CA_PORT", server.getsockname()[1]), mock.patch.object(gather.paths, "AUTHORITY_TROUBLE", f"{folder}/trouble"):
            own = {**STATUS, "address": "127.0.0.1", "manager": "127.0.0.1", "managers": []}
            found = {"address": "127.0.0.1", "open": True, "by": "own", "says": None}
            self.assertEqual(found, gather.authority(own, None, "/nonexistent/ipopd.sock"))
            server.close()
            self.assertEqual({**found, "open": False}, gather.authority(own, None, "/nonexistent/ipopd.sock"))
            with open(f"{folder}/trouble", "w", encoding="ascii") as file:
                file.write("ca.db is empty\n")
            self.assertEqual({**found, "open": False, "says": "ca.db is empty\n"}, gather.authority(own, None, "/nonexistent/ipopd.sock"))
            other = {**own, "manager": "127.0.0.9"}
            self.assertEqual({**found, "address": "127.0.0.9", "open": False, "by": "ping"}, gather.authority(other, None, "/nonexistent/ipopd.sock"))

    def test_without_anything_there_is_still_a_diagnosis(self):
        found = gather.gather("/nonexistent/ipopd.sock", "/nonexistent/ipopd.conf")
        checks = {one.check: one.state for one in diagnose.diagnose(found)}
        self.assertEqual((finding.WRONG, finding.WRONG), (checks["ipopd"], checks["pool.conf"]))

    def test_a_call_to_a_port_where_nobody_listens_is_refused_and_one_that_is_answered_is_timed(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
            server.bind(("127.0.0.1", 0))
            port = server.getsockname()[1]

            def answer():
                datagram, source = server.recvfrom(2048)
                server.sendto(datagram[:76], source)
            threading.Thread(target=answer, daemon=True).start()
            answered, error = call.call("127.0.0.1", port, b"k" * 32)
            self.assertTrue(answered is not None and error is None)
        self.assertEqual((None, "refused"), call.call("127.0.0.1", port, b"k" * 32, patience=1.0))

    def test_a_call_is_a_handshake_frame_with_a_mac_of_the_secret(self):
        frame = call.frame(b"k" * 32, 7, b"s" * 20)
        self.assertEqual("10010000", frame[:4].hex())
        self.assertEqual(bytes.fromhex("0000000700000000") + b"s" * 20 + bytes(20 + 8 + 16) + call.BEGINNING, frame[20:])
        self.assertEqual(hmac.new(b"k" * 32, frame[:4] + bytes(16) + frame[20:], "sha256").digest()[:16], frame[4:20])

    def test_a_question_of_dns(self):
        self.assertEqual(bytes.fromhex("0007" "0100" "0001" "000000000000" "0161" "026264" "00" "0001" "0001"), dns.question("a.bd", 7))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
            server.bind(("127.0.0.1", 0))
            self.assertIsNone(dns.ask("127.0.0.1", server.getsockname()[1], "a.b", patience=0.1))


if __name__ == "__main__":
    unittest.main()
