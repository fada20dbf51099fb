"""A disk that holds a whole machine, in any format that hypervisors open: its partitions, read and written in place by way of QEMU's own drivers."""

import json
import shutil
from typing import NamedTuple

import headers
import tools
from partitions import CONFIG, HOME, SYSTEM  # noqa: F401 # named here beside the others
from tools import ImageError, ToldError

SECTOR, MIB = 512, 1 << 20
BOOT = "WOWESP"
FORMS = {"qcow2": b"QFI\xfb", "vhdx": b"vhdxfile", "vmdk": b"KDMV"}
"""What a file of each format begins with. A raw disk is known by its partition table: qemu would take any file for one."""
TABLE = b"EFI PART"
COPY_AT = SECTOR + 32
"""Where the table says which sector its copy has, the disk's last one (UEFI 2.10, 5.3.2)."""
SOUND = (0, 3)
"""Exit codes of `qemu-img check`: no fault; room that is lost, which harms nothing (qemu-img(1))."""
WRITTEN = "monolithicSparse"
"""The form of VMDK that can be written in place."""


class Part(NamedTuple):
    """Start and size of a partition, in bytes."""
    start: int
    size: int


class OneDisk(NamedTuple):
    """`shown` is what people call it; `form` is qcow2, vhdx, vmdk or raw; `parts` are the partitions by name."""
    path: object
    shown: object
    form: str
    parts: dict


def form_of(path):
    """The format by the file's first bytes, or None."""
    with open(path, "rb") as file:
        head = file.read(SECTOR + len(TABLE))
    if head[SECTOR:] == TABLE:
        return "raw"
    return next((form for form, magic in FORMS.items() if head.startswith(magic)), None)


def known(path, shown):
    """The format of a disk. ImageError where it is none."""
    form = form_of(path)
    if form is None:
        raise ImageError(f"{shown}: is no disk image (qcow2, VHDX, VMDK, raw); give one that `make image` made")
    return form


def alone(path, shown):
    """The same of one that anybody may have made. ImageError where it names other files or addresses, too."""
    form = known(path, shown)
    if wrong := headers.wrong(path, form):
        raise ImageError(f"{shown}: {'. '.join(wrong)}")
    return form


def copy_raw(path, form, out, shown, far=None):
    """Copies all of a disk of this format into the raw file `out`, sparse; far: as `tools.follow` takes it. Without its format QEMU would take what a machine wrote to a raw disk for a header."""
    tools.run("qemu-img", "convert", "-p", "-f", form, "-O", "raw", path.resolve(), out, about=shown, into=out, far=far)


def look(file, scratch, shown=None):
    """The OneDisk of a file. ImageError where it is none, is damaged, or a machine runs from it. `scratch` is a folder for what is made meanwhile."""
    path, shown = file.resolve(), shown or file
    form = alone(path, shown)
    if form != "raw":
        check(path, form, shown)
    disk = OneDisk(path, shown, form, {})
    head = scratch / "head"
    read(disk, Part(0, MIB), head)
    with open(head, "r+b") as table:
        table.seek(COPY_AT)
        size = (int.from_bytes(table.read(8), "little") + 1) * SECTOR
        if form == "raw" and size > path.stat().st_size:
            raise ImageError(f"{shown}: was cut short: it ends before its partitions do; take a whole copy")
        table.seek(SECTOR)
        # As long as the table says, for sfdisk takes none of a disk that is too short.
        try:
            table.truncate(size if table.read(len(TABLE)) == TABLE else MIB)
        except (OverflowError, OSError) as error:
            raise ImageError(f"{shown}: is damaged: its partition table says that it has {size} bytes; take a whole copy") from error
    parts = {entry.get("name"): Part(entry["start"] * SECTOR, entry["size"] * SECTOR) for entry in table_of(head, shown)["partitions"]}
    if not {BOOT, SYSTEM} <= parts.keys():
        raise ImageError(f"{shown}: has no partitions {BOOT} and {SYSTEM}: it is no system of WOW; give an image that `make image` made")
    return disk._replace(parts=parts)


def table_of(raw, shown):
    """The partition table of a raw disk, as sfdisk sees it. ImageError where there is none."""
    try:
        return {"partitions": []} | json.loads(tools.run("sfdisk", "--json", raw, about=shown))["partitiontable"]
    except ImageError as error:
        raise ImageError(f"{shown}: has no partition table: it is no disk of a WOW machine; give one that `make image` made") from error


def check(path, form, shown):
    """ImageError where the format's own tables are damaged, as those of a file that was cut short are."""
    try:
        tools.run("qemu-img", "check", "-q", "-f", form, path, about=shown, good=SOUND)
    except ToldError:
        raise
    except ImageError as error:
        raise ImageError(f"{shown}: is damaged or was cut short ({str(error).removeprefix(f'{shown}: ')}); take a whole copy") from error


def options(disk, part):
    """A part of the disk as qemu's tools name it. Commas in a file's name are written twice."""
    name = str(disk.path).replace(",", ",,")
    inner = f"file.driver=file,file.filename={name}" if disk.form == "raw" else f"file.driver={disk.form},file.file.driver=file,file.file.filename={name}"
    return f"driver=raw,offset={part.start},size={part.size},{inner}"


def read(disk, part, out):
    """Copies a part into the raw file `out`, sparse."""
    tools.run("qemu-img", "convert", "-O", "raw", "--image-opts", options(disk, part), out, about=disk.shown, into=out)


def write(disk, part, *command, cwd):
    """Has qemu-io do one command on a part, and ends when all is on the disk. Files that it reads lie in `cwd`, for it takes a command apart at blanks."""
    tools.run("qemu-io", "--image-opts", options(disk, part), "-c", " ".join(map(str, command)), "-c", "flush", about=disk.shown, cwd=cwd)


def writable(disk):
    """ImageError where the form of the file cannot be written in place."""
    if disk.form != "vmdk":
        return
    about = json.loads(tools.run("qemu-img", "info", "--output=json", "-f", disk.form, disk.path, about=disk.shown))
    kind = about["format-specific"]["data"]["create-type"]
    if kind != WRITTEN:
        raise ImageError(f"{disk.shown}: is a VMDK of the form {kind}, which cannot be changed in place; stamp the qcow2, or make one with: wow image convert")


def room(disk, wanted):
    """ImageError where there is no room for so many bytes more."""
    free = shutil.disk_usage(disk.path).free
    if free < wanted:
        raise ImageError(f"{disk.shown}: there is no room left where it lies: {wanted >> 20} MiB are needed, {free >> 20} are free; nothing was changed")
