"""Pools that this machine left. The disk, CD or partition with the configuration of one may still be there, and not every one can be taken away. So the initrd passes
over each pool.conf that is known here by its digest, and takes another one (appliance/initrd/config.sh, docs/decisions/0118)."""
import os

from wow.lib import files, paths
from wow.lib.errors import WowError

MOST = 64
"""Lines in each of the two at most; the oldest go."""
DIGEST = 64
"""Characters of a SHA-256."""
PASSED = "/run/layers/left"
"""Where the initrd notes `SHA256 POOL DEVICE` of the first one that it passed over."""


def had() -> str:
    """The file with a line `SHA256 POOL` of each pool.conf that counted since the machine forgot its pool last; the newest is the last one."""
    return f"{paths.STATE}/pool.had"


def left() -> str:
    """That with the same of those that counted in a pool that it left."""
    return f"{paths.STATE}/pool.left"


def note(pool: str, data: bytes, is_kept: bool) -> None:
    """This pool.conf counts: the machine has it, and has not left it. is_kept: it counted at the last start, too. OSError: no room."""
    if is_kept and os.path.exists(had()) and not os.path.exists(left()):
        return  # as nearly always: nothing is new, and no digest is made
    import hashlib
    digest = hashlib.sha256(data).hexdigest()
    if (line := f"{digest} {pool}") not in (before := _lines(had())):
        _write(had(), [*before, line])
    take_back(digest)


def leave() -> None:
    """The machine leaves its pool: none of what it had is taken at the next start. OSError: no room."""
    before = _lines(left())
    if new := [line for line in _lines(had()) if line not in before]:
        _write(left(), [*before, *new])


def take_back(digest: str) -> None:
    """The pool.conf of this digest counts as one that was never left. OSError: no room."""
    before = _lines(left())
    if stays := [line for line in before if line.split()[0] != digest]:
        if stays != before:
            _write(left(), stays)
    elif before:
        os.unlink(left())


def passed() -> tuple[str, str, str] | None:
    """(SHA-256, pool, device) of the first configuration that this start passed over, None where there was none."""
    words = (files.find_readable(PASSED) or "").split()
    return (words[0], words[1], words[2]) if len(words) == 3 else None


def waits(pool: str, device: str) -> WowError:
    """What a machine is told that has no other configuration than this one."""
    return WowError(f"this machine left pool {pool}, whose configuration is still on {device}, and it waits for that of another pool",
                    f"Give the other pool.conf to its web page, or attach a disk or CD that holds it and start again. To join {pool} again, press J at its screen")


def _lines(path: str) -> list[str]:
    """Those that make sense; a disk may spoil some."""
    return [line for line in (files.find_readable(path) or "").splitlines() if line.isascii() and line[DIGEST:DIGEST + 1] == " " and line.count(" ") == 1]


def _write(path: str, lines: list[str]) -> None:
    files.write(path, "".join(f"{line}\n" for line in lines[-MOST:]), 0o600, sync=True)
