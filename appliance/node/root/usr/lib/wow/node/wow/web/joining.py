"""The page of a machine without a pool: it takes a pool.conf and a ticket, and hands both to the agent, which says what is wrong with them."""
import binascii
import os

from wow.agent import allowed, client
from wow.config import facts, ticket
from wow.lib import console, files, ini, paths
from wow.lib.errors import WowError
from wow.web import guests, html

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

PLACE, AGAIN = "/join", "/rejoin"
LARGEST_REQUEST = 96 << 10
"""Bytes of the form at most: a pool.conf, by file and as text, with what a browser puts around it. waitress holds that."""
SENT = "Whoever invited you to a pool sent you a file pool.conf, and perhaps a ticket."


def is_new() -> bool:
    """Whether this machine has no pool."""
    return not os.path.exists(facts.FILE)


def page(key: str, wrong: str = "", kept: str = "") -> bytes:
    """Asks for both. wrong: what was wrong with what came last; kept: the ticket that came then."""
    alert = html.alert(html.said(wrong)) if wrong else ""
    start = files.read(console.NOTICE).strip().removeprefix("WOW: ")
    told = f"<p>The start said: {html.said(start)}</p>" if start else ""
    if left := files.read(paths.LEFT_POOL).strip():
        told += (f"<h2>Or join {html.said(left)} again</h2><p>This machine left that pool, and still has its configuration. It joins as a new machine.</p>"
                 + html.form(AGAIN, key, html.button("Join it again")))
    form = (f'<form class="tall" method="post" action="{PLACE}" enctype="multipart/form-data"><input type="hidden" name="key" value="{html.plain(key)}">'
            f'<label for="file">The file pool.conf</label><input id="file" name="file" type="file" data-most="{ini.LARGEST}">'
            '<label for="text">Or its text</label><textarea id="text" name="text" rows="6" spellcheck="false" autocomplete="off"></textarea>'
            f'<label for="ticket">Ticket, if you were sent one</label><input id="ticket" name="ticket" value="{html.plain(kept)}" maxlength="{ticket.LONGEST}"'
            f' autocomplete="off" autocapitalize="none" spellcheck="false">{html.button("Join the pool", kind="strong")}</form>')
    says = ("<p>The machine keeps both, starts again and joins, which takes a minute or two. The pool's people then send it jobs, which see nothing of your "
            "computer and of your network. pool.conf is as good as a key to the pool: send it over a network that you trust.</p>")
    return html.page("Join a pool: WOW", f"<h1>This machine has no pool yet</h1>{alert}<p>{SENT} Give them here.</p>{form}{says}{told}", key)


def joins() -> bytes:
    """What is shown when it was taken."""
    says = ("<p>The machine starts again now, and joins its pool in a minute or two; its window shows each step.</p>"
            "<p>To see this page then, press <kbd>N</kbd> in the window for a new code. <a href=\"/\">Open the page again</a></p>")
    return html.page("It joins: WOW", f'<h1>It joins its pool</h1><div role="status">{says}</div>')


class Joining:
    """The routes. secret and must are the app's: the cookie of who is in, and the same of who also sent a form of ours; answer makes a page of it."""

    def __init__(self, bottle: "Any", secret: "Callable[[], str]", must: "Callable[[], str]", answer: "Callable[..., Any]", codes: dict[str, int]) -> None:
        self._bottle, self._secret, self._must, self._answer, self._codes = bottle, secret, must, answer, codes

    def routes(self) -> "list[tuple[str, str, Callable[[], Any]]]":
        """Paths, methods, answers."""
        return [(PLACE, "GET", self._ask), (PLACE, "POST", self._join)]

    def _ask(self) -> "Any":
        secret = self._secret()
        if not secret or is_new():
            return self._bottle.HTTPResponse("", 303, Location="/")
        return self._answer(409, self._has_one(secret))

    def _has_one(self, secret: str) -> bytes:
        says = ("This machine has a pool, so it takes no other pool.conf, and nothing was changed. To go to another pool: leave this one; the machine is switched off "
                "then. Start it, and give it the other pool.conf here.")
        return html.page("It has a pool: WOW", f'<h1>It has a pool</h1>{html.alert(html.plain(says))}<p><a href="/leave">Leave the pool</a></p>'
                         '<p><a href="/">Back to the machine\'s page</a></p>', guests.form_key(secret))

    def _join(self) -> "Any":
        secret = self._must()
        key = guests.form_key(secret)
        if not is_new():
            return self._answer(409, self._has_one(secret))
        asked = self._bottle.request
        said = str(asked.forms.get("ticket") or "").strip()
        try:
            data = self._given(asked)
            client.ask("join", pool=binascii.b2a_base64(data, newline=False).decode("ascii"), **({"ticket": said} if said else {}))
        except WowError as error:
            return self._answer(self._codes.get(error.code, 502), page(key, str(error), said[:ticket.LONGEST]))
        return self._answer(200, joins())

    def _given(self, asked: "Any") -> bytes:
        """The bytes of the file, or else of the text; WowError where it is neither, both or too much."""
        part, text = asked.files.get("file"), str(asked.forms.get("text") or "").replace("\r\n", "\n")
        data: bytes = part.file.read(ini.LARGEST + 1) if part is not None else b""
        if data and text.strip():
            raise WowError("a file was given and a text, too", "Give one of them", code=allowed.BAD_REQUEST)
        data = data or text.encode("utf-8", "replace")
        if not data.strip():
            raise WowError("no pool.conf was given", "Choose the file, or paste its text", code=allowed.BAD_REQUEST)
        if len(data) > ini.LARGEST:
            raise WowError(f"is longer than {ini.LARGEST} bytes", "Choose the file that you were sent: it is a short text", "pool.conf", code=allowed.BAD_REQUEST)
        return data
