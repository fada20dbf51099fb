"""The web page's answers. Every request goes through `__call__`, which holds for all of them: whom a browser meant (Host), where a form came from, who is in."""
import hmac
import os

from wow.agent import allowed, client
from wow.lib.errors import WowError
from wow.page import where
from wow.web import authority, computer, guests, joining, limits, look, pages, place, refusing, screens, sharing, ways
from wow.web.guests import Guests, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterable
    Headers = list[tuple[str, str]]

COOKIE = "wow"
POLICY = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
ALWAYS = [("Content-Security-Policy", POLICY), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "same-origin"),
          ("Cross-Origin-Resource-Policy", "same-origin"), ("Cache-Control", "no-store")]
"""Headers of each answer."""
STATIC = {"page.css": "text/css; charset=utf-8", "page.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml", "world.svg": "image/svg+xml"}
FOLDER = "/usr/lib/wow/node/web"
CODES = {allowed.BUSY: 503, allowed.NO_JOBS: 409, allowed.NOT_HERE: 409, allowed.BAD_REQUEST: 400, allowed.NOT_PERMITTED: 403}
"""The status of the answer where the agent said no, by its code; else it is 502."""
REQUEST_LIMIT = 16384
"""Bytes of a request's body at most, but where a pool.conf comes."""


class App:
    """A WSGI application. addresses: the machine's own, now."""

    def __init__(self, bottle: "Any", kept: Guests, addresses: "Callable[[], list[str]]") -> None:
        self._bottle, self._guests, self._addresses = bottle, kept, addresses
        self._routes = bottle.Bottle()
        for path, method, answer in (
                ("/", "GET", self._home), ("/login", "POST", self._login), ("/logout", "POST", self._logout),
                ("/pause", "POST", self._pause), ("/resume", "POST", self._resume), ("/leave", "GET", self._ask_leave), ("/leave", "POST", self._leave),
                (joining.AGAIN, "POST", self._rejoin),
                *((path, "GET", self._pool(path)) for path in ways.ALL),
                *sharing.Sharing(bottle, self._secret, self._back).routes(),
                *refusing.Refusing(bottle, self._must, self._asked, self._back).routes(),
                *computer.Computer(bottle, self._secret, self._must, self._answer, addresses, CODES).routes(),
                *(route for one in (limits.Limiting, place.Placing, screens.Screens)
                  for route in one(bottle, self._secret, self._must, self._answer, CODES).routes()),
                *joining.Joining(bottle, self._secret, self._must, self._answer, CODES).routes(),
                *authority.Authority(bottle, self._answer, addresses).routes(),
                *((f"/{name}", "GET", self._static(name)) for name in STATIC)):
            self._routes.route(path, method, answer)
        self._routes.default_error_handler = self._error

    def __call__(self, environ: "dict[str, Any]", start: "Callable[..., Any]") -> "Iterable[bytes]":
        def begin(status: str, headers: "Headers", trouble: "Any" = None) -> "Any":
            return start(status, [*headers, *ALWAYS], trouble)

        if (refused := self._stranger(environ)) is not None:
            status, text = refused
            begin(status, [("Content-Type", "text/plain; charset=utf-8")])
            return [f"{text}\n".encode()]
        answer: "Iterable[bytes]" = self._routes(environ, begin)
        return answer

    def _stranger(self, environ: "dict[str, Any]") -> tuple[str, str] | None:
        """What to tell who means another machine, or comes from another site."""
        host, addresses = environ.get("HTTP_HOST", ""), self._addresses()
        if not where.is_ours(host, addresses):
            return "421 Misdirected Request", f"This machine has another name. Open its page as {where.url(addresses) or where.FORWARDED}"
        if environ["REQUEST_METHOD"] not in ("GET", "HEAD"):
            origin, site = environ.get("HTTP_ORIGIN"), environ.get("HTTP_SEC_FETCH_SITE", "none")
            if origin not in (None, f"http://{host}") or site not in ("same-origin", "none"):
                return "403 Forbidden", "This form stands on another site, which may not do anything here."
            if environ["PATH_INFO"] != joining.PLACE and int(environ.get("CONTENT_LENGTH") or 0) > REQUEST_LIMIT:
                return "413 Content Too Large", "No form of this page is so long."
        return None

    def _secret(self) -> str:
        """The cookie of who is in, empty for others."""
        secret = where.secret(COOKIE, self._bottle.request.environ)
        return secret if self._guests.knows(secret) else ""

    def _cookie(self) -> str:
        return where.cookie(COOKIE, str(self._bottle.request.get_header("Host") or ""))

    def _must(self) -> str:
        """The cookie of who is in and sent a form of ours; else the answer is that it did not."""
        secret = self._secret()
        if not secret:
            raise self._answer(401, pages.login("", "You are not logged in any more, so nothing was done."))
        if not hmac.compare_digest(str(self._bottle.request.forms.get("key") or "").encode(), guests.form_key(secret).encode()):
            raise self._answer(403, pages.message("Nothing was done", "That form was not of this login. Open the page anew, and press the button there.",
                                                  guests.form_key(secret)))
        return secret

    def _answer(self, status: int, body: bytes, **headers: str) -> "Any":
        return self._bottle.HTTPResponse(body, status, Content_Type="text/html; charset=utf-8", **headers)

    def _home(self) -> "Any":
        secret = self._secret()
        if not secret:
            return self._answer(200, pages.login(str(self._bottle.request.query.get("code") or ""), ""))
        if joining.is_new():
            return self._answer(200, joining.page(guests.form_key(secret)))
        return self._answer(200, pages.machine(look.look(), guests.form_key(secret)))

    def _login(self) -> "Any":
        said = str(self._bottle.request.forms.get("code") or "")
        try:
            secret = self._guests.login(said)
        except Refused as refused:
            return self._answer(403, pages.login("", str(refused)))
        return self._back(Set_Cookie=f"{self._cookie()}={secret}; Path=/; Max-Age={guests.LIFE}; HttpOnly; SameSite=Strict")

    def _logout(self) -> "Any":
        self._guests.logout(self._must())
        return self._back(Set_Cookie=f"{self._cookie()}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict")

    def _back(self, **headers: str) -> "Any":
        """To the page anew, by GET, so that a browser that loads again does nothing twice."""
        return self._bottle.HTTPResponse("", 303, Location="/", **headers)

    def _pause(self) -> "Any":
        secret, forms = self._must(), self._bottle.request.forms
        chosen, how = forms.get("for"), forms.get("how")
        if chosen not in pages.LASTS or how not in ("now", "finish"):
            return self._answer(400, pages.message("Nothing was done", "That form says no length of a pause that there is.", guests.form_key(secret)))
        lasts = pages.LASTS[chosen]
        return self._asked(secret, "pause", **({"for": lasts} if lasts else {}), **({"finish": "yes"} if how == "finish" else {})) or self._back()

    def _resume(self) -> "Any":
        return self._asked(self._must(), "resume") or self._back()

    def _ask_leave(self) -> "Any":
        secret = self._secret()
        return self._answer(200, pages.leave(guests.form_key(secret))) if secret else self._back()

    def _leave(self) -> "Any":
        secret = self._must()
        if self._bottle.request.forms.get("sure") != "yes":
            return self._answer(400, pages.leave(guests.form_key(secret)))
        return self._asked(secret, "leave") or self._answer(200, pages.left())

    def _rejoin(self) -> "Any":
        return self._asked(self._must(), "rejoin") or self._answer(200, joining.joins())

    def _asked(self, secret: str, command: str, **fields: str) -> "Any":
        """None where the agent did it, else the answer that says why it did not."""
        try:
            client.ask(command, **fields)
        except WowError as error:
            return self._answer(CODES.get(error.code, 502), pages.message("It was not done", str(error), guests.form_key(secret)))
        return None

    def _pool(self, path: str) -> "Callable[[], Any]":
        def answer() -> "Any":
            secret, query = self._secret(), self._bottle.request.query
            if not secret:
                return self._back()
            from wow.web import pool
            key = guests.form_key(secret)
            try:
                return self._answer(200, pool.answer(path, {name: query.getunicode(name) or "" for name in pool.NAMES}, key))
            except pool.Refused as refused:
                return self._answer(refused.status, pages.message(refused.title, refused.text, key))
        return answer

    def _static(self, name: str) -> "Callable[[], Any]":
        def answer() -> "Any":
            with open(os.path.join(FOLDER, name), "rb") as file:
                return self._bottle.HTTPResponse(file.read(), 200, Content_Type=STATIC[name])
        return answer

    def _error(self, error: "Any") -> "Any":
        """What bottle answers by itself: no such page, no such method, a fault of ours, which the journal has."""
        self._bottle.response.content_type = "text/html; charset=utf-8"
        known = {404: "There is no such page here.", 405: "That page is not asked for in this way."}
        return pages.message(str(error.status_line), known.get(error.status_code, "This did not work. The journal says why: journalctl -u wow-web"))
