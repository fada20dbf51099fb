"""GRUB's environment block, in which stands which system starts, and which is on trial (appliance/image/boot/grub.cfg). It is one block of a file, written in its
place, as GRUB itself does: no power cut harms the file system."""
import os

from wow.lib import system
from wow.lib.errors import WowError

SIZE = 1024
HEAD = "# GRUB Environment Block"
FILE = "grub/grubenv"
PARTITION = "WOWESP"
TRIES = "3"
"""Starts that a system on trial has."""
REMEDY = "Start this machine again; where that does not help, take a fresh image: home is kept"


def read(data: bytes) -> dict[str, str]:
    """The variables of a block; none where it is no block."""
    head, *lines = data.decode("latin-1").split("\n")
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#")) if head == HEAD else {}


def write(values: dict[str, str]) -> bytes:
    """The block of these variables."""
    return "".join(f"{line}\n" for line in (HEAD, *(f"{name}={value}" for name, value in values.items()))).ljust(SIZE, "#").encode("latin-1")


def change(path: str, values: dict[str, str]) -> bool:
    """Has the block say so; whether it did not before. It is on the disk then. OSError."""
    with open(path, "r+b", buffering=0) as file:
        data = file.read(SIZE)
        wanted = write({**read(data), **values})
        if len(data) != SIZE or len(wanted) != SIZE:
            raise WowError("is no environment block of GRUB's", REMEDY, path)
        if wanted == data:
            return False
        file.seek(0)
        file.write(wanted)
        os.fsync(file.fileno())
    return True


def device(mounted: str, mounts: str = "/proc/self/mounts", block: str = "/sys/class/block") -> str:
    """The partition of GRUB's files on the disk that has another one, which is mounted there. WowError."""
    with open(mounts, encoding="latin-1") as file:
        rows = (line.split(" ") for line in file)
        found = next((row[0].rpartition("/")[2] for row in rows if row[1] == mounted), "")
    disk = os.path.realpath(f"{block}/{found}/..")
    for name in sorted(os.listdir(disk)) if found else ():
        try:
            with open(f"{disk}/{name}/uevent", encoding="latin-1") as file:
                if f"PARTNAME={PARTITION}\n" in file.read():
                    return f"/dev/{name}"
        except (FileNotFoundError, NotADirectoryError):
            continue
    raise WowError(f"its disk has no partition {PARTITION}", REMEDY, mounted)


def set_on(partition: str, place: str, values: dict[str, str]) -> bool:
    """The same on the partition, which is mounted for that at a folder. WowError, OSError."""
    os.makedirs(place, 0o700, exist_ok=True)
    system.must(["mount", "-t", "vfat", "-o", "iocharset=ascii", partition, place], todo=REMEDY)
    try:
        return change(f"{place}/{FILE}", values)
    finally:
        system.must(["umount", place], todo=REMEDY)
