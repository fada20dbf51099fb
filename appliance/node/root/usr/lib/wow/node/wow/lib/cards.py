"""The machine's network cards, and those for which the kernel has no driver."""
import os

from wow.lib import files, paths
from wow.lib.errors import WowError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

PCI = "/sys/bus/pci/devices"
INTERFACES = "/sys/class/net"
ETHERNET = "1"  # ARPHRD_ETHER, the kernel's include/uapi/linux/if_arp.h
NETWORK = "0x02"
"""PCI's base class of network controllers (PCI Code and ID Assignment, part 1)."""


def trouble(pci: str = PCI, interfaces: str = INTERFACES) -> WowError | None:
    """Why the machine has no network of its own, and what to do; None where it has a card that works."""
    if any(name != paths.TAP and _says(f"{interfaces}/{name}/type") == ETHERNET for name in _names(interfaces) if name != "lo"):
        return None
    strange = [f"{_says(f'{pci}/{slot}/vendor')[2:]}:{_says(f'{pci}/{slot}/device')[2:]}" for slot in _names(pci)
               if _says(f"{pci}/{slot}/class").startswith(NETWORK) and not os.path.exists(f"{pci}/{slot}/driver")]
    if not strange:
        return WowError("there is no network card", "Give the machine one of the kind virtio or vmxnet3 in the hypervisor's settings, and start it again", "",
                        "network")
    which = f"network card {strange[0]} has" if len(strange) == 1 else f"network cards {' and '.join(strange)} have"
    return WowError(f"{which} no driver here", "Choose virtio or vmxnet3 for its kind in the hypervisor's settings, and start the machine again", "", "network")


def without_ipv4(has_address: "Callable[[str], bool]", interfaces: str = INTERFACES) -> bool:
    """Whether cards are connected, and none of them has an IPv4 address."""
    connected = [name for name in _names(interfaces) if os.path.exists(f"{interfaces}/{name}/device") and _has_carrier(f"{interfaces}/{name}/carrier")]
    return bool(connected) and not any(has_address(name) for name in connected)


def _has_carrier(path: str) -> bool:
    try:
        return _says(path) == "1"
    except OSError:
        return False  # The card is down: then the kernel does not say.


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except FileNotFoundError:
        return []


def _says(path: str) -> str:
    return files.read(path).strip()
