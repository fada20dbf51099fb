"""Where the pool page stands. The programs that make it are loaded when it is asked for: a machine's own page comes sooner, and in less memory, without them."""
from wow.web.html import Html

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.web.look import Seen

POOL = "/pool"
MACHINES, JOBS, OWNERS, MAP = f"{POOL}/machines", f"{POOL}/jobs", f"{POOL}/owners", f"{POOL}/map"
ALL = (POOL, MACHINES, JOBS, OWNERS, MAP)


def link(seen: "Seen") -> Html:
    """The way here from a manager's own page."""
    if seen.pool is None or not seen.pool.is_manager:
        return Html("")
    return Html(f'<h2>The pool</h2><p><a href="{POOL}">The whole pool</a>: its machines, jobs, owners, history and map.</p>')
