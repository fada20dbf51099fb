"""The pool page, for who is logged in to a machine's own: read only. A summary, tables, a map, and a picture of the ring. A manager has all of it, and tells other
machines."""
from wow.history import members
from wow.history.looked import MOST_COUNTED, STATES
from wow.lib import table
from wow.place import state as place
from wow.web import atlas, chart, ring, snapshot
from wow.web import ways as ways_of
from wow.web.html import Html, alert, moment, page, parts, plain, rows, said
from wow.web.listing import Column, Listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Mapping

    from wow.web.snapshot import Seen

FOOT = "What you see is of the whole pool, as its machines tell it. Nothing can be changed here."
OFF = "off"
"""The state of a machine that is not there."""
NOW = float("inf")
"""When a machine was seen last that is there."""
NAMES = ("sort", "order", "find", "kind", "page")
"""What may stand behind the question mark."""


def number(value: "Any") -> Html:
    """A whole number."""
    return plain(str(int(value)))


class AtLeast(int):
    """A count of jobs whose queue looked at no more of them."""


def jobs_of(value: int) -> Html:
    """A count of jobs."""
    return plain(f"{int(value)} or more" if isinstance(value, AtLeast) else str(int(value)))


def since(value: int) -> Html:
    """When, as a table has it."""
    return moment(value) if value else plain("not known")


def last(value: float) -> Html:
    """When a machine was seen last."""
    return plain("now") if value == NOW else moment(value)


def hours(value: float) -> Html:
    """Core seconds as hours."""
    return plain(chart.amount(value / 3600))


MACHINES = Listing("Machines", [
    Column("name", "machine"), Column("state", "state"), Column("owner", "owner"), Column("version", "release"), Column("path", "path to the manager"),
    Column("since", "there since", since), Column("seen", "seen last", last), Column("busy", "cores at work", number, True), Column("cores", "cores", number, True),
    Column("hours", "core hours ever", hours, True), Column("jobs", "jobs ever", number, True)], 0, ("State", 1, (*STATES, OFF)))
JOBS = Listing("Jobs by person and project", [
    Column("person", "person"), Column("project", "project"), Column("running", "running", jobs_of, True), Column("waiting", "waiting", jobs_of, True),
    Column("held", "held", jobs_of, True)], 2)
OWNERS = Listing("What owners gave", [
    Column("owner", "owner"), Column("machines", "machines now", number, True), Column("hours", "core hours, 30 days", hours, True),
    Column("jobs", "jobs, 30 days", number, True), Column("ever", "core hours ever", hours, True), Column("jobs-ever", "jobs ever", number, True)], 2)

PLACES = Listing("Places", [Column("place", "place"), Column("machines", "machines", number, True), Column("running", "running jobs", number, True)], 1)
LINKS = Listing("Paths from the manager", [
    Column("name", "member"), Column("path", "path", plain), Column("relay", "relay"), Column("rtt", "round trip", ring.trip, True), Column("use", "link for", plain),
    Column("told", "path, as it tells")], 0, ("Path", 1, (*members.KINDS, ring.NONE)))


class Refused(Exception):
    """Why there is no page: the status of the answer, and what stands in it."""

    def __init__(self, status: int, title: str, text: str) -> None:
        super().__init__(text)
        self.status, self.title, self.text = status, title, text


def _page(title: str, seen: "Seen", key: str, before: str, *now: str) -> bytes:
    """before: what does not change by itself, so that nobody who types there is disturbed; now: the parts that do."""
    ways = "".join(f'<li><a href="{path}"{" aria-current=" + chr(34) + "page" + chr(34) if text == title else ""}>{text}</a></li>' for path, text in (
        (ways_of.POOL, "Overview"), (ways_of.MACHINES, "Machines"), (ways_of.JOBS, "Jobs"), (ways_of.OWNERS, "Owners"), (ways_of.MAP, "Map"), (ways_of.RING, "Ring"),
        ("/", "This machine")))
    when = seen.told.get("when")
    told_by = f", as the manager {said(seen.told['by'])} told it" if seen.told.get("by") else ""
    age = Html(f"<p>As of {moment(when)}{told_by}.</p>") if when else Html("<p>Nothing is known of it yet.</p>")
    troubles = "".join(alert(said(one)) for one in seen.troubles)
    return page(f"{title}: {seen.pool}: WOW", f'<h1>Pool {said(seen.pool)}: {plain(title.lower())}</h1>'
                f'<nav aria-label="Parts of the pool page"><ul class="ways">{ways}</ul></nav>{before}{parts(troubles, age, *now)}',
                key, foot=FOOT, kind="broad")


def _overview(query: "Mapping[str, str]", key: str) -> bytes:
    """The pool in figures and pictures."""
    del query  # there is nothing to choose
    seen = snapshot.look(with_links=True)
    told = seen.told
    return _page("Overview", seen, key, "", _figures(told), _oldest(told), _history(told), _ring(seen))


def _figures(told: "dict[str, Any]") -> Html:
    if "machines" not in told:
        return Html("")
    machines = told["machines"]
    count = {state: sum(one[1] == state for one in machines) for state in STATES}
    states = ", ".join(f"{number} {state}" for state, number in count.items() if number) or "none"
    busy, cores = sum(one[6] for one in machines), sum(one[7] for one in machines)
    running, waiting, held = told["totals"]
    held_for: dict[str, int] = told["held"]
    reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(held_for.items(), key=lambda one: -one[1]))
    # People's own ads tell of all their jobs, queues of the reasons of so many.
    if (told_of := sum(held_for.values())) >= MOST_COUNTED[-1] and held > told_of:
        reasons += f", and {held - told_of} more, of which no queue tells why"
    matched = moment(told["cycle"]) if told["cycle"] else plain(
        "no negotiator tells of itself, so no job gets a machine now; of several managers another one begins within a minute")
    off = told.get("off", [])
    return rows([("Machines", plain(f"{len(machines)}: {states}")),
                 *([("Off, seen within 30 days", plain(str(len(off))))] if off else []), ("Cores", plain(f"{busy} of {cores} at work")),
                 ("Jobs", plain(f"{running} running, {waiting} waiting, {held} held")), *([("Held for", said(reasons))] if reasons else []),
                 ("Queues", plain(str(told["queues"]))), ("Jobs were matched last", matched)])


def _oldest(told: "dict[str, Any]") -> Html:
    if "machines" not in told:
        return Html("")
    found = told["oldest"]
    if found is None:
        return Html("<h2>The job that has waited for longest</h2><p>No queue tells of a job that waits.</p>")
    why = f"{found['text']} {found['todo']}"
    who = f"{found['job']} of {found['person']}" + (f", project {found['project']}" if found["project"] != "-" else "")
    return Html(f"<h2>The job that has waited for longest</h2><p>{said(who)}, since {moment(found['since'])}. {said(why)}</p>"
                f"<p>By what it asks for and by what the negotiator said. All that it wants, its own queue alone knows: on {said(found['queue'])} type "
                f"<code>wow why {plain(found['job'])}</code>.</p>")


def _history(told: "dict[str, Any]") -> Html:
    course = told.get("course", [])
    if not course:
        return Html("")
    core_hours = [(when, seconds / 3600) for when, seconds, _ in course]
    jobs = [(when, float(count)) for when, _, count in course]
    lines = [(when, [seconds / 3600, float(count)]) for when, seconds, count in reversed(course)]
    return Html(f"<h2>History</h2>{chart.bars('CPU hours', core_hours, 'core hours')}{chart.bars('Jobs', jobs, 'jobs')}"
                f"{chart.figures('The days in figures', ['day', 'core hours', 'jobs'], lines)}")


def _ring(seen: "Seen") -> Html:
    paths: dict[str, int] = {}
    for one in seen.told.get("machines", []):
        paths[one[4]] = paths.get(one[4], 0) + 1
    pairs = []
    if paths:
        told = ", ".join(f"{count} {'not told' if path == '-' else path}" for path, count in sorted(paths.items(), key=lambda one: -one[1])[:8])
        pairs.append(("Machines by their path to the manager", said(told)))
    if links := seen.told.get("ring", {}).get("links"):
        pairs += [("The manager's links", plain(f"{links['connections']}, {links['near']} of them to its neighbours on the ring")),
                  ("What it relayed for others", plain(f"{table.size(links['relayed_bytes'])} in {links['relayed_frames']} frames")),
                  ("What it sent and received", plain(f"{table.size(links['sent'])} and {table.size(links['received'])} in {table.duration(links['uptime'])}"))]
    return Html(f'<h2>The ring</h2>{rows(pairs)}<p><a href="{ways_of.RING}">A picture of it</a></p>') if pairs else Html("")


def _show_machines(query: "Mapping[str, str]", key: str) -> bytes:
    """All machines. ValueError, as of the two below: what is asked for is nothing of the kind."""
    asked = MACHINES.read(query)
    seen = snapshot.look()
    beyond = seen.told.get("beyond", 0)
    told = [[*one[:6], NOW, *one[6:8], *(one[8:] or (0, 0))] for one in seen.told.get("machines", [])]
    told += [[name, OFF, owner, "-", "-", 0, when, 0, 0, given, jobs] for name, owner, when, given, jobs in seen.told.get("off", [])]
    form, shown = MACHINES.show(told, asked, " Some machines beyond these are not shown." if beyond else "")
    return _page("Machines", seen, key, form, shown)


def _show_jobs(query: "Mapping[str, str]", key: str) -> bytes:
    """All jobs by person and project."""
    asked = JOBS.read(query)
    seen = snapshot.look()
    form, shown = JOBS.show(counted(seen.told.get("jobs", [])), asked, " Queues tell this every 5 minutes, or sooner.")
    return _page("Jobs", seen, key, form, shown)


def counted(told: "list[list[Any]]") -> "list[list[Any]]":
    """Rows of jobs, [PERSON@QUEUE, project, running, waiting, held], with AtLeast where all rows of their queue make as many jobs of a state as it looks at."""
    sums: dict[str, list[int]] = {}
    for row in told:
        of_queue = sums.setdefault(row[0].rpartition("@")[2], [0, 0, 0])
        of_queue[:] = (have + more for have, more in zip(of_queue, row[2:]))
    return [[*row[:2], *(AtLeast(count) if have >= most else count for count, have, most in zip(row[2:], sums[row[0].rpartition("@")[2]], MOST_COUNTED))]
            for row in told]


def _show_owners(query: "Mapping[str, str]", key: str) -> bytes:
    """Who gave how much."""
    asked = OWNERS.read(query)
    seen = snapshot.look()
    now: dict[str, int] = {}
    for one in seen.told.get("machines", []):
        now[one[2]] = now.get(one[2], 0) + 1
    given = {one[0]: one[1:] for one in seen.told.get("owners", [])}
    told = [[name, now.get(name, 0), *given.get(name, (0, 0, 0, 0))] for name in {**given, **now}]
    form, shown = OWNERS.show(told, asked, " What machine and queue both told of counts.")
    return _page("Owners", seen, key, form, shown)


def _show_map(query: "Mapping[str, str]", key: str) -> bytes:
    """Where owners say that their machines are."""
    asked = PLACES.read(query)
    seen = snapshot.look()
    told: list[list[int]] = sorted(seen.told.get("places", []), key=lambda one: int(one[2]), reverse=True)
    places = [((north, east), machines, jobs) for north, east, machines, jobs in told]
    known = len(seen.told.get("machines", []))
    says = f"{sum(one[1] for one in places)} of {known} machines tell where they are: {len(places)} place{'' if len(places) == 1 else 's'}."
    if len(places) > atlas.MOST:
        says += f" Drawn are the {atlas.MOST} with the most machines; {len(places) - atlas.MOST} more are in the table alone."
    form, shown = PLACES.show([[place.words(where), machines, jobs] for where, machines, jobs in places], asked, " By whole degrees, as owners typed them.")
    return _page("Map", seen, key, form, atlas.world(places, says), shown)


def _show_ring(query: "Mapping[str, str]", key: str) -> bytes:
    """How the manager reaches each member."""
    asked = LINKS.read(query)
    seen = snapshot.look(with_members=True)
    own = seen.told.get("ring")
    known = members.heard(own["members"]) if own else []
    told = ring.rows(known, seen.told.get("machines", []))
    beyond = " Some members beyond these are not shown." if own and own["beyond"] else ""
    form, shown = LINKS.show(told, asked, f"{beyond} Links between other machines are not known here.")
    wanted = [one for one, row in zip(known, told) if LINKS.is_wanted(row, asked)]
    return _page("Ring", seen, key, form, ring.picture(own["host"], known, wanted) if own else "", shown)


PAGES: "dict[str, Callable[[Mapping[str, str], str], bytes]]" = {
    ways_of.POOL: _overview, ways_of.MACHINES: _show_machines, ways_of.JOBS: _show_jobs, ways_of.OWNERS: _show_owners,
    ways_of.MAP: _show_map, ways_of.RING: _show_ring}


def answer(path: str, query: "Mapping[str, str]", key: str) -> bytes:
    """One of the pages for who is in; Refused where there is none."""
    if not snapshot.is_there():
        raise Refused(404, "No pool page here", "This machine has no pool yet.")
    try:
        return PAGES[path](query, key)
    except ValueError as error:
        raise Refused(400, "No such table", f"{error}.") from None
