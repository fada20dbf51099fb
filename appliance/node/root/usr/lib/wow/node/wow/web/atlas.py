"""The map of the world: a file of the machine's (appliance/map) on a grid of half a degree, and what the server draws over it."""
from wow.agent import allowed
from wow.lib.errors import WowError
from wow.place import state
from wow.web.html import Html, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from wow.place.state import Place

NAME = "world.svg"
FILE = f"/{NAME}"
STEPS = 2
"""Steps of the map's grid in a degree, which are pixels where the map is as large as it says."""
WIDE, HIGH = 360 * STEPS, 180 * STEPS
MOST = 500
"""Places that are drawn, those with the most machines."""
LEAST, WIDEST = 4, 24
"""Steps of a dot's radius for one machine, and at most; its area grows as the number does."""


def at(place: "Place") -> str:
    """Where a circle stands."""
    return f'cx="{(place[1] + 180) * STEPS}" cy="{(90 - place[0]) * STEPS}"'


def clicked(left: str, top: str) -> dict[str, str]:
    """What the agent is asked for a click, whose pixels the browser counts; WowError for none. A key that presses the map as a button is told as 0 and 0."""
    pixels = [int(part) for part in (left, top) if part.isascii() and part.isdigit() and len(part) < 4]
    if len(pixels) != 2 or pixels == [0, 0] or pixels[0] >= WIDE or pixels[1] >= HIGH:
        raise WowError("that was no click on the map", "Click on it, or type the degrees below", code=allowed.BAD_REQUEST)
    return {"latitude": str(90 - (pixels[1] + 0.5) / STEPS), "longitude": str((pixels[0] + 0.5) / STEPS - 180)}


def mark(place: "Place | None") -> Html:
    """A dot that lies over the map of the same size, and takes no click."""
    dot = f'<circle class="dot" {at(place)} r="{LEAST}"/>' if place else ""
    return Html(f'<svg class="marks" viewBox="0 0 {WIDE} {HIGH}" aria-hidden="true">{dot}</svg>')


def world(places: "Sequence[tuple[Place, int, int]]", says: str) -> Html:
    """The map with a dot for each (place, machines, running jobs), the largest first and so below. says: the same in words."""
    dots = "".join(f'<circle class="dot" {at(place)} r="{min(LEAST * machines ** 0.5, WIDEST):.1f}"><title>{plain(state.words(place))}: {machines} '
                   f"machine{'' if machines == 1 else 's'}, {jobs} running</title></circle>" for place, machines, jobs in places[:MOST])
    return Html(f'<figure><div class="wide" tabindex="0" role="region" aria-label="Map"><svg class="picture" viewBox="0 0 {WIDE} {HIGH}" role="img" '
                f'aria-label="{plain(says)}"><image href="{FILE}" width="{WIDE}" height="{HIGH}"/>{dots}</svg></div><figcaption>{plain(says)}</figcaption></figure>')
