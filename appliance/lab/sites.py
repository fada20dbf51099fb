"""The machines of the lab and the networks they stand in. All addresses are of the documentation and private ranges."""

from dataclasses import dataclass

INTERNET = "wowlab-inet"
INTERNET_BRIDGE = "inet0"
INTERNET_PREFIX = "198.51.100"


@dataclass(frozen=True)
class Machine:
    """One virtual machine: where it stands and how the world sees it."""

    name: str
    role: str
    mac: str
    namespace: str
    bridge: str
    prefix: str
    address: str
    public: str

    @property
    def tap(self):
        """The host's side of the machine's network card."""
        return "vm-" + self.name

    @property
    def gateway(self):
        """The router, DHCP server and resolver that the machine sees."""
        return self.prefix + ".1"

    @property
    def behind_nat(self):
        """False for a machine that stands on the public network itself."""
        return self.namespace != INTERNET


def _behind(name, number):
    return Machine(name, "worker", f"52:54:00:57:4f:{number:02x}", "wowlab-" + name, "lan0", f"192.168.{number}",
                   f"192.168.{number}.100", f"{INTERNET_PREFIX}.{number}")


MANAGER = Machine("manager", "manager", "52:54:00:57:4f:0a", INTERNET, INTERNET_BRIDGE, INTERNET_PREFIX,
                  INTERNET_PREFIX + ".10", INTERNET_PREFIX + ".10")
SECOND = Machine("second", "manager", "52:54:00:57:4f:0b", INTERNET, INTERNET_BRIDGE, INTERNET_PREFIX,
                 INTERNET_PREFIX + ".11", INTERNET_PREFIX + ".11")
ALPHA = _behind("alpha", 21)
BETA = _behind("beta", 22)
GAMMA = _behind("gamma", 23)

POOL = (MANAGER, ALPHA, BETA)
"""What `make wow` starts. SECOND and GAMMA join only in test/vm."""

EVERY = (MANAGER, SECOND, ALPHA, BETA, GAMMA)

OVERLAY_PORT = 4433
"""UDP port of the overlay on the managers."""

SUBNET = "10.128.0.0/16"
"""The pool's virtual network."""
