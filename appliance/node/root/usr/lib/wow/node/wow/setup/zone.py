"""The machine's time zone ([node] time-zone): /etc/localtime, as localtime(5) has it."""
import os

from wow.lib.errors import WowError

LINK = "/etc/localtime"
ZONES = "/usr/share/zoneinfo"


def choose(name: str, link: str = LINK, zones: str = ZONES) -> WowError | None:
    """Sets the zone; what is wrong where this image does not know it, and then the zone stays as it was. OSError: /etc cannot be written."""
    place = f"{zones}/{name}"
    if not os.path.isfile(place):
        return WowError(f'"{name}" is no time zone that this image knows; its times are those of UTC', "Write a name of the time zone database, like Europe/Berlin",
                        "pool.conf", "[node] time-zone")
    if not os.path.islink(link) or os.readlink(link) != place:
        # A power cut between these two leaves it; in develop it is there at the next start.
        if os.path.lexists(f"{link}.new"):
            os.unlink(f"{link}.new")
        os.symlink(place, f"{link}.new")
        os.rename(f"{link}.new", link)
    return None
