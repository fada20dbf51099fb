"""A real miniupnpd (Debian's) on a gate: the gateways that ipopd asks to map its port."""

import pathlib
import signal
import subprocess

from shell import run
from waiting import until

# miniupnpd works with chains of this table; what it redirects is accepted by the gate's own fence by `ct status dnat`.
TABLE = """
table inet miniupnpd {
  chain forward { type filter hook forward priority -1; policy accept; jump upnp_forward; }
  chain prerouting { type nat hook prerouting priority dstnat - 1; jump upnp_prerouting; }
  chain postrouting { type nat hook postrouting priority srcnat - 1; jump upnp_postrouting; }
  chain upnp_forward { }
  chain upnp_prerouting { }
  chain upnp_postrouting { }
}
"""

CONFIGURATION = """
ext_ifname=wan
listening_ip=lan
enable_natpmp={pcp}
enable_upnp={upnp}
force_igd_desc_v1={first}
http_port=5000
upnp_table_name=miniupnpd
upnp_nat_table_name=miniupnpd
upnp_forward_chain=upnp_forward
upnp_nat_chain=upnp_prerouting
upnp_nat_postrouting_chain=upnp_postrouting
secure_mode=yes
uuid=00000000-0000-4000-8000-000000000001
{rules}
"""

ALLOW = "allow 1024-65535 0.0.0.0/0 1024-65535\nallow 443 0.0.0.0/0 443\ndeny 0-65535 0.0.0.0/0 0-65535"
HIGH = "allow 1024-65535 0.0.0.0/0 1024-65535\ndeny 0-65535 0.0.0.0/0 0-65535"
DENY = "deny 0-65535 0.0.0.0/0 0-65535"

# Where no syslog runs, miniupnpd writes each line to the console as well: 32,000 of them for one refusal, on a serial line with interrupts off. A namespace's
# programs see a /dev/console that takes everything.
MUTED = ("sh", "-c", '[ ! -e /dev/console ] || mount --bind /dev/null /dev/console; exec "$@"', "sh")


class Igd:
    """Starts and stops; `inside` makes a command line that runs on the gate."""

    def __init__(self, inside, folder, name):
        self._inside = inside
        self._folder = pathlib.Path(folder)
        self._name = name
        self._process = None

    def start(self, pcp=False, upnp=False, first=False, rules=ALLOW):
        """Runs with the protocols asked for: PCP and NAT-PMP, UPnP; `first`: as a device of IGD version 1."""
        config = self._folder / f"{self._name}.conf"
        words = {"pcp": pcp, "upnp": upnp, "first": first}
        config.write_text(CONFIGURATION.format(rules=rules, **{key: "yes" if value else "no" for key, value in words.items()}), encoding="ascii")
        run(*self._inside("nft", "-f", "-"), text_in=f"table inet miniupnpd\ndelete table inet miniupnpd\n{TABLE}")
        # Multicast needs a route; a home router has one towards its LAN.
        run(*self._inside("ip", "route", "replace", "239.0.0.0/8", "dev", "lan"))
        with open(self._folder / f"{self._name}.log", "wb") as log:
            self._process = subprocess.Popen(
                self._inside(*MUTED, "miniupnpd", "-d", "-f", str(config), "-P", str(self._folder / f"{self._name}.pid")),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wanted = ([":5351"] if pcp else []) + ([":5000", ":1900"] if upnp else [])
        until(self._ports, lambda ports: all(port in ports for port in wanted), f"{self._name} listens on {wanted}")

    def stop(self):
        """SIGTERM: it takes its rules away."""
        if self._process and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(240)

    def kill(self):
        """As when the gateway loses power."""
        if self._process and self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def redirections(self):
        """The rules that lead packets inside, as nft prints them."""
        return [line.strip() for line in run(*self._inside("nft", "list", "chain", "inet", "miniupnpd", "upnp_prerouting")).stdout.splitlines() if "dnat" in line]

    def has_refused(self):
        """Whether its rules have turned a request down; it writes a line for every port that it thinks of then."""
        with open(self._folder / f"{self._name}.log", encoding="utf-8", errors="replace") as log:
            return "port mapping rejected" in log.read(1 << 16)

    def tail(self, count=15):
        """The log's last lines."""
        log = self._folder / f"{self._name}.log"
        return log.read_text(encoding="utf-8", errors="replace").splitlines()[-count:] if log.exists() else []

    def _ports(self):
        if self._process.poll() is not None:
            raise AssertionError(f"miniupnpd ended with {self._process.returncode}: {self.tail()}")
        return run(*self._inside("ss", "-lntu")).stdout
