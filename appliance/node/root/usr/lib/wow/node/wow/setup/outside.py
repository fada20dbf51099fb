"""What those need of a pool.conf who cannot read it: lines KEY=VALUE. The initrd finds `modules` in the file beside the pool.conf that was accepted last, or at
a first start in that of the disk WOWCFG, which `wow image stamp` makes; and `role` of a manager, on which no module is developed. The Vagrantfile finds
`user` in what `wow image stamp --lines` prints."""
from wow.config import poolconf
from wow.config.poolconf import Pool
from wow.lib import base, files
from wow.lib.errors import WowError

NAME = "pool.lines"


def lines(pool: Pool) -> str:
    """The lines. `modules` is missing where the pool chooses none, `user` where it has nobody; else it is the first. `role` is there on a manager."""
    found = {"modules": " ".join(pool.modules or ()), "user": next(iter(pool.users), ""), "role": pool.role if pool.is_manager else ""}
    return "".join(f"{key}={value}\n" for key, value in found.items() if value)


def of_file(path: str) -> str:
    """The lines of a file; none if it is no pool.conf, which the machine will tell."""
    try:
        return lines(poolconf.load(path))
    except WowError:
        return ""


def keep(pool: Pool, folder: str) -> None:
    """Keeps in the state folder the lines of the accepted pool.conf for the initrd of the next start. OSError: no room."""
    file = f"{folder}/{NAME}"
    if files.find_readable(file) != lines(pool):
        files.write(file, lines(pool), 0o600, sync=True)


def trouble(pool: Pool, file: str = base.CHOSEN) -> WowError | None:
    """What is wrong with the modules that the initrd stacked: a pool.conf that is new to this machine counts at the next start, and a layer may be missing."""
    if files.find(file) is None:
        return None
    found, chosen = base.chosen(file), list(pool.modules or ())
    if found.get("modules") != chosen:
        return WowError("this start has other modules than the file chooses, for it is new to this machine", "Start the machine once more: it has them then",
                        "pool.conf", "[modules] names")
    if absent := " ".join(found.get("absent", ())):
        return WowError(f"there is no layer named {absent}; the machine started without", "Take an image that has it, or have it published; or correct "
                        "the name in pool.conf", "pool.conf", "[modules] names")
    if more := [name for name in found.get("stacked", ()) if chosen and name not in chosen]:
        return WowError(f"the machine has {', '.join(more)} too, for the stack has no glue for the others alone", "Choose all of them, or others; or have a stack "
                        f"made for this choice: wow image stack --choice '{' '.join(chosen)}'", "pool.conf", "[modules] names")
    return None
