"""A picture of what the machine gave, for its owner to show to others: SVG, as a file. It names the pool and its projects, and neither machine, address nor person."""
from wow.config import facts
from wow.given import book
from wow.lib import names
from wow.web.html import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from wow.given.book import Book

PATH, FILE = "/given.svg", "wow-given.svg"
WIDE, HIGH = 640, 250
PROJECTS = 3
"""Those with the most are named."""
LONGEST = 40
"""Characters of a name."""


def picture(pool: str, kept: "Book") -> bytes:
    """The file."""
    days = kept.newest(None)
    whole = book.total(days)
    hours, jobs = sum(one.seconds for one in whole.projects.values()) / 3600, sum(one.jobs for one in whole.projects.values())
    since = f"since {days[-1][0]}" if days else "from today on"
    best = [name for name in whole.projects if name not in (book.NONE, names.OTHERS)][:PROJECTS]
    lines = [(40, 46, "bold", f"This computer works for {_short(pool)}"), (64, 96, "bold", f"{hours:,.1f} processor hours"),
             (26, 130, "normal", f"{jobs} job{'' if jobs == 1 else 's'}, {since}")]
    lines += [(28, 166 + 26 * place, "normal", _short(name)) for place, name in enumerate(best)]
    words = "".join(f'<text x="112" y="{low}" font-size="{size // 2}" font-weight="{weight}">{plain(said)}</text>' for size, low, weight, said in lines)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE}" height="{HIGH}" viewBox="0 0 {WIDE} {HIGH}" font-family="sans-serif" fill="#fff">'
            f'<rect width="{WIDE}" height="{HIGH}" rx="16" fill="#0b5394"/><path d="M24 28l14 42 18-36 18 36 14-42" fill="none" stroke="#fff" stroke-width="8" '
            f'stroke-linejoin="round" stroke-linecap="round"/>{words}</svg>\n').encode("utf-8", "replace")


def _short(name: str) -> str:
    """A name of somebody else's, as far as there is room."""
    shown = "".join(one if one.isprintable() else "?" for one in name)
    return shown if len(shown) <= LONGEST else shown[:LONGEST - 3] + "..."


class Sharing:
    """The route. secret is the app's: the cookie of who is in; back leads to the page."""

    def __init__(self, bottle: "Any", secret: "Callable[[], str]", back: "Callable[[], Any]") -> None:
        self._bottle, self._secret, self._back = bottle, secret, back

    def routes(self) -> "list[tuple[str, str, Callable[[], Any]]]":
        """Paths, methods, answers."""
        return [(PATH, "GET", self._show)]

    def _show(self) -> "Any":
        if not self._secret():
            return self._back()
        try:
            shown = picture(facts.read().name, book.read())
        except (OSError, ValueError, KeyError):
            return self._back()  # the page says what cannot be read
        return self._bottle.HTTPResponse(shown, 200, Content_Type="image/svg+xml", Content_Disposition=f'attachment; filename="{FILE}"')
