"""What those need of a pool.conf who cannot read it: lines KEY=VALUE, made by whoever makes the disk WOWCFG. The initrd finds `modules` in the file
beside pool.conf there, the Vagrantfile `user` in what `wow image stamp --lines` prints."""
from wow.config import poolconf
from wow.config.poolconf import Pool
from wow.lib import files, paths
from wow.lib.errors import WowError

NAME = "pool.lines"
FILE = f"{paths.DISK}/{NAME}"


def lines(pool: Pool) -> str:
    """The lines. `modules` is missing where the pool chooses none, `user` where it has nobody; else it is the first."""
    found = {"modules": " ".join(pool.modules or ()), "user": next(iter(pool.users), "")}
    return "".join(f"{key}={value}\n" for key, value in found.items() if value)


def of_file(path: str) -> str:
    """The lines of a file; none if it is no pool.conf, which the machine will tell."""
    try:
        return lines(poolconf.load(path))
    except WowError:
        return ""


def stale(pool: Pool, file: str = FILE) -> WowError | None:
    """What is wrong where the initrd was told of other modules than pool.conf names: somebody changed that on the disk alone."""
    if not pool.modules or f"modules={' '.join(pool.modules)}" in files.read(file).splitlines():
        return None
    return WowError("is missing or of another pool.conf: other modules may run than [modules] names", "Make the disk WOWCFG anew with `wow image stamp`", NAME)
