"""A pool of machines on one public network: its managers, mostly one, and workers with a queue each. It is open, for the host's kernel need not have ESP."""

import pathlib
import shutil
import tempfile
import traceback

from machine import Machine
from shell import run
from tally import must
from topology import Topology
from waiting import until

NAME, SUBNET = "pool", "10.128.0.0/16"
ZONE = f"{NAME}.internal"
SECRET = "5e" * 32
MANAGER, DESK = "manager", "desk"
MANAGERS = (MANAGER, "second", "third")
OWNER = "Ada of lab 3"
GATEWAY, FIRST = "192.0.2.1", 10
PEOPLE = ("alice", "bob")
ADMIN = "carol"
"""The pool's administrator, who has an account on managers."""
WORLD = "world.example"
"""A name outside of the pool, which the machines' own network knows."""


class Pool:
    """build() makes the networks, start() the machines; close() ends all."""

    def __init__(self, workers, managers=1):
        self.topology = Topology()
        self.folder = tempfile.mkdtemp(prefix="wow-pool-")
        self.machines = {}
        self._managers = MANAGERS[:managers]
        for name in (*self._managers, *workers):
            self.machines[name] = self._machine(name)
        self.desk = self._machine(DESK)
        """A machine of the role login; who needs it starts it, and takes its power away again."""
        self._serve()

    def _machine(self, name):
        self.topology.public(name)
        self.topology.ip(name, "link", "set", "wan", "address", f"02:57:4f:57:00:{len(self.machines):02x}")
        return Machine(self.topology, self.folder, name, self._config(name))

    def _config(self, name):
        role = "manager" if name in self._managers else "login" if name == DESK else "worker"
        pool = {"name": NAME, "subnet": SUBNET, "secret": SECRET, "open": "yes"}
        if name != MANAGER:
            pool["bootstrap"] = " ".join(f"udp:192.0.2.{FIRST + number}:4433" for number, other in enumerate(self._managers) if other != name)
        if len(self._managers) > 1:
            pool["managers"] = " ".join(self._managers)
        return {"pool": pool, "node": {"role": role, "host": name, "owner": OWNER}, "udp": {"multicast": "no", "port-mapping": "no"},
                **{f"user:{person}": {} for person in PEOPLE}, **({f"user:{ADMIN}": {"admin": "yes"}} if role == "manager" else {})}

    def _serve(self):
        """DHCP on the public network, and DNS that knows one name of the world."""
        self.topology.ip("net", "address", "add", f"{GATEWAY}/24", "dev", "bridge")
        hosts = [f"--dhcp-host=02:57:4f:57:00:{number:02x},192.0.2.{FIRST + number}" for number in range(len(self.machines) + 1)]
        run(*self.topology.inside("net", "dnsmasq", "--conf-file=/dev/null", "--no-hosts", "--no-resolv", "--user=root", "--bind-interfaces",
                                  "--interface=bridge", "--except-interface=lo", "--no-ping", "--dhcp-authoritative", "--leasefile-ro", "--dhcp-range=192.0.2.10,static", f"--address=/{WORLD}/192.0.2.99",
                                  f"--pid-file={self.folder}/dnsmasq.pid", *hosts))

    def __getattr__(self, name):
        try:
            return self.__dict__["machines"][name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def workers(self):
        """All but the managers."""
        return [machine for name, machine in self.machines.items() if name not in self._managers]

    @property
    def managers(self):
        """The managers, the first one first."""
        return [self.machines[name] for name in self._managers]

    def start(self):
        """Switches all machines on and waits until each manager lists every worker."""
        for machine in self.machines.values():
            machine.start()
        for machine in self.machines.values():
            machine.wait()
        for manager in self.managers:
            self.listed([machine.name for machine in self.workers], by=manager)

    def listed(self, names, by=None):
        """Waits until a manager, the first if none is given, lists the slots and queues of just these machines."""
        wanted = sorted(f"{name}.{ZONE}" for name in names)
        for kind in ("-startd", "-schedd"):
            until(lambda kind=kind: self.ads(kind, "Machine", by=by), lambda machines: sorted(set(machines)) == wanted,
                  f"{(by or self.manager).name} lists {wanted} by {kind}", pause=0.5)

    def ads(self, kind, attribute, *more, by=None):
        """An attribute of all ads of one kind in the collector of a manager, the first if none is given."""
        by = by or self.manager
        return by.run("condor_status", "-pool", f"{by.name}.{ZONE}", kind, *more, "-af", attribute, check=False).stdout.splitlines()

    def factor(self, person, by=None):
        """A person's priority factor as the matching manager tells it, whose ad the collector of a manager has, the first if none is given; all that was said where it is
        not among that."""
        by = by or self.manager
        said = by.run("condor_userprio", "-pool", f"{by.name}.{ZONE}", "-allusers", "-priority", check=False).stdout
        return next((line.split()[3] for line in said.splitlines() if line.startswith(person)), said)

    def explain(self, error):
        """What helps to understand a failure."""
        where = traceback.extract_tb(error.__traceback__)[-1]
        lines = [f"{error} ({pathlib.Path(where.filename).name}:{where.lineno})"]
        for machine in (*self.machines.values(), *([self.desk] if self.desk.is_on else [])):
            lines += [f"{machine.name}: {line}" for line in machine.tail()]
        return lines

    def close(self):
        """Ends every process, removes every namespace and file."""
        for machine in (*self.machines.values(), self.desk):
            machine.end()
        self.topology.close()
        shutil.rmtree(self.folder)

    def must_be_gone(self):
        """Fails if something of this run is still there."""
        left = self.topology.left()
        left += run("pgrep", "-f", self.folder, check=False).stdout.split()
        left += [line for line in pathlib.Path("/proc/mounts").read_text(encoding="utf-8").splitlines() if self.folder in line]
        if pathlib.Path(self.folder).exists():
            left.append(self.folder)
        must(not left, f"still there: {left}")
