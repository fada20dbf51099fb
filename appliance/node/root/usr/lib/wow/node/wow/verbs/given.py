"""wow given"""
import json

from wow.given import book
from wow.lib import table
from wow.lib.errors import WowError
from wow.lib.verb import JSON, Given, Option, UsageError, Verb

DAYS = Option("--days", "N", f"of the last N days of which something is known (1 to {book.DAYS}); 30 if not named")
USUAL = 30
SHOWN = 14
"""Days of their own that people are shown."""


def run(given: Given) -> int:
    """Prints what this machine gave."""
    words = given.get(DAYS, str(USUAL))
    if not (words.isascii() and words.isdigit() and 1 <= int(words[:4]) <= book.DAYS and len(words) < 4):
        raise UsageError(f"--days takes a number from 1 to {book.DAYS}")
    try:
        found = book.read()
    except (OSError, ValueError) as error:
        raise WowError(f"cannot be read: {error}", "Look with: journalctl -u wow-jobs", book.FILE) from None
    projects = book.known_projects()
    print(json.dumps(book.told(found, int(words), projects)) if given.has(JSON) else "\n".join(lines(found, int(words), projects)))
    return 0


def hours(one: book.Sum) -> str:
    """Processor hours as people read them."""
    return f"{one.seconds / 3600:.1f}"


def lines(found: book.Book, days: int, projects: dict[str, dict[str, str]]) -> list[str]:
    """The same for people."""
    kept = found.newest(days)
    if not kept:
        return ["Nothing is known yet of what this machine gave. It is written every ten minutes."]
    whole = book.total(kept)
    said = [f"What this machine gave on {len(kept)} day{'' if len(kept) == 1 else 's'}, {kept[-1][0]} to {kept[0][0]}; {table.size(whole.sent)} sent, "
            f"{table.size(whole.received)} received"]
    if whole.projects:
        rows = [["project", "processor hours", "jobs", "what it is"]]
        rows += [[table.printable(name), hours(one), str(one.jobs), table.printable(projects.get(name, {}).get("says", ""))] for name, one in whole.projects.items()]
        said += ["", *table.columns(rows, right=(1, 2))]
    rows = [["day", "processor hours", "jobs", "sent", "received"]]
    for date, day in kept[:SHOWN]:
        one = book.Sum(sum(each.seconds for each in day.projects.values()), sum(each.jobs for each in day.projects.values()))
        rows.append([date, hours(one), str(one.jobs), table.size(day.sent), table.size(day.received)])
    return [*said, "", *table.columns(rows, right=(1, 2, 3, 4))]


VERB = Verb("given", "", "what this machine gave by day and by project: processor hours, jobs, bytes sent and received", (DAYS, JSON), run)
