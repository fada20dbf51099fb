"""Ethernet frames that no sound program sends, each with what ipopd is to say of it: the reason under which it counts them."""

import ipaddress
import struct

ROUTER_MAC = bytes.fromhex("02574f570001")
STRANGER_MAC = bytes.fromhex("02aabbccddee")
EVERYBODY = b"\xff" * 6
SERVER = "10.128.255.254"
COOKIE = b"\x63\x82\x53\x63"


def packed(address):
    """A dotted quad as four bytes."""
    return ipaddress.IPv4Address(address).packed


def checksum(data):
    """RFC 1071."""
    total = sum(struct.unpack(f">{len(data + b'x') // 2}H", data + bytes(len(data) % 2)))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total ^ 0xffff


def ipv4(source, destination, protocol, payload, options=b"", flags=0, length=None):
    """A packet with a right checksum; length overrules what its header says."""
    size = 20 + len(options)
    head = struct.pack(">BBHHHBBH", 0x40 | size // 4, 0, size + len(payload) if length is None else length, 7, flags, 64, protocol, 0)
    head += packed(source) + packed(destination) + options
    return head[:10] + struct.pack(">H", checksum(head)) + head[12:] + payload


def udp(port, payload, source_port=40000):
    """A datagram without checksum."""
    return struct.pack(">HHHH", source_port, port, 8 + len(payload), 0) + payload


def bootp(kind, cookie=COOKIE, server=None, hardware=1, operation=1):
    """A DHCP message of a type."""
    head = struct.pack(">BBBBIHH", operation, hardware, 6, 0, 0x77, 0, 0) + bytes(16) + STRANGER_MAC + bytes(202)
    return head + cookie + bytes((53, 1, kind)) + (bytes((54, 4)) + packed(server) if server else b"") + b"\xff"


def arp(sender_mac, sender, target, operation=1, hardware=1):
    """An ARP packet."""
    return struct.pack(">HHBBH", hardware, 0x0800, 6, 4, operation) + sender_mac + packed(sender) + bytes(6) + packed(target)


def frames(mac, own):
    """[(what, reason, frame)] for the machine with that Ethernet and that virtual address."""
    def frame(kind, payload, to=ROUTER_MAC):
        return to + mac + struct.pack(">H", kind) + payload

    def ip(payload, to=ROUTER_MAC):
        return frame(0x0800, payload, to)

    other = "10.128.7.7"
    good = ipv4(own, other, 17, udp(9, b"x"))
    return [
        ("IPv6", "ether_type", frame(0x86dd, bytes(40))),
        ("a VLAN tag (802.1Q) around a good packet", "ether_type", frame(0x8100, b"\x00\x05\x08\x00" + good)),
        ("a length in the place of the type (802.3)", "ether_type", frame(46, b"\xaa\xaa\x03" + bytes(43))),
        ("nothing after the Ethernet header", "malformed", ip(b"")),
        ("the first byte of a packet", "malformed", ip(good[:1])),
        ("a header that ends early", "malformed", ip(good[:19])),
        ("version 5", "malformed", ip(b"\x55" + good[1:])),
        ("a header length of 16", "malformed", ip(b"\x44" + good[1:])),
        ("a header longer than the packet", "malformed", ip(b"\x4f" + good[1:])),
        ("a total length beyond the frame", "malformed", ip(ipv4(own, other, 17, udp(9, b"x"), length=1000))),
        ("a total length shorter than the header", "malformed", ip(ipv4(own, other, 17, udp(9, b"x"), length=19))),
        ("an option of length 0", "malformed", ip(ipv4(own, other, 17, udp(9, b"x"), options=b"\x44\x00\x00\x00"))),
        ("an option that reaches beyond the header", "malformed", ip(ipv4(own, other, 17, udp(9, b"x"), options=b"\x44\x09\x00\x00"))),
        ("a loose source route", "source_route", ip(ipv4(own, other, 17, udp(9, b"x"), options=b"\x83\x07\x04" + packed(SERVER) + b"\x00"))),
        ("a strict source route", "source_route", ip(ipv4(own, other, 17, udp(9, b"x"), options=b"\x89\x07\x04" + packed(SERVER) + b"\x00"))),
        ("half a UDP header", "malformed", ip(ipv4(own, other, 17, b"\x00\x09\x00\x09"))),
        ("a first fragment without ports", "malformed", ip(ipv4(own, other, 17, b"", flags=0x2000))),
        ("somebody else's source", "not_our_source", ip(ipv4("10.128.9.9", other, 17, udp(9, b"x")))),
        ("the unspecified address as source", "not_our_source", ip(ipv4("0.0.0.0", other, 17, udp(9, b"x")))),
        ("source and destination both the machine's own", "not_in_subnet", ip(ipv4(own, own, 17, udp(9, b"x")))),
        ("a destination outside", "not_in_subnet", ip(ipv4(own, "203.0.113.1", 17, udp(9, b"x")))),
        ("a destination that nobody has", "no_owner", ip(ipv4(own, "10.128.251.251", 17, udp(9, b"x")))),
        ("the subnet's broadcast", "broadcast", ip(ipv4(own, "10.128.255.255", 17, udp(9, b"x")))),
        ("multicast", "broadcast", ip(ipv4(own, "224.0.0.251", 17, udp(5353, b"x")), bytes.fromhex("01005e0000fb"))),
        ("a packet for one in a frame for all", "broadcast", ip(good, EVERYBODY)),
        ("a frame for another station", "other_station", ip(good, STRANGER_MAC)),
        ("DHCP for another machine", "dhcp", ip(ipv4(own, other, 17, udp(67, bootp(1))))),
        ("DHCP without its cookie", "dhcp", ip(ipv4(own, SERVER, 17, udp(67, bootp(1, cookie=bytes(4)))))),
        ("DHCP cut in its header", "dhcp", ip(ipv4(own, SERVER, 17, udp(67, bootp(1)[:200])))),
        ("DHCP of another kind of network", "dhcp", ip(ipv4(own, SERVER, 17, udp(67, bootp(1, hardware=6))))),
        ("a DHCP reply", "dhcp", ip(ipv4(own, SERVER, 17, udp(67, bootp(5, operation=2))))),
        ("a DHCP OFFER in a request", "dhcp", ip(ipv4(own, SERVER, 17, udp(67, bootp(2))))),
        ("a DHCP type that there is not", "dhcp", ip(ipv4(own, SERVER, 17, udp(67, bootp(99))))),
        ("DHCP for another server", "dhcp", ip(ipv4("0.0.0.0", "255.255.255.255", 17, udp(67, bootp(3, server="192.0.2.9"), 68)), EVERYBODY)),
        ("ARP that ends early", "malformed", frame(0x0806, arp(mac, own, other)[:27])),
        ("ARP of another kind of network", "malformed", frame(0x0806, arp(mac, own, other, hardware=6), EVERYBODY)),
        ("an ARP reply that nobody asked for", "arp", frame(0x0806, arp(mac, own, other, operation=2))),
        ("an ARP request of a false sender", "arp", frame(0x0806, arp(mac, "10.128.9.9", other), EVERYBODY)),
        ("an ARP probe of the machine's own address", "arp", frame(0x0806, arp(mac, "0.0.0.0", own), EVERYBODY)),
        ("an ARP request for what nobody has", "arp", frame(0x0806, arp(mac, own, "10.128.251.251"), EVERYBODY)),
    ]


def mutants(random, sound, count):
    """So many frames made of sound ones: bytes changed, cut short, made longer, or two grown together."""
    for _ in range(count):
        frame = bytearray(random.choice(sound))
        for _ in range(random.randint(1, 4)):
            how, at = random.randrange(4), random.randrange(14, max(15, len(frame)))
            if how == 0 and at < len(frame):
                frame[at] = random.choice((0, 1, 0x45, 0x7f, 0x80, 0xff, random.randrange(256)))
            elif how == 1:
                del frame[at:]
            elif how == 2:
                frame += random.randbytes(random.randrange(64))
            else:
                frame[at:] = random.choice(sound)[at:]
        yield bytes(frame[:1294])
