"""The CA's pages, on the manager that has the CA: what waits, what ends, what was decided; approve, deny, tickets, revoke.

An administrator acts here, and nobody else: the login is of the CA's own making (`wow-ca page`), and a browser gets so far through ssh alone (`ssh -L`), whose end
here is the loopback. What crosses a network in the clear may be read there: neither that login nor a ticket does."""
import hashlib
import hmac

from wow.page import where
from wow.web import ca
from wow.web import authority_pages as pages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable
    Answer = Callable[..., Any]

COOKIE, PATH = "wow-ca", "/ca"
LIFE = 3600
"""Seconds that a browser keeps the cookie. How long it is good the CA says."""
LOOPBACK = "127.0.0.1"


class Authority:
    """bottle: the package; answer: makes a page's answer of its status and HTML; addresses: the machine's own, now."""

    def __init__(self, bottle: "Any", answer: "Answer", addresses: "Callable[[], list[str]]") -> None:
        self._bottle, self._answer, self._addresses = bottle, answer, addresses

    def routes(self) -> "list[tuple[str, str, Answer]]":
        """(path, method, what answers)."""
        return [(path, method, self._guarded(does)) for path, method, does in (
            (PATH, "GET", self._home), (f"{PATH}/revoke", "GET", self._look), (f"{PATH}/revoke", "POST", self._revoke),
            (f"{PATH}/drain", "GET", self._look_drain), (f"{PATH}/drain", "POST", self._drain),
            (f"{PATH}/login", "POST", self._login), (f"{PATH}/logout", "POST", self._logout), (f"{PATH}/decide", "POST", self._decide),
            (f"{PATH}/ticket", "POST", self._ticket), (f"{PATH}/end", "POST", self._end))]

    def _guarded(self, does: "Answer") -> "Answer":
        """What holds for all of them: who comes from where, and what is said where the CA is away or says no."""
        def answer() -> "Any":
            environ = self._bottle.request.environ
            if not ca.is_here() and environ["REQUEST_METHOD"] == "GET":
                return self._answer(404, pages.elsewhere())
            host = str(environ.get("HTTP_HOST", "")).partition(":")[0]
            if environ.get("REMOTE_ADDR") != LOOPBACK or host not in where.NAMES:
                return self._answer(403, pages.by_ssh(self._login_line(host)))
            try:
                return does()
            except ca.NotIn as error:
                return self._answer(401, pages.login("", str(error)), **self._cookie("", 0))
            except ca.Refused as error:
                return self._answer(409, pages.refused(str(error), self._key()))
            except ca.Away as error:
                return self._answer(502, pages.away(str(error)))
        return answer

    def _login_line(self, host: str) -> str:
        """The command by which who asked for this Host logs in: at the address that leads here already, or by the port that is forwarded here."""
        own = self._addresses()
        return where.ssh([host] if host in own and host != where.NAT else own) or "ssh NAME@MANAGER"

    def _secret(self) -> str:
        return where.secret(COOKIE, self._bottle.request.environ)

    def _name(self) -> str:
        return where.cookie(COOKIE, str(self._bottle.request.environ.get("HTTP_HOST", "")))

    def _key(self) -> str:
        """What stands in each form of this login, so that another site's form does nothing (CSRF)."""
        return form_key(self._secret())

    def _said(self, name: str) -> str:
        return str(self._bottle.request.forms.get(name) or "").strip()

    def _must(self) -> str:
        """The secret of who sent a form of this login."""
        if not self._secret():
            raise ca.NotIn("You are not logged in any more, so nothing was done. Type wow-ca page for a new code.")
        if not hmac.compare_digest(self._said("key").encode("utf-8", "replace"), self._key().encode()):
            raise self._answer(403, pages.refused("That form was not of this login, so nothing was done. Open the page anew, and press the button there.", self._key()))
        return self._secret()

    def _cookie(self, secret: str, life: int) -> dict[str, str]:
        return {"Set_Cookie": f"{self._name()}={secret}; Path={PATH}; Max-Age={life}; HttpOnly; SameSite=Strict"}

    def _back(self, **headers: str) -> "Any":
        return self._bottle.HTTPResponse("", 303, Location=PATH, **headers)

    def _home(self) -> "Any":
        if not self._secret():
            return self._answer(200, pages.login(str(self._bottle.request.query.get("code") or ""), ""))
        return self._answer(200, pages.overview(ca.run(self._secret(), "overview"), self._key()))

    def _login(self) -> "Any":
        return self._back(**self._cookie(ca.login(self._said("code")), LIFE))

    def _logout(self) -> "Any":
        ca.logout(self._must())
        return self._back(**self._cookie("", 0))

    def _decide(self) -> "Any":
        secret, what = self._must(), self._said("what")
        if what not in ("approve", "deny"):
            raise ca.Refused("That form says neither approve nor deny.")
        ca.run(secret, what, _word(self._said("node")))
        return self._back()

    def _ticket(self) -> "Any":
        made = ca.run(self._must(), "ticket", "--uses", _word(self._said("uses")), "--until", _word(self._said("until")))
        return self._answer(200, pages.ticket(made, self._key()))

    def _end(self) -> "Any":
        ca.run(self._must(), "ticket", "--end", _word(self._said("ticket")))
        return self._back()

    def _look_drain(self) -> "Any":
        machine = str(self._bottle.request.query.get("machine") or "").strip()
        return self._answer(200, pages.drain(ca.run(self._secret(), "drain", _word(machine), "--dry-run"), self._key()))

    def _drain(self) -> "Any":
        secret, machine, what = self._must(), _word(self._said("machine")), self._said("what")
        if what not in ("begin", "end"):
            raise ca.Refused("That form says neither begin nor end.")
        ca.run(secret, "drain", machine, *(("--end",) if what == "end" else ()))
        return self._back()

    def _look(self) -> "Any":
        return self._answer(200, self._second_look(str(self._bottle.request.query.get("machine") or "").strip(), ""))

    def _second_look(self, machine: str, wrong: str) -> bytes:
        return pages.revoke(ca.run(self._secret(), "revoke", _word(machine), "--dry-run"), self._key(), wrong)

    def _revoke(self) -> "Any":
        # By the serial that was looked at: a name may be another machine's by now.
        secret, serial = self._must(), _word(self._said("serial"))
        found = ca.run(secret, "revoke", serial, "--dry-run")
        if self._said("name").lower() != str(found["host"]).lower():
            return self._answer(400, pages.revoke(found, self._key(), "That is not its name, so nothing was done."))
        return self._answer(200, pages.revoked(ca.run(secret, "revoke", serial), self._key()))


def _word(said: str) -> str:
    """What somebody typed, as one word of a command line that is no option."""
    if not said or said.startswith("-"):
        raise ca.Refused("A field is empty, or begins with a dash. Nothing was done.")
    return said


def form_key(secret: str) -> str:
    """As the machine's own page has one, and another one for the same secret."""
    return hashlib.sha256(f"ca form {secret}".encode("utf-8", "replace")).hexdigest()[:32]
