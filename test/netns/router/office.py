"""
Three hosts on a bridge behind one ipopd, which is itself behind nothing, and an ordinary ipopd behind a NAT elsewhere.

      public network 192.0.2.0/24
      |            |                    |
    boot .10     office .20           gate-far .21, port-restricted
                   | br0: wow0, ports    |
             ant  bee  cat             far 10.1.0.2
"""

import pathlib
import shutil
import tempfile
import traceback

import guests
from node import Node
from shell import run
from topology import Topology
from waiting import until

VERB = pathlib.Path(__file__).resolve().parents[3] / "appliance/wow"
BOOTSTRAP = "udp:192.0.2.10:4433"
SERVER = "10.128.255.254"
# A network that a machine of the LAN leads to.
BEYOND, LEADER = "192.168.50.0/24", "10.128.3.4"
CLIENTS = {"ant": "Dhclient", "bee": "Udhcpc", "cat": "Dhcpcd"}
# Seconds. ant's must end while a test waits for it; the others' outlive ipopd's restart on a busy machine.
LEASES = {"ant": 20, "bee": 120, "cat": 120}


class Host:
    """A machine on the LAN: no ipopd, nothing but an interface."""

    def __init__(self, topology, name, folder):
        self.topology = topology
        self.name = name
        self.folder = pathlib.Path(folder) / name
        self.folder.mkdir()
        self.client = None

    def inside(self, *command):
        """A command line that runs on the host."""
        return self.topology.inside(self.name, *command)

    def run(self, *command, **options):
        """Runs a program on the host."""
        return run(*self.inside(*command), **options)

    @property
    def mac(self):
        """Its Ethernet address."""
        return self.run("cat", "/sys/class/net/eth0/address").stdout.strip()

    @property
    def address(self):
        """The address that its DHCP client has set, or None."""
        words = self.run("ip", "-4", "-o", "address", "show", "dev", "eth0").stdout.split()
        return words[3].split("/")[0] if len(words) > 3 else None


class Office:
    """close() ends all."""

    def __init__(self, program):
        self.program = program
        self.topology = Topology()
        self.folder = tempfile.mkdtemp(prefix="wow-router-")
        self.hosts = {}
        self.nodes = {}
        topology = self.topology
        topology.public("boot", "192.0.2.10")
        topology.public("office", "192.0.2.20")
        topology.site("far", "192.0.2.21", "10.1.0")
        for name in ("boot", "office", "far"):
            self.nodes[name] = Node(topology, name, self.folder, program, "lan")
        self.nodes["office"].options["router"] = {"lan": "yes", "hosts": "250", "relay": "yes", "routes": f"{BEYOND} via {LEADER}"}

    def build(self):
        """Starts the nodes, makes the bridge and the hosts; their DHCP clients start later."""
        for name in ("boot", "office", "far"):
            self.nodes[name].start("" if name == "boot" else BOOTSTRAP)
        self.topology.ip("office", "link", "add", "br0", "type", "bridge", "stp_state", "0", "forward_delay", "0")
        mac = self.nodes["office"].run("cat", "/sys/class/net/wow0/address").stdout.strip()
        self.topology.ip("office", "link", "set", "br0", "address", mac)
        self.topology.ip("office", "link", "set", "wow0", "master", "br0", "up")
        self.topology.ip("office", "link", "set", "br0", "up")
        for name in CLIENTS:
            self.host(name)

    def host(self, name):
        """One more host on the bridge."""
        self.topology.namespace(name)
        self.topology.ip("office", "link", "add", f"port-{name}", "type", "veth", "peer", "name", "eth0", "netns", self.topology.prefix + name)
        self.topology.ip("office", "link", "set", f"port-{name}", "master", "br0", "up")
        self.topology.ip(name, "link", "set", "eth0", "up")
        host = self.hosts[name] = Host(self.topology, name, self.folder)
        return host

    def client(self, name):
        """Starts the DHCP client of a host; each has another one."""
        host = self.hosts[name]
        host.client = getattr(guests, CLIENTS[name])(host, "eth0")
        host.client.lease = LEASES[name]
        host.client.start()
        return host

    def served(self):
        """What the router says of its hosts: addresses by Ethernet address."""
        return {host["mac"]: host["address"] for host in self.nodes["office"].status()["router"]["hosts"] if host["address"]}

    def binds(self, host):
        """Waits until a host has the address that the router says it has; returns it."""
        return until(lambda: (host.address, self.served().get(host.mac)), lambda seen: seen[0] is not None and seen[0] == seen[1],
                     f"{host.name} has the address that the router gave it", pause=0.3)[0][0]

    def explain(self, error):
        """What helps to understand a failure."""
        where = traceback.extract_tb(error.__traceback__)[-1]
        lines = [f"{error} ({pathlib.Path(where.filename).name}:{where.lineno})"]
        for name, node in self.nodes.items():
            lines += [f"{name}: {line}" for line in node.tail()]
        for host in self.hosts.values():
            if host.client:
                lines += [f"{host.name}: {line}" for line in host.client.tail()]
        return lines

    def close(self):
        """Ends every process, removes every namespace and file."""
        for host in self.hosts.values():
            if host.client:
                host.client.kill()
        for node in self.nodes.values():
            node.end()
        self.topology.close()
        shutil.rmtree(self.folder)
