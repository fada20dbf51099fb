"""Where the owner says that this machine is, to a whole degree: a small file beside that of the pause, written as a whole. A bad one is as none. The machine's ad
has it as LATITUDE LONGITUDE, degrees north and east."""
import os

from wow.lib import files
from wow.lib.errors import WowError
from wow.lib.whole import is_whole
from wow.pause import state as pauses

FILE = f"{pauses.FOLDER}/place.json"
NAMES = ("latitude", "longitude")
MOST = (90, 180)
"""Degrees of each, to the north and south and to the east and west."""
SIDES = ("NS", "EW")
ATTRIBUTE = "WowPlace"

TYPE_CHECKING = False
if TYPE_CHECKING:
    Place = tuple[int, int]


def read() -> "Place | None":
    """The place that is told: none where the file is no good, which `wow place` and the web page tell."""
    try:
        return load()
    except WowError:
        return None


def load() -> "Place | None":
    """What the file has, None where there is none; WowError if it is no good."""
    found = pauses.from_file(FILE, _bad)
    if found is None:
        return None
    if set(found) != set(NAMES) or not all(is_whole(found[name], -most, most) for name, most in zip(NAMES, MOST)):
        raise _bad("is not as this program writes it")
    return found["latitude"], found["longitude"]


def _bad(what: str) -> WowError:
    return WowError(f"{what}, so no place is told", "Type `wow place none`, or say the place again", FILE)


def keep(place: "Place | None") -> None:
    """Writes the file as a whole, so that it outlives a power cut, or removes it. OSError says why it cannot."""
    import json
    if place is not None:
        files.write(FILE, json.dumps(dict(zip(NAMES, place))) + "\n", sync=True)
        return
    try:
        os.unlink(FILE)
    except FileNotFoundError:
        return
    files.sync_folder(FILE)


def words(place: "Place") -> str:
    """For people: 47 N, 8 E."""
    return ", ".join(str(abs(value)) + (f" {sides[value < 0]}" if value else "") for value, sides in zip(place, SIDES))


def told(place: "Place") -> str:
    """As the machine's ad has it."""
    return f"{place[0]} {place[1]}"


def heard(text: object) -> "Place | None":
    """What a machine's ad says, which may be anything; None for what no machine of ours says."""
    parts = text.split(" ") if isinstance(text, str) and len(text) <= 8 else []
    if len(parts) != 2 or not all(part.removeprefix("-").isdigit() and part.isascii() for part in parts):
        return None
    place = int(parts[0]), int(parts[1])
    return place if told(place) == text and all(abs(value) <= most for value, most in zip(place, MOST)) else None
