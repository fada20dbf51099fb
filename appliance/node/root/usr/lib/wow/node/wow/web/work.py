"""What the machine gave, on its page: by project and by day, and what its network carried this month, of which people have limits."""
import time

from wow.given import book
from wow.lib import table
from wow.web import sharing
from wow.web.html import Html, plain, said
from wow.web.html import table as grid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.web.look import Seen

SHOWN, DAYS = 30, 7
"""Days that are summed, and that are shown by themselves."""


def section(seen: "Seen") -> Html:
    """The part of the page."""
    projects = seen.pool.projects if seen.pool else {}
    try:
        found = book.read()
    except (OSError, ValueError):
        return Html("<h2>What this machine gave</h2><p>That cannot be read. See: <code>wow given</code></p>")
    kept = found.newest(SHOWN)
    if not kept:
        return Html("<h2>What this machine gave</h2><p>Nothing is known yet; it is written every ten minutes.</p>")
    whole = book.total(kept)
    by_project = grid("What each project had", ["project", "processor hours", "jobs", "what it is"],
                      [[said(name), *figures(one), said(projects.get(name, {}).get("says", ""))] for name, one in whole.projects.items()])
    if not whole.projects:
        by_project = Html("<p>No job yet.</p>")
    by_day = grid("What it gave on each day", ["day", "processor hours", "jobs", "sent", "received"], [
        [plain(date), *figures(book.total([(date, day)])), plain(table.size(day.sent)), plain(table.size(day.received))] for date, day in kept[:DAYS]])
    today = time.localtime(seen.facts.now)
    month = book.total((date, day) for date, day in found.newest(31) if date.startswith(f"{today.tm_year:04}-{today.tm_mon:02}-"))
    carried = f"<p>This month your network carried {plain(table.size(month.sent))} from this machine and {plain(table.size(month.received))} to it.</p>"
    days = "day" if len(kept) == 1 else f"{len(kept)} days"
    return Html(f"<h2>What this machine gave</h2><p>On the last {days} that it ran:</p>{by_project}{carried}<h3>By day</h3>{by_day}"
                f'<p><a href="{sharing.PATH}" download>A picture of it to share</a></p>')


def figures(one: "book.Sum | book.Day") -> list[Html]:
    """Processor hours and jobs, of a project or of all of a day."""
    parts = [one] if isinstance(one, book.Sum) else list(one.projects.values())
    return [plain(f"{sum(part.seconds for part in parts) / 3600:.1f}"), plain(str(sum(part.jobs for part in parts)))]
