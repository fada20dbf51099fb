"""Machines that are cut off for several leases. Each has a real DHCP client, whose renewals and rebindings fall inside the cut, and the end of a TCP stream."""

import pathlib
import threading
import time

import guests
from clients import lease
from leasing import FENCE
from streams import streams
from tally import must
from waiting import until
from worker import Worker

# What the appliance sets, so that the kernel does not give up its connections.
SETTINGS = pathlib.Path(__file__).resolve().parents[3] / "appliance/node/root/etc/sysctl.d/60-wow.conf"
CUT = "table inet cut { chain in { type filter hook input priority -300; iifname wan drop; }; chain out { type filter hook output priority -300; oifname wan drop; }; }"
STREAMS = (("Udhcpc", "Dhclient"), ("Dhcpcd", "Networkd"))
SHORT, HOUR = 75, 3600
# An eighth of a lease is left to rebind in, and most clients ask once in it: of 40 s, 5, which no machine lets a client wait. udhcpc would ask three times
# within three seconds, whatever its lease is, and give up.
SHORT_LEASE, FULL_LEASE = 40, 600
SHORT_PAUSE = 4
# The kernel's longest pause between two tries to send again, and more.
LATE = 240


def hour(tally, pool):
    """An hour by the clock, with leases of the usual length."""
    play(tally, pool, HOUR, FULL_LEASE)


def run(tally, pool):
    """Fewer leases than in an hour, and as many rebindings."""
    play(tally, pool, SHORT, SHORT_LEASE, SHORT_PAUSE)


def play(tally, pool, seconds, length, pause=guests.Udhcpc.pause):
    """The machines of all clients are cut off at once, each from everybody."""
    clients = {name: getattr(guests, name)(pool.nodes[name]) for name in guests.NAMES}
    pool.guests.extend(clients.values())
    for client in clients.values():
        client.lease = length
    clients["Udhcpc"].pause = pause
    lease(pool.nodes["boot"])
    story = Cut(pool, clients, seconds)
    with tally.case(f"machines that are cut off for {seconds} s keep their addresses, and their TCP streams go on without a byte lost"):
        story.begin()
        story.play()
    for name in guests.NAMES:
        with tally.case(f"{name}: cut off, its renewals and rebindings were granted, and it never had to ask anew"):
            story.judge(name)


def is_rebinding(message):
    """A renewal that everybody is asked for."""
    return message.is_renewal and message.destination == "255.255.255.255"


class Cut:
    """The clients' machines before, during and after."""

    def __init__(self, pool, clients, seconds):
        self._pool = pool
        self._clients = clients
        self._seconds = seconds
        self._nodes = {name: pool.nodes[name] for name in clients}
        self._addresses = {}
        self._begins = {}
        self._ends = {}

    def begin(self):
        """Every client gets its address."""
        for name, client in self._clients.items():
            self._nodes[name].run("sysctl", "-qp", str(SETTINGS))
            client.start()
        for name, node in self._nodes.items():
            until(lambda node=node: node.address is not None and f" {node.address}/16 " in self._shown(node), bool, f"{name} has an address", limit=40, pause=0.2)
            self._addresses[name] = node.address

    def play(self):
        """The streams run while nobody reaches anybody."""
        healed, flowing = threading.Event(), threading.Barrier(len(STREAMS) + 1)

        def wait():
            flowing.wait(600)
            healed.wait()

        flows = [Worker(lambda pair=pair: streams(self._nodes[pair[0]], self._nodes[pair[1]], wait, patience=LATE)) for pair in STREAMS]
        for flow in flows:
            flow.start()
        try:
            flowing.wait(600)
            self._cut()
        finally:
            healed.set()
            for flow in flows:
                flow.finish()
        for name, node in self._nodes.items():
            must(node.address == self._addresses[name] and f" {node.address}/16 " in self._shown(node), f"{name} had {self._addresses[name]}, has {node.address}")

    def judge(self, name):
        """What was said on a machine's tap while it was cut off."""
        said = self._pool.said(name)[self._begins[name]:self._ends[name]]
        kinds = {message.kind for message in said}
        must(kinds <= {"REQUEST", "ACK"}, f"it said and heard {kinds}")
        renewals = [message for message in said if message.is_renewal]
        granted = [message for message in said if message.kind == "ACK" and message.assigned == self._addresses[name]]
        must(any(is_rebinding(message) for message in said), "it never rebound")
        must(any(message.destination == guests.SERVER for message in renewals), "it never renewed")
        must(len(granted) >= 2, f"{len(granted)} of {len(renewals)} were granted")

    def _cut(self):
        for name, node in self._nodes.items():
            self._begins[name] = len(self._pool.said(name))
            node.run("nft", CUT)
            node.run("nft", FENCE)
        begin = time.monotonic()
        try:
            # Their renewals are lost on the way to the server until each has asked everybody: at T2, and BusyBox in the last thirty seconds of its lease.
            self._pass(begin + max(client.lease for client in self._clients.values()), self._have_rebound)
            for node in self._nodes.values():
                node.run("nft", "delete", "table", "ip", "renewal")
            self._pass(begin + self._seconds)
        finally:
            for name, node in self._nodes.items():
                self._ends[name] = len(self._pool.said(name))
                node.run("nft", "delete", "table", "inet", "cut")

    def _have_rebound(self):
        return all(any(map(is_rebinding, self._pool.said(name)[self._begins[name]:])) for name in self._clients)

    def _pass(self, end, is_enough=lambda: False):
        """Lets time pass, in which no address may be lost."""
        while time.monotonic() < end and not is_enough():
            for name, node in self._nodes.items():
                must(node.address == self._addresses[name], f"cut off, {name} lost {self._addresses[name]}")
            time.sleep(0.5)

    @staticmethod
    def _shown(node):
        return node.run("ip", "-4", "-o", "address", "show", "dev", "wow0").stdout
