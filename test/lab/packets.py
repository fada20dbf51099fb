"""Makes frames and pcap files for the tests, byte by byte."""

import ipaddress
import struct


def ethernet(ethertype, body):
    """An Ethernet frame between two made-up cards."""
    return bytes.fromhex("525400000001525400000002") + struct.pack("!H", ethertype) + body


def ipv4(protocol, source, target, body=b"", fragment=0, options=b""):
    """An IPv4 packet in a frame; checksums are left 0, nobody looks."""
    words = 5 + len(options) // 4
    head = struct.pack("!BBHHHBBH", 0x40 | words, 0, words * 4 + len(body), 0, fragment, 64, protocol, 0)
    return ethernet(0x0800, head + ipaddress.IPv4Address(source).packed + ipaddress.IPv4Address(target).packed + options + body)


def ipv6(protocol, body, source="fe80::1", target="fe80::1"):
    """An IPv6 packet in a frame, between two link-local addresses if nothing else is said."""
    ends = ipaddress.IPv6Address(source).packed + ipaddress.IPv6Address(target).packed
    return ethernet(0x86DD, struct.pack("!IHBB", 6 << 28, len(body), protocol, 255) + ends + body)


def udp(source, source_port, target, target_port, data=b"", **how):
    """A UDP datagram in a frame."""
    return ipv4(17, source, target, struct.pack("!HHHH", source_port, target_port, 8 + len(data), 0) + data, **how)


def tcp(source, source_port, target, target_port, data=b"data"):
    """A TCP segment in a frame."""
    return ipv4(6, source, target, struct.pack("!HHIIB", source_port, target_port, 0, 0, 5 << 4) + bytes(7) + data)


def pcap(records, order="<", nano=False, link=1):
    """A capture of [(seconds, frame)]."""
    data = struct.pack(order + "IHHiIII", 0xA1B23C4D if nano else 0xA1B2C3D4, 2, 4, 0, 0, 65535, link)
    for moment, frame in records:
        fraction = round((moment % 1) * (1_000_000_000 if nano else 1_000_000))
        data += struct.pack(order + "IIII", int(moment), fraction, len(frame), len(frame)) + frame
    return data
