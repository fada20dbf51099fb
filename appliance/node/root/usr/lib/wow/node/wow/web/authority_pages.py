"""The CA's pages as HTML. What machines say of themselves (names) and what the audit holds is a stranger's text."""
import calendar
import re
import time

from wow.lib import agreed
from wow.web import html, picture
from wow.web.html import Html, alert, button, form, moment, plain, rows, said
from wow.web.html import table as grid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CODE = re.compile(r"[0-9a-f]{32}\Z")
"""A code as `wow-ca page` prints it."""
HOST = re.compile(r"[a-z0-9-]{1,63}\Z")
"""A machine's name as the CA signs it."""
TITLE = "The pool's CA: WOW"
STATES = (("valid", "good"), ("late", "of these not renewed in time"), ("revoked", "taken back"), ("replaced", "replaced by a newer one"), ("expired", "ended"))
LATE_DAYS = 10
"""Days before its end from which on a certificate is late: a third of the thirty that it lasts (docs/reference/certificates.md)."""
DAY = 86400
TYPED = 'required autocomplete="off" autocapitalize="none" spellcheck="false"'
"""Of a field for what a keyboard shall not better."""
FOOT = "What you do here is done by the CA in your name, and its audit says so. All of it can be typed, too: wow-ca help."


def _page(title: str, main: str, key: str = "") -> bytes:
    return html.page(title, main, key, out="/ca/logout", foot=FOOT)


def login(given: str, wrong: str) -> bytes:
    """Asks for the code."""
    brought = given if CODE.match(given) else ""
    fields = (f'<label for="code">Code</label><input id="code" name="code" value="{brought}" maxlength="64" size="34" {TYPED} aria-describedby="how">'
              + button("Log in as administrator"))
    how = ('<p id="how">An administrator of the pool who is logged in to this machine by ssh types <code>wow-ca page</code>, '
           "and gets a link with a code for one login.</p>")
    return _page(TITLE, f"<h1>The pool's CA</h1>{alert(said(wrong)) if wrong else ''}{how}{form('/ca/login', '', fields)}")


def by_ssh(command: str) -> bytes:
    """To who comes over a network, where all could be read. command: the one that logs in to this machine, with NAME for whoever does."""
    line = command.replace(" NAME@", f" -L {agreed.ADMIN_PAGE_PORT}:localhost:80 NAME@")
    return _page(TITLE, "<h1>The pool's CA</h1><p>Administrators reach this page through ssh alone, so that nobody on the way reads a login or a ticket. "
                 f"Type on your own computer, with your name for NAME:</p><p><code>{said(line)}</code></p>"
                 "<p>and there <code>wow-ca page</code>, which prints the link to open.</p>" + _to_machine())


def elsewhere() -> bytes:
    """On a machine that has no CA, or whose CA does not serve."""
    return _page(TITLE, "<h1>No CA answers here</h1>" + alert(Html("The CA of the pool does not run on this machine, so nothing of it can be shown. "
                 "On the manager that has it, look with: <code>wow doctor</code>")) + _to_machine())


def away(why: str) -> bytes:
    """The CA is there, and does not answer."""
    return _page(TITLE, "<h1>The CA does not answer</h1>" + alert(Html("Whether what you asked for was done is not known: look before you ask again. "
                 f"It says: {said(why)}. On this machine look with: <code>wow doctor</code>")) + _back())


def refused(why: str, key: str) -> bytes:
    """The CA, or a form's check, said no."""
    return _page("It was not done: WOW", f"<h1>It was not done</h1>{alert(said(why))}{_back()}", key)


def ticket(made: "dict[str, Any]", key: str) -> bytes:
    """The only time that its secret is shown."""
    pairs = [("Ticket", Html(f"<code>{said(str(made['ticket']))}</code>")), ("Machines", plain(str(made["uses"]))), ("Until", _moment(made["not_after"]))]
    says = "<p>Copy it now: it is not shown again, and whoever has it brings machines into the pool.</p>"
    return _page("A ticket: WOW", f"<h1>A ticket was made</h1>{says}{rows(pairs)}{_back()}", key)


def revoke(found: "dict[str, Any]", key: str, wrong: str) -> bytes:
    """The second look: what it will do, and the name once more."""
    name, count = str(found["host"]), int(found["would_revoke"])
    pairs = [("Machine", said(name)), ("Address", said(str(found["address"]))), ("Certificates taken back", plain(str(count))),
             ("The last would have lasted until" if count else "The last ended", _moment(found["not_after"]))]
    ends = ("<li>Within a minute every machine of the pool refuses it; its jobs end.</li>"
            "<li>Its address is free when its last certificate would have ended.</li>") if count else ""
    says = f"<ul>{ends}<li>It is for good: its key gets no certificate again.</li>{_open(found, 'still admits')}</ul>"
    if found["since"] and not count:
        return _page("Taken back: WOW", f"<h1>It was taken back already</h1>{rows(pairs)}{_back()}", key)
    fields = (f'<input type="hidden" name="serial" value="{plain(str(found["serial"]))}"><label for="name">Type its name, {said(name)}, once more</label>'
              f'<input id="name" name="name" maxlength="63" {TYPED}>' + button("Take it back for good", kind="grave"))
    return _page("Take a machine back: WOW", f"<h1>Take {said(name)} back?</h1>{alert(said(wrong)) if wrong else ''}{rows(pairs)}{says}"
                 f"{form('/ca/revoke', key, fields)}<p><a href=\"/ca\">No, back</a></p>", key)


def drain(found: "dict[str, Any]", key: str) -> bytes:
    """The second look: what it will do."""
    name = str(found["host"])
    if any(one["host"] == name for one in found["drained"]):
        return _page("Drained: WOW", f"<h1>{said(name)} gets no jobs already</h1>{_drain_end(name, key)}{_back()}", key)
    says = ("<ul><li>Within a minute no job begins there any more, and what runs goes on to its end.</li>"
            "<li>It stays a machine of the pool. Its owner sees that you give it no jobs.</li><li>It lasts until you end it.</li></ul>")
    fields = f'<input type="hidden" name="machine" value="{_value(name)}"><button type="submit" name="what" value="begin" class="strong">Give it no more jobs</button>'
    return _page("Drain a machine: WOW", f"<h1>Drain {said(name)}?</h1>{says}{form('/ca/drain', key, fields)}<p><a href=\"/ca\">No, back</a></p>", key)


def revoked(done: "dict[str, Any]", key: str) -> bytes:
    """What came of it."""
    end = ""
    if (left := done.get("open_ticket")):
        end = f"<ul>{_open(done, 'still admits')}</ul>" + _end(str(left["id"]), key)
    count = int(done["revoked"])
    says = f"<p>Certificates: {count}. The pool's machines hear of it within a minute.</p>" if count else "<p>Its key gets no certificate again.</p>"
    return _page("Taken back: WOW", f"<h1>{said(str(done['host']))} is taken back</h1>{says}{end}{_back()}", key)


def overview(found: "dict[str, Any]", key: str) -> bytes:
    """What there is."""
    parts = (_requests(found, key), _certificates(found), _drained(found, key), _tickets(found, key), _decisions(found))
    return _page(TITLE, f"<h1>The CA of pool {said(str(found['pool']))}</h1>{_ends(found)}{''.join(parts)}", key)


def _ends(found: "dict[str, Any]") -> Html:
    """A year before the CA's certificate ends."""
    if _seconds(found["not_after"]) - _seconds(found["now"]) >= agreed.AUTHORITY_WARNING:
        return Html("")
    return alert(Html(f"The CA's certificate ends {_moment(found['not_after'])}, and with it the pool. Renew it before, on this machine: "
                      "<code>wow-ca renew-authority</code>. The machines hear of it by themselves."))


def _requests(found: "dict[str, Any]", key: str) -> Html:
    shown = []
    for one in found["requests"]:
        node, name = str(one["key"]), said(str(one["host"] or "no name"))
        more = Html(f'<span class="hidden"> {name}, {said(node)}</span>')
        acts = form("/ca/decide", key, f'<input type="hidden" name="node" value="{plain(node)}">'
                    f'<button type="submit" name="what" value="approve" class="strong">Approve{more}</button>'
                    f'<button type="submit" name="what" value="deny">Deny{more}</button>')
        brings = f"ticket {_short(one['ticket'])}" if one["ticket"] else "no ticket"
        pairs = [("Key", _code(node)), ("Address", said(str(one["address"] or "none"))), ("It brings", said(brings)), ("Since", _moment(one["since"]))]
        shown.append(f"<h3>{name}</h3>{rows(pairs)}{acts}")
    head = f"<h2>Who waits</h2><p>Policy <code>{said(str(found['policy']))}</code>. "
    if not shown:
        return Html(f"{head}No machine waits.</p>")
    cut = f" The {len(shown)} are shown that wait longest." if len(shown) < int(found["waiting"]) else ""
    return Html(f"{head}{int(found['waiting'])} wait.{cut} Compare the key with what the machine's own screen shows before you approve it; "
                f"the name is the one that it would like.</p>{''.join(shown)}")


def _certificates(found: "dict[str, Any]") -> Html:
    states, ends, now = found["certificates"], [int(one) for one in found["ends"]], _seconds(found["now"])
    counts = rows([(plain(words), plain(str(int(states[state])))) for state, words in STATES])
    below = {place: time.strftime("%d %b", time.gmtime(now + place * DAY)) for place in range(0, len(ends), 7)}
    title = (f"Certificates by the day on which they end: {sum(ends[:LATE_DAYS])} in the next {LATE_DAYS} days, {sum(ends[LATE_DAYS:])} later. "
             "A machine renews its own ten days before; a filled bar is of those that did not.")
    shown = [[said(str(one["host"])), said(str(one["address"])), _moment(one["not_after"]), _take(str(one["serial"]), str(one["host"]))] for one in found["soon"]]
    soon = grid("Certificates that end soon", ["machine", "address", "ends", "act"], shown) if shown else Html("<p>Each machine has renewed in time.</p>")
    find = form_get("/ca/revoke", '<label for="machine">Take a machine back: its name, address or serial number</label>'
                    f'<input id="machine" name="machine" maxlength="64" {TYPED}>' + button("Look what that does"))
    return Html(f"<h2>Certificates</h2>{counts}<p>{plain(title)}</p>{picture.bars(title, ends, LATE_DAYS, below)}<h3>Not renewed in time</h3>{soon}{find}")


def _tickets(found: "dict[str, Any]", key: str) -> Html:
    shown = [[_code(_short(one["id"])), plain(f"{int(one['used'])} of {int(one['uses'])}"), _moment(one["not_after"]), _end(str(one["id"]), key)]
             for one in found["tickets"]]
    until = time.strftime("%Y-%m-%d", time.gmtime(_seconds(found["now"]) + 90 * DAY))
    fields = ('<label for="uses">Machines</label><input id="uses" name="uses" type="number" min="1" max="1000000" value="10" required>'
              f'<label for="until">until the end of</label><input id="until" name="until" type="date" value="{until}" required>' + button("Make a ticket"))
    table = grid("Tickets", ["ticket", "came", "until", "act"], shown) if shown else Html("<p>No ticket admits anybody.</p>")
    return Html(f"<h2>Tickets</h2>{table}{form('/ca/ticket', key, fields)}")


def _drained(found: "dict[str, Any]", key: str) -> Html:
    """Machines that get no jobs, and a form for one more."""
    shown = [[said(str(one["host"])), _moment(one["since"]), _drain_end(str(one["host"]), key)] for one in found["drained"]]
    in_all = int(found["drained_in_all"])
    cut = f"<p>{in_all} are drained, of which these are the first {len(shown)}: <code>wow pool drain</code> shows all.</p>" if len(shown) < in_all else ""
    table = grid("Drained machines", ["machine", "since", "act"], shown) if shown else Html("<p>No machine is drained.</p>")
    find = form_get("/ca/drain", '<label for="drain">Give a machine no more jobs: its name or address</label>'
                    f'<input id="drain" name="machine" maxlength="64" {TYPED}>' + button("Look what draining does"))
    return Html(f"<h2>Drained machines</h2>{table}{cut}{find}")


def _value(host: str) -> Html:
    """A machine's name as a form sends it back; empty for what is no name."""
    return plain(host if HOST.match(host) else "")


def _drain_end(host: str, key: str) -> Html:
    return form("/ca/drain", key, f'<input type="hidden" name="machine" value="{_value(host)}">'
                f'<button type="submit" name="what" value="end">Give it jobs again<span class="hidden"> {said(host)}</span></button>')


def _decisions(found: "dict[str, Any]") -> Html:
    lines = "".join(f"<li>{_moment(one['at'])} <strong>{said(str(one['event']))}</strong> {said(str(one['detail']))}</li>" for one in found["decisions"])
    return Html(f"<h2>What was decided last</h2><ol class=\"times\" reversed>{lines}</ol>")


def _open(found: "dict[str, Any]", does: str) -> str:
    left = found.get("open_ticket")
    return (f"<li>Its ticket {said(_short(left['id']))} {does} {int(left['left'])} machines until {_moment(left['not_after'])}: "
            "who has it can come back with another key. End the ticket, too.</li>") if left else ""


def _end(ticket_id: str, key: str) -> Html:
    return form("/ca/end", key, f'<input type="hidden" name="ticket" value="{plain(ticket_id)}">'
                f'<button type="submit">End<span class="hidden"> ticket {said(_short(ticket_id))}</span></button>')


def _take(serial: str, host: str) -> Html:
    return Html(f'<a href="/ca/revoke?machine={plain(serial)}">take back<span class="hidden"> {said(host)}</span></a>')


def _short(ticket_id: "Any") -> str:
    """As people tell tickets apart."""
    return str(ticket_id).split("-", maxsplit=1)[0]


def _code(text: str) -> Html:
    return Html(f"<code>{said(text)}</code>")


def form_get(action: str, inner: str) -> Html:
    """A form that asks and changes nothing."""
    return Html(f'<form method="get" action="{action}">{inner}</form>')


def _seconds(stamp: str) -> int:
    """Unix time of what the CA writes: 2026-11-26T06:40:01.5+00:00."""
    return calendar.timegm(time.strptime(str(stamp)[:19], "%Y-%m-%dT%H:%M:%S"))


def _moment(stamp: str) -> Html:
    return moment(_seconds(stamp))


def _back() -> Html:
    return Html('<p><a href="/ca">Back to the CA\'s page</a></p>')


def _to_machine() -> Html:
    return Html('<p><a href="/">To this machine\'s own page</a></p>')
