"""Joining: certificates, enrolment's answers, overlap with the machine's own network, what users may ask for."""
import json
import os
import socket
import tempfile
import threading
import unittest
from unittest import mock

import asked
import asking
import control
import dispatch
import enrol
import join
import samples
from errors import WowError
from verbs import enroll, module, peers, status

STATUS = {"ok": True, "node": "ab" * 20, "pool": "science", "open": False, "zone": "science.internal", "subnet": "10.128.0.0/16", "address": "10.128.3.4",
          "host": "alpha", "certified": True, "certificate": {"serial": "01", "not_after": "2027-01-31T00:00:00Z", "address": "10.128.3.4", "host": "alpha",
                                                              "role": "worker"},
          "ring": {"joined": True, "connections": 3, "near": 2}, "manager": "10.128.0.1", "uptime_s": 400, "warnings": ["mind the gap"]}


class Certificates(unittest.TestCase):
    def test_only_a_valid_certificate_for_the_address_counts(self):
        before, after = 1800000000, 1900000000
        self.assertTrue(join.certified(STATUS, before))
        self.assertFalse(join.certified(STATUS, after))
        self.assertFalse(join.certified({**STATUS, "address": "10.128.9.9"}, before))
        self.assertFalse(join.certified({**STATUS, "certified": False}, before))
        self.assertFalse(join.certified({**STATUS, "certificate": None}, before))

    def test_what_is_missing_names_the_key(self):
        lost = {**STATUS, "ring": {"joined": False, "connections": 0, "near": 0}}
        self.assertEqual(join.missing({"name": "science"}, lost).key, "[pool] bootstrap")
        self.assertEqual(join.missing({"name": "science"}, STATUS).key, "address")


class ClockThatWasWrong(unittest.TestCase):
    def renew(self, *certificates):
        """What was asked of ipopd and what was started, where ipopd's status has these certificates one after the other."""
        asked, started, answers = [], [], list(certificates)

        def ask(command, **_):
            asked.append(command)
            if command == "reload":
                return {"ok": True}
            certificate = answers.pop(0)
            return {**STATUS, "certificate": certificate, "certified": certificate is not None}

        with mock.patch.object(control, "ask", ask), mock.patch.object(join.system, "must", lambda arguments, *_: started.append(arguments[0])), \
                mock.patch.object(join.system, "systemctl", lambda *arguments: started.append(arguments[-1])):
            self.assertEqual(join.renew({"open": False, "bootstrap": ["udp:192.0.2.1:4433"], "role": "worker"}), 0)
        return asked, started

    def test_a_certificate_that_ipopd_dropped_while_the_clock_was_ahead_is_loaded_again(self):
        asked, started = self.renew(None, STATUS["certificate"])
        self.assertEqual((asked, started), (["status", "reload", "status"], ["swanctl"]))

    def test_a_certificate_that_is_lost_for_good_begins_the_joining_anew(self):
        self.assertEqual(self.renew(None, None)[1], ["wow-join.service"])


class Enrolment(unittest.TestCase):
    def test_every_answer_says_what_to_do(self):
        for code in (enrol.UNREACHED, enrol.REFUSED, enrol.EXPIRED, enrol.ADDRESS, enrol.CONFIGURATION, enrol.OTHER, 134):
            error = enrol.explain(code, "")
            self.assertTrue(error.what and error.todo, code)
        for code in (enrol.REFUSED, enrol.EXPIRED):
            error = enrol.explain(code, "ticket t1 is used up")
            self.assertEqual((error.file, error.key, error.what), ("pool.conf", "[ca] ticket", "ticket t1 is used up"))
            self.assertIn("wow enroll --ticket", error.todo)

    def test_a_given_ticket_takes_the_place_of_the_one_in_pool_conf(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(enrol, "TICKET", f"{folder}/ticket"):
            self.assertEqual(enrol.command(), [enrol.IPOPD, "enroll", "--config", enrol.paths.IPOPD_CONF])
            with open(f"{folder}/ticket", "w", encoding="ascii") as file:
                file.write("new:new\n")
            self.assertEqual(enrol.command()[4:], ["--ticket-file", f"{folder}/ticket"])
            self.assertNotIn("new:new", " ".join(enrol.command()))


class Overlap(unittest.TestCase):
    def test_overlapping_networks_are_told_and_kept_as_a_warning(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(join.paths, "RUN", folder), mock.patch.object(join.console, "say_error") as told:
            self.assertEqual(join.warn_of_overlap({"subnet": "10.0.0.0/8"}, ["10.0.2.0/24", "192.168.1.0/24"]), ["10.0.2.0/24"])
            self.assertEqual(told.call_args.args[0].key, "[pool] subnet")
            self.assertIn("10.0.2.0/24", "".join(status.own_warnings(folder, folder)))
            self.assertEqual(join.warn_of_overlap({"subnet": "10.128.0.0/16"}, ["10.0.2.0/24"]), [])


class Socket(unittest.TestCase):
    def ask(self, answer):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/s"
            with socket.socket(socket.AF_UNIX) as server:
                server.bind(path)
                server.listen()

                def serve():
                    connection, _ = server.accept()
                    with connection:
                        self.heard = connection.recv(1000)
                        connection.sendall(answer)
                thread = threading.Thread(target=serve)
                thread.start()
                try:
                    return control.ask("resolve", path, name="manager.science.internal")
                finally:
                    thread.join()

    def test_one_line_out_one_line_in(self):
        self.assertEqual(self.ask(b'{"ok":true,"address":"10.128.0.1"}\n')["address"], "10.128.0.1")
        self.assertEqual(json.loads(self.heard), {"command": "resolve", "name": "manager.science.internal"})

    def test_errors_name_the_socket_and_what_to_do(self):
        for answer in (b'{"ok":false,"error":"no such name"}\n', b"hello\n", b""):
            with self.assertRaises(WowError) as caught:
                self.ask(answer)
            self.assertTrue(caught.exception.file.endswith("/s") and caught.exception.todo)
        with self.assertRaises(WowError) as caught:
            control.ask("status", "/nonexistent/ipopd.sock")
        self.assertIn("/nonexistent/ipopd.sock: does not exist: ipopd is not running", str(caught.exception))


class Asked(unittest.TestCase):
    def test_a_request_is_taken_once_and_whole(self):
        with tempfile.TemporaryDirectory() as folder:
            asking.ask("enroll", "a:b", folder)
            self.assertEqual(asked.take(f"{folder}/enroll"), "a:b")
            self.assertEqual(os.listdir(folder), [])

    def test_links_folders_and_large_files_are_no_requests(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/enroll"
            os.symlink("/etc/passwd", path)
            self.assertIsNone(asked.take(path))
            os.makedirs(f"{path}/deep")
            self.assertIsNone(asked.take(path))
            with open(path, "wb") as file:
                file.write(b"x" * 1000)
            self.assertIsNone(asked.take(path))
            os.mkfifo(path)
            self.assertIsNone(asked.take(path))
            self.assertEqual(os.listdir(folder), [])

    def test_nobody_else_s_file_is_a_request(self):
        with tempfile.TemporaryDirectory() as folder:
            asking.ask("reset", "yes", folder)
            os.link(f"{folder}/reset", f"{folder}/other")
            self.assertIsNone(asked.take(f"{folder}/reset"))
            asking.ask("reset", "yes", folder)
            with mock.patch.object(asked, "may_ask", lambda uid: False):
                self.assertIsNone(asked.take(f"{folder}/reset"))
            self.assertEqual(os.listdir(folder), ["other"])

    def test_root_and_people_of_pool_conf_may_ask_and_accounts_of_jobs_and_the_system_may_not(self):
        names = {1000: "alice", 2001: "wowjob1", 101: "condor"}

        def person(uid):
            return mock.Mock(pw_name=names[uid])
        with mock.patch.object(asked.pwd, "getpwuid", person), mock.patch.object(asked.grp, "getgrgid", lambda _: mock.Mock(gr_mem=["alice"])):
            self.assertEqual([asked.may_ask(uid) for uid in (0, 1000, 2001, 101, 65534)], [True, True, False, False, False])

    def test_reset_keeps_numbers_and_machine_id_and_empties_the_queue(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("node.key", "node.pem", "pool.conf", "users", "machine-id", "condor/job_queue.log", "ca/ca.key"):
                os.makedirs(os.path.dirname(f"{folder}/{name}"), exist_ok=True)
                with open(f"{folder}/{name}", "w", encoding="ascii"):
                    pass
            asked.wipe(folder)
            self.assertEqual(sorted(os.listdir(folder)), ["condor", "machine-id", "users"])
            self.assertEqual(os.listdir(f"{folder}/condor"), [])


class Verbs(unittest.TestCase):
    def test_status_for_people_names_what_counts(self):
        text = "\n".join(status.lines(STATUS))
        for part in ("science", "10.128.3.4 in 10.128.0.0/16", "alpha.science.internal", "2 near of 3", "2027-01-31", "warning: mind the gap"):
            self.assertIn(part, text)
        mapped = {"by": "pcp", "external": "192.0.2.7:4433", "public": False}
        self.assertNotIn("gateway", text)
        self.assertIn("the gateway leads 192.0.2.7:4433 here, by pcp, but it stands", "\n".join(status.lines({**STATUS, "port_mapping": mapped})))
        offload = [{"name": "udp-runs", "on": False, "why": "datagrams are sent one by one: because"}, {"name": "esp", "on": True, "why": None}]
        self.assertIn("fast path    off: udp-runs (datagrams are sent one by one: because)", "\n".join(status.lines({**STATUS, "offload": offload})))
        self.assertIn("everything on", "\n".join(status.lines({**STATUS, "offload": offload[1:]})))
        router = {"limit": 64, "hosts": [
            {"mac": "02:aa:00:00:00:02", "address": "10.128.20.1", "lease_s": 599, "heard_s": 0.5},
            {"mac": "02:aa:00:00:00:01", "address": "10.128.3.4", "lease_s": 30, "heard_s": None},
            {"mac": "02:aa:00:00:00:03", "address": None, "lease_s": 0, "heard_s": 1}]}
        text = "\n".join(status.lines({**STATUS, "router": router}))
        self.assertIn("serves a LAN: 2 of 64 hosts have an address", text)
        self.assertLess(text.index("10.128.3.4 02:aa:00:00:00:01, not heard yet, lease for 30 s"), text.index("10.128.20.1 02:aa:00:00:00:02, heard 0 s ago, lease for 9 min"))
        self.assertNotIn("02:aa:00:00:00:03", text)
        self.assertIn("open: no certificates, no IPsec", "\n".join(status.lines({**STATUS, "open": True, "certificate": None})))

    def test_peers_stand_in_the_order_of_their_addresses(self):
        one = {"node": "cd" * 20, "address": "10.128.3.20", "host": "beta", "path": "direct", "endpoint": "192.0.2.1:4433", "rtt_ms": 1.25, "certified": True,
               "sent_bytes": 1500000, "received_bytes": 10, "age_s": 130}
        other = {**one, "address": "10.128.3.4", "host": None, "endpoint": None, "rtt_ms": None, "path": "ring", "certified": False}
        lines = peers.lines([one, other])
        self.assertIn("ring", lines[1])
        for part in ("beta", "direct", "1.2 ms", "1.5 MB", "2 min"):
            self.assertIn(part, lines[2])
        self.assertEqual(peers.lines([]), ["no peers yet"])

    def test_every_verb_has_usage_and_summary(self):
        for verb in dispatch.verbs():
            found = dispatch.load(verb)
            self.assertTrue(found.USAGE.startswith(f"wow {verb}") and found.SUMMARY, verb)

    def test_every_verb_that_tells_something_tells_it_to_programs_too(self):
        for verb in set(dispatch.verbs()) - {"image", "reset"}:
            self.assertIn("[--json]", dispatch.load(verb).USAGE, verb)
        with mock.patch("builtins.print") as printed:
            dispatch.main(["help", "ping", "--json"])
        self.assertEqual([one["verb"] for one in json.loads(printed.call_args.args[0])], ["ping"])

    def test_layers_for_programs_have_what_people_see_and_no_less(self):
        stack = [["base", "debian", "/run/layers/sys/base.squashfs", "107000000", "ab" * 32], ["module", "tutorial", "tutorial.squashfs", "4096", "cd" * 32]]
        layers = module.layers(stack, {"base.squashfs"})
        self.assertEqual([(one["name"], one["kind"], one["size_bytes"], one["stacked"]) for one in layers],
                         [("debian", "base", 107000000, True), ("tutorial", "module", 4096, False)])
        self.assertEqual([one["sha256"] for one in layers], ["ab" * 32, "cd" * 32])
        self.assertIn("107 MB", "\n".join(module.lines(stack, {"base.squashfs"})))

    def test_enroll_tells_programs_whether_the_certificate_is_new(self):
        certificate = {"serial": "2", "host": "alpha", "address": "10.128.0.9", "not_after": "2027-01-01"}
        for before, is_new in (("1", True), ("2", False), (None, True)):
            with mock.patch.object(control, "ask", return_value={"certificate": certificate}), mock.patch("builtins.print") as printed:
                self.assertEqual(enroll.wait(before, as_json=True), 0)
            self.assertEqual(json.loads(printed.call_args.args[0]), {"certificate": certificate, "is_new": is_new})

    def test_wrong_usage_ends_with_2_and_trouble_with_1(self):
        with mock.patch("sys.stderr"):
            self.assertEqual(dispatch.main(["bogus"]), 2)
            self.assertEqual(dispatch.main(["status", "--colour"]), 2)
            self.assertEqual(dispatch.main(["status", "--socket"]), 2)
            self.assertEqual(dispatch.main(["enroll", "--ticket", "no colon"]), 2)
            self.assertEqual(dispatch.main(["status", "--socket", "/nonexistent/s"]), 1)
