"""Where the pool page stands. The programs that make it are loaded when it is asked for: a machine's own page comes sooner, and in less memory, without them."""
from wow.web.html import Html

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.web.look import Seen

POOL = "/pool"
MACHINES, JOBS, OWNERS, MAP, RING = (f"{POOL}/{name}" for name in ("machines", "jobs", "owners", "map", "ring"))
ALL = (POOL, MACHINES, JOBS, OWNERS, MAP, RING)


def link(seen: "Seen") -> Html:
    """The way here from the machine's own page."""
    if seen.pool is None:
        return Html("")
    return Html(f'<h2>The pool</h2><p><a href="{POOL}">The whole pool</a>: its machines, jobs, owners, history, map and ring.</p>')
