"""The verbs of `wow`: what they show, and how a command line is read."""
import io
import json
import os
import pathlib
import re
import subprocess
import tempfile
import types
import unittest
from unittest import mock

from wow import dispatch
from wow.agent import client
from wow.lib import base, control
from wow.lib.verb import Option, UsageError, Verb
from wow.doctor import warned
from wow.verbs import enroll, module, peers, status
import samples

WOW = pathlib.Path(__file__).resolve().parents[2] / "appliance/node/root/usr/bin/wow"


class Verbs(unittest.TestCase):
    def test_a_home_that_is_almost_full_is_a_warning_with_a_code(self):
        for blocks, files, codes in ((warned.LITTLE_ROOM - 1, 500, ["home-full"]), (warned.LITTLE_ROOM, 500, []), (warned.LITTLE_ROOM, 499, ["home-full"])):
            room = types.SimpleNamespace(f_bavail=blocks, f_frsize=1, f_favail=files, f_files=6000)
            with mock.patch.object(os, "statvfs", lambda _, room=room: room):
                self.assertEqual([one["code"] for one in warned.own()], codes)

    def test_a_file_system_that_counts_no_files_is_not_full(self):
        with mock.patch.object(os, "statvfs", lambda _: types.SimpleNamespace(f_bavail=warned.LITTLE_ROOM, f_frsize=1, f_favail=0, f_files=0)):
            self.assertEqual(warned.own(), [])

    def test_status_says_which_base_it_stands_on_unless_another_was_put_below(self):
        about = {"sha256": "ab" * 32, "date": "2026-11-24", "abi": "cf1d143b", "python": "3.13", "glibc": [], "sonames": []}
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder, name) for name in ("base.json", "A.conf")]
            self.assertIsNone(base.below(*map(str, paths)))
            paths[0].write_text(json.dumps(about), encoding="ascii")
            paths[1].write_text(f"base base base-1.squashfs 1 {'ab' * 32}\n", encoding="ascii")
            found = base.below(*map(str, paths))
            self.assertEqual(found, {key: about[key] for key in ("sha256", "date", "abi")})
            self.assertIn("Debian's packages of 2026-11-24, ABI cf1d143b", "\n".join(status.lines(samples.STATUS, (), "", found)))
            self.assertNotIn("Debian's", "\n".join(status.lines(samples.STATUS)))
            paths[1].write_text(f"base base base-2.squashfs 1 {'cd' * 32}\n", encoding="ascii")
            self.assertIsNone(base.below(*map(str, paths)))

    def test_status_for_people_names_what_counts(self):
        text = "\n".join(status.lines(samples.STATUS))
        for part in ("science", "10.128.3.4 in 10.128.0.0/16", "alpha.science.internal", "2 near of 3", "2027-01-31", "warning: mind the gap"):
            self.assertIn(part, text)
        mapped = {"by": "pcp", "external": "192.0.2.7:4433", "public": False}
        self.assertNotIn("gateway", text)
        self.assertIn("the gateway leads 192.0.2.7:4433 here, by pcp, but it stands", "\n".join(status.lines({**samples.STATUS, "port_mapping": mapped})))
        offload = [{"name": "udp-runs", "on": False, "why": "datagrams are sent one by one: because"}, {"name": "esp", "on": True, "why": None}]
        self.assertIn("fast path    off: udp-runs (datagrams are sent one by one: because)", "\n".join(status.lines({**samples.STATUS, "offload": offload})))
        self.assertIn("everything on", "\n".join(status.lines({**samples.STATUS, "offload": offload[1:]})))
        router = {"limit": 64, "hosts": [
            {"mac": "02:aa:00:00:00:02", "address": "10.128.20.1", "lease_s": 599, "heard_s": 0.5},
            {"mac": "02:aa:00:00:00:01", "address": "10.128.3.4", "lease_s": 30, "heard_s": None},
            {"mac": "02:aa:00:00:00:03", "address": None, "lease_s": 0, "heard_s": 1}]}
        text = "\n".join(status.lines({**samples.STATUS, "router": router}))
        self.assertIn("serves a LAN: 2 of 64 hosts have an address", text)
        self.assertLess(text.index("10.128.3.4 02:aa:00:00:00:01, not heard yet, lease for 30 s"), text.index("10.128.20.1 02:aa:00:00:00:02, heard 0 s ago, lease for 9 min"))
        self.assertNotIn("02:aa:00:00:00:03", text)
        self.assertIn("open: no certificates, no IPsec", "\n".join(status.lines({**samples.STATUS, "open": True, "certificate": None})))

    def test_peers_stand_in_the_order_of_their_addresses(self):
        one = samples.PEER
        other = {**one, "address": "10.128.3.4", "host": None, "endpoint": None, "rtt_ms": None, "path": "ring", "certified": False}
        lines = peers.lines([one, other])
        self.assertIn("ring", lines[1])
        for part in ("beta", "direct", "1.2 ms", "1.5 MB", "2 min"):
            self.assertIn(part, lines[2])
        self.assertEqual(peers.lines([]), ["no peers yet"])

    def test_every_verb_has_usage_and_summary(self):
        for verb in dispatch.verbs():
            found = dispatch.load(verb)
            self.assertTrue(found.name == verb and found.usage().startswith(f"wow {verb}") and found.summary, verb)
            self.assertTrue(found.summary[0].islower() and not found.summary.endswith("."), verb)
            for option in found.options:
                self.assertRegex(option.name, "^--[a-z]+$")
                self.assertTrue(option.text and not option.text.endswith("."), option.name)

    def test_every_verb_tells_what_it_tells_to_programs_too(self):
        for verb in dispatch.verbs():
            self.assertIn("[--json]", dispatch.load(verb).usage(), verb)
        with mock.patch("builtins.print") as printed:
            dispatch.main(["help", "ping", "--json"])
        self.assertEqual([(one["name"], one["words"]) for one in json.loads(printed.call_args.args[0])["commands"]], [("ping", "NODE")])

    def test_help_is_asked_for_in_each_of_the_ways_that_people_try(self):
        pages = []
        for line in (["help", "trace"], ["trace", "--help"], ["trace", "-h"], ["trace", "gamma", "--ring", "--help"]):
            with mock.patch("builtins.print") as printed:
                self.assertEqual(dispatch.main(line), 0)
            pages.append(printed.call_args.args[0])
        self.assertEqual(len(set(pages)), 1)
        for part in ("usage: wow trace NODE [--ring]", "--socket PATH"):
            self.assertIn(part, pages[0])

    def test_the_version_is_that_of_the_other_programs(self):
        props = (pathlib.Path(__file__).resolve().parents[2] / "Directory.Build.props").read_text(encoding="utf-8")
        with mock.patch("builtins.print") as printed:
            self.assertEqual(dispatch.main(["--version"]), 0)
        self.assertIn(f"<Version>{printed.call_args.args[0].removeprefix('wow ')}</Version>", props)

    def test_the_options_of_image_are_those_that_its_tools_take(self):
        tools = pathlib.Path(__file__).resolve().parents[2] / "appliance/image"
        said = "\n".join((tools / name).read_text(encoding="utf-8") for name in ("stamp", "convert", "verify", "stack"))
        taken = {word for line in said.splitlines() if "add_argument(" in line for word in re.findall('"(-[-a-z]+)"', line)} - {"--parts"}  # for tests
        self.assertEqual(taken, {word for option in dispatch.load("image").options for word in (option.name, option.short) if word})

    def test_a_command_line_is_read_by_the_table_of_its_verb(self):
        verb = Verb("try", "WORD", "tries", (Option("--count", "N", "so many", short="-c"), Option("--all", "", "all")), lambda given: 0)
        given = verb.read(["-c", "3", "one", "--all", "two"])
        self.assertEqual((given.words, given.options), (["one", "two"], {"--count": "3", "--all": ""}))
        self.assertEqual(verb.read(["--count=4"]).options, {"--count": "4"})
        for wrong in (["--count"], ["--all=1"], ["--some"], ["-x"]):
            with self.assertRaises(UsageError):
                verb.read(wrong)
        with self.assertRaises(UsageError):
            Verb("try", "", "tries", (), lambda given: 0).read(["word"])

    def test_reset_asks_no_question_of_a_program_and_does_nothing_without_a_yes(self):
        with mock.patch.object(client, "ask") as asked, mock.patch("builtins.print"), mock.patch("sys.stdin", io.StringIO("no\n")):
            self.assertEqual(dispatch.main(["reset", "--json"]), 2)
            self.assertEqual(dispatch.main(["reset"]), 1)
            asked.assert_not_called()
            self.assertEqual(dispatch.main(["reset", "--json", "--yes"]), 0)
            asked.assert_called_once_with("reset")

    def test_a_question_goes_to_the_terminal_and_what_is_done_to_standard_output(self):
        for words, done in ((["reset"], "forgets who it was"), (["boot", "ephemeral"], "starts again, in ephemeral"), (["module", "develop", "maths"], "starts again, in develop")):
            with mock.patch.object(client, "ask"), mock.patch("sys.stdin", io.StringIO("yes\n")), mock.patch("sys.stdout", io.StringIO()) as out, \
                    mock.patch("sys.stderr", io.StringIO()) as err:
                self.assertEqual(dispatch.main(words), 0)
            self.assertEqual((out.getvalue().count("\n"), done in out.getvalue(), err.getvalue().endswith("Type yes to go on: ")), (1, True, True), words)

    def test_layers_for_programs_have_what_people_see_and_no_less(self):
        stack = [["base", "debian", "/run/layers/sys/base.squashfs", "107000000", "ab" * 32], ["module", "tutorial", "tutorial.squashfs", "4096", "cd" * 32]]
        layers = module.layers(stack, {"base.squashfs"})
        self.assertEqual([(one["name"], one["kind"], one["size_bytes"], one["stacked"]) for one in layers],
                         [("debian", "base", 107000000, True), ("tutorial", "module", 4096, False)])
        self.assertEqual([one["sha256"] for one in layers], ["ab" * 32, "cd" * 32])
        self.assertIn("107 MB", "\n".join(module.lines(layers)))

    def test_a_layer_is_mounted_by_a_loop_device_or_by_a_mapping(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("mounts", "/dev/dm-0 /run/layers/0 squashfs ro 0 0\n/dev/loop4 /run/layers/1 squashfs ro 0 0\n/dev/dm-1 /mnt squashfs ro 0 0\ntmpfs /run tmpfs rw 0 0\n"),
                               ("dm-0/dm/name", "base-12\n"), ("dm-1/dm/name", "other\n"), ("loop4/loop/backing_file", "/run/layers/home/layers/cd (deleted)\n")):
                pathlib.Path(folder, name).parent.mkdir(parents=True, exist_ok=True)
                pathlib.Path(folder, name).write_text(text, encoding="ascii")
            self.assertEqual(module.used(f"{folder}/mounts", "/run/layers", folder), {"base-12.squashfs", "cd"})

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

    def test_a_question_to_which_no_answer_comes_ends_with_a_sentence(self):
        class Terminal(io.StringIO):
            def isatty(self):
                return True
        for answers in ([EOFError], ["a-password", EOFError]):
            with mock.patch("sys.stdin", Terminal()), mock.patch("getpass.getpass", side_effect=answers), mock.patch("sys.stderr", io.StringIO()) as err, \
                    mock.patch.object(client, "ask") as asked:
                self.assertEqual(dispatch.main(["screen", "password"]), 1)
            self.assertEqual(err.getvalue(), "\nwow screen: the input ended before the question was answered. Type the command again, and an answer\n")
            asked.assert_not_called()

    def test_who_ends_a_verb_is_told_whether_it_may_be_done_all_the_same(self):
        end = KeyboardInterrupt()
        for at_question, at_agent, said in ((end, None, "nothing was changed"), (["yes\n"], end, "but the agent was asked already, and may do it all the same. Look with: wow status")):
            with mock.patch("sys.stdin.readline", side_effect=at_question), mock.patch.object(client.lines, "exchange", side_effect=at_agent), \
                    mock.patch("sys.stderr", io.StringIO()) as err:
                self.assertEqual(dispatch.main(["reset"]), 130)
            self.assertTrue(err.getvalue().endswith(f"Type yes to go on: \nwow reset: ended by you, {said}\n"), err.getvalue())
        with mock.patch.object(control, "status", side_effect=end), mock.patch("sys.stderr", io.StringIO()) as err:
            self.assertEqual((dispatch.main(["status"]), err.getvalue()), (130, ""), "nothing was to be done")

    def test_what_cannot_be_printed_is_told_once(self):
        for word in ("help", "--version"):
            for environment in ({}, {"PYTHONUNBUFFERED": "1"}):
                reader, broken = os.pipe()
                os.close(reader)
                for place, said in ((os.open("/dev/full", os.O_WRONLY), f"wow {word}: what it prints cannot be written: No space left on device. Print it to a place with room\n"),
                                    (broken, "")):
                    done = subprocess.run(["/usr/bin/python3", WOW, word], env=environment, stdout=place, stderr=subprocess.PIPE, text=True, check=False)
                    os.close(place)
                    self.assertEqual((done.returncode, done.stderr), (1, said))


if __name__ == "__main__":
    unittest.main()
