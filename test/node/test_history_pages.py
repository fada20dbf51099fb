"""Who gets the pool's figures and history, what is refused, and how `wow history` asks."""
import contextlib
import io
import json
import os
import socket
import tempfile
import threading
import time
import unittest
from unittest import mock

from wow import dispatch
from wow.condor import ads
from wow.config import facts
from wow.history import keeper, server, store, token
from wow.lib import system
from wow.lib.errors import WowError
from wow.lib.verb import UsageError
from wow.seal import fence
from wow.verbs import history

import samples
from test_history import queue, slot

KEY = b"-----BEGIN PRIVATE KEY-----\n"
SECRET = token.from_key(KEY)
BEGIN = 1_800_000_000


def printed(*ads):
    """What condor_status prints of these ads."""
    return "[\n" + "\n,\n".join(json.dumps(ad) for ad in ads) + "\n]\n"


class Served(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.now = BEGIN
        kept = store.Store(f"{folder.name}/history.db")
        self.addCleanup(kept.close)
        self.keeper = keeper.Keeper(kept, f"{folder.name}/history.db", lambda: self.now)
        listener = socket.create_server(("127.0.0.1", 0))
        self.port = listener.getsockname()[1]
        self.number = f"{folder.name}/token-number"
        self.path = f"{folder.name}/history.db"
        self.server = server.Server(listener, self.wanted, lambda: token.renew(self.number), {"/metrics": self.keeper.metrics, "/history": self.keeper.history}, patience=1.0)
        thread = threading.Thread(target=self.server.run, daemon=True)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(listener.close)
        self.addCleanup(listener.shutdown, socket.SHUT_RDWR)

    def wanted(self):
        """The token that holds."""
        with tempfile.NamedTemporaryFile() as key:
            key.write(KEY)
            key.flush()
            return token.own(key.name, self.number)

    def connect(self, address):
        """A connection from another address of this machine's."""
        return socket.create_connection(("127.0.0.1", self.port), 10, source_address=(address, 0))

    def say(self, request):
        """The whole answer to these bytes."""
        with socket.create_connection(("127.0.0.1", self.port), 10) as link:
            link.sendall(request)
            said = b""
            while part := link.recv(65536):
                said += part
        return said

    def get(self, path, shown=f"Authorization: Bearer {SECRET}"):
        """(status, text) of a page."""
        head, _, body = self.say(f"GET {path} HTTP/1.1\r\nHost: manager\r\n{shown}\r\n\r\n".encode()).partition(b"\r\n\r\n")
        return int(head.split()[1]), body.decode()

    def work(self, minutes=11):
        """Samples of alice's job on beta."""
        for number in range(minutes):
            self.now = BEGIN + 60 * number
            self.keeper.round(printed(slot(), queue(f"1;alice|surge|beta|{60 * number}|1")), 60.0 * number)


class TokenTests(Served):
    def test_without_the_token_nobody_gets_anything(self):
        for shown in ("X: y", "Authorization: Bearer", "Authorization: Bearer ", f"Authorization: Basic {SECRET}", f"Authorization: Bearer {SECRET[:-1]}",
                      f"Authorization: Bearer {SECRET}0", f"Authorization: Bearer {SECRET.upper()}", f"Authorization: {SECRET}", "Authorization: Bearer \xff",
                      f"X: Authorization: Bearer {SECRET}", f"Authorization: Bearer x\r\nAuthorization: Bearer {SECRET}"):
            for path in ("/metrics", "/history", "/nothing"):
                status, text = self.get(path, shown)
                self.assertEqual(401, status, shown)
                self.assertNotIn("wow_pool", text)
        self.assertIn(b"WWW-Authenticate: Bearer\r\n", self.say(b"GET /metrics HTTP/1.1\r\n\r\n"))

    def test_with_it_there_are_figures_and_history(self):
        self.work()
        status, text = self.get("/metrics", f"authorization: bearer {SECRET}")
        self.assertEqual((200, True), (status, "wow_pool_core_seconds_total 600\n" in text), text)
        status, text = self.get("/history")
        told = json.loads(text)
        self.assertEqual([{"name": "Ada", "core_hours": 0.167, "jobs": 0}], told["owner"])
        self.assertEqual(["alice@alpha", "surge", None], [told["person"][0]["name"], told["project"][0]["name"], told["days"]])

    def test_history_of_some_days(self):
        self.work()
        self.now = BEGIN + 5 * 86400
        self.assertEqual([], json.loads(self.get("/history?days=2")[1])["person"])
        self.assertEqual(1, len(json.loads(self.get("/history?days=30")[1])["person"]))
        for query in ("days=0", "days=732", "days=-1", "days=x", "day=1", "days=1&days=2", "=", "days=٣"):
            status, text = self.get(f"/history?{query}")
            self.assertEqual((400, True), (status, "from 1 to 731" in text), query)

    def test_the_next_token_opens_at_once_what_the_one_before_opens_no_more(self):
        second = token.from_key(KEY, 2)
        self.assertEqual({"number": 2}, history.ask("127.0.0.1", SECRET, server.RENEWAL, self.port, method="POST"))
        status, text = self.get("/metrics")
        self.assertEqual((401, True), (status, "`wow pool show FOLDER --token --number 2`" in text), text)
        self.assertEqual(200, self.get("/metrics", f"Authorization: Bearer {second}")[0])
        self.assertEqual(0o600, os.stat(self.number).st_mode & 0o777)
        with self.assertRaises(WowError):
            history.ask("127.0.0.1", SECRET, server.RENEWAL, self.port, method="POST")
        self.assertEqual(2, token.number_of(self.number), "who has none that holds ends none")

    def test_a_token_that_is_shown_twice_at_once_is_followed_by_one(self):
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(self.say(f"POST /token HTTP/1.1\r\nAuthorization: Bearer {SECRET}\r\n\r\n".encode())[9:12]))
                   for _ in range(server.MOST_OF_ONE)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([b"200", *[b"401"] * (server.MOST_OF_ONE - 1)], sorted(answers))
        self.assertEqual(2, token.number_of(self.number))

    def test_where_it_is_not_known_which_token_holds_none_does_and_none_comes_back(self):
        for text in ("x", "0", "-1", "99999", "2 2", "٣"):
            with open(self.number, "w", encoding="utf-8") as file:
                file.write(text)
            self.assertEqual(503, self.get("/metrics")[0], text)
            with self.assertRaises(WowError):
                token.renew(self.number)

    def test_another_key_has_another_token_and_no_part_of_itself_in_it(self):
        self.assertRegex(SECRET, "^[0-9a-f]{64}$")
        self.assertNotEqual(SECRET, token.from_key(KEY + b"\n"))


class BoundTests(Served):
    def test_what_is_no_request_is_told_so_and_the_next_one_is_served(self):
        for request in (b"\r\n\r\n", b"GET\r\n\r\n", b"GET /metrics\r\n\r\n", b"\x16\x03\x01\r\n\r\n", b"GET / HTTP/2.0\r\n\r\n", b"GET /a b HTTP/1.1\r\n\r\n"):
            self.assertTrue(self.say(request).startswith(b"HTTP/1.1 400 "), request)
        for path, wanted in (("/", 404), ("/metrics/", 404), ("/../history", 404)):
            self.assertEqual(wanted, self.get(path)[0], path)
        self.assertIn(b" 405 ", self.say(f"POST /metrics HTTP/1.1\r\nAuthorization: Bearer {SECRET}\r\n\r\n".encode()))
        self.assertEqual(200, self.get("/metrics")[0])

    def test_a_head_that_is_too_long_or_does_not_end_is_not_waited_for(self):
        with socket.create_connection(("127.0.0.1", self.port), 10) as link:
            link.sendall(b"GET /metrics HTTP/1.1\r\n" + b"x" * server.LONGEST)
            self.assertIn(b" 400 ", link.recv(100))
        with socket.create_connection(("127.0.0.1", self.port), 10) as link:
            link.sendall(b"GET /metrics HTTP/1.1\r\n")
            self.assertEqual(b"", link.recv(100), "after its patience it lets go")

    def test_a_crowd_that_says_nothing_holds_so_many_places_and_no_longer_than_its_patience(self):
        links = [self.connect(f"127.0.0.{number % 100 + 2}") for number in range(3 * server.MOST)]
        ended = [link.recv(100) for link in links]
        self.assertEqual([b""] * len(links), ended)
        for link in links:
            link.close()
        self.assertEqual(200, self.get("/metrics")[0])

    def test_one_address_holds_so_many_places_and_the_others_are_free(self):
        links = [self.connect("127.0.0.2") for _ in range(3 * server.MOST)]
        self.assertEqual(200, self.get("/metrics")[0], "while they are held")
        for link in links:
            self.assertEqual(b"", link.recv(100))
            link.close()
        until = time.monotonic() + 10
        while self.server._clients and time.monotonic() < until:
            time.sleep(0.01)
        self.assertEqual({}, self.server._clients, "who has gone is forgotten")

    def test_pages_are_made_one_at_a_time(self):
        inside, most, lock = 0, 0, threading.Lock()

        def page(_):
            nonlocal inside, most
            with lock:
                inside, most = inside + 1, max(most, inside + 1)
            time.sleep(0.05)
            with lock:
                inside -= 1
            return "text/plain", "x"
        self.server._pages["/slow"] = page
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(self.get("/slow")[0])) for _ in range(server.MOST_OF_ONE)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(([200] * len(threads), 1), (answers, most))

    def test_a_history_that_cannot_be_read_is_told_and_the_figures_go_on(self):
        self.work(2)
        for damage in (lambda: os.truncate(self.path, 0), lambda: os.rename(self.path, f"{self.path}.gone")):
            damage()
            status, text = self.get("/history")
            self.assertEqual((503, True), (status, "the history cannot be read" in text), text)
            self.assertEqual(200, self.get("/metrics")[0])


class KeeperTests(Served):
    def test_a_collector_that_does_not_answer_is_told_once_and_counted(self):
        told, asked = "", []
        journal = io.StringIO()
        with mock.patch.object(system, "run", lambda *_, **__: (1, "CEDAR:6001")), contextlib.redirect_stdout(journal):
            for _ in range(3):
                told = keeper.look(self.keeper, told, "boss.science.internal")
        self.assertEqual(1, journal.getvalue().count("CEDAR:6001"))
        with mock.patch.object(system, "run", lambda words, **_: asked.append(words) or (0, "[]")):
            self.assertEqual("", keeper.look(self.keeper, told, "boss.science.internal"))
        self.assertEqual(["condor_status", "-pool", "boss.science.internal"], asked[0][:3])
        self.assertIn("wow_pool_sample_failures_total 3\n", self.get("/metrics")[1])

    def test_an_answer_that_is_out_of_all_bounds_is_told_with_how_to_see_who_fills_it(self):
        with mock.patch.object(ads, "question", lambda _: ["yes", "x" * 1000]), mock.patch.object(keeper, "MOST", 1 << 20), contextlib.redirect_stdout(io.StringIO()):
            self.assertIn("more than 1 MB. Look who fills it with: condor_status", keeper.look(self.keeper, "", "boss.science.internal"))

    def test_which_manager_is_asked(self):
        worker, manager = samples.pool(), samples.pool(node__role="manager")
        self.assertEqual(["manager.science.internal", "second.science.internal"], [history.asked(worker, None), history.asked(worker, "second")])
        with mock.patch.object(history.os, "uname", return_value=mock.Mock(nodename="third")):
            self.assertEqual(["third.science.internal", "second.science.internal"], [history.asked(manager, None), history.asked(manager, "second")])
        for wrong in ("a.b", "", "-x", "a b", "A"):
            with self.assertRaises(UsageError):
                history.asked(worker, wrong)

    def test_no_job_reaches_its_port(self):
        for role in ("manager", "worker"):
            rules = fence.sockets(samples.pool(node__role=role))
            for chain in ("slot_tap", "slot_lo"):
                body = rules.split(f"chain {chain} {{\n")[1].split("  }\n")[0]
                self.assertRegex(body, "tcp dport {[^}]* 9619,[^}]*} counter reject with tcp reset")
            self.assertNotIn("9619", rules.split("chain physical_in {\n")[1].split("  }\n")[0])


class VerbTests(Served):
    def ask(self, secret=SECRET, page="/history"):
        """`wow history` of this server."""
        return history.ask("127.0.0.1", secret, page, self.port)

    def test_people_see_who_had_what(self):
        self.work()
        text = "\n".join(history.lines(self.ask()))
        self.assertIn("Core hours and jobs since ever", text)
        self.assertRegex(text, r"(?m)^alice@alpha +0\.2 +0$")
        for title in ("people", "projects", "owners of machines"):
            self.assertIn(title, text)
        self.assertIn("of the last 30 days", "\n".join(history.lines(self.ask(page="/history?days=30"))))

    def test_what_the_pool_says_of_a_project_stands_beside_its_hours(self):
        told = {"days": None, "person": [], "owner": [], "project": [{"name": name, "core_hours": 1.0, "jobs": 1} for name in ("storm surge", "other")]}
        out = [io.StringIO(), io.StringIO()]
        for shown, options in zip(out, ([], ["--json"])):
            with mock.patch.object(facts, "read", samples.pool), mock.patch.object(history, "ask", lambda *_: told), \
                    mock.patch.object(history, "shown_token", lambda _: SECRET), contextlib.redirect_stdout(shown):
                history.run(history.VERB.read(options))
        says, link = samples.pool().projects["storm surge"].values()
        self.assertRegex(out[0].getvalue(), rf"(?m)^storm surge +1\.0 +1$")
        self.assertIn(f"storm surge  {says}  {link}\n", out[0].getvalue())
        self.assertEqual([(says, link), ("", "")], [(one["says"], one["link"]) for one in json.loads(out[1].getvalue())["project"]])

    def test_what_goes_wrong_is_said(self):
        for secret, says in ((token.from_key(b"x"), "wow pool show FOLDER --token"), ("a b", "is no token"), ("", "is no token")):
            with self.assertRaises(WowError) as caught:
                self.ask(secret)
            self.assertIn(says, str(caught.exception))
        with self.assertRaises(WowError) as caught:
            self.ask(page="/history?days=0")
        self.assertIn("from 1 to 731", str(caught.exception))
        with socket.create_server(("127.0.0.1", 0)) as other:
            free = other.getsockname()[1]
        with self.assertRaises(WowError) as caught:
            history.ask("127.0.0.1", SECRET, "/history", free)
        self.assertIn("does not answer", str(caught.exception))

    def test_what_is_json_and_nothing_that_was_asked_for_is_a_sentence_and_obeyed_by_no_terminal(self):
        good = {"name": "surge", "core_hours": 1.0, "jobs": 1}
        machine = {"name": "beta", "owner": "Ada", "here": False, "seen": "now", "core_hours": 1.0, "jobs": 1}
        history_of = [{"days": None, "person": [], "owner": [], "project": [one]} for one in (
            7, {}, {**good, "name": []}, {**good, "jobs": "\x1b[2J"}, {**good, "core_hours": "x"}, {**good, "core_hours": None})]
        cases = [([], told) for told in (*history_of, [], {}, None, "x", 7, {"days": "\x1b[2J", "person": [], "owner": [], "project": []}, {"days": 7, "person": 7, "owner": [], "project": []})]
        cases += [(["machines"], told) for told in ([], {}, None, "x", {"machines": 7}, {"machines": "x"}, {"machines": [[]]}, {"machines": [{**machine, "jobs": "\x1b[2J"}]},
                                                   {"machines": [{**machine, "seen": 7}]}, {"machines": [{**machine, "core_hours": []}]})]
        cases += [(["token", "--new"], told) for told in ([], {}, None, {"number": "\x1b[2J"}, {"number": None})]
        for words, told in cases:
            with mock.patch.object(facts, "read", samples.pool), mock.patch.object(history, "ask", lambda *_, told=told, **__: told), \
                    mock.patch.object(history, "shown_token", lambda _: SECRET), contextlib.redirect_stderr(io.StringIO()) as said, contextlib.redirect_stdout(io.StringIO()) as out:
                self.assertEqual((1, ""), (dispatch.main(["history", *words]), out.getvalue()), told)
            self.assertIn("manager.science.internal: sent something that is not what was asked for. Ask another manager", said.getvalue())
        with mock.patch.object(history.socket, "create_connection") as link:
            link.return_value.__enter__.return_value.recv.side_effect = [b"HTTP/1.1 200 OK\r\n\r\n" + b"[" * 99_999, b""]
            self.assertRaises(WowError, history.ask, "h", SECRET, "/history")

    def test_the_token_comes_from_a_file_from_standard_input_or_from_the_managers_key(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, content in (("token", f"{SECRET}\n".encode()), ("key", KEY)):
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(content)
            self.assertEqual(SECRET, history.shown_token(f"{folder}/token"))
            self.assertEqual(SECRET, history.own_token(f"{folder}/key", f"{folder}/none"))
            with mock.patch("sys.stdin", io.StringIO(f"{SECRET}\n")):
                self.assertEqual(SECRET, history.shown_token("-"))
            for path in (f"{folder}/absent", folder):
                with self.assertRaises(WowError):
                    history.shown_token(path)
            with self.assertRaises(WowError) as caught:
                history.own_token(f"{folder}/absent")
            self.assertIn("--token", str(caught.exception))

    def test_it_asks_the_manager_of_the_pool(self):
        asked = []

        def answer(*words):
            asked.append(words)
            return {"days": 7, "person": [], "project": [], "owner": []}
        with mock.patch.object(facts, "read", samples.pool), mock.patch.object(history, "ask", answer), mock.patch.object(history, "shown_token", lambda path: path), \
                contextlib.redirect_stdout(io.StringIO()) as out:
            self.assertEqual(0, history.run(history.VERB.read(["--days", "7", "--token", "-", "--json"])))
        with mock.patch("sys.stderr"):
            self.assertEqual(2, dispatch.main(["history", "--new"]))
        with mock.patch.object(facts, "read", samples.pool), mock.patch.object(history, "ask", lambda *words, method: {"number": 7, "asked": [*words, method]}), \
                mock.patch.object(history, "shown_token", lambda path: path), contextlib.redirect_stdout(io.StringIO()) as renewed:
            self.assertEqual(0, history.run(history.VERB.read(["token", "--new", "--token", "-", "--json"])))
            self.assertEqual(0, history.run(history.VERB.read(["token", "--new", "--token", "-"])))
        self.assertIn('"asked": ["manager.science.internal", "-", "/token", "POST"]', renewed.getvalue())
        self.assertIn("wow pool show FOLDER --token --number 7\n", renewed.getvalue())
        self.assertEqual([("manager.science.internal", "-", "/history?days=7")], asked)
        self.assertEqual(7, json.loads(out.getvalue())["days"])


if __name__ == "__main__":
    unittest.main()
