"""Every client through the messages of DHCP that its program has: what it does by itself, and what it can be told to."""

import contextlib
import shutil
import time

import guests
from guests import SERVER
from tally import must
from waiting import until
from worker import Worker

FENCE = f"table ip renewal {{ chain out {{ type filter hook output priority 0; ip daddr {SERVER} udp dport 67 drop; }}; }}"

AGAIN_SECONDS = 3.0
"""After that a client that loses signals is told once more."""


def run(tally, pool, names):
    """All clients at once: each waits most of the time."""
    stories = {name: Worker(Story(tally, pool, name).tell) for name in names}
    for story in stories.values():
        story.start()
    for name, story in stories.items():
        with tally.case(f"{name}: the story is told to its end"):
            story.finish()


class Story:
    """One client's life. Each case makes sure first of what it begins with, so that none fails because the one before it did."""

    def __init__(self, tally, pool, name):
        self._tally = tally
        self._pool = pool
        self._name = name
        self._node = pool.nodes[name]
        self._guest = self._make("wow0")
        self._heard = 0
        self._offered = None

    def tell(self):
        """Every message that the client can say or hear."""
        tales = {
            "DISCOVER": self._discover, "REQUEST": self._request, "renewing": self._renew, "rebinding": self._rebind, "INIT-REBOOT": self._reboot,
            "RELEASE": self._release, "rapid commit": self._rapid, "NAK": self._refuse, "INFORM": self._inform, "DECLINE": self._decline}
        for message in guests.MESSAGES:
            if message not in self._guest.lacks:
                tales[message]()
        self._guest.kill()

    def _discover(self):
        with self._case("DISCOVER: it is offered an address, and none is claimed"):
            must(self._node.address is None, f"the node has {self._node.address} already")
            self._guest.start()
            asked = self._hears(lambda message: message.kind == "DISCOVER", "a DISCOVER")
            must(80 not in asked.options, "it offers to do without an OFFER")
            self._offered = self._hears(lambda message: message.kind == "OFFER", "an OFFER")

    def _offer(self):
        """An offer is on its way to the client; nothing to do if the case before ended well."""
        if self._offered is None:
            self._guest.kill()
            shutil.rmtree(self._guest.folder)
            self._guest = self._make("wow0")
            self._forget()
            self._guest.start()
            self._offered = self._hears(lambda message: message.kind == "OFFER", "an OFFER", limit=40)

    def _bind(self):
        """The client runs and has the node's address; nothing to do if the case before ended well."""
        address = self._node.address
        if address is None or not self._guest.runs() or f" {address}/16 " not in self._shown():
            self._guest.kill()
            self._forget()
            self._guest.start()
            self._hears(lambda message: message.kind == "ACK", "an ACK", limit=40)
            self._has(self._node.address)

    def _request(self):
        with self._case("REQUEST: the address is the node's, with what was asked for", begins=self._offer):
            asked = self._hears(lambda message: message.kind == "REQUEST", "a REQUEST")
            must(54 in asked.options and asked.wanted == self._offered.assigned, f"{asked}, was offered {self._offered}")
            ack = self._hears(lambda message: message.kind == "ACK", "an ACK")
            must(ack.assigned == self._node.address, f"ACK for {ack.assigned}, the node has {self._node.address}")
            must(ack.options[1] == b"\xff\xff\0\0" and ack.options[54] == bytes([10, 128, 255, 254]) and 3 not in ack.options, f"options: {ack.options}")
            lease, t1, t2 = (int.from_bytes(ack.options[code], "big") for code in (51, 58, 59))
            must((lease, t1, t2) == (self._guest.lease, lease // 2, lease * 7 // 8), f"lease {lease}, T1 {t1}, T2 {t2}")
            self._has(ack.assigned)

    def _renew(self):
        with self._case("renewing: at T1 the server is asked alone, and answers alone", begins=self._bind):
            address = self._node.address
            self._forget()
            asked = self._hears(lambda message: message.is_renewal, "a renewal", limit=30)
            must((asked.client, asked.source, asked.destination) == (address, address, SERVER), f"{asked}")
            ack = self._hears(lambda message: message.kind == "ACK", "an ACK")
            must((ack.destination, ack.assigned) == (address, address), f"{ack}")

    def _rebind(self):
        with self._case("rebinding: at T2, when the server kept silent, everybody is asked", begins=self._bind):
            address = self._node.address
            self._node.run("nft", FENCE)
            try:
                self._forget()
                asked = self._hears(lambda message: message.is_renewal and message.destination == "255.255.255.255", "a rebinding", limit=40)
                # systemd-networkd writes no source into what it sends to all.
                must(asked.client == address and asked.source in (address, "0.0.0.0"), f"{asked}")
                self._hears(lambda message: message.kind == "ACK" and message.assigned == address, "an ACK")
            finally:
                self._node.run("nft", "delete", "table", "ip", "renewal")

    def _reboot(self):
        with self._case("INIT-REBOOT: the address that it remembers is asked for without a DISCOVER", begins=self._bind):
            for _ in range(3):
                until(self._guest.remembers, lambda left: left >= 4, f"{self._name}: seconds left of the lease that it remembers", limit=40, pause=0.2)
                address = self._node.address
                self._forget()
                self._guest.reboot()
                asked = self._hears(lambda message: message.is_reboot or message.kind == "DISCOVER", "the first question")
                if asked.is_reboot or self._guest.remembers() > 0:
                    break
                # A slow machine let it up so late that its lease had run out.
                self._hears(lambda message: message.kind == "ACK", "an ACK")
            must(asked.is_reboot and asked.wanted == address, f"{asked.kind} for {asked.wanted}, wanted: INIT-REBOOT for {address}")
            self._hears(lambda message: message.kind == "ACK" and message.assigned == address, "an ACK")
            self._has(address)

    def _release(self):
        with self._case("RELEASE: the address is free, and the first to be offered again", begins=self._bind):
            address = self._give_back()
            self._guest.start()
            self._hears(lambda message: message.kind == "ACK" and message.assigned == address, f"an ACK for {address} again")
            self._has(address)

    def _rapid(self):
        with self._case("rapid commit: the DISCOVER is answered by the ACK", begins=self._bind):
            address = self._give_back()
            self._guest.rapid = True
            self._forget()
            self._guest.start()
            asked = self._hears(lambda message: message.kind == "DISCOVER", "a DISCOVER")
            must(80 in asked.options, f"without rapid commit: {asked}")
            answer = self._hears(lambda message: message.kind in ("OFFER", "ACK"), "the answer")
            must((answer.kind, answer.assigned, answer.options.get(80)) == ("ACK", address, b""), f"{answer}")
            must(self._node.address == address, f"ACK for {address}, the node has {self._node.address}")
            self._has(address)

    def _give_back(self):
        """The client gives its address back; the address. It is told so just after a renewal: one that is under way when the word comes may swallow it."""
        address = self._node.address
        until(self._neighbour, lambda shown: "lladdr" in shown, f"{self._name} knows the server's Ethernet address")
        self._forget()
        self._hears(lambda message: message.kind == "ACK", "an ACK of a renewal", limit=40)
        self._forget()
        self._guest.release()
        again = self._guest.release if self._guest.loses_signals else lambda: None
        self._hears(lambda message: message.kind == "RELEASE" and message.client == address, "a RELEASE", again=again)
        until(lambda: self._node.address, lambda left: left is None, f"{self._name}: the node has no address", limit=10)
        self._guest.kill()
        return address

    def _neighbour(self):
        """The server, which answers ARP and no ping. Some take their address away right after the RELEASE, which is lost if it still waits for ARP."""
        self._node.run("ping", "-n", "-c", "1", "-W", "1", SERVER, check=False)
        return self._node.run("ip", "neighbour", "show", SERVER).stdout

    def _refuse(self):
        with self._case("NAK: an address that was lost is given up for the next one", begins=self._bind):
            lost = self._node.address
            self._forget()
            self._node.ask("refuse-address", address=lost)
            self._guest.renew()
            self._hears(lambda message: message.kind == "NAK", "a NAK")
            ack = self._hears(lambda message: message.kind == "ACK" and message.assigned != lost, "an ACK for another address")
            must(ack.assigned == self._node.address, f"ACK for {ack.assigned}, the node has {self._node.address}")
            self._has(ack.assigned, but_not=lost)

    def _inform(self):
        with self._case("INFORM: configuration without a lease", begins=self._bind):
            self._guest.kill()
            self._forget()
            self._guest.inform()
            self._hears(lambda message: message.kind == "INFORM", "an INFORM")
            ack = self._hears(lambda message: message.kind == "ACK", "an ACK")
            must(ack.assigned == "0.0.0.0" and 51 not in ack.options and ack.options[119] == b"\x04dhcp\x08internal\0", f"{ack}")
            self._guest.start()
            self._has(self._node.address)

    def _decline(self):
        with self._case("DECLINE: who finds the address in use on the wire gets the next one", begins=self._bind):
            address = self._node.address
            self._guest.kill()
            topology, rival = self._pool.topology, f"rival{self._name}"
            topology.namespace(rival)
            topology.ip(self._name, "address", "flush", "dev", "wow0")
            topology.ip(self._name, "link", "add", "br0", "type", "bridge", "stp_state", "0", "forward_delay", "0")
            topology.ip(self._name, "link", "add", "port0", "type", "veth", "peer", "name", "eth0", "netns", topology.prefix + rival)
            topology.ip(rival, "address", "add", f"{address}/16", "dev", "eth0")
            topology.ip(rival, "link", "set", "eth0", "up")
            for port in ("port0", "wow0"):
                topology.ip(self._name, "link", "set", port, "master", "br0", "up")
            topology.ip(self._name, "link", "set", "br0", "up")
            self._guest = self._make("br0")
            self._forget()
            self._guest.start()
            self._hears(lambda message: message.kind == "DECLINE" and message.wanted in (address, "0.0.0.0"), f"a DECLINE of {address}", limit=40)
            ack = self._hears(lambda message: message.kind == "ACK" and message.assigned != address, "an ACK for another address", limit=40)
            must(ack.assigned == self._node.address, f"ACK for {ack.assigned}, the node has {self._node.address}")
            self._has(ack.assigned, interface="br0")

    def _make(self, interface):
        guest = getattr(guests, self._name)(self._node, interface)
        self._pool.guests.append(guest)
        return guest

    @contextlib.contextmanager
    def _case(self, name, begins=lambda: None):
        with self._tally.case(f"{self._name}: {name}"):
            begins()
            yield

    def _forget(self):
        self._heard = len(self._pool.said(self._name))

    def _hears(self, wanted, what, limit=20.0, again=lambda: None):
        """Waits for a message from here on; what was waited for is not heard twice. again: done every few seconds until it is heard."""
        next_time = time.monotonic() + AGAIN_SECONDS

        def look():
            nonlocal next_time
            if time.monotonic() >= next_time:
                next_time += AGAIN_SECONDS
                again()
            said = self._pool.said(self._name)
            return next(((number, message) for number, message in enumerate(said) if number >= self._heard and wanted(message)), None)

        try:
            (self._heard, message), _ = until(look, lambda found: found is not None, f"{self._name}: {what}", limit=limit, pause=0.2)
        except AssertionError as error:
            said = [(message.kind, message.client, message.wanted, message.assigned) for message in self._pool.said(self._name)[self._heard:]]
            raise AssertionError(f"{error}; said since: {said}") from None
        self._heard += 1
        return message

    def _has(self, address, but_not=None, interface="wow0"):
        until(lambda: self._shown(interface), lambda shown: f" {address}/16 " in shown and f" {but_not}/" not in shown,
              f"{self._name} sets {address}", limit=20, pause=0.2)

    def _shown(self, interface="wow0"):
        return self._node.run("ip", "-4", "-o", "address", "show", "dev", interface).stdout
