"""Takes an Ethernet frame apart as far as the question `what kind of packet is it` needs."""

import ipaddress
import struct
from dataclasses import dataclass

ARP, IPV4, IPV6 = 0x0806, 0x0800, 0x86DD
ICMP, IGMP, TCP, UDP, ESP, ICMPV6 = 1, 2, 6, 17, 50, 58
_NAMES = {ICMP: "ICMP", TCP: "TCP", UDP: "UDP", ESP: "ESP", ICMPV6: "ICMPv6", IGMP: "IGMP", 51: "AH"}

HEAD = 4
"""Bytes of a UDP datagram that a Packet keeps."""


@dataclass(frozen=True)
class Packet:
    """A frame's outline. Addresses are texts; ports are None where there are none (ICMP, a later fragment); kind is ICMPv6's type;
    head is the first bytes of a UDP datagram over IPv4; size is how many bytes such a datagram, or a TCP segment, carries."""

    ethertype: int
    source: str = ""
    target: str = ""
    protocol: int = 0
    source_port: int = None
    target_port: int = None
    kind: int = None
    head: bytes = b""
    size: int = None

    def ports(self):
        """Both ports as a set, empty if there are none."""
        return {self.source_port, self.target_port} - {None}

    def __str__(self):
        if self.ethertype not in (IPV4, IPV6):
            return {ARP: "ARP"}.get(self.ethertype, f"ethertype 0x{self.ethertype:04x}")
        name = _NAMES.get(self.protocol, f"IP protocol {self.protocol}")
        if self.source_port is None:
            return f"{name}{'' if self.kind is None else f' type {self.kind}'} {self.source} > {self.target}"
        return f"{name} {self.source}:{self.source_port} > {self.target}:{self.target_port}"


def parse(frame):
    """The Packet of an Ethernet frame. A frame too short for its own headers has ethertype 0, which no rule allows."""
    if len(frame) < 14:
        return Packet(0)
    (ethertype,) = struct.unpack_from("!H", frame, 12)
    body = frame[14:]
    if ethertype == IPV4:
        return _ipv4(body)
    if ethertype == IPV6:
        return _ipv6(body)
    return Packet(ethertype)


def _ipv4(body):
    if len(body) < 20 or body[0] >> 4 != 4:
        return Packet(0)
    header = (body[0] & 15) * 4
    fragment = struct.unpack_from("!H", body, 6)[0] & 0x1FFF
    source, target = (str(ipaddress.IPv4Address(body[at:at + 4])) for at in (12, 16))
    ports = _ports(body[9], body[header:]) if fragment == 0 else (None, None)
    head, size = _datagram(body[header:]) if fragment == 0 and body[9] == UDP else (b"", None)
    if fragment == 0 and body[9] == TCP and len(body) >= header + 13:
        size = struct.unpack_from("!H", body, 2)[0] - header - (body[header + 12] >> 4) * 4
    return Packet(IPV4, source, target, body[9], *ports, head=head, size=size)


def _ipv6(body):
    if len(body) < 40 or body[0] >> 4 != 6:
        return Packet(0)
    source, target = (str(ipaddress.IPv6Address(body[at:at + 16])) for at in (8, 24))
    protocol, rest = body[6], body[40:]
    while protocol in (0, 43, 60) and len(rest) >= 8:  # hop-by-hop, routing, destination options (RFC 8200)
        protocol, rest = rest[0], rest[(rest[1] + 1) * 8:]
    return Packet(IPV6, source, target, protocol, *_ports(protocol, rest), rest[0] if protocol == ICMPV6 and rest else None)


def _ports(protocol, body):
    if protocol not in (TCP, UDP) or len(body) < 4:
        return None, None
    return struct.unpack_from("!HH", body)


def _datagram(body):
    """What a UDP datagram begins with, and its length as its own header says."""
    if len(body) < 8:
        return b"", None
    return body[8:8 + HEAD], struct.unpack_from("!H", body, 4)[0] - 8
