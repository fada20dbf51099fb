"""Which pool.conf counts: the one on the disk WOWCFG, or the copy that was accepted before. A machine that has a certificate belongs to
its pool; a pool.conf of another pool is refused until `wow reset`."""
import os

from wow.config import poolconf
from wow.config.poolconf import Pool
from wow.lib import der, files, paths, pem
from wow.lib.errors import WowError
from wow.setup import former

NAME = "pool.conf"
DISK_FILE = f"{paths.DISK}/{NAME}"
KEPT_FILE = f"{paths.STATE}/{NAME}"


def choose(disk_file: str = DISK_FILE, kept_file: str = KEPT_FILE, certificate: str = f"{paths.STATE}/node.pem") -> tuple[Pool, bytes, WowError | None]:
    """(Pool, its bytes, the WowError that made it take the kept copy or None). Raises WowError when there is nothing to take."""
    kept = kept_one(kept_file)
    try:
        pool = poolconf.load(disk_file)
        with open(disk_file, "rb") as file:
            data = file.read()
        if kept and os.path.exists(certificate):
            _same_pool(kept[0], pool)
        return pool, data, None
    except WowError as error:
        if kept is None:
            if (passed := former.passed()) and not os.path.exists(disk_file):
                raise former.waits(*passed[1:]) from None
            raise
        return *kept, error if os.path.exists(disk_file) else None


def kept_one(path: str) -> tuple[Pool, bytes] | None:
    """(Pool, its bytes) of the copy that was accepted; None where there is none that can be read."""
    try:
        with open(path, "rb") as file:
            data = file.read()
        return poolconf.read(data, path), data
    except (OSError, WowError):
        return None


def authority() -> bytes | None:
    """The CA's certificate that is kept, None where there is none; that of the accepted pool.conf where its own file cannot be read: a bad sector makes no other pool
    of this one."""
    kept = pem.certificate(files.find_readable(f"{paths.STATE}/ca.pem"))
    if kept is None and (accepted := kept_one(f"{paths.STATE}/{NAME}")):
        kept = accepted[0].ca_der
    return kept


def _same_pool(kept: Pool, new: Pool) -> None:
    for key, is_same in (("[pool] name", kept.name == new.name), ("[pool] open", kept.open == new.open), ("[ca] certificate", der.is_renewal(kept.ca_der, new.ca_der))):
        if not is_same:
            raise WowError("is of another pool than this machine's certificate", f"To leave pool {kept.name}: L at this machine's screen, its "
                           "web page, or wow reset; until then the accepted pool.conf counts", "pool.conf", key)


def is_kept(data: bytes, path: str = KEPT_FILE) -> bool:
    """Whether this is the file that was accepted last."""
    try:
        with open(path, "rb") as file:
            return file.read() == data
    except OSError:
        return False  # what the disk cannot read is replaced as what is not there


def keep(data: bytes, path: str = KEPT_FILE) -> None:
    """Keeps the accepted file in the state folder. OSError: no room."""
    if not is_kept(data, path):
        files.write(path, data, 0o600, sync=True)
