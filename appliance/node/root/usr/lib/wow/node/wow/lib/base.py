"""Which base this machine stands on: the day of its Debian packages, and the ABI number, which stays as long as what programs are linked against does."""
from wow.lib import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    class Base(TypedDict):
        """What `wow status --json` says of it."""
        sha256: str
        date: str
        abi: str

ABOUT = "/usr/lib/wow/base.json"
"""In the node's layer: what appliance/layers/about said of the base below it."""
STACK, STARTED = "/run/layers/image", "/run/layers/list"
"""The list of the system that runs, A or B, by a link of the initrd's; and the one that the initrd took at this start, which the pool may have published."""

CHOSEN = "/run/layers/modules"
"""What the initrd took of that list, lines KEY=VALUE: `modules=`, what pool.conf chose; `absent=`, those of them that no layer has; `stacked=`, what the machine has."""


def chosen(file: str = "") -> dict[str, list[str]]:
    """The names in each of its lines; nothing where an older initrd left none."""
    pairs = (line.split("=", 1) for line in files.read(file or CHOSEN).splitlines() if "=" in line)
    return {key: names.split() for key, names in pairs}


def started() -> str:
    """Where the list of this start's layers is; that of the image where an older initrd left none."""
    return STARTED if files.find(STARTED) else STACK


def below(about: str = ABOUT, stack: str = STACK) -> "Base | None":
    """The base; None where the node's layer says nothing, or where another one was put below it."""
    text, listed = files.find(about), files.find(stack)
    if text is None:
        return None
    import json
    found = json.loads(text)
    if listed is not None and found["sha256"] not in listed:
        return None
    return {"sha256": found["sha256"], "date": found["date"], "abi": found["abi"]}
