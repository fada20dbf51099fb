"""What the owner's computer tells of itself, taken without a cookie by a token of its own; and the page on which its owner sees that, chooses what follows, and has the
line made that tells it."""
import hmac
import threading

from wow.agent import client
from wow.computer import lines, report, seen, settings, words
from wow.lib import console, files
from wow.lib.errors import WowError
from wow.lib.whole import is_whole
from wow.page import code, where
from wow.web import guests
from wow.web.html import Html, alert, button, form, page, plain, said
from wow.web.setting import UNKNOWN, WAS, anew, changed, was

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from wow.pause.state import Pause

PATH = lines.PATH
LONGEST = 400
"""Bytes of a report at most."""
OFTEN = 2.0
"""Seconds between two reports; one more is not taken. Who sends wrong tokens is told as much."""
TIME_UP = 10.0
"""Seconds that the program stays for a report."""
MOST_WRONG = 1_000_000
"""Wrong tokens that are counted."""
NO_BOX = "no"
"""What a box says that is empty."""
NO = "Your computer tells this machine nothing: no line was made, or it was forgotten. Make one on the page."


def is_report(environ: "dict[str, Any]") -> bool:
    """Whether a request is one of the line that was pasted."""
    return bool(environ["PATH_INFO"] == PATH and environ["REQUEST_METHOD"] == "POST")


class Refused(Exception):
    """A report that was not taken: the status of the answer, and, where it may come again, seconds until then."""

    def __init__(self, status: int, text: str, wait: int = 0) -> None:
        super().__init__(text)
        self.status, self.text, self.wait = status, text, wait


class Desk:
    """Takes reports. All of it lies in memory (/run), and is read by wow-jobs."""

    def __init__(self, path: str = report.FILE, now: "Callable[[], float]" = console.uptime) -> None:
        self._path, self._now, self._lock = path, now, threading.Lock()
        kept = report.kept(path)
        self.told = report.made(kept.get("report"))
        self.wrong, self.last = (value if is_whole(value, 0, report.MOST) else 0 for value in map(kept.get, ("wrong", "last")))

    def hear(self, token: str, fields: dict[str, str]) -> report.Report:
        """Takes a report; Refused says why not. The right token is looked at always, so that nobody keeps it out by wrong ones: it has 128 bits."""
        with self._lock:
            now, wanted = self._now(), settings.read().token
            if not wanted or not hmac.compare_digest(code.digest(token), wanted):
                slow, self.wrong, self.last = self.last and now - self.last < OFTEN, min(self.wrong + 1, MOST_WRONG), int(now)
                self._keep()
                if slow:
                    raise Refused(429, f"A wrong token came a moment ago. Try again in {OFTEN:.0f} seconds.", int(OFTEN))
                raise Refused(403, "That is not the token. Paste the line anew that the page makes." if wanted else NO)
            if self.told is not None and 0 <= now - self.told.when < OFTEN:
                raise Refused(429, f"Once in {OFTEN:.0f} seconds is enough.", int(OFTEN))
            try:
                self.told = report.read(fields, now)
            except WowError as error:
                raise Refused(400, str(error)) from None
            self._keep()
            return self.told

    def forget(self) -> None:
        """What an older token told counts no more."""
        with self._lock:
            self.told, self.wrong, self.last = None, 0, 0
            self._keep()

    def _keep(self) -> None:
        import json
        files.write(self._path, json.dumps({"report": self.told.facts() if self.told else None, "wrong": self.wrong, "last": self.last}) + "\n", 0o600)


class Computer:
    """The routes. secret, must, answer and addresses are the app's: the cookie of who is in, and of who sent a form of ours as well; a page as an answer; where this
    machine is. codes: the status by what the agent answers."""

    def __init__(self, bottle: "Any", secret: "Callable[[], str]", must: "Callable[[], str]", answer: "Callable[..., Any]", addresses: "Callable[[], list[str]]",
                 codes: dict[str, int]) -> None:
        self._bottle, self._secret, self._must, self._answer, self._addresses, self._codes = bottle, secret, must, answer, addresses, codes
        self._desk = Desk()

    def routes(self) -> "list[tuple[str, str, Callable[[], Any]]]":
        """Paths, methods, answers."""
        return [(PATH, "POST", self._hear), (PATH, "GET", self._show), (f"{PATH}/set", "POST", self._set), (f"{PATH}/line", "POST", self._line),
                (f"{PATH}/forget", "POST", self._forget), (f"{PATH}/anyway", "POST", self._anyway)]

    def _hear(self) -> "Any":
        request = self._bottle.request
        if (request.content_length or 0) > LONGEST:
            return self._plain(413, f"No report is longer than {LONGEST} bytes.")
        fields = {str(name): str(request.forms.getunicode(name) or "") for name in request.forms}
        header = str(request.get_header("Authorization") or "")
        token = header[7:].strip() if header.startswith("Bearer ") else fields.get("token", "")
        try:
            told = self._desk.hear(token, fields)
        except Refused as refused:
            return self._plain(refused.status, refused.text, **({"Retry_After": str(refused.wait)} if refused.wait else {}))
        return self._plain(200, words.heard(told, console.uptime()))

    def _plain(self, status: int, text: str, **headers: str) -> "Any":
        return self._bottle.HTTPResponse(f"{text}\n", status, Content_Type="text/plain; charset=utf-8", **headers)

    def _show(self) -> "Any":
        secret = self._secret()
        return self._answer(200, self._page(guests.form_key(secret))) if secret else self._to("/")

    def _set(self) -> "Any":
        secret, forms = self._must(), self._bottle.request.forms
        fields = asked({name: str(forms.getunicode(name) or "") for name in (*settings.NAMES, *(f"{WAS}{one}" for one in settings.NAMES))})
        return self._done(secret, **fields) if fields else self._to(PATH)

    def _anyway(self) -> "Any":
        """Jobs run all the same, from now on, when it is as the page said. It may be otherwise by now: then nothing is changed, and the page says how it is."""
        secret, why = self._must(), seen.read().why
        if why is None or self._bottle.request.forms.get("why") != seen.WHO[why]:
            return self._to("/")
        name, value = words.ANYWAY[why]
        return self._done(secret, "/", **{name: value})

    def _line(self) -> "Any":
        secret = self._must()
        try:
            token = str(client.ask("computer", token="new")["token"])
        except (WowError, KeyError) as error:
            return self._wrong(secret, error)
        self._desk.forget()
        address = where.pasted(str(self._bottle.request.get_header("Host") or ""), self._addresses())
        return self._answer(200, made(guests.form_key(secret), address, token))

    def _forget(self) -> "Any":
        secret = self._must()
        answer = self._done(secret, token="forget")
        self._desk.forget()
        return answer

    def _done(self, secret: str, place: str = PATH, **fields: str) -> "Any":
        try:
            client.ask("computer", **fields)
        except WowError as error:
            return self._wrong(secret, error)
        return self._to(place)

    def _to(self, place: str) -> "Any":
        return self._bottle.HTTPResponse("", 303, Location=place)

    def _wrong(self, secret: str, error: Exception) -> "Any":
        return self._answer(self._codes.get(getattr(error, "code", ""), 502), self._page(guests.form_key(secret), str(error)))

    def _page(self, key: str, wrong: str = "") -> bytes:
        return show(key, settings.read(), seen.read(), self._desk, console.uptime(), wrong)


def line(paused: "Pause | None", has_slots: bool, key: str) -> Html:
    """What stands of it on the machine's page."""
    if not has_slots:
        return Html("")
    stands = ""
    if paused and paused.who in words.SHORT:
        anyway = form(f"{PATH}/anyway", key, button("Run jobs all the same", "why", paused.who, "strong"))
        stands = f"<p>{plain(words.SHORT[paused.who])}, so jobs stand still.</p>{anyway}"
    return Html(f'<h2>Your computer</h2>{stands}<p><a href="{PATH}">Pause by its battery, its use or its load</a></p>')


def asked(given: dict[str, str]) -> dict[str, str]:
    """What the agent is asked for a form's fields: those that were changed. A box that is empty is no field of a form."""
    boxes = {name: given[name] or NO_BOX for name in settings.NAMES if name != "used"}
    return {name: value or "none" for name, value in changed(settings.NAMES, {**given, **boxes}).items()}


def show(key: str, chosen: settings.Settings, found: seen.Seen, desk: Desk, now: float, wrong: str = "") -> bytes:
    """The page. wrong: why the last form was not taken."""
    facts = [f"Your computer: {said(words.heard(desk.told, now))}.", f"Busy: {said(words.load(found))}.",
             f"{said(f'Jobs stand still for {words.BY[found.why]}' if found.why else 'No job stands still for it')}."]
    if desk.wrong:
        facts.append(f"Reports with a wrong token: {desk.wrong}, the last one {plain(words.ago(max(0.0, now - desk.last)))}.")
    sees = "".join(f"<li>{one}</li>" for one in facts)
    says = "<p>This machine is a guest: of your computer it sees neither keyboard nor battery. One line, pasted there, has your computer tell it each minute.</p>"
    bad = anew(settings.load)
    trouble = wrong or bad
    return page("Your computer: WOW", f"<h1>Your computer</h1>{alert(said(trouble)) if trouble else ''}{says}<h2>What it sees now</h2><ul>{sees}</ul>"
                f'<form method="get" action="{PATH}">{button("Look again")}</form><h2>When jobs stand still</h2>{_choices(key, chosen, not bad)}'
                f"<h2>The line</h2>{_line(key, bool(chosen.token))}<p><a href=\"/\">Back to the machine's page</a></p>", key)


def _choices(key: str, chosen: settings.Settings, is_known: bool) -> Html:
    boxes = _box("battery", "While my computer runs on battery", chosen.battery, is_known) + _box("busy", "While my computer is busy", chosen.busy, is_known)
    used = "" if chosen.used is None else str(chosen.used)
    field = ('<div class="field"><label for="used">While somebody uses it, and so many minutes more</label> '
             f'{was("used", used if is_known else UNKNOWN)}<input id="used" name="used" value="{used}" maxlength="4" inputmode="numeric" '
             'autocomplete="off" aria-describedby="used-says"><p id="used-says">'
             "Empty: jobs run while somebody uses it, too. Battery and use are known by the line alone; how busy it is this machine measures itself, while jobs "
             "run.</p></div>")
    again = _box("restart", "The machine may start again by itself, while it has nothing to do, for new modules of its pool", chosen.restart, is_known)
    return form(f"{PATH}/set", key, boxes + field + again + button("Set", kind="strong"))


def _box(name: str, text: str, is_set: bool, is_known: bool) -> str:
    former = was(name, UNKNOWN if not is_known else "yes" if is_set else NO_BOX)
    return f'<p>{former}<input type="checkbox" id="{name}" name="{name}" value="yes"{" checked" if is_set else ""}> <label for="{name}">{plain(text)}</label></p>'


def _line(key: str, is_made: bool) -> Html:
    says = "A line was made. A new one takes its place: the old one is good no more." if is_made else NO
    forget = form(f"{PATH}/forget", key, button("Forget the line")) if is_made else ""
    return Html(f"<p>{plain(says)}</p>{form(f'{PATH}/line', key, button('Make a new line' if is_made else 'Make a line'))}{forget}")


def made(key: str, address: str, token: str) -> bytes:
    """The lines with a new token, shown once."""
    shown = "".join(f'<div class="field"><label for="{system}">{plain(name)}</label><textarea id="{system}" rows="6" readonly spellcheck="false">'
                    f"{plain(lines.line(system, address, token))}</textarea><p>To end it: <code>{plain(lines.ENDS[system])}</code></p></div>"
                    for system, name in lines.SYSTEMS.items())
    says = ("<p>Paste the one for your computer there, as yourself. It is shown this once. Its token lets your computer tell how long nobody has used it and whether it "
            "runs on battery, and nothing else. The lines for Windows and macOS were not tried on such a computer yet: see then whether it is heard.</p>")
    return page("The line: WOW", f"<h1>The line</h1>{says}{shown}<p><a href=\"{PATH}\">See what it tells</a></p>", key)
