"""What may pass the network card of a machine: the overlay's datagrams and what the fence lets through (docs/operating.md)."""

from frames import ARP, ICMP, ICMPV6, IGMP, IPV4, IPV6, TCP, UDP
from sealed import DHCP_PORTS

DNS_PORT = 53
SSH_PORT = 22
HTTPS_PORT = 443
"""Where the overlay listens for TCP beside its own port's number (docs/protocol.md)."""

MULTICAST_GROUP = "239.255.87.79"
MULTICAST_GROUP_6 = "ff15::8057:4f57"
MULTICAST_PORT = 4433
"""Where machines of one network find each other (docs/protocol.md)."""

KNOCKS, KNOCK_SIZE = {b"\x12\x01\x00\x01", b"\x12\x01\x00\x02"}, 46
"""How a knock begins, and its length: what a node asks about its NAT comes from and goes to ports of any number (docs/protocol.md)."""

SIZES = {b"\x10": range(92, 1053), b"\x11": range(33, 9249)}
"""How a handshake and a sealed frame begin, and how many bytes they have. While a node guesses ports, it sends and hears sealed ones by hundreds of sockets of its own.
The one that reached its peer is part of the path then, and further handshakes go by it, too (docs/protocol.md, Guessing ports)."""

IGMP_GROUPS = {"224.0.0.22", "224.0.0.2", MULTICAST_GROUP}
"""Where a machine says that it listens there: IGMPv3 (RFC 3376 section 4.2.14), or 2 (RFC 2236 section 9)."""

LINK_LOCAL = "fe80::"

DHCPV6_PORTS = {546, 547}
MAPPING_PORT = 5351
"""PCP and NAT-PMP at the gateway (RFC 6887, RFC 6886)."""
SSDP = ("239.255.255.250", 1900)
NEIGHBOURS = {130, 131, 132, 133, 134, 135, 136, 143}
"""ICMPv6: router and neighbour discovery (RFC 4861), listeners (RFC 2710, RFC 3810)."""


class WireRule:
    """Classifies packets seen at a machine's card. gateway is its router, where DHCP, DNS and the lab's own ssh come from; ports has each machine's port of the
    overlay by its address, its own too; listener is the machine that others may connect to by TCP, the only one on the public network.

    What the world sends (a router's ICMP error) is not the machine's doing; what the machine sends must be on the list.
    """

    def __init__(self, own, gateway, ports, listener):
        self._own = own
        self._gateway = gateway
        self._port = ports[own]
        self._ports = set(ports.values())
        self._listener = listener

    def __call__(self, packet, time):
        if packet.ethertype == ARP:
            return "ARP"
        if packet.ethertype == IPV6:
            return self._ipv6(packet)
        if packet.ethertype != IPV4:
            return None
        if packet.protocol == UDP and packet.ports() and packet.ports() <= DHCP_PORTS:
            return "DHCP"
        pair = {packet.source, packet.target}
        if packet.protocol == UDP and self._own_port(packet) == self._port:
            return "overlay"
        if packet.protocol == UDP and self._own in pair and packet.head in KNOCKS and packet.size == KNOCK_SIZE:
            return "knock of the overlay"
        if packet.protocol == UDP and self._own in pair and packet.size in SIZES.get(packet.head[:1], ()) and self._other_port(packet) in self._ports:
            return "overlay by a guessed port"
        if packet.protocol == UDP and packet.target == MULTICAST_GROUP and packet.target_port == MULTICAST_PORT and packet.source != self._own:
            return "overlay by multicast"
        if packet.protocol == TCP and self._is_overlay(packet):
            return "overlay by TCP"
        if packet.protocol == ICMP and packet.target == self._own:
            return "ICMP inwards"
        if packet.protocol == IGMP and packet.source == self._gateway:
            return "IGMP inwards"
        if packet.protocol == UDP and SSDP == (packet.target, packet.target_port):
            return "port mapping"
        if packet.protocol == IGMP and packet.source == self._own and packet.target in IGMP_GROUPS:
            return "IGMP"
        if pair != {self._own, self._gateway}:
            return None
        if packet.protocol == UDP and self._other_port(packet) in (MAPPING_PORT, SSDP[1]):
            return "port mapping"
        if packet.protocol in (UDP, TCP) and self._other_port(packet) == DNS_PORT:
            return "DNS"
        return "ssh" if packet.protocol == TCP and self._own_port(packet) == SSH_PORT else None

    def _is_overlay(self, packet):
        """With the listener, to the overlay's port of any machine, or from where a machine listens to where another does: it calls so whom it did not reach by UDP at
        once."""
        if self._own in (packet.source, packet.target) and self._other_port(packet) in self._ports:
            return True
        ports = {*self._ports, HTTPS_PORT}
        listens = {packet.source: packet.source_port in ports, packet.target: packet.target_port in ports}
        return listens.get(self._listener, False) or (self._own in listens and all(listens.values()))

    def _own_port(self, packet):
        if packet.source == self._own:
            return packet.source_port
        return packet.target_port if packet.target == self._own else None

    def _other_port(self, packet):
        return packet.target_port if packet.source == self._own else packet.source_port

    def _ipv6(self, packet):
        """The lab's networks have no IPv6; what a machine says to find that out, and to whoever else has link-local addresses alone."""
        if packet.protocol == ICMPV6:
            return "neighbour discovery" if packet.kind in NEIGHBOURS else None
        if packet.protocol != UDP:
            return None
        if packet.target == MULTICAST_GROUP_6 and packet.ports() == {self._port, MULTICAST_PORT} and packet.source.startswith(LINK_LOCAL):
            return "overlay by multicast"
        return "DHCPv6" if packet.ports() == DHCPV6_PORTS else None
