"""The daemons of all sites, their addresses, and what is heard on their wires."""

import concurrent.futures
import time

from clients import lease
from internet import BOOT, BOOT_SIX
from node import Node
from waiting import CLOCK, until
from wire import Wire

BOOTSTRAP = f"udp:{BOOT}:4433 udp:[{BOOT_SIX}]:4433"
AT_ONCE = 3
JOIN_LIMIT = 40.0


class Pool:
    """start() brings all up once; restart() gives a pair a fresh start."""

    def __init__(self, internet, sites, folder, program):
        self.internet = internet
        self.sites = sites
        self.wire = Wire()
        self.nodes = {name: Node(internet, name, folder, program, "grid") for name in ["boot", *(site.name for site in sites)]}
        for site in sites:
            self.nodes[site.name].options["udp"]["port"] = site.port
            self.wire.add(site.name, internet.prefix + site.name, internet.interface(site))
        # Addresses by site; a site without one has never reached the ring.
        self.addresses = {}

    def start(self):
        """The first node, then the others, each with an address by DHCP. Returns the sites that got none."""
        self.wire.start()
        boot = self.nodes["boot"]
        boot.start()
        until(boot.status, lambda status: status["ring"]["joined"], "boot joins")
        lease(boot)
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(lambda site: self.nodes[site.name].start(BOOTSTRAP), self.sites))
        end = CLOCK.now() + JOIN_LIMIT
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(lambda site: self._address(site, end), sorted(self.sites, key=lambda site: not site.claims["udp"])))
        return [site for site in self.sites if site.name not in self.addresses]

    def restart(self, pair):
        """
        Stops both, lets both start anew; returns when both have their address on the ring again, and the seconds from the start of the
        processes to that, or None if one of them does not get there.
        """
        nodes = [self.nodes[site.name] for site in pair]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda node: node.stop(), nodes))
            for site in pair:
                self.wire.clear(site.name)
            begun = time.monotonic()
            all_up = all(pool.map(self._begin, nodes))
        up = time.monotonic()
        return up, up - begun if all_up else None

    def said(self, pair):
        """The word of each daemon about its path to the other."""
        return tuple(peer.get("path") for peer in self._peers(pair))

    def why(self, pair):
        """What each daemon says why its path to the other is not direct."""
        return [f"{site.name}: {peer.get('why_not_direct')}" for site, peer in zip(pair, self._peers(pair)) if peer.get("path") != "direct"]

    def _peers(self, pair):
        one, two = (self.nodes[site.name] for site in pair)
        return one.peer(two), two.peer(one)

    def close(self):
        """Ends daemons and listening."""
        for node in self.nodes.values():
            node.end()
        self.wire.close()

    @staticmethod
    def _begin(node):
        node.start(BOOTSTRAP, pause=0.01)
        end = time.monotonic() + JOIN_LIMIT
        while time.monotonic() < end:
            status = node.status()
            if status["ring"]["joined"] and status["address"]:
                return True
            time.sleep(0.01)
        return False

    def _address(self, site, end):
        node = self.nodes[site.name]
        while not node.status()["ring"]["joined"]:
            if CLOCK.now() > end:
                return
            time.sleep(0.2)
        self.addresses[site.name] = lease(node)["ip"]
