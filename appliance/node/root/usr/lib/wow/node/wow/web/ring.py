"""A picture of the ring as a manager has it (history/members.py). Of links between other machines the manager knows nothing, so none is drawn."""
import math

from wow.history.members import KINDS, Member, NEAR, OTHER, RELAY, RING, SHORTCUT, TCP, UDP, UNKNOWN, USES
from wow.lib import names, table
from wow.web.html import Html, plain

MOST = 1000
"""Members that are drawn at most: near ones, then shortcuts, then the others."""
NAMED = 60
"""Members of which each has its name beside it."""
WIDE, HIGH, RADIUS = 800, 620, 280
NONE = "no session"
CLASSES = {UDP: "udp", TCP: "tcp", RELAY: "relayed"}

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Place = tuple[int, int]


def rows(known: list[Member], machines: "list[list[Any]]") -> "list[list[Any]]":
    """What the table has of each member, and of each machine that no session is with: name, path, relay, round trip, what for, what the machine says of its path."""
    paths = {one[0]: one[4] for one in machines}
    found = [[one.name, one.kind, one.way, one.rtt, one.use, paths.pop(one.name, "-")] for one in known]
    return found + [[name, NONE, "-", UNKNOWN, "-", path] for name, path in paths.items()]


def trip(value: float) -> Html:
    """A round trip."""
    return plain("-" if value < 0 else table.milliseconds(value))


def picture(host: str, known: list[Member], wanted: list[Member]) -> Html:
    """The ring with this manager, whose name is `host`, at the top, and a line to each wanted member that it has a path to. known: all, of whom the words tell."""
    kept = {id(one) for one in sorted(wanted, key=lambda one: USES.index(one.use))[:MOST]}
    drawn = [one for one in wanted if id(one) in kept]
    number = {id(one): place for place, one in enumerate(known)}
    at = {number[id(one)]: _place((place + 1) / (len(drawn) + 1)) for place, one in enumerate(drawn)}
    placed = [(one, at[number[id(one)]]) for one in drawn]
    top, name = _place(0), plain(names.clean(host))
    is_few = len(drawn) <= NAMED
    dots = "".join(_dot(one, *place, 4 if is_few else 2) for one, place in placed)
    words = "".join(_label(one.name, *place) for one, place in placed) if is_few else ""
    says = told(known, len(drawn))
    return Html(f'<figure><div class="wide" tabindex="0" role="region" aria-label="Picture of the ring"><svg class="ring{"" if is_few else " crowd"}" '
                f'viewBox="0 0 {WIDE} {HIGH}" role="img" aria-label="{plain(says)}"><circle class="axis" cx="{WIDE // 2}" cy="{HIGH // 2}" r="{RADIUS}"/>'
                f'{_lines(placed, at)}{dots}<circle class="dot" cx="{top[0]}" cy="{top[1]}" r="8"><title>{name}: the manager</title></circle>{words}'
                f'<text x="{top[0]}" y="{top[1] - 12}" text-anchor="middle">{name}</text></svg></div><figcaption>{plain(says)} '
                "A whole line is direct by UDP, one of dashes by TCP, one of dots goes over a relay; an empty circle has no line, for it is reached over the ring. The "
                "thickest lines are to near neighbours, the next to shortcuts.</figcaption></figure>")


def _lines(placed: "list[tuple[Member, Place]]", at: "dict[int, Place]") -> str:
    """From this manager to all who have a path, in one path of SVG for each kind of line. One that goes over a relay goes by way of it, where that is drawn."""
    left, top = _place(0)
    found: dict[str, list[str]] = {}
    for one, place in placed:
        if one.kind != RING:
            across = at.get(one.relay)
            way = f"L{across[0]} {across[1]}" if across else ""
            found.setdefault(f"{CLASSES[one.kind]} {one.use}", []).append(f"M{left} {top}{way}L{place[0]} {place[1]}")
    return "".join(f'<path class="link {kind}" d="{"".join(parts)}"/>' for kind, parts in sorted(found.items()))


def _dot(one: Member, left: int, below: int, size: int) -> str:
    about = [f"{one.kind} {one.way}" if one.kind == RELAY else one.kind, *([one.use] if one.use != OTHER else []),
             *([table.milliseconds(one.rtt)] if one.rtt >= 0 else [])]
    return (f'<circle class="{"far" if one.kind == RING else "dot"}" cx="{left}" cy="{below}" r="{size}">'
            f"<title>{plain(one.name)}: {plain(', '.join(about))}</title></circle>")


def told(known: list[Member], drawn: int) -> str:
    """The picture in words."""
    count = {kind: sum(one.kind == kind for one in known) for kind in KINDS}
    kinds = ", ".join(f"{number} {kind}" for kind, number in count.items() if number)
    near, far = (sum(one.use == use for one in known) for use in (NEAR, SHORTCUT))
    text = (f"The manager has a session with {len(known)} member{'' if len(known) == 1 else 's'} of the ring{': ' + kinds if kinds else ''}. "
            f"Near neighbours: {near}; shortcuts: {far}.")
    return text + (f" Drawn are {drawn} of them: those that are looked for, {MOST} at most, first neighbours and shortcuts." if drawn < len(known) else "")


def _place(part: float) -> "Place":
    """Where on the circle, clockwise from its top."""
    turn = 2 * math.pi * part
    return round(WIDE / 2 + RADIUS * math.sin(turn)), round(HIGH / 2 - RADIUS * math.cos(turn))


def _label(name: str, left: int, below: int) -> str:
    is_right = left >= WIDE // 2
    shown = name if len(name) <= 16 else f"{name[:15]}…"
    return f'<text x="{left + (8 if is_right else -8)}" y="{below + 4}"{"" if is_right else " text-anchor=" + chr(34) + "end" + chr(34)}>{plain(shown)}</text>'
