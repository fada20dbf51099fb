"""The network below gives a machine another address when its lease is renewed: Debian's udhcpc asks, Debian's dnsmasq has changed its mind."""

import pathlib
import re
import signal
import subprocess
import tempfile

from carrying import Pair
from pings import Pings, watched
from pressure import moment
from streams import streams
from tally import must
from topology import Topology
from verdict import silence
from waiting import until

PUBLIC, LAN = "192.0.2.10", "10.1.0"
SCRIPT = pathlib.Path(__file__).resolve().parent / "udhcpc-uplink"
ADDRESSES = ("10.1.0.50", "10.1.0.60", "10.1.0.70")
SIZE, INTERVAL, WARM = 210, 0.05, 1.0
# From the moment that the machine has its new address. Between the two udhcpc waits for some seconds, without any.
SILENT_AT_MOST = 1.0
CONFIG = """port=0
interface=lan
bind-interfaces
dhcp-authoritative
no-ping
dhcp-range={lan}.40,{lan}.90,2m
dhcp-host={mac},{address}
dhcp-option=option:router,{lan}.1
dhcp-leasefile={folder}/leases-{address}
pid-file={folder}/dnsmasq.pid
user=root
"""


class Leased(Topology):
    """Right is behind a gateway and has its address by DHCP; left is public."""

    def __init__(self):
        super().__init__()
        self._folder = tempfile.TemporaryDirectory(prefix="wow-netns-")
        self._running = []
        self._server = self._client = None

    def build(self, _):
        """Makes machines, gateway, server and client."""
        self.public("left", PUBLIC)
        self.namespace("right")
        self.gate("gate", "192.0.2.21", LAN)
        self.card("right", "wire", "gate", LAN)
        self.ip("right", "address", "flush", "dev", "wire")
        self.serve(ADDRESSES[0])
        self._client = self._run("right", "udhcpc", "-f", "-i", "wire", "-s", str(SCRIPT), "-A", "1", "-T", "1")
        until(self.address, lambda address: address == ADDRESSES[0], "right has an address")

    def serve(self, address):
        """The server starts anew, remembers nothing, and has this address for right."""
        if self._server:
            self._server.kill()
            self._server.wait()
        mac = re.search(r"link/ether (\S+)", self.ip("right", "link", "show", "wire").stdout).group(1)
        config = pathlib.Path(self._folder.name) / "dnsmasq.conf"
        config.write_text(CONFIG.format(lan=LAN, mac=mac, address=address, folder=self._folder.name), encoding="ascii")
        self._server = self._run("gate", "dnsmasq", "-k", "-C", str(config))

    def renew(self):
        """The client renews its lease now, not after half of its time."""
        self._client.send_signal(signal.SIGUSR1)

    def address(self):
        """What right's card has."""
        found = re.search(r"inet (10\.1\.0\.\d+)/", self.ip("right", "-4", "-o", "address", "show", "dev", "wire").stdout)
        return found and found.group(1)

    def close(self):
        for process in self._running:
            process.kill()
            process.wait()
        super().close()
        self._folder.cleanup()

    def _run(self, name, *command):
        process = subprocess.Popen(self.inside(name, *command), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._running.append(process)
        return process


def run(tally, program, figures):
    """Two other addresses, one after the other."""
    with tally.case("the network below gives another address at a renewal: packets go on, straight, from the new one"), \
            Pair(program, 1500, topology=Leased, bootstrap=f"udp:{PUBLIC}:4433") as pair:
        silences = [_renewed(pair, address) for address in ADDRESSES[1:]]
        figures.promised("another address by the network's DHCP: silence from its being set", max(quiet for quiet, _ in silences))
        figures.promised("another address by the network's DHCP: silence with udhcpc's pause", max(whole for _, whole in silences))
        must(max(quiet for quiet, _ in silences) < SILENT_AT_MOST, f"silent for {silences} s")
        streams(pair.left, pair.right, lambda: _change(pair, ADDRESSES[0]))


def _renewed(pair, address):
    """Seconds of the worse direction's silence, without what the computer's host took: from the new address on, and all of it."""
    flows = [Pings(pair.line.prefix + one.name, two.address, SIZE, INTERVAL) for one, two in ((pair.left, pair.right), (pair.right, pair.left))]
    at = []
    begun, ended = watched(flows, lambda: at.append(_change(pair, address)), WARM, 2 * SILENT_AT_MOST)
    for one, two in ((pair.left, pair.right), (pair.right, pair.left)):
        until(lambda one=one, two=two: one.peer(two), lambda peer: peer.get("path") == "direct", f"{one.name} -> {two.name} is straight")
    return tuple(max(longest(flow.answers, since, ended) for flow in flows) for longest, since in ((_after, at[0]), (silence, begun)))


def _after(answers, since, ended):
    """The longest silence from a moment on, whatever was before it."""
    return silence([at for at in answers if at > since], since, ended)


def _change(pair, address):
    """When the machine had the new address."""
    pair.line.serve(address)
    pair.line.renew()
    until(pair.line.address, lambda now: now == address, f"right has {address}", pause=0.02)
    return moment()
