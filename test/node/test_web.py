"""The web page's parts: codes and who is in, addresses that are the machine's, and what becomes of strangers' text. The whole program is in test/pages."""
import logging
import os
import pathlib
import random
import socket
import tempfile
import time
import unittest
from unittest import mock

import samples

from wow.lib import console
from wow.page import code, text, where
from wow.pause.state import Pause
from wow.slots.running import Job
from wow.slots import uses
from wow.stops import drained
from wow.web import guests, html, look, pages, server

HOSTILE = ["<script>alert(1)</script>", "a\u202egnp.exe\u202c", "\u2066x\u2069\u200f", "\x1b[2J", "\" onmouseover=\"x", "'&amp;", "\ud800", "x" * 5000, ""]
MARKS = set("\u202e\u202c\u2066\u2069\u200f\x1b\ud800")


class Connections(unittest.TestCase):
    def test_a_computer_that_has_more_than_its_share_loses_its_oldest_and_no_other_does(self):
        crowd = [mock.Mock(addr=("192.0.2.7", port), will_close=False) for port in range(server.SHARE + 40)]
        owner = [mock.Mock(addr=("192.0.2.8", port), will_close=False) for port in range(6)]
        server.end_surplus(dict(enumerate([owner[0], *crowd, *owner[1:]])))
        self.assertEqual([True] * 40 + [False] * server.SHARE, [one.will_close for one in crowd])
        self.assertFalse(any(one.will_close for one in owner))

    def test_the_journal_gets_faults_alone_and_no_line_of_each_request_or_broken_connection(self):
        waitress = mock.Mock()
        waitress.create_server.return_value.active_channels = {}
        server.serve(mock.Mock(), mock.Mock(), waitress, mock.Mock(), idle=0.0)
        self.assertFalse(waitress.create_server.call_args.kwargs["log_socket_errors"])
        with self.assertLogs() as told:
            for name in ("waitress", "waitress.queue"):
                logging.getLogger(name).warning("Task queue depth is 1")
                logging.getLogger(name).error("a fault")
        self.assertEqual([one.getMessage() for one in told.records], ["a fault"] * 2)

    def test_many_addresses_that_keep_to_their_share_leave_room_for_one_more(self):
        for addresses, each in ((4, server.SHARE), (20, 5), (server.CONNECTIONS, 1)):
            crowd = [mock.Mock(addr=(f"192.0.2.{number % addresses}", number), will_close=False) for number in range(addresses * each)]
            owner = [mock.Mock(addr=("198.51.100.8", port), will_close=False) for port in range(min(3, each))]
            server.end_surplus(dict(enumerate([*crowd, *owner])))
            self.assertFalse(any(one.will_close for one in owner))
            left = sum(not one.will_close for one in (*crowd, *owner))
            # waitress has two of its own.
            self.assertTrue(server.CONNECTIONS // 2 < left < server.CONNECTIONS - 2, f"{addresses} addresses: {left}")


class Codes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.file = folder.name, f"{folder.name}/web-code"
        self.time = console.uptime() + 1

    def guests(self):
        """As a program has it that has just begun."""
        return guests.Guests(self.folder, self.file, lambda: self.time)

    def refused(self, said):
        """Why a code is not taken."""
        with self.assertRaises(guests.Refused) as caught:
            self.guests().login(said)
        return str(caught.exception)

    def test_a_code_lets_in_once_however_it_is_typed_and_outlives_the_program(self):
        self.assertIn("No code was asked for", self.refused("x"))
        said = code.make(self.file)
        self.assertEqual((len(said), pathlib.Path(self.file).stat().st_mode & 0o777), (code.LENGTH + 1, 0o640))
        secret = self.guests().login(f" {said.lower().replace('-', ' ').replace('0', 'o').replace('1', 'l')} ")
        self.assertTrue(self.guests().knows(secret))
        self.assertIn("was used", self.refused(said))
        self.assertNotIn(secret, pathlib.Path(f"{self.folder}/guests.json").read_text(encoding="utf-8"))
        self.assertEqual(pathlib.Path(f"{self.folder}/guests.json").stat().st_mode & 0o777, 0o600)
        self.guests().logout(secret)
        self.assertFalse(self.guests().knows(secret))

    def test_wrong_and_old_ones_and_the_one_before_the_newest_are_refused(self):
        first = code.make(self.file)
        second = code.make(self.file)
        self.assertIn("not the code", self.refused(first))
        for wrong in ("", "ABCD", "\ud800", "é" * 8, second + "0"):
            self.assertIn("not the code", self.refused(wrong))
        self.time += code.LIFE
        self.assertIn("too old", self.refused(second))

    def test_guesses_keep_nobody_out_who_has_the_code_and_it_is_too_long_for_them(self):
        said, chance = code.make(self.file), random.Random(3)
        for _ in range(1000):
            self.assertIn("not the code", self.refused("".join(chance.choices(code.LETTERS, k=code.LENGTH))))
        secret = self.guests().login(said)
        self.assertTrue(self.guests().knows(secret))
        # As many as ten thousand a second.
        self.assertLess(10_000 * code.LIFE / len(code.LETTERS) ** code.LENGTH, 1e-8)

    def test_so_many_are_in_and_for_so_long(self):
        secrets = []
        for _ in range(guests.MOST + 1):
            self.time += 1
            secrets.append(self.guests().login(code.make(self.file)))
        self.assertEqual([self.guests().knows(one) for one in secrets], [False] + [True] * guests.MOST)
        self.time += guests.LIFE
        self.assertFalse(self.guests().knows(secrets[-1]))
        self.assertFalse(self.guests().knows(""))

    def test_a_file_that_is_no_good_lets_nobody_in_and_is_written_anew(self):
        for words in ("", "{", "[]", '{"in":{}}', '{"used":"","in":{"x":"x"}}', '{"used":"","in":[]}'):
            pathlib.Path(f"{self.folder}/guests.json").write_text(words, encoding="ascii")
            self.assertFalse(self.guests().knows("x"))
        self.time = console.uptime() + 1
        secret = self.guests().login(code.make(self.file))
        self.assertTrue(self.guests().knows(secret))
        pathlib.Path(self.file).write_text("nonsense", encoding="ascii")
        self.assertIn("No code", self.refused("x"))


class Where(unittest.TestCase):
    def test_whom_a_browser_meant(self):
        ours = ["192.168.1.7"]
        for host in ("192.168.1.7", "192.168.1.7:80", "localhost", "localhost:4480", "127.0.0.1:8080"):
            self.assertTrue(where.is_ours(host, ours), host)
        for host in ("", "192.168.1.8", "192.168.1.7:4480", "evil.example", "evil.example:80", "localhost.evil.example", "localhost:x", "localhost:", "localhost:80:80", "@localhost", "[::1]"):
            self.assertEqual(where.is_ours(host, ours), host == "localhost:", host)

    def test_machines_at_two_ports_of_one_name_have_a_cookie_each(self):
        self.assertEqual([where.cookie("wow", host) for host in ("192.168.1.7", "localhost:4480", "localhost:8080", "")], ["wow", "wow-4480", "wow-8080", "wow"])

    def test_our_cookie_is_found_beside_those_of_other_programs_at_the_same_name_whatever_they_hold(self):
        strange, chance = ("a", "b c=1", "j={\"x\":[1,2]}", "=", "", "wow-4481=other", "wow=other", "xwow-4480=other", "\xe9\xff=\x80", "a[]=1", "wow-4480", "q=\"", "$Path=/"), random.Random(7)
        for _ in range(300):
            beside = chance.choices(strange, k=chance.randint(0, 6))
            beside.insert(chance.randint(0, len(beside)), f"wow-4480={'5ec' * 9}")
            header = chance.choice((";", "; ")).join(beside)
            self.assertEqual(where.secret("wow", {"HTTP_HOST": "localhost:4480", "HTTP_COOKIE": header}), "5ec" * 9, header)
        for header in ("; ".join(strange), "", ";;;", "WOW-4480=x"):
            self.assertEqual(where.secret("wow", {"HTTP_HOST": "localhost:4480", "HTTP_COOKIE": header}), "", header)
        self.assertEqual(where.secret("wow", {}), "")

    def test_the_address_that_works_behind_virtualbox_s_nat_and_elsewhere(self):
        with tempfile.NamedTemporaryFile("w") as product:
            product.write("VirtualBox\n")
            product.flush()
            self.assertEqual(where.url(["10.0.2.15"], product.name), "http://localhost:4480")
            self.assertEqual(where.ssh(["10.0.2.15"], product.name), "ssh -p 4422 NAME@localhost")
            self.assertEqual(where.url(["192.168.1.7"], product.name), "http://192.168.1.7")
        self.assertEqual(where.url(["10.0.2.15"], "/nonexistent"), "http://10.0.2.15")
        self.assertEqual(where.url([], "/nonexistent"), "")
        self.assertEqual([where.ssh(own, "/nonexistent") for own in (["10.0.2.15"], [])], ["ssh NAME@10.0.2.15", ""])

    def test_the_kernel_says_its_own_addresses(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
            self.assertNotIn("127.0.0.1", where.own(asked))
        self.assertEqual(where.found(), where.found())


class Pages(unittest.TestCase):
    def seen(self, **other):
        facts = text.Facts(1_900_000_000, "science", "worker")
        facts.status, facts.findings, facts.looked = samples.STATUS, [], 1_899_999_000
        for name, value in other.items():
            setattr(facts, name, value)
        return look.Seen(samples.pool(), facts, {2001: uses.Use(3700.0, 123456789)}, [])

    def shown(self, **other):
        return pages.machine(self.seen(**other), "k").decode()

    def test_it_says_what_it_knows(self):
        said = self.shown(jobs=[Job(2001, "alice@alpha", 60), Job(2002, "bob@beta", 60)], findings=[("The manager does not answer.", "Ask who runs it.")])
        for word in ("alpha.science.internal", "10.128.3.4", "192.168.1.7", "ab" * 20, "It works: 2 jobs", "alice@alpha", "61 min", "123 MB", "not known", "The manager does not answer.",
                     "storm surge", "Küste", "https://example.org/surge?year=2026", "valid until 2027-01-31", "Pause now", "Finish what runs"):
            self.assertIn(word, said)
        slept = self.seen(jobs=[Job(2001, "alice@alpha", 1200)])
        slept.facts.jobs[0].wall = slept.facts.now - 3600
        self.assertIn(html.moment(slept.facts.now - 3600), pages.machine(slept, "k").decode())
        self.assertNotIn("Resume now", said)
        self.assertIn("Resume now", self.shown(pause=Pause(1_900_000_000, None, False, "wow-web")))
        self.assertIn("by the web page", self.shown(pause=Pause(1_900_000_000, None, False, "wow-web")))

    def test_a_time_is_of_the_machine_s_zone_by_its_name_and_of_utc_for_a_browser_s_script(self):
        self.addCleanup(time.tzset)
        with mock.patch.dict(os.environ, TZ="CET-1CEST,M3.5.0,M10.5.0/3"):
            time.tzset()
            for when, shown in ((1_900_000_000, '<time datetime="2030-03-17T17:46:40Z">2030-03-17 18:46 CET</time>'),
                                (1_905_000_000, '<time datetime="2030-05-14T14:40:00Z">2030-05-14 16:40 CEST</time>')):
                self.assertEqual(html.moment(when), shown)

    def test_limits_that_hold_stand_there_and_hours_have_no_button_that_would_not_end_them(self):
        self.assertIn("Jobs may have all", self.shown())
        said = self.shown(limits="50 % of a processor; mon 09:00-17:00", pause=Pause(1_900_000_000, 1_900_003_600, False, "wow-hours"))
        for word in ("50 % of a processor", 'href="/limits"', "by the hours that its owner set"):
            self.assertIn(word, said)
        self.assertNotIn("Resume now", said)

    def test_a_machine_that_runs_no_jobs_or_has_no_pool_has_no_buttons_for_that(self):
        seen = self.seen()
        for pool in (samples.pool(node__role="manager"), None):
            seen.pool = pool
            said = pages.machine(seen, "k").decode()
            self.assertNotIn('action="/pause"', said)
            self.assertIn("nothing to pause", said)
            self.assertNotIn("/limits", said)

    def test_where_what_runs_goes_on_nothing_is_said_of_jobs_that_stand_still(self):
        for who in ("wow-web", drained.WHO):
            said = self.shown(jobs=[Job(2001, "alice@alpha", 60)], pause=Pause(1_900_000_000, None, True, who))
            self.assertIn("Jobs that run go on to their end, and no other begins.", said)
            self.assertNotIn("stand still", said)
        self.assertIn("Jobs that stand still for half an hour go elsewhere.", self.shown(pause=Pause(1_900_000_000, None, False, "wow-web")))

    def test_what_the_script_renews_has_as_many_parts_whatever_there_is_to_say_and_the_buttons_are_in_it(self):
        counts = set()
        for pool in (samples.pool(), samples.pool(node__role="manager"), None):
            for other in ({}, {"pause": Pause(1_900_000_000, None, False, "wow-web")}, {"status": None, "findings": None}):
                seen = self.seen(**other)
                seen.pool, seen.troubles = pool, ["x"] * len(counts)
                with mock.patch.object(pages, "parts", side_effect=html.parts) as parts:
                    said = pages.machine(seen, "k").decode()
                counts.add(len(parts.call_args.args))
                self.assertEqual("/pause" in said, any("/pause" in part for part in parts.call_args.args))
        self.assertEqual(len(counts), 1)
        self.assertEqual(html.parts("a", "", "b"), '<div id="now"><div>a</div><div></div><div>b</div></div>')

    def test_whatever_strangers_are_called_it_is_text(self):
        for name in HOSTILE:
            for said in (self.shown(jobs=[Job(2001, name, 5)]), self.shown(findings=[(name, name)]), pages.login(name, name).decode(), pages.message("x", name).decode()):
                self.assertFalse(MARKS & set(said), name)
                self.assertNotIn("<script>a", said)
                self.assertNotIn('" onmouse', said)
                self.assertLess(len(said), 12000)
        self.assertEqual(html.said(HOSTILE[0]), "<bdi>&lt;script&gt;alert(1)&lt;/script&gt;</bdi>")


if __name__ == "__main__":
    unittest.main()
