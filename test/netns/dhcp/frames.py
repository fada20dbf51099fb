"""DHCP messages in what ipopd recorded of its tap (pcap, Ethernet)."""

import ipaddress
import struct
from typing import NamedTuple

TYPES = ("?", "DISCOVER", "OFFER", "REQUEST", "DECLINE", "ACK", "NAK", "RELEASE", "INFORM")


class Message(NamedTuple):
    """One DHCP message; addresses are text, "0.0.0.0" where there is none."""
    kind: str
    source: str
    destination: str
    client: str
    assigned: str
    options: dict

    @property
    def wanted(self):
        """Option 50."""
        return text(self.options.get(50, bytes(4)))

    @property
    def is_renewal(self):
        """A REQUEST that names the address in ciaddr (RFC 2131 section 4.3.2)."""
        return self.kind == "REQUEST" and self.client != "0.0.0.0" and 54 not in self.options

    @property
    def is_reboot(self):
        """A REQUEST for an address that the client remembers."""
        return self.kind == "REQUEST" and self.client == "0.0.0.0" and 50 in self.options and 54 not in self.options


def text(address):
    """Four bytes as a dotted quad."""
    return str(ipaddress.IPv4Address(address))


def messages(record):
    """The DHCP messages of a whole pcap file; a record that is still being written is left out."""
    found, offset = [], 24
    while offset + 16 <= len(record):
        size = struct.unpack_from("<I", record, offset + 8)[0]
        frame = record[offset + 16:offset + 16 + size]
        offset += 16 + size
        if len(frame) == size and (message := parse(frame)) is not None:
            found.append(message)
    return found


def parse(frame):
    """The DHCP message of an Ethernet frame, or None."""
    if len(frame) < 14 + 20 + 8 + 240 or frame[12:14] != b"\x08\x00" or frame[23] != 17:
        return None
    datagram = frame[14 + 4 * (frame[14] & 15):]
    ports = struct.unpack_from(">HH", datagram)
    bootp = datagram[8:]
    if not set(ports) <= {67, 68} or bootp[236:240] != b"\x63\x82\x53\x63":
        return None
    options, offset = {}, 240
    while offset + 1 < len(bootp) and bootp[offset] != 255:
        if bootp[offset]:
            options[bootp[offset]] = bootp[offset + 2:offset + 2 + bootp[offset + 1]]
            offset += 1 + bootp[offset + 1]
        offset += 1
    kind = TYPES[options.get(53, b"\0")[0] % len(TYPES)]
    return Message(kind, text(frame[26:30]), text(frame[30:34]), text(bootp[12:16]), text(bootp[16:20]), options)
