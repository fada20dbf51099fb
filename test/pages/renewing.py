"""The page's own script (page.js) in a real browser, at a stand-in for the page's program that answers as it is told: what is renewed, what is left as it is, and what is
said where no answer comes."""

import contextlib
import http.server
import pathlib
import sys
import threading

from tally import must
from waiting import until

from browser import Browser

NODE = pathlib.Path(__file__).resolve().parents[2] / "appliance/node/root/usr/lib/wow/node"
sys.path.append(str(NODE))

from wow.web import html  # noqa: E402

EVERY, LIMIT, NEVER = 200, 5000, 10 ** 8
"""Milliseconds that stand in the script here."""
FIRST, NEXT = "2027-01-14T10:00:00Z", "2027-01-15T07:30:00Z"
"""Two days by the browser's clock."""
HIDE = "Object.defineProperty(document, 'visibilityState', {{ value: '{}', configurable: true }}); document.dispatchEvent(new Event('visibilitychange'))"


class Page(http.server.ThreadingHTTPServer):
    """state: what stands in the page; status, and hangs: how it answers; asked: how often it was. every: what the script goes by."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answer)
        self.state, self.status, self.is_in, self.asked, self.hangs = "It works.", 200, True, 0, threading.Event()
        self.hangs.set()
        self.every = EVERY

    @property
    def url(self):
        """Where it is."""
        return f"http://127.0.0.1:{self.server_address[1]}/"

    def page(self):
        """The page as it is now."""
        if not self.is_in:
            return html.page("Log in: WOW", "<h1>Log in</h1>", "k")
        if self.status != 200:
            return html.page("No: WOW", "<h1>This did not work.</h1>", "k")
        trouble = html.alert(html.plain("ipopd is away.")) if "trouble" in self.state else ""
        table = html.table("Jobs", ["for", "since"], [[html.plain("alice"), html.plain(self.state)]]).replace("<table>", '<table style="width: 300rem">')
        acts = html.form("/pause", "k", html.button("Pause now") if "works" in self.state else html.button("Resume now") + html.button("Pause now"))
        more = f"<details><summary>More</summary><p>In words: {self.state}</p></details>"
        state = f'<p class="state">{self.state}</p>'
        return html.page("Machine: WOW", f"<h1>Machine</h1>{html.parts(trouble, state, table, more, acts)}", "k")


class Answer(http.server.BaseHTTPRequestHandler):
    """One answer."""

    def do_GET(self):
        """The page, or its script."""
        if self.path == "/":
            self.server.asked += 1
            self.server.hangs.wait(600)
            return self.say(self.server.status, "text/html; charset=utf-8", self.server.page())
        if self.path == "/page.js":
            script = (NODE / "web/page.js").read_text(encoding="utf-8").replace("EVERY = 10000", f"EVERY = {self.server.every}").replace("LIMIT = 15000", f"LIMIT = {LIMIT}")
            return self.say(200, "text/javascript", script.encode())
        if self.path == "/page.css":
            return self.say(200, "text/css", (NODE / "web/page.css").read_bytes())
        return self.say(204, "text/plain", b"")

    def say(self, status, kind, body):
        """One of them."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, format, *args):  # pylint: disable=redefined-builtin
        """Says nothing."""


def run(tally, modules):
    """All cases."""
    with tally.case("a browser can be had for the page's script"):
        must(not isinstance(modules, str), modules)
    if isinstance(modules, str):
        return
    served, browser = Page(), Browser([], modules)
    threading.Thread(target=served.serve_forever, daemon=True).start()
    try:
        renewed(tally, served, browser)
        held(tally, served, browser)
        unanswered(tally, served, browser)
    finally:
        served.hangs.set()
        browser.close()
        served.shutdown()
        served.server_close()


def begin(served, browser):
    """A page that was opened just now, of a machine that works, by the browser's clock on the first day."""
    served.state, served.status, served.is_in = "It works.", 200, True
    browser.begin()
    browser.clock(at=FIRST)
    browser.open(url=served.url)
    renewals(served, 1)


def renewals(served, least=2):
    """Waits until the page was asked for so often again."""
    before = served.asked
    until(lambda: served.asked, lambda count: count >= before + least, "the script asks")


def renewed(tally, served, browser):
    """What changes."""
    with tally.case("a table that somebody clicked into and scrolled is renewed in its place, what was opened stays open, and an alert that stays is the same one"):
        begin(served, browser)
        served.state = "It works, with trouble."
        browser.shows(text="ipopd is away.")
        browser.script(says="document.querySelector('.wide').focus(); document.querySelector('.wide').scrollLeft = 500; document.querySelector('details').open = true; "
                            "window.kept = document.querySelector('.alert')")
        served.state = "It works, trouble and all."
        browser.shows(text="In words: It works, trouble and all.")
        must("It works, trouble and all." in browser.script(says="document.querySelector('td').textContent"), "the table is as it was")
        found = browser.script(says="[document.activeElement.className, document.querySelector('.wide').scrollLeft, document.querySelector('details').open, "
                                    "window.kept === document.querySelector('.alert')]")
        must(found == ["wide", 500, True, True], f"{found}")
    with tally.case("the buttons follow the state, and stay while one of them has the focus, when all else is renewed"):
        begin(served, browser)
        browser.script(says="document.querySelector('main button').focus()")
        served.state = "Paused."
        browser.shows(text="Paused.")
        must("Resume now" not in browser.text(), "what was about to be pressed is another button")
        browser.script(says="document.activeElement.blur()")
        browser.shows(text="Resume now")
    with tally.case("what somebody marked to copy is left as it is, and renewed when nothing is marked"):
        begin(served, browser)
        browser.script(says="getSelection().selectAllChildren(document.querySelector('.state'))")
        served.state = "Paused."
        browser.shows(text="Resume now")
        must(browser.script(says="String(getSelection())").strip() == "It works.", browser.text())
        browser.script(says="getSelection().removeAllRanges()")
        until(lambda: browser.script(says="document.querySelector('.state').textContent"), lambda text: text == "Paused.", "the state is renewed")


def held(tally, served, browser):
    """What is no page of the machine."""
    with tally.case("one answer that is an error is told on the page, which comes back by itself"):
        begin(served, browser)
        served.status = 500
        browser.shows(text="No answer since")
        must("It works." in browser.text(), "the page is gone")
        served.status = 200
        browser.gone(text="No answer since")
    with tally.case("who is not logged in any more is asked for a code"):
        served.is_in = False
        browser.shows(text="Log in")


def unanswered(tally, served, browser):
    """No answer."""
    with tally.case("a tab that was hidden is renewed at once when it is seen again, and asks nothing meanwhile; without an answer it says of which day it is"):
        begin(served, browser)
        browser.script(says=HIDE.format("hidden"))
        browser.clock(at=NEXT)
        renewals_before, served.state = served.asked, "Paused."
        browser.script(says="new Promise((done) => setTimeout(done, 700))")
        must(served.asked <= renewals_before + 1, "it asks while nobody looks")
        served.hangs.clear()
        browser.script(says=HIDE.format("visible"))
        browser.shows(text="No answer since")
        day = browser.script(says=f"new Date('{FIRST}').toLocaleString()")
        must(f"No answer since {day}: what stands here is of then." in browser.text(), f"not {day}: {browser.text()}")
        must(browser.title() == "No answer: WOW", browser.title())
        served.hangs.set()
        browser.gone(text="No answer since")
        browser.shows(text="Resume now")
    with tally.case("seen again it is renewed before its next turn"):
        served.every, served.state = NEVER, "It works."
        browser.begin()
        browser.open(url=served.url)
        browser.script(says=HIDE.format("hidden"))
        served.state = "Paused."
        browser.script(says=HIDE.format("visible"))
        browser.shows(text="Paused.")
