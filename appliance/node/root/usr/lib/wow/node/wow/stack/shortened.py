"""A layer of a delta and of a former file, where that is less to fetch."""
import os

from wow.lib import files
from wow.lib.errors import WowError
from wow.stack import delta, peers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.stack.peers import Way
    from wow.stack.text import Layer


def layer(way: "Way", wanted: "Layer", change: "tuple[Layer, str] | None", folder: str) -> None:
    """Brings one layer, whole, into the folder: by its delta where there is a good one. change: the delta, and the former file. Busy; WowError as of fetch.layer."""
    if change is None or not by_delta(way, wanted, *change, folder):
        peers.layer(way, wanted, folder)


def by_delta(way: "Way", wanted: "Layer", change: "Layer", former: str, folder: str) -> bool:
    """Brings a layer's delta, and makes the layer of it and of the former file; whether that came out as was signed. Whatever is wrong with it, the whole is there.
    A good delta stays, for other machines. Busy."""
    part = f"{folder}/{wanted.digest}.part"
    try:
        peers.layer(way, change, folder)
        delta.make(wanted, former, f"{folder}/{change.digest}", part)
        is_right = files.digest(part) == wanted.digest
    except (WowError, OSError) as error:
        print(error, flush=True)  # for the journal
        is_right = False
    if is_right:
        print(f"{wanted.name}: {change.size} bytes of a delta in the place of {wanted.size}", flush=True)  # for the journal
        os.rename(part, f"{folder}/{wanted.digest}")
        files.sync_folder(part)
    elif os.path.exists(part):
        os.unlink(part)
    if not is_right and os.path.exists(f"{folder}/{change.digest}"):
        os.unlink(f"{folder}/{change.digest}")
    return is_right
