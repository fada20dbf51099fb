"""Disk controllers and network cards that the machine drives (docs/contract/hardware.json)."""
import pathlib
from typing import NamedTuple

from contract.source import Broken, load

SOURCE = "docs/contract/hardware.json"


class Device(NamedTuple):
    """One of them: its name for people, its driver; of a controller the initrd's set. `qemu`: what gives QEMU's `machine` one; none where it has none."""
    name: str
    driver: str
    qemu: tuple
    machine: str = "q35"
    set: str = ""


def _read(root: pathlib.Path, kind: str) -> list:
    found = []
    for one in load(root / SOURCE)[kind]:
        found.append(Device(one["name"], one["driver"], tuple(one.get("qemu", ())), one.get("machine", "q35"), one.get("set", "")))
    if len({one.driver for one in found}) < len(found):
        raise Broken(f"{SOURCE}: a driver stands twice in {kind}")
    return found


def controllers(root: pathlib.Path) -> list:
    """All controllers of disks."""
    return _read(root, "controllers")


def cards(root: pathlib.Path) -> list:
    """All network cards."""
    return _read(root, "cards")


def lines(devices: list) -> list:
    """Rows of a table: name, driver, whether it was tried."""
    return [[one.name, f"`{one.driver}`", "yes" if one.qemu else "no"] for one in devices]
