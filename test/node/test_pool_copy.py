"""The pool page on a machine that is no manager: what it asks a manager, what of the answer it takes, how long a copy serves, and what is said of managers that are
away, slow, lying or of an earlier release. With the whole programs and a browser: test/pages."""
import functools
import json
import os
import pathlib
import re
import socket
import tempfile
import threading
import time
import tracemalloc
import unittest
import zlib
from unittest import mock

import samples

from wow.history import heard, looked, looks, members, page, page_copy, server
from wow.lib import agreed, control, lines, names
from wow.lib.errors import WowError
from wow.web import look, pool, snapshot, ways
from wow.web import server as web

from test_pool_page import NEGOTIATOR, NOW, OLDEST, busy, machine, printed, queue
from test_ring import PEERS
from test_web import HOSTILE, MARKS

DEEP = "[" * 9000
PROGRAM = 32 << 20
"""Bytes of the web page's program without any page, with a third to spare."""


class Managed(unittest.TestCase):
    """A manager's snapshot, and a machine's copy of it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.file = folder.name, f"{folder.name}/copy.json"
        self.uptime, self.looked, self.answer = 1000.0, 0, printed(machine(), busy(), queue(jobs="alice|surge|2|3|0", oldest=OLDEST), NEGOTIATOR)
        self.page = page.Page(self.look, f"{folder.name}/history.db", f"{folder.name}/page.json", lambda: self.uptime, lambda: NOW, None)
        for name, told in (("status", samples.STATUS), ("peers", PEERS)):
            patched = mock.patch.object(control, name, return_value=told)
            patched.start()
            self.addCleanup(patched.stop)

    def look(self):
        """What the manager's collector prints."""
        self.looked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def told(self, **changes):
        """What the manager tells, with parts of it changed."""
        return {**json.loads(zlib.decompress(self.page.packed())), **changes}

    def copy(self, ask, managers=(("first", "10.128.0.1"), ("second", "10.128.0.2"))):
        """A machine's copy."""
        return page_copy.Copy(lambda: list(managers), ask, self.file, lambda: self.uptime, None)


class Told(Managed):
    def test_a_manager_tells_machines_jobs_and_ring_and_neither_addresses_nor_what_is_its_own(self):
        told = self.told()
        self.assertEqual(["beta", "alpha"], [row[0] for row in told["machines"]])
        self.assertEqual(["gamma", "beta", "delta", "epsilon"], [row[0] for row in told["ring"]["members"]])
        self.assertFalse({"at", "tried"} & set(told))
        text = json.dumps(told)
        for own in (PEERS[0]["node"], "192.0.2.", "10.128.", "endpoint"):
            self.assertNotIn(own, text)

    def test_one_look_serves_all_machines_that_ask_within_ten_seconds(self):
        first = [self.page.packed() for _ in range(20)]
        self.assertEqual((1, 1), (self.looked, len(set(first))))
        self.uptime += looks.FRESH
        self.page.packed()
        self.assertEqual(2, self.looked)

    def test_who_asks_while_the_collector_is_slow_gets_the_last_one_at_once(self):
        self.page.packed()
        self.uptime += looks.FRESH
        slow, asked = threading.Event(), threading.Event()
        self.page._ask = lambda: (asked.set(), slow.wait(10), self.answer)[2]
        thread = threading.Thread(target=self.page.packed)
        thread.start()
        asked.wait(10)
        begun = time.monotonic()
        self.page.packed()
        self.assertLess(time.monotonic() - begun, 5)
        slow.set()
        thread.join()

    def test_what_a_manager_tells_is_what_a_machine_takes(self):
        told = self.told()
        self.assertEqual(told, heard.read(zlib.compress(json.dumps(told).encode())))
        kinds = [(one.name, one.kind, one.way, one.use) for one in members.heard(told["ring"]["members"])]
        self.assertEqual([(one.name, one.kind, one.way, one.use) for one in members.members(samples.STATUS["node"], PEERS, {})], kinds)

    def test_what_a_machine_or_queue_lies_of_itself_takes_the_page_from_nobody(self):
        largest = ";".join(["alice|surge|9999999999999|9999999999999|9999999999999"] * looked.MOST_OF_ONE)
        for lies in ([machine(DaemonStartTime=1 << 39)], [queue("gamma", DaemonStartTime=1 << 39)], [{**NEGOTIATOR, "LastNegotiationCycleEnd0": 1 << 39}],
                     [queue("gamma", jobs=largest, Name=f"{number}@gamma.p.internal") for number in range(3)],
                     [{"MyType": "Accounting", "Name": "alice@alpha.p.internal", "Priority": -10 ** 400}]):
            self.answer = printed(machine("delta"), queue(jobs="alice|surge|2|3|0", oldest=OLDEST), *lies)
            self.uptime += looks.FRESH
            told = heard.read(self.page.packed())
            self.assertEqual((True, True), ("delta" in {row[0] for row in told["machines"]}, ["alice@alpha", "surge", 2, 3, 0] in told["jobs"]), lies)

    def test_a_large_pool_fits(self):
        self.answer = printed(*(machine(f"m{number:04}") for number in range(4100)), *(queue(f"q{number}", jobs="alice|surge|1|1|1") for number in range(300)))
        crowd = [{**PEERS[0], "node": os.urandom(20).hex(), "host": f"m{number:04}", "relay": None} for number in range(4100)]
        with mock.patch.object(control, "peers", return_value=crowd):
            packed = self.page.packed()
        told = heard.read(packed)
        self.assertEqual((4000, 4000, 100, True), (len(told["machines"]), len(told["ring"]["members"]), told["ring"]["beyond"], told["beyond"] > 0))
        self.assertLess(len(packed), agreed.LARGEST_POOL_PAGE)

    def test_where_its_ipopd_is_away_it_tells_the_rest(self):
        with mock.patch.object(control, "status", side_effect=WowError("nobody listens", "", "socket")):
            told = self.told()
        self.assertEqual((False, "nobody listens", True), ("ring" in told, told["silent"], "machines" in told))
        self.assertEqual(told, heard.read(zlib.compress(json.dumps(told).encode())))

    def test_where_its_collector_is_away_it_says_so(self):
        self.answer = WowError("no answer in time", "", "collector")
        told = heard.read(self.page.packed())
        self.assertEqual((False, "collector: no answer in time"), ("machines" in told, told["trouble"]))

    def test_it_takes_no_token_and_opens_nothing_else(self):
        def unknown():
            raise AssertionError("no token is looked at")
        served = server.Server(None, unknown, unknown, {"/metrics": unknown}, shared=self.page.packed)
        head, _, body = served.answer(b"GET /pool-page HTTP/1.1").partition(b"\r\n\r\n")
        self.assertIn(b"200 OK", head)
        self.assertEqual("beta", heard.read(body)["machines"][0][0])
        for request in (b"GET /pool-page?x HTTP/1.1", b"POST /pool-page HTTP/1.1", b"GET /pool-page/ HTTP/1.1", b"GET /metrics HTTP/1.1", b"POST /token HTTP/1.1"):
            with self.assertRaises(AssertionError):
                served.answer(request)
        self.page._file = f"{self.folder}/none/page.json"
        self.uptime += looks.GOOD
        self.assertIn(b"503", served.answer(b"GET /pool-page HTTP/1.1"))


class Heard(Managed):
    def refused(self, data, word):
        """That nothing of it is taken, and what is said."""
        with self.assertRaises(ValueError) as caught:
            heard.read(data if isinstance(data, bytes) else zlib.compress(json.dumps(data).encode()))
        self.assertIn(word, str(caught.exception))
        self.assertLess(len(str(caught.exception)), 100)

    def test_what_is_not_packed_or_no_json_is_not_taken(self):
        whole = self.page.packed()
        for data, word in ((b"", "ends in its middle"), (b"<html>", "not packed"), (whole[:-9], "ends in its middle"), (zlib.compress(b"{"), "no JSON"), (zlib.compress(b"\xff"), "no JSON"),
                           (zlib.compress(b"[]"), "no JSON object"), (zlib.compress(DEEP.encode()), "no JSON"), (zlib.compress(b'{"queues": ' + b"9" * 9999 + b"}"), "no JSON")):
            self.refused(data, word)

    def test_what_would_fill_the_memory_is_not_taken(self):
        self.refused(zlib.compress(b" " * (heard.LARGEST + 1)), "more than 4 MiB")
        self.refused(zlib.compress(b"\0" * (1 << 28)), "more than 4 MiB")
        self.refused(zlib.compress(b"[" + b"[]," * heard.MOST_PARTS + b"[]]"), "lists")

    def test_a_part_that_is_something_else_is_named(self):
        told = self.told()
        row = told["machines"][0]
        for name, value in (
                ("machines", {}), ("machines", None), ("machines", [row[:-1]]), ("machines", [[*row, 1]]), ("machines", [row] * (heard.MOST_ROWS + 1)), ("machines", [[1, *row[1:]]]),
                ("machines", [[row[0], "<b>", *row[2:]]]), ("machines", [[row[0], [], *row[2:]]]), ("machines", [[*row[:5], 1 << 40, *row[6:]]]),
                ("machines", [[*row[:5], 1.5, *row[6:]]]), ("machines", [[*row[:6], -1, *row[7:]]]), ("machines", [[*row[:6], float("nan"), *row[7:]]]),
                ("machines", [[*row[:6], float("inf"), *row[7:]]]), ("machines", [[*row[:6], True, *row[7:]]]), ("machines", [[*row[:6], 10 ** 400, *row[7:]]]),
                ("places", [[91, 0, 1, 1]]), ("places", [[0.5, 0, 1, 1]]), ("totals", [1, 2]), ("held", []), ("held", {"x": "y"}), ("held", {str(at): 1 for at in range(101)}),
                ("oldest", {}), ("oldest", []), ("oldest", {**told["oldest"], "since": -1}), ("oldest", {**told["oldest"], "text": 1}), ("when", "now"), ("cycle", 1 << 60),
                ("course", [[NOW, "1", 1]]), ("owners", [["Ada", 1]]), ("trouble", ["x"]), ("ring", []), ("ring", {**told["ring"], "links": {}}),
                ("ring", {**told["ring"], "members": [["x", 4, -1, "-", 1, 0]]}), ("ring", {**told["ring"], "members": [["x", -1, -1, "-", 1, 0]]}),
                ("ring", {**told["ring"], "members": [["x", 0, -2, "-", 1, 0]]}), ("ring", {**told["ring"], "members": [["x", 0, -1, "-", -2, 0]]}),
                ("ring", {**told["ring"], "members": [["x", 0, -1, "-", 1, 3]]})):
            self.refused({**told, name: value}, f"as {name}")
        del told["oldest"]
        self.refused(told, "alone")

    def test_a_part_of_a_later_release_is_left_out_and_the_rest_is_taken(self):
        self.assertEqual(self.told(), heard.read(zlib.compress(json.dumps(self.told(more=[1], wrong="x", by="x", at={}, tried=9)).encode())))

    def test_whatever_is_told_the_pages_show_text_and_can_be_made(self):
        for name in HOSTILE:
            told = self.told(held={name: 1}, trouble=name, lost=name, silent=name, owners=[[name, 1, 1, 1, heard.GREATEST]], course=[[heard.LATEST, 1, 1], [0, heard.GREATEST, 1]])
            told["machines"] += [[name, "free", name, name, name, heard.LATEST, heard.GREATEST, 0.5, 1, 1]]
            told["off"] = [[name, name, 0, 1, 1]]
            told["jobs"] += [[name, name, 1, 1, 1]]
            told["oldest"] = dict.fromkeys(told["oldest"], name) | {"since": 0}
            told["ring"]["host"] = name
            told["ring"]["members"] = [[name, kind, relay, name, rtt, use] for kind in range(4) for relay in (-1, 0, 4000) for rtt in (-1, 1.5, heard.GREATEST) for use in range(3)]
            kept = heard.read(zlib.compress(json.dumps(told).encode()))
            for path in pool.PAGES:
                with mock.patch.object(snapshot, "read", lambda kept=kept, name=name: {**kept, "by": name, "wrong": name, "tried": 1.0}), \
                        mock.patch.object(snapshot, "ask", return_value=name), mock.patch.object(snapshot.pools, "read", samples.pool):
                    text = pool.answer(path, {}, "k").decode()
                self.assertFalse(set(text) & MARKS, name)
                self.assertNotIn("<script>alert", text)
                self.assertNotIn('" onmouseover="', text)


class Kept(Managed):
    def test_the_first_manager_is_asked_and_the_copy_serves_all_for_ten_seconds(self):
        asked = []
        copy = self.copy(lambda address: (asked.append(address), self.told())[1])
        listener = page.listen(f"{self.folder}/sock", os.getgid())
        listener.settimeout(0.5)
        thread = threading.Thread(target=copy.serve, args=(listener,), daemon=True)
        thread.start()
        for _ in range(20):
            self.assertEqual("", snapshot.ask(5.0, False, f"{self.folder}/sock"))
        self.assertEqual(["10.128.0.1"], asked)
        told = snapshot.read(self.file)
        self.assertEqual(("first", "", 1000.0, "beta"), (told["by"], told["wrong"], told["tried"], told["machines"][0][0]))
        self.assertEqual(0o640, os.stat(self.file).st_mode & 0o777)
        thread.join(10)
        self.assertFalse(thread.is_alive(), "it does not end though nobody looks")
        listener.close()

    def test_where_the_first_does_not_answer_the_second_is_asked_and_from_then_on_first(self):
        asked = []

        def ask(address):
            asked.append(address)
            if address == "10.128.0.1":
                raise TimeoutError
            return self.told()
        copy = self.copy(ask)
        copy.look()
        copy.look()
        self.assertEqual(["10.128.0.1", "10.128.0.2", "10.128.0.2"], asked)
        told = snapshot.read(self.file)
        self.assertEqual(("second", ""), (told["by"], told["wrong"]))

    def test_where_none_answers_the_copy_of_before_stays_and_each_is_named(self):
        self.copy(lambda address: self.told()).look()
        for ask in (lambda address: (_ for _ in ()).throw(TimeoutError()), lambda address: (_ for _ in ()).throw(ConnectionRefusedError(111, "Connection refused"))):
            self.copy(ask).look()
            told = snapshot.read(self.file)
            self.assertEqual("beta", told["machines"][0][0], "what an earlier run of the program left is lost")
            self.assertRegex(told["wrong"], "first does not answer.*; second does not answer")

    def test_all_managers_together_have_so_many_seconds(self):
        passed, asked = [0.0], []

        def ask(address):
            asked.append(address)
            passed[0] += page_copy.PATIENCE
            raise TimeoutError
        many = [(f"m{number}", f"10.128.0.{number}") for number in range(agreed.MOST_MANAGERS)]
        page_copy.Copy(lambda: many, ask, self.file, lambda: self.uptime, None, lambda: passed[0]).look()
        self.assertEqual(2, len(asked))
        self.assertIn("m7 was not asked", snapshot.read(self.file)["wrong"])

    def test_without_managers_or_ipopd_it_says_so(self):
        self.copy(None, ()).look()
        self.assertIn("none is known yet", snapshot.read(self.file)["wrong"])
        copy = page_copy.Copy(page_copy.managers, None, self.file, lambda: self.uptime, None)
        with mock.patch.object(control, "status", side_effect=WowError("ipopd is not running", "Look", "socket")):
            copy.look()
        self.assertIn("ipopd is not running", snapshot.read(self.file)["wrong"])

    def test_managers_are_those_that_the_ca_lists_and_else_those_of_pool_conf(self):
        listed = [{"host": f"m{number}", "address": f"10.128.0.{number}", "ca": not number} for number in range(9)]
        with mock.patch.object(control, "status", return_value={**samples.STATUS, "managers": listed}):
            self.assertEqual([(one["host"], one["address"]) for one in listed[:agreed.MOST_MANAGERS]], page_copy.managers())
        with mock.patch.object(page_copy.facts, "read", samples.pool):
            self.assertEqual([("manager", "manager.science.internal")], page_copy.managers())

    def test_a_full_disk_is_told_to_the_journal_and_who_looks_is_answered(self):
        copy = self.copy(lambda address: self.told())
        copy._file = f"{self.folder}/none/copy.json"
        with mock.patch("builtins.print") as printed_:
            copy.renew()
        self.assertIn("No such file", printed_.call_args.args[0])
        self.assertLess(copy.age(), looks.FRESH)


class Asked(Managed):
    def say(self, *parts, pause=0.0, patience=1.0):
        """What page_copy makes of a manager that sends these bytes."""
        got = []

        def serve():
            link = listener.accept()[0]
            with link:
                got.append(link.recv(4096))
                try:
                    for part in parts:
                        link.sendall(part)
                        time.sleep(pause)
                except OSError:
                    pass
        with socket.create_server(("127.0.0.1", 0)) as listener:
            thread = threading.Thread(target=serve, daemon=True)
            thread.start()
            try:
                return page_copy.ask("127.0.0.1", listener.getsockname()[1], patience)
            except (OSError, ValueError) as error:
                return page_copy.said(error)
            finally:
                thread.join(20)
                self.request = got[0]

    def test_it_sends_one_get_and_nothing_of_its_own(self):
        told = self.say(server.response("200 OK", self.page.packed(), "application/json"))
        self.assertEqual("beta", told["machines"][0][0])
        self.assertEqual(b"GET /pool-page HTTP/1.1", self.request.split(b"\r\n")[0])
        self.assertNotIn(b"uthorization", self.request)

    def test_each_way_to_be_no_help_is_a_sentence(self):
        good = server.response("200 OK", self.page.packed())
        for parts, word in (((), "closed the connection"), ((b"\0" * 99,), "no answer of HTTP"), ((b"HTTP/1.1\r\n\r\n",), "no answer of HTTP"), ((b"x" * 9000 + b"\r\n\r\n",), "no answer"),
                            ((server.response("401 Unauthorized", "show the token"),), "earlier release"), ((server.response("404 Not Found", ""),), "earlier release"),
                            ((server.response("503 Service Unavailable", "busy \x1b[2J"),), "refuses: busy ?[2J"), ((server.response("500 x", ""),), "does not say why"),
                            ((good[:-5],), "ends in its middle"), ((server.response("200 OK", "<html>"),), "not packed"),
                            ((b"HTTP/1.1 200 OK\r\n\r\n", *(b"\0" * 65536,) * 40), "more than 1 MiB")):
            self.assertIn(word, self.say(*parts), parts[:1])

    def test_one_that_is_slow_is_left_however_it_drips(self):
        begun = time.monotonic()
        self.assertIn("in time", self.say(*[b"H"] * 40, pause=0.05, patience=0.5))
        self.assertLess(time.monotonic() - begun, 10)

    def test_one_that_is_not_there_is_a_sentence(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        with self.assertRaises(OSError) as caught:
            page_copy.ask("127.0.0.1", port)
        self.assertIn("refused", page_copy.said(caught.exception))


class Shown(Managed):
    def shown(self, path="/pool", **changes):
        """A page of a machine that has such a copy."""
        kept = {**heard.read(self.page.packed()), "by": "second", "wrong": "", "tried": 1.0, **changes}
        with mock.patch.object(snapshot, "read", lambda: kept), mock.patch.object(snapshot, "ask", return_value=""), mock.patch.object(snapshot.pools, "read", samples.pool):
            return pool.answer(path, {}, "k").decode()

    def test_each_page_says_which_manager_told_it_and_asks_nothing_of_its_own_ipopd(self):
        with mock.patch.object(lines, "exchange", side_effect=AssertionError):
            for path in pool.PAGES:
                self.assertIn("as the manager <bdi>second</bdi> told it", self.shown(path))
        self.assertIn("<title>gamma: over a relay beta, 80.0 ms</title>", self.shown("/pool/ring"))
        self.assertIn("3, 2 of them to its neighbours", self.shown())

    def test_what_is_wrong_stands_above_what_was_told_last(self):
        text = self.shown(wrong="No manager of the pool tells how the pool is: first <b>", silent="ipopd is away", trouble="no answer", lost="The history cannot be read")
        for word in ("first &lt;b&gt;", "told last", "on that manager: ipopd is away", "does not answer wow-pool: no answer", "history cannot be read", "1 works"):
            self.assertIn(word, text)

    def test_the_most_that_a_manager_may_tell_fits_into_the_unit_s_memory_in_all_threads_at_once(self):
        def named(number):
            return f"{number:05}".ljust(names.LONGEST, "x")
        every, most = range(heard.MOST_ROWS), heard.GREATEST
        told = self.told(
            machines=[[named(at), "works", named(at + 1), named(at + 2), named(at + 3), heard.LATEST, most, most, most, most] for at in every],
            off=[[named(at + 5000), named(at + 1), heard.LATEST, most, most] for at in every], jobs=[[named(at), named(at + 1), most, most, most] for at in every],
            owners=[[named(at), most, most, most, most] for at in every], places=[[0, 0, most, most] for _ in every])
        told["ring"]["members"] = [[named(at), 0, -1, "-", 1.5, 0] for at in every]
        with open(self.file, "w", encoding="ascii") as file:
            json.dump({**heard.read(zlib.compress(json.dumps(told, separators=(",", ":")).encode())), "by": "second", "wrong": "", "tried": 1.0}, file)
        kept = functools.partial(snapshot.read, self.file)
        unit = pathlib.Path(__file__).parents[2] / "appliance/node/root/usr/lib/systemd/system/wow-web.service"
        limit = int(re.search("^MemoryMax=([0-9]+)M$", unit.read_text(encoding="utf-8"), re.MULTILINE)[1]) << 20
        for path in pool.PAGES:
            tracemalloc.start()
            self.addCleanup(tracemalloc.stop)
            with mock.patch.object(snapshot, "read", kept), mock.patch.object(snapshot, "ask", return_value=""), mock.patch.object(snapshot.pools, "read", samples.pool):
                pool.answer(path, {}, "k")
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            self.assertLess((peak >> 20, peak * web.THREADS + PROGRAM), (peak >> 20, limit), path)

    def test_a_copy_that_nobody_keeps_is_said_in_words(self):
        with mock.patch.object(snapshot, "read", lambda: {}), mock.patch.object(snapshot, "ask", return_value="Connection refused"), mock.patch.object(snapshot.pools, "read", samples.pool):
            text = pool.answer("/pool/machines", {}, "k").decode()
        self.assertIn("wow-pool-page, which asks a manager, does not answer: Connection refused", text)
        self.assertIn("systemctl status wow-pool-page.socket", text)

    def test_not_all_of_the_program_waits(self):
        path = f"{self.folder}/sock"
        listener = page.listen(path, os.getgid())
        self.addCleanup(listener.close)
        waiting = [threading.Thread(target=snapshot.ask, args=(2.0, False, path)) for _ in range(2)]
        for one in waiting:
            one.start()
        end = time.monotonic() + 10
        while len(snapshot.WAITING) < snapshot.MOST_WAITING and time.monotonic() < end:
            time.sleep(0.01)
        begun = time.monotonic()
        self.assertIn("others wait", snapshot.ask(2.0, False, path))
        self.assertEqual("", snapshot.ask(2.0, True, path))
        self.assertLess(time.monotonic() - begun, 1.0)
        for one in waiting:
            one.join()
        self.assertIn("no answer within", snapshot.ask(0.1, False, path), "the places are not given back")

    def test_the_machine_s_page_leads_there_where_it_has_a_pool(self):
        seen = look.Seen(samples.pool(), None, {}, [])
        self.assertIn('<a href="/pool">', ways.link(seen))
        seen.pool = None
        self.assertEqual("", ways.link(seen))


if __name__ == "__main__":
    unittest.main()
