"""What root does for others: each request as each kind of user, and what becomes of a client that holds on, floods or lies."""
import json
import os
import pathlib
import random
import signal
import socket
import sys
import tempfile
import threading
import unittest
from unittest import mock

import samples  # noqa: F401

from wow.acts import boot, requests, server
from wow.acts import pause as act
from wow.agent import allowed, client
from wow.computer import settings as computer
from wow.config import users
from wow.join import enrol
from wow.lib.errors import WowError
from wow.limits import state as limits
from wow.place import state as places
from wow.refuse import state as refusals
from wow.screen import state as screens

CLONE = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(CLONE / "test"))

from contract import agent as contract  # noqa: E402

ROOT, ALICE, JOB, CONDOR, NOBODY, CONSOLE, WEB = 0, 1000, 2001, 101, 65534, users.CONSOLE_UID, users.WEB_UID
NAMES = {ALICE: "alice", CONSOLE: "wow-console", WEB: "wow-web", JOB: "wowjob1", CONDOR: "condor"}
AGREED = contract.read(CLONE)
MAY = {"enroll": {ROOT, ALICE}, "reset": {ROOT, ALICE}, "support": {ROOT, ALICE, CONSOLE}, "pause": {ROOT, ALICE, CONSOLE, WEB},
       "resume": {ROOT, ALICE, CONSOLE, WEB}, "boot": {ROOT, ALICE}, "leave": {ROOT, CONSOLE, WEB}, "power-off": {ROOT, CONSOLE}, "login": {ROOT, ALICE, CONSOLE},
       "join": {ROOT, WEB}, "rejoin": {ROOT, CONSOLE, WEB}, "refuse": {ROOT, ALICE, WEB}, "accept": {ROOT, ALICE, WEB}, "limit": {ROOT, ALICE, WEB},
       "computer": {ROOT, ALICE, WEB}, "place": {ROOT, ALICE, WEB}, "screen": {ROOT, ALICE, WEB}, "unlock": {CONSOLE}}
STARTS_NOTHING = {"login", "unlock"}
FIELDS = {"refuse": {"project": "surge"}, "accept": {"project": "surge"}, "limit": {"percent": "50"}, "computer": {"token": "new"},
          "place": {"latitude": "47", "longitude": "8"}, "screen": {"keyboard": "de"}}
"""What a request cannot do without."""
ELSEWHERE = {"join", "rejoin"}
"""What a machine with a pool refuses to everybody; test_newcomer.py and test_former.py have the rest."""


class Table(unittest.TestCase):
    def setUp(self):
        """Accounts as wow-config makes them; what is started is noted and not started."""
        self.started = []
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.ticket, self.known = f"{folder.name}/ticket", f"{folder.name}/pool.json"
        pathlib.Path(self.known).write_text("{}", encoding="ascii")
        for one in (mock.patch.object(requests.pwd, "getpwuid", lambda uid: mock.Mock(pw_name=NAMES[uid])),
                    mock.patch.object(requests.grp, "getgrgid", lambda _: mock.Mock(gr_mem=["alice"])),
                    mock.patch.object(requests.system, "run", lambda arguments, *_, **__: (self.started.append(arguments[1:]), (0, ""))[1]),
                    mock.patch.object(act.facts, "read", lambda *_: samples.pool(node__role="worker")), mock.patch.object(act.rounds.freeze.groups, "GROUPS", (folder.name,)),
                    mock.patch.object(boot, "FILE", f"{folder.name}/next"), mock.patch.object(boot.paths, "STATE", folder.name),
                    mock.patch.object(act.state, "FILE", f"{folder.name}/pause.json"), mock.patch.object(act.state, "LOCK", f"{folder.name}/pause.lock"),
                    mock.patch.object(limits, "FILE", f"{folder.name}/limits.json"),
                    mock.patch.object(computer, "FILE", f"{folder.name}/computer.json"), mock.patch.object(refusals, "FILE", f"{folder.name}/refused/projects"),
                    mock.patch.object(places, "FILE", f"{folder.name}/place.json"),
                    *(mock.patch.object(screens, name, f"{folder.name}/screen-{name}") for name in ("KEYBOARD", "PASSWORD", "COUNTS", "LOCK")),
                    mock.patch.object(requests.code.make, "__defaults__", (f"{folder.name}/web-code",)),
                    mock.patch.object(enrol, "TICKET", self.ticket), mock.patch.object(requests.facts, "FILE", self.known), mock.patch("builtins.print")):
            one.start()
            self.addCleanup(one.stop)

    def ask(self, uid, **request):
        return self.answered(json.dumps(request).encode(), uid)

    def answered(self, line, uid):
        """The reply, which is as the contract says."""
        reply = requests.answer(line, uid)
        self.assertEqual(contract.faults(AGREED, reply), [], line[:60])
        return reply

    def test_each_request_of_the_contract_is_carried_out_by_something(self):
        self.assertEqual(set(requests.TABLE), {one.command for one in AGREED.requests})

    def test_each_request_as_each_kind_of_user(self):
        self.assertEqual(set(requests.TABLE), set(MAY), "a new request says here who may make it")
        for name, may in MAY.items():
            for uid in (ROOT, ALICE, JOB, CONDOR, NOBODY, CONSOLE, WEB):
                self.started.clear()
                reply = self.ask(uid, command=name, **FIELDS.get(name, {}))
                done = (False, "not-here", 0) if name in ELSEWHERE else (True, None, int(name not in STARTS_NOTHING))
                self.assertEqual((reply["ok"], reply.get("code"), len(self.started)), done if uid in may else (False, "not-permitted", 0), f"{name} as {uid}")

    def test_a_ticket_is_taken_up_for_root_alone_to_read_and_is_told_to_nobody(self):
        with mock.patch("builtins.print") as printed:
            self.assertEqual(self.ask(ALICE, command="enroll", ticket="t1:hushhush"), {"ok": True})
        with open(self.ticket, encoding="ascii") as file:
            self.assertEqual((file.read(), os.fstat(file.fileno()).st_mode & 0o777), ("t1:hushhush\n", 0o600))
        self.assertEqual(self.started, [["restart", "--no-block", "wow-join.service"]])
        self.assertNotIn("hush", str(printed.call_args_list))

    def test_a_code_for_the_web_page_is_told_to_who_asks_and_kept_as_a_hash(self):
        with mock.patch("builtins.print") as printed:
            said = self.ask(CONSOLE, command="login")["login"]
        self.assertRegex(said, "^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$")
        kept = pathlib.Path(self.ticket).with_name("web-code").read_text(encoding="ascii")
        self.assertEqual(kept.split()[0], requests.code.digest(said.replace("-", "")))
        self.assertNotIn(said[:4], kept + str(printed.call_args_list))

    def test_a_machine_without_a_pool_takes_no_ticket_has_a_web_page_and_can_be_switched_off(self):
        os.unlink(self.known)
        self.assertIn("no configuration yet", self.ask(ROOT, command="enroll", ticket="t1:hushhush")["error"])
        self.assertIn("login", self.ask(CONSOLE, command="login"))
        self.assertEqual(self.ask(CONSOLE, command="power-off"), {"ok": True})
        self.assertEqual(self.started, [["poweroff", "--no-block"]])

    def test_a_support_file_is_collected_for_who_asked_and_for_nobody_else(self):
        self.assertEqual(self.ask(ALICE, command="support"), {"ok": True})
        self.assertEqual(self.started, [["start", "--no-block", f"wow-support@{ALICE}.service"]])
        self.assertEqual(self.ask(ALICE, command="support", number="0")["code"], "bad-request")

    def test_what_is_refused_does_nothing_and_says_by_code_and_words_why(self):
        cases = [
            (b"", "bad-request"), (b"{", "bad-request"), (b"[]", "bad-request"), (b"{}", "bad-request"), (b'{"command":1}', "bad-request"),
            (b'{"command":"enroll","ticket":null}', "bad-request"), (b'{"command":"enroll","ticket":"a b:c"}', "bad-request"),
            (b'{"command":"enroll","ticket":"\\ud800:x"}', "bad-request"), (b'{"command":"enroll","ticket":""}', "bad-request"),
            (b'{"command":"reset","now":"yes"}', "bad-request"), (b"[" * 4000, "bad-request"), (b'{"command":"\xff"}', "bad-request"),
            # Half a character, which JSON has a word for, and which Python's reader lets through as bytes, too.
            *((b'{"command":"unlock","password":"' + half + b'"}', "bad-request") for half in (b"\\ud800", b"\xed\xa0\x80")),
            (b'{"command":"poweroff"}', "unknown-command")]
        for line, code in cases:
            reply = self.answered(line, ALICE)
            self.assertEqual((reply["ok"], reply["code"]), (False, code), line[:60])
            self.assertTrue(reply["error"], line[:60])
        self.assertEqual((self.started, os.path.exists(self.ticket)), ([], False))

    def test_noise_is_answered_and_never_done(self):
        chance = random.Random(17)
        whole = b'{"command":"reset"}'
        for _ in range(5000):
            line = bytearray(chance.choice((whole, b'{"command":"enroll","ticket":"a:b"}')))
            for _ in range(chance.randint(1, 4)):
                line[chance.randrange(len(line))] = chance.randrange(256)
            reply = self.answered(bytes(line), JOB)
            self.assertFalse(reply["ok"], line)
        self.assertEqual(self.started, [])

    def test_what_systemd_and_the_disk_refuse_is_told(self):
        with mock.patch.object(requests.system, "run", lambda *_: (1, "Unit wow-reset.service is masked.")):
            self.assertEqual(self.ask(ROOT, command="reset")["code"], "failed")
        with mock.patch.object(enrol, "TICKET", "/nonexistent/ticket"):
            reply = self.ask(ROOT, command="enroll", ticket="a:b")
        self.assertEqual(reply["code"], "failed")
        self.assertIn("/nonexistent/ticket", reply["error"])


class Hearing(unittest.TestCase):
    """The socket itself, asked by this process, whose number the kernel tells. Time is the test's: each turn does what there is to do now."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = f"{folder.name}/agent.sock"
        self.heard, self.time = [], 0.0
        for one in (mock.patch.object(requests, "answer", self.answer), mock.patch("builtins.print")):
            one.start()
            self.addCleanup(one.stop)
        self.listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(self.listener.close)
        self.listener.bind(self.path)
        self.listener.listen(64)
        self.server = server.Server(self.listener, now=lambda: self.time)

    def answer(self, line, uid):
        self.heard.append((line, uid))
        return {"ok": True}

    def turns(self, number=3):
        """Enough of them to take somebody in, hear all and answer."""
        for _ in range(number):
            self.server.turn(self.time)

    def connect(self, said=b""):
        link = socket.socket(socket.AF_UNIX)
        self.addCleanup(link.close)
        link.connect(self.path)
        link.setblocking(False)
        link.sendall(said)
        return link

    def told(self, link):
        """The one reply, after which the connection ends; None while there is none."""
        try:
            said = link.recv(10000)
        except BlockingIOError:
            return None
        self.assertEqual(link.recv(10000), b"")
        self.assertEqual(contract.faults(AGREED, json.loads(said)), [])
        return json.loads(said)

    def test_the_request_and_who_made_it_are_heard(self):
        link = self.connect(b'{"command":"enroll"}\n')
        self.turns()
        self.assertEqual((self.told(link), self.heard), ({"ok": True}, [(b'{"command":"enroll"}', os.getuid())]))

    def test_who_asks_for_what_ends_the_agent_itself_hears_first_that_it_was_taken(self):
        told = []
        before = signal.signal(signal.SIGTERM, lambda *_: told.append(self.told(link)))
        self.addCleanup(signal.signal, signal.SIGTERM, before)
        with mock.patch.object(requests, "answer", lambda *_: (os.kill(os.getpid(), signal.SIGTERM), {"ok": True})[1]):
            link = self.connect(b'{"command":"boot"}\n')
            self.turns()
        self.assertEqual(told, [{"ok": True}])

    def test_a_request_in_pieces_is_one_and_what_stands_behind_its_line_is_none(self):
        link = self.connect()
        for part in (b'{"comm', b'and":"reset"}', b"\n{}\n"):
            self.turns()
            link.sendall(part)
        self.turns()
        self.assertEqual((self.told(link), [line for line, _ in self.heard]), ({"ok": True}, [b'{"command":"reset"}']))

    def test_who_sends_too_much_or_no_line_in_time_is_told_so(self):
        long, slow, gone = self.connect(b"x" * (allowed.LONGEST + 1)), self.connect(b"{"), self.connect()
        gone.close()
        self.turns()
        self.assertEqual((self.told(long)["code"], self.told(slow)), ("bad-request", None))
        self.time = allowed.PATIENCE
        self.turns()
        self.assertEqual((self.told(slow)["code"], self.heard), ("bad-request", []))

    def test_one_user_holds_a_few_places_and_not_all(self):
        kept = [self.connect() for _ in range(allowed.MOST_OF_ONE)]
        more = self.connect()
        self.turns(allowed.MOST)
        self.assertEqual(self.told(more)["code"], "busy")
        kept[0].sendall(b"{}\n")
        self.turns()
        again = self.connect(b"{}\n")
        self.turns()
        self.assertEqual([self.told(kept[0]), self.told(again), self.told(kept[1])], [{"ok": True}, {"ok": True}, None])

    def test_of_many_clients_so_many_are_heard_at_a_time_and_the_others_wait(self):
        numbers = iter(range(1000, 2000))

        class Stranger(server.Client):
            """Each from another user."""
            __slots__ = ()

            def __init__(self, link, until):
                super().__init__(link, until)
                self.uid = next(numbers)
        with mock.patch.object(server, "Client", Stranger):
            kept = [self.connect() for _ in range(allowed.MOST)]
            late = self.connect(b"{}\n")
            self.turns(2 * allowed.MOST)
            self.assertEqual((self.told(late), self.heard), (None, []))
            self.time = allowed.PATIENCE
            self.turns()
            self.assertEqual(([self.told(link)["code"] for link in kept], self.told(late)), (["bad-request"] * allowed.MOST, {"ok": True}))

    def test_it_serves_who_is_there_and_ends_when_nobody_is(self):
        link = self.connect(b"{}\n")
        server.Server(self.listener, idle=0.01).run()
        self.assertEqual(self.told(link), {"ok": True})
        link = self.connect(b"{}\n")
        self.assertEqual((self.told(link), len(self.heard)), (None, 1))
        server.Server(self.listener, idle=0.01).run()
        self.assertEqual(self.told(link), {"ok": True})

    def test_the_machine_with_the_ca_is_reset_by_root_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            requests.keep_authority(ROOT, folder)
            requests.keep_authority(1000, f"{folder}/ca")
            with self.assertRaises(WowError) as caught:
                requests.keep_authority(1000, folder)
        self.assertEqual((caught.exception.code, "certificate authority" in str(caught.exception)), ("not-permitted", True))

    def test_without_systemd_s_socket_it_says_how_it_is_started(self):
        with mock.patch("builtins.print") as printed:
            self.assertEqual(server.main(), 1)
        self.assertIn("wow-agent.socket", printed.call_args.args[0])


class Asking(unittest.TestCase):
    def test_errors_say_what_to_do(self):
        with self.assertRaises(WowError) as caught:
            client.ask("reset", "/nonexistent/agent.sock")
        self.assertIn("no configuration yet", str(caught.exception))
        self.assertIn("systemctl start wow-agent.socket", str(client.absent("/nonexistent/agent.sock", __file__)))
        for answer, code, part in ((b'{"error":"no. Ask root","code":"not-permitted","ok":false}\n', "not-permitted", "no. Ask root"),
                                   (b"hello\n", "", "wow-agent"), (b"", "", "wow-agent"), (b"[]\n", "", "no reason")):
            with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
                listener.bind(f"{folder}/s")
                listener.listen()

                def serve(said=answer, there=listener):
                    link, _ = there.accept()
                    with link:
                        link.recv(1000)
                        link.sendall(said)
                thread = threading.Thread(target=serve)
                thread.start()
                with self.assertRaises(WowError) as caught:
                    client.ask("reset", f"{folder}/s")
                thread.join()
                self.assertEqual(caught.exception.code, code)
                self.assertIn(part, str(caught.exception))


if __name__ == "__main__":
    unittest.main()
