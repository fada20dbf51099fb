"""The page on which limits are set: one form, whose fields are empty where there is no limit."""
from wow.agent import client
from wow.lib import errors
from wow.lib.errors import WowError
from wow.limits import state, there, words
from wow.web.html import Html, alert, button, form, page, plain, said
from wow.web.setting import UNKNOWN, WAS, Setting, anew, changed, was

PATH = "/limits"
LONGEST = 400
"""Characters of a field that are looked at."""
FIELDS = (
    ("percent", "Percent of one processor", "numeric", "All jobs have this together: 50 is half a processor, 150 one and a half. It holds at once."),
    ("processors", "Processors", "numeric", "Jobs have so many at a time."),
    ("memory", "Memory in MB", "numeric", "128 at least; 1024 is one gigabyte."),
    ("disk", "Disk in MB", "numeric", "100 at least."),
    ("speed", "kB a second that are sent", "numeric", "So fast the pool's network sends from here at most: 500 is four megabits. It holds at once; what comes is "
     "not held."),
    ("month", "GB in a month", "numeric", "What the pool's network carries in a calendar month, both ways. When that is used up the machine is paused until the "
     "next one."),
    ("hours", "Hours when jobs may run", "text", "For example: mon-fri 20:00-7:00, sat-sun 0:00-24:00. Days are mon, tue, wed, thu, fri, sat, sun; a span may go on "
     "after midnight. At all other times the machine is paused."))
"""Of each limit: its name, its label, the keyboard that a phone shows, and what there is to know."""


def line(sentence: str, has_slots: bool) -> Html:
    """What stands of it on the machine's page."""
    if not has_slots:
        return Html("")
    holds = f"<p>Jobs have at most: {said(sentence)}</p>" if sentence else "<p>Jobs may have all that the machine has, at any time.</p>"
    if trouble := errors.trouble(state.load):
        holds = alert(said(trouble))
    return Html(f'<h2>Limits</h2>{holds}<p><a href="{PATH}">Set limits</a></p>')


def kept() -> dict[str, str]:
    """The fields as they hold now."""
    found = {name: "" if value is None else str(value) for name, value in state.read().values().items()}
    is_bad = errors.trouble(state.load) is not None
    return found | {f"{WAS}{name}": UNKNOWN if is_bad else value for name, value in found.items()}


def asked(given: dict[str, str]) -> dict[str, str]:
    """What the agent is asked for these fields: those that were changed."""
    return {name: value or words.NONE for name, value in changed(state.NAMES, given).items()}


def show(key: str, given: dict[str, str], wrong: str = "") -> bytes:
    """The form with these values. wrong: why the last ones were not taken."""
    inner = "".join(_field(name, label, keyboard, note, given.get(name, ""), given.get(f"{WAS}{name}", "")) for name, label, keyboard, note in FIELDS)
    trouble = wrong or anew(state.load)
    waits = "".join(f"<p>{said(one)}</p>" for one in words.waits(state.read()))
    says = ("<p>What of this computer jobs may have. A field that is empty is no limit. Fewer processors, less memory or disk hold for jobs that begin "
            "from then on: those that run keep what they have until they end.</p>")
    return page("Limits: WOW", f"<h1>Limits</h1>{alert(said(trouble)) if trouble else ''}{says}{waits}{form(PATH, key, inner + button('Set limits', kind='strong'))}"
                f"<p>Times are those of the machine's zone, now {said(_zone())}.</p><p><a href=\"/\">Back to the machine's page</a></p>", key)


def _zone() -> str:
    import time
    time.tzset()
    return time.strftime("%H:%M %Z")


def _field(name: str, label: str, keyboard: str, note: str, value: str, former: str) -> str:
    return (f'{was(name, former[:LONGEST])}<div class="field"><label for="{name}">{plain(label)}</label> '
            f'<input id="{name}" name="{name}" value="{plain(value[:LONGEST])}" maxlength="{LONGEST}"'
            f' inputmode="{keyboard}" autocomplete="off" spellcheck="false" aria-describedby="{name}-says"><p id="{name}-says">{plain(note + _most(name))}</p></div>')


def _most(name: str) -> str:
    try:
        return "" if name == "hours" or name in there.MOST_OF_LINE else f" There are {there.most(name)}."
    except (WowError, OSError, ValueError, KeyError):
        return ""


class Limiting(Setting):
    """The page with its routes."""

    path = PATH
    names = tuple(f"{before}{name}" for before in ("", WAS) for name, *_ in FIELDS)

    def page(self, key: str, given: dict[str, str] | None, wrong: str = "") -> bytes:
        """Setting's."""
        return show(key, kept() if given is None else given, wrong)

    def have_done(self, given: dict[str, str]) -> None:
        """Setting's."""
        if fields := asked(given):
            client.ask("limit", **fields)
