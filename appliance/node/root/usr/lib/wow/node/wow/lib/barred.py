"""The addresses whose certificates the CA revoked, as this machine learned it last. Jobs there are taken back at once (jobs/keeper.py).

One file: when it was written, in seconds since the kernel began, and the addresses. It says nothing of who has such an address later."""
from wow.lib import console, files, paths

FILE = f"{paths.RUN}/revoked"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable


def write(addresses: "Iterable[str]", path: str = FILE) -> None:
    """Keeps these in the place of those before."""
    files.write(path, "\n".join([f"{console.uptime():.2f}", *sorted(addresses), ""]))


def read(path: str = FILE) -> tuple[float, set[str]]:
    """(for how many seconds it has been known, the addresses)."""
    if (text := files.find(path)) is None:
        return 0.0, set()
    written, *addresses = text.split()
    return console.uptime() - float(written), set(addresses)
