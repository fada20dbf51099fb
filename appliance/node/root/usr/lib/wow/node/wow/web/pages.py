"""The pages as HTML, from what was looked up (look.py) and who asks."""
from wow.lib import control, table
from wow.page import code, text
from wow.stops import holding, words
from wow.web import ca, computer, limits, place, refusing, screens, ways, work
from wow.web.html import Html, alert, button, form, moment, page, parts, plain, rows, said
from wow.web.html import table as grid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.slots.uses import Use
    from wow.web.look import Seen

CHOICES = (("1h", "1 hour"), ("3h", "3 hours"), ("8h", "8 hours"), ("tomorrow", "until tomorrow, 6:00"), ("open", "until I say"))
"""How long a pause may last, as a form says it."""
LASTS = {name: words.length(name) for name, _ in CHOICES}
"""The same as the agent takes it."""


def login(given: str, wrong: str) -> bytes:
    """Asks for the code. given: what a link brought along; wrong: what was wrong with the last one."""
    brought = code.plain(given) if code.is_code(code.plain(given)) else ""
    fields = (f'<label for="code">Code</label><input id="code" name="code" value="{brought}" required maxlength="32" size="12"'
              ' autocomplete="one-time-code" autocapitalize="characters" autocorrect="off" spellcheck="false" aria-describedby="how">')
    how = (f'<p id="how">The code has {code.LENGTH} letters and digits, and is good once, for {code.LIFE // 60} minutes. '
           "Press <kbd>N</kbd> in the machine's window and it shows one. Who is logged in by ssh types <code>wow page</code>.</p>")
    return page("Log in: WOW", f"<h1>This machine's page</h1>{alert(said(wrong)) if wrong else ''}{how}{form('/login', '', fields + button('Log in'))}")


def message(title: str, what: str, key: str = "") -> bytes:
    """Says one thing, and leads back."""
    return page(f"{title}: WOW", f"<h1>{plain(title)}</h1>{alert(said(what))}<p><a href=\"/\">Back to the machine's page</a></p>", key)


def leave(key: str) -> bytes:
    """Asks whether that is meant."""
    inner = ('<p><input type="checkbox" id="sure" name="sure" value="yes" required> <label for="sure">Yes, this machine leaves its pool for good</label></p>'
             + button("Leave the pool", kind="grave"))
    says = ("<ul><li>Its jobs are given back: they run elsewhere.</li><li>Its key, its certificate and jobs that it queued are lost. Homes of people stay.</li>"
            "<li>It is switched off then. Started again, it waits for another pool's pool.conf, or for your word to join this pool again, as a new machine.</li></ul>")
    return page("Leave the pool: WOW", f"<h1>Leave the pool?</h1>{says}{form('/leave', key, inner)}<p><a href=\"/\">No, back</a></p>", key)


def left() -> bytes:
    """The last page that it shows."""
    says = "<p>Its jobs are given back, and then it is switched off. You can close this page, and remove the machine.</p>"
    return page("It leaves: WOW", f"<h1>It leaves its pool</h1>{says}")


def machine(seen: "Seen", key: str) -> bytes:
    """The machine's page."""
    status = seen.facts.status
    name = f"{status['host']}.{status['zone']}" if status and status["host"] else "This machine"
    troubles = "".join(alert(said(one)) for one in seen.troubles)
    has_slots = _has_slots(seen)
    shown = parts(troubles, f'<p class="state" role="status">{said(sentence(seen))}</p>', _jobs(seen), _wrong(seen), _acts(seen, key),
                  computer.line(seen.facts.pause, has_slots, key), limits.line(seen.facts.limits, has_slots), work.section(seen), refusing.section(seen, key),
                  _facts(seen), place.line(has_slots), screens.line(), _projects(seen))
    return page(f"{name}: WOW", f'<h1>{said(name)}</h1>{shown}{ways.link(seen)}{_authority()}'
                '<h2>Leave</h2><p>Who wants the machine out of its pool for good: <a href="/leave">leave the pool</a>.</p>', key)


def sentence(seen: "Seen") -> str:
    """The machine's state."""
    if seen.facts.pause and not seen.facts.developed:
        return words.sentence(seen.facts.pause, len(seen.facts.jobs))
    return text.state(seen.facts)


def _has_slots(seen: "Seen") -> bool:
    return bool(seen.pool and seen.pool.has_slots)


def _acts(seen: "Seen", key: str) -> Html:
    if not _has_slots(seen):
        return Html("<h2>Pause</h2><p>No jobs of the pool run on this machine, so there is nothing to pause.</p>")
    paused = seen.facts.pause
    options = "".join(f'<option value="{name}">{plain(shown)}</option>' for name, shown in CHOICES)
    how_long = f'<label for="for">For</label> <select id="for" name="for">{options}</select>'
    pause = form("/pause", key, how_long + button("Pause now", "how", "now") + button("Finish what runs, then pause", "how", "finish"))
    resume = form("/resume", key, button("Resume now", kind="strong")) if paused and paused.who not in holding.BY_ITSELF else ""
    says = ("Jobs that run go on to their end, and no other begins." if paused and paused.finish else "Jobs that stand still for half an hour go elsewhere." if paused
            else "Jobs stand still at once, and no other begins. Nothing of them is lost; after half an hour they go elsewhere.")
    return Html(f"<h2>{'Paused' if paused else 'Pause'}</h2><p>{says}</p>{resume}{pause}")


def _jobs(seen: "Seen") -> Html:
    if not _has_slots(seen):
        return Html("")
    facts = seen.facts
    if not facts.jobs:
        return Html("<h2>Running now</h2><p>No job runs.</p>")
    lines = [[said(job.whom), said(job.project or "none named"), moment(job.since(facts.now)), *_use(seen.uses.get(job.account))] for job in facts.jobs]
    return Html("<h2>Running now</h2>" + grid("Jobs on this machine", ["for", "project", "since", "processor time", "memory"], lines))


def _use(use: "Use | None") -> list[Html]:
    processor, memory = (use.processor, use.memory) if use else (None, None)
    return [plain("not known" if processor is None else table.duration(int(processor))), plain("not known" if memory is None else table.size(memory))]


def _wrong(seen: "Seen") -> Html:
    found = seen.facts.findings
    if found is None:
        return Html("<h2>What is wrong</h2><p>Not looked at yet.</p>")
    if not found:
        return Html(f"<h2>What is wrong</h2><p>Nothing, as of {moment(seen.facts.looked)}.</p>")
    lines = "".join(f"<li>{said(what)} {said(todo)}</li>" for what, todo in found)
    return Html(f"<h2>What is wrong</h2><ul>{lines}</ul><p>As of {moment(seen.facts.looked)}.</p>")


def _authority() -> Html:
    return Html('<h2>The pool\'s CA</h2><p>It is on this machine. Administrators of the pool: <a href="/ca">the CA\'s page</a>.</p>') if ca.is_here() else Html("")


def _facts(seen: "Seen") -> Html:
    status, pool, pairs = seen.facts.status, seen.pool, []
    if pool:
        pairs += [("Pool", said(pool.name + (" (open: who has its pool.conf can send jobs and read all)" if pool.open else ""))), ("What it is there", said(pool.role))]
        if pool.owner:
            pairs.append(("Whose it is", said(pool.owner)))
    if status:
        pairs += [("Address in the pool", said(status["address"] or "none yet")), ("Address on your own network", said(control.own_address(status) or "not known yet")),
                  ("Fingerprint of its key", said(status["node"]))]
        if certificate := status.get("certificate"):
            pairs.append(("Certificate", said(f"valid until {certificate['not_after']}")))
    return Html(f"<h2>This machine</h2>{rows(pairs)}") if pairs else Html("")


def _projects(seen: "Seen") -> Html:
    projects = seen.pool.projects if seen.pool else {}
    if not projects:
        return Html("")
    lines = []
    for name, told in projects.items():
        link = told.get("link", "")
        # The only reader of pool.conf lets links of the web alone pass.
        is_link = link.startswith(("http://", "https://"))
        more = f' <a href="{plain(link)}" rel="noreferrer">Read more<span class="hidden"> about {said(name)}</span></a>' if is_link else ""
        lines.append(f"<li><strong>{said(name)}</strong>: {said(told.get('says', ''))}{more}</li>")
    return Html(f"<h2>What the pool works for</h2><ul>{''.join(lines)}</ul>")
