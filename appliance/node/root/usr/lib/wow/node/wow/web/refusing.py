"""The projects that the machine works for, with a button each by which its owner refuses one, or accepts it again."""
from wow.given import book
from wow.lib import names
from wow.refuse import state
from wow.web.html import Html, alert, button, form, plain, said
from wow.web.setting import anew

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from wow.web.look import Seen

DAYS = 30
"""A project is shown that had a job here within so many days, runs, is refused, or stands in pool.conf."""
MOST = 100
"""Projects that are shown."""


def projects(seen: "Seen") -> list[str]:
    """Their names: refused ones first, then those that run, so that these have their buttons whatever else there is."""
    found = state.read() + [names.clean(job.project) for job in seen.facts.jobs] + list(seen.pool.projects if seen.pool else ())
    try:
        found += book.total(book.read().newest(DAYS)).projects
    except (OSError, ValueError):
        pass  # the part of the page that shows it says so
    return [name for name in dict.fromkeys(found) if state.is_name(name) and name not in (book.NONE, names.OTHERS)][:MOST]


def section(seen: "Seen", key: str) -> Html:
    """The part of the page."""
    if not seen.pool or not seen.pool.has_slots:
        return Html("")
    refused, lines = set(state.read()), []
    for name in projects(seen):
        act, text = ("accept", "Accept") if name in refused else ("refuse", "Refuse")
        is_so = " is refused" if name in refused else ""
        hidden = f'<input type="hidden" name="project" value="{plain(name)}">'
        label = Html(button(text).replace("</button>", f'<span class="hidden"> {plain(name)}</span></button>'))
        lines.append(f"<li>{said(name)}{is_so} {form(f'/{act}', key, hidden + label)}</li>")
    says = "Jobs of a project that you refuse do not begin here, and what runs of it is given back, with 20 s to save what it has."
    listed = f'<ul class="acts">{"".join(lines)}</ul>' if lines else "<p>No project is known yet.</p>"
    trouble = anew(state.load)
    return Html(f"<h2>Refuse projects</h2>{alert(said(trouble)) if trouble else ''}<p>{says}</p>{listed}")


class Refusing:
    """The routes. must is the app's: the cookie of who is in and sent a form of ours; asked has the agent do it, or says why it did not; back leads to the page."""

    def __init__(self, bottle: "Any", must: "Callable[[], str]", asked: "Callable[..., Any]", back: "Callable[[], Any]") -> None:
        self._bottle, self._must, self._asked, self._back = bottle, must, asked, back

    def routes(self) -> "list[tuple[str, str, Callable[[], Any]]]":
        """Paths, methods, answers."""
        return [(f"/{command}", "POST", self._act(command)) for command in ("refuse", "accept")]

    def _act(self, command: str) -> "Callable[[], Any]":
        def answer() -> "Any":
            secret = self._must()
            return self._asked(secret, command, project=str(self._bottle.request.forms.getunicode("project") or "")[:names.LONGEST + 1]) or self._back()
        return answer
