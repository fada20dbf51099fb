"""The CA's pages: what they show of what the CA says, and what becomes of a request, by an application with a CA that answers as the test says. With the real one: test/pages."""
import json
import pathlib
import socket
import sys
import tempfile
import threading
import unittest
from unittest import mock

from test_web import HOSTILE, MARKS

from wow.page import where
from wow.web import authority, authority_pages, ca, html, picture

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

from contract import authority as contract  # noqa: E402

KEY = "0123456789abcdef0123456789abcdef01234567"
FOUND = {
    "pool": "science", "not_after": "2036-11-26T00:00:00+00:00", "now": "2026-11-26T06:40:01.5+00:00", "policy": "manual", "waiting": 3, "ends": [1, *[0] * 20, 40, *[0] * 9],
    "certificates": {"valid": 41, "late": 1, "revoked": 2, "replaced": 3, "expired": 4},
    "soon": [{"serial": "0A" * 16, "address": "10.128.0.7", "host": "gamma", "role": "worker", "not_after": "2026-11-26T20:00:00+00:00"}],
    "requests": [{"key": KEY, "state": "waiting", "address": "10.128.0.9", "host": "alpha", "ticket": "76c9f6b8-100-1806191999", "since": "2026-11-25T06:40:01+00:00", "asked": "x"},
                 {"key": "f" * 40, "state": "waiting", "address": None, "host": None, "ticket": None, "since": "2026-11-25T06:40:01+00:00", "asked": "x"}],
    "tickets": [{"id": "76c9f6b8-100-1806191999", "uses": 100, "used": 7, "not_after": "2027-01-31T23:59:59+00:00"}],
    "drained": [{"host": "delta", "since": "2026-11-25T06:40:01+00:00"}], "drained_in_all": 1,
    "decisions": [{"at": "2026-11-26T06:00:00+00:00", "event": "asked", "detail": "by=carol/page what=approve 00"}]}
LOOKED = {"host": "beta", "address": "10.128.0.8", "serial": "0B" * 16, "role": "worker", "not_after": "2026-12-20T00:00:00+00:00", "would_revoke": 2,
          "since": None, "open_ticket": {"id": "76c9f6b8-100-1806191999", "left": 93, "not_after": "2027-01-31T23:59:59+00:00"}}

DRAINED = {"number": 7, "host": "beta", "drained": FOUND["drained"]}
REVOKED = {"host": "beta", "address": "10.128.0.8", "revoked": 1, "list": 4, "open_ticket": None}


class Texts(unittest.TestCase):
    def test_what_stands_here_for_a_ca_is_as_the_contract_says(self):
        agreed = contract.read(pathlib.Path(__file__).resolve().parents[2])
        for name, said in (("overview", FOUND), ("looked", LOOKED), ("looked", {**LOOKED, "open_ticket": None}), ("revoked", REVOKED), ("drained", DRAINED)):
            self.assertEqual(contract.faults(agreed, name, said), [], name)

    def test_the_overview_shows_what_waits_what_ends_and_what_was_decided(self):
        shown = authority_pages.overview(FOUND, "k").decode()
        for word in ("science", KEY, "f" * 40, "10.128.0.9", "alpha", "ticket 76c9f6b8", "no ticket", "3 wait", "The 2 are shown", "gamma", "7 of 100", "by=carol/page", "manual", "<svg",
                     "1 in the next 10 days, 40 later", 'value="2027-02-24"'):
            self.assertIn(word, shown)
        self.assertNotIn("style=", shown)
        nothing = authority_pages.overview({**FOUND, "requests": [], "tickets": [], "soon": [], "decisions": [], "waiting": 0, "drained": [],
                                             "drained_in_all": 0}, "k").decode()
        for word in ("No machine waits", "No ticket admits", "No machine is drained", "renewed in time"):
            self.assertIn(word, nothing)

    def test_drained_machines_are_shown_with_a_button_that_ends_it_and_of_many_the_first(self):
        shown = authority_pages.overview(FOUND, "k").decode()
        self.assertIn('name="machine" value="delta"><button type="submit" name="what" value="end">', shown)
        self.assertNotIn("shows all", shown)
        many = {"drained": [{"host": f"m{at}", "since": "2026-11-25T06:40:01+00:00"} for at in range(50)], "drained_in_all": 800}
        shown = authority_pages.overview({**FOUND, **many}, "k").decode()
        self.assertEqual((shown.count('value="end"'), "800 are drained, of which these are the first 50" in shown), (50, True))

    def test_the_second_look_at_a_drain_says_what_it_does_and_one_that_is_drained_can_be_ended(self):
        shown = authority_pages.drain(DRAINED, "k").decode()
        self.assertIn('value="beta"><button type="submit" name="what" value="begin"', shown)
        self.assertIn("goes on to its end", shown)
        again = authority_pages.drain({**DRAINED, "host": "delta"}, "k").decode()
        self.assertIn("gets no jobs already", again)
        self.assertNotIn('value="begin"', again)

    def test_a_machine_whose_certificates_have_ended_is_taken_back_by_its_key_and_one_that_was_is_not_once_more(self):
        ended = {**LOOKED, "would_revoke": 0}
        shown = authority_pages.revoke(ended, "k", "").decode()
        self.assertIn('action="/ca/revoke"', shown)
        self.assertIn("gets no certificate again", shown)
        self.assertNotIn("its jobs end", shown)
        again = authority_pages.revoke({**ended, "since": "2026-11-25T06:40:01+00:00"}, "k", "").decode()
        self.assertIn("taken back already", again)
        self.assertNotIn('action="/ca/revoke"', again)
        self.assertNotIn("hear of it", authority_pages.revoked({**REVOKED, "revoked": 0}, "k").decode())

    def test_a_year_before_the_ca_s_certificate_ends_the_page_says_so(self):
        self.assertNotIn("with it the pool", authority_pages.overview({**FOUND, "not_after": "2027-11-26T06:40:02+00:00"}, "k").decode())
        self.assertIn("with it the pool", authority_pages.overview({**FOUND, "not_after": "2027-11-26T06:40:00+00:00"}, "k").decode())

    def test_whatever_strangers_are_called_it_is_text(self):
        for name in HOSTILE:
            found = {**FOUND, "requests": [{**FOUND["requests"][0], "host": name}], "decisions": [{**FOUND["decisions"][0], "detail": name}], "soon": [{**FOUND["soon"][0], "host": name}],
                     "drained": [{**FOUND["drained"][0], "host": name}]}
            for shown in (authority_pages.overview(found, "k"), authority_pages.login(name, name), authority_pages.by_ssh(name), authority_pages.away(name), authority_pages.refused(name, "k"),
                          authority_pages.revoke({**LOOKED, "host": name}, "k", name), authority_pages.revoked({**LOOKED, "host": name, "revoked": 1}, "k"), authority_pages.drain({**DRAINED, "host": name}, "k"),
                          authority_pages.drain({**DRAINED, "host": name, "drained": [{**FOUND["drained"][0], "host": name}]}, "k")):
                self.assertFalse(MARKS & set(shown.decode()), name)
                self.assertNotIn("<script>a", shown.decode())
                self.assertNotIn('" onmouseover', shown.decode())

    def test_a_picture_has_a_bar_for_each_count_and_fills_those_that_are_marked(self):
        drawn = picture.bars("two & more", [0, 4, 1, 1000], 2, {0: "26 Nov"})
        self.assertEqual((drawn.count("<rect"), drawn.count('fill="none"'), drawn.count("26 Nov")), (3, 2, 1))
        self.assertIn('aria-label="two &amp; more"', drawn)
        self.assertEqual(picture.bars("none", [0, 0], 2, {}).count("<rect"), 0)

    def test_a_code_comes_along_by_its_form_alone(self):
        self.assertIn(f'value="{"0a" * 16}"', authority_pages.login("0a" * 16, "").decode())
        for wrong in ("0A" * 16, "0a" * 15, "0a" * 16 + "\n", '"><b>'):
            self.assertIn('value=""', authority_pages.login(wrong, "").decode())


class Fake:
    """A CA's socket that answers as it is told, and keeps what it was asked."""

    def __init__(self, test):
        folder = tempfile.TemporaryDirectory()
        test.addCleanup(folder.cleanup)
        self.path, self.asked, self.answers = f"{folder.name}/admin.sock", [], {}
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(self.path)
        self._socket.listen(8)
        test.addCleanup(self.end)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def end(self):
        """It answers nobody any more."""
        if self._thread:
            self._socket.shutdown(socket.SHUT_RDWR)
            self._thread.join()
            self._socket.close()
            self._thread = None

    def _serve(self):
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            with client:
                request = json.loads(client.makefile().readline())
                self.asked.append(request)
                name = request["words"][0] if "words" in request else next(iter(request))
                said = self.answers.get(name, (0, "{}", ""))
                client.sendall(said if isinstance(said, bytes) else json.dumps(dict(zip(("exit", "output", "error"), said))).encode() + b"\n")


class Request:
    """What stands in for bottle's."""

    def __init__(self, environ, query, forms):
        self.environ, self.query, self.forms = environ, query, forms


class Answered(Exception):
    """bottle's HTTPResponse."""

    def __init__(self, body="", status=200, **headers):
        super().__init__(status)
        self.status, self.body, self.headers = status, body.decode() if isinstance(body, bytes) else body, headers


class Bottle:
    """As much of the package as is used."""

    HTTPResponse = Answered
    request = None


class Acts(unittest.TestCase):
    def setUp(self):
        self.ca = Fake(self)
        self.ca.answers = {"overview": (0, json.dumps(FOUND), ""), "code": (0, "5ec\n", ""), "revoke": (0, json.dumps({**LOOKED, "revoked": 2}), ""),
                           "drain": (0, json.dumps(DRAINED), ""),
                           "ticket": (0, json.dumps({"ticket": "id:5ecret", "uses": 3, "not_after": "2027-01-31T23:59:59+00:00"}), "")}
        for name in ("is_here", "login", "logout", "run"):
            original = getattr(ca, name)
            defaults = original.__kwdefaults__, original.__defaults__
            self.addCleanup(setattr, original, "__kwdefaults__", defaults[0])
            self.addCleanup(setattr, original, "__defaults__", defaults[1])
            if original.__kwdefaults__:
                original.__kwdefaults__ = {"path": self.ca.path}
            else:
                original.__defaults__ = (self.ca.path,)
        self.bottle = Bottle()
        pages = authority.Authority(self.bottle, lambda status, body, **headers: Answered(body, status, **headers), lambda: self.own)
        self.own = ["192.0.2.11"]
        self.routes = {(path, method): does for path, method, does in pages.routes()}

    def ask(self, path, form=None, cookie="5ec", peer="127.0.0.1", host="localhost:4481", **query):
        """The answer."""
        method = "GET" if form is None else "POST"
        self.bottle.request = Request({"REQUEST_METHOD": method, "REMOTE_ADDR": peer, "HTTP_HOST": host, "HTTP_COOKIE": f"x=[1]; wow-ca-4481={cookie}" if cookie else ""},
                                      query, form or {})
        try:
            return self.routes[path, method]()
        except Answered as raised:
            return raised

    def post(self, path, **form):
        """The answer to a form of this login."""
        return self.ask(path, {"key": authority.form_key("5ec"), **form})

    def test_each_act_is_one_command_line_in_the_name_of_who_is_in(self):
        self.assertEqual((self.ask("/ca").status, self.post("/ca/decide", node=KEY, what="approve").status, self.post("/ca/decide", node=KEY, what="deny").status), (200, 303, 303))
        self.assertIn("id:5ecret", self.post("/ca/ticket", uses="3", until="2027-01-31").body)
        self.assertEqual(self.post("/ca/end", ticket="76c9f6b8-100-1806191999").status, 303)
        self.assertIn("Type its name", self.ask("/ca/revoke", machine="beta").body)
        self.assertIn("is taken back", self.post("/ca/revoke", serial="0B" * 16, name=" Beta ").body)
        self.assertIn("Give it no more jobs", self.ask("/ca/drain", machine="beta").body)
        self.assertEqual([self.post("/ca/drain", machine="beta", what=what).status for what in ("begin", "end")], [303, 303])
        self.assertEqual([one["words"][:-1] for one in self.ca.asked], [
            ["overview"], ["approve", KEY], ["deny", KEY], ["ticket", "--uses", "3", "--until", "2027-01-31"], ["ticket", "--end", "76c9f6b8-100-1806191999"],
            ["revoke", "beta", "--dry-run"], ["revoke", "0B" * 16, "--dry-run"], ["revoke", "0B" * 16],
            ["drain", "beta", "--dry-run"], ["drain", "beta"], ["drain", "beta", "--end"]])
        self.assertEqual({one["page"] for one in self.ca.asked}, {"5ec"})

    def test_a_wrong_name_a_dash_and_an_empty_field_do_nothing(self):
        self.assertIn("not its name", self.post("/ca/revoke", serial="0B" * 16, name="alpha").body)
        for path, form in (("/ca/revoke", {"serial": "--manager", "name": "beta"}), ("/ca/decide", {"node": "", "what": "approve"}), ("/ca/decide", {"node": "--state", "what": "deny"}),
                           ("/ca/decide", {"node": KEY, "what": "revoke"}), ("/ca/ticket", {"uses": "", "until": "2027-01-31"}), ("/ca/end", {"ticket": "-1"}),
                           ("/ca/drain", {"machine": "", "what": "begin"}), ("/ca/drain", {"machine": "--end", "what": "begin"}), ("/ca/drain", {"machine": "beta", "what": "x"})):
            self.assertEqual(self.post(path, **form).status, 409, (path, form))
        self.assertEqual([one["words"][:-1] for one in self.ca.asked], [["revoke", "0B" * 16, "--dry-run"]])

    def test_over_a_network_nothing_is_shown_or_done_but_the_line_that_leads_here(self):
        for peer, host in (("192.0.2.50", "192.0.2.11"), ("192.0.2.50", "localhost"), ("127.0.0.1", "192.0.2.11"), ("10.0.2.2", "localhost:4480")):
            for path, method in self.routes:
                answer = self.ask(path, None if method == "GET" else {"key": authority.form_key("5ec"), "code": "x", "node": KEY, "what": "approve"}, peer=peer, host=host)
                self.assertEqual(answer.status, 403, (peer, host, path))
                self.assertIn("ssh -L 4481:localhost:80 NAME@", answer.body)
        self.assertEqual(self.ca.asked, [])

    def test_the_line_that_leads_here_has_the_port_of_virtualbox_s_nat_and_else_the_address_that_was_asked(self):
        def line(host, *own):
            self.own = list(own)
            return self.ask("/ca", peer="192.0.2.50", host=host).body.partition("<p><code>")[2].partition("</code>")[0]
        self.assertIn("ssh -L 4481:localhost:80 NAME@192.0.2.12", line("192.0.2.12", "192.0.2.11", "192.0.2.12"))
        self.assertIn("ssh -L 4481:localhost:80 NAME@MANAGER", line("localhost:4480"))
        with mock.patch.object(where.files, "read", lambda _: "VirtualBox\n"):
            self.assertIn("ssh -p 4422 -L 4481:localhost:80 NAME@localhost", line("localhost:4480", where.NAT))
            self.assertIn("ssh -L 4481:localhost:80 NAME@192.168.56.10", line("192.168.56.10", where.NAT, "192.168.56.10"))

    def test_a_code_gives_a_cookie_for_these_pages_alone(self):
        self.assertIn("wow-ca page", self.ask("/ca", cookie="").body)
        answer = self.ask("/ca/login", {"code": "ab"}, cookie="")
        self.assertEqual((answer.status, answer.headers["Set_Cookie"]), (303, "wow-ca-4481=5ec; Path=/ca; Max-Age=3600; HttpOnly; SameSite=Strict"))
        self.assertIn("Max-Age=0", self.post("/ca/logout").headers["Set_Cookie"])
        self.assertEqual(self.ca.asked, [{"code": "ab"}, {"end": "5ec"}])

    def test_a_form_without_its_key_or_of_nobody_does_nothing(self):
        for path, method in self.routes:
            if method == "POST" and path != "/ca/login":
                for key in ("", "x", "\u00e9", authority.form_key("other"), authority.form_key("")):
                    self.assertEqual(self.ask(path, {"key": key, "node": KEY, "what": "approve"}).status, 403, path)
                self.assertEqual(self.ask(path, {"key": authority.form_key("")}, cookie="").status, 401, path)
        self.assertEqual(self.ca.asked, [])

    def test_who_is_not_in_any_more_is_told_and_forgets_the_cookie(self):
        self.ca.answers = {name: (4, "", "wow-ca: no administrator is logged in by that browser any more.\n") for name in ("overview", "approve", "code")}
        for answer in (self.ask("/ca"), self.post("/ca/decide", node=KEY, what="approve"), self.ask("/ca/login", {"code": "x" * 5000}, cookie="")):
            self.assertEqual(answer.status, 401)
            self.assertIn("no administrator is logged in", answer.body)
            self.assertIn("Max-Age=0", answer.headers["Set_Cookie"])
        self.assertEqual(len(self.ca.asked[-1]["code"]), ca.LONGEST)

    def test_what_the_ca_refuses_is_told_in_its_words(self):
        self.ca.answers["ticket"] = (2, "", "wow-ca: --until is 'x': give a day such as 2027-01-31.\n")
        answer = self.post("/ca/ticket", uses="3", until="x")
        self.assertEqual(answer.status, 409)
        self.assertIn("give a day such as 2027-01-31", answer.body)

    def test_a_ca_that_says_nonsense_or_nothing_is_named(self):
        for said in (b"", b"hello\n", b"[]\n", b'{"exit":"x"}\n', b'{"exit":0,"output":"no json","error":""}\n', b'{"exit":0,"output":"[]","error":""}\n'):
            self.ca.answers["overview"] = said
            self.assertEqual(self.ask("/ca").status, 502, said)
        self.ca.end()
        self.assertIn("The CA does not answer", self.ask("/ca").body)
        pathlib.Path(self.ca.path).unlink()
        answer = self.ask("/ca")
        self.assertEqual(answer.status, 404)
        self.assertIn("wow doctor", answer.body)
        self.assertEqual(self.post("/ca/decide", node=KEY, what="approve").status, 502)


class Frames(unittest.TestCase):
    def test_each_page_logs_out_of_what_it_is_logged_in_to(self):
        self.assertIn('action="/logout"', html.page("t", "", "k").decode())
        self.assertIn('action="/ca/logout"', authority_pages.refused("x", "k").decode())
        self.assertNotIn("logout", authority_pages.login("", "").decode())
