#!/usr/bin/python3
"""Says by which protocols the default gateway maps ports, by speaking them itself (RFC 6887, RFC 6886, UPnP WANIPConnection).

mapprobe.py FIRST      inside; FIRST is where `natprobe.py serve` runs outside. Prints a JSON list, such as ["pcp", "nat-pmp"]: those by which
                       a mapping was granted through which a datagram from an address that was never spoken to came in. All are deleted again.
"""

import json
import os
import re
import socket
import struct
import sys
import urllib.error
import urllib.request
from natprobe import PORT, hear, own_address, udp

INSIDE_PORT = 7100
LIFE = 120
PATIENCE = 60
IGD = "urn:schemas-upnp-org:device:InternetGatewayDevice:1"


def gateway():
    """The default gateway, from the kernel's table."""
    with open("/proc/net/route", encoding="ascii") as lines:
        for line in lines:
            field = line.split()
            if field[1] == "00000000":
                return socket.inet_ntoa(struct.pack("<L", int(field[2], 16)))
    raise RuntimeError("there is no default route")


def question(gate, request):
    """One datagram to port 5351 and its answer, or None."""
    with udp() as sock:
        sock.settimeout(3)
        for _ in range(2):
            sock.sendto(request, (gate, 5351))
            try:
                answer, source = sock.recvfrom(1100)
            except OSError:
                continue
            if source == (gate, 5351):
                return answer
    return None


def pcp(gate, own, life, nonce=os.urandom(12)):
    """The outside address and port that PCP's MAP grants, or None."""
    mapped = bytes(10) + b"\xff\xff"
    request = struct.pack("!BBHL", 2, 1, 0, life) + mapped + socket.inet_aton(own)
    request += nonce + struct.pack("!B3xHH", 17, INSIDE_PORT, INSIDE_PORT) + mapped + bytes(4)
    answer = question(gate, request)
    if answer is None or len(answer) < 60 or answer[:2] != b"\x02\x81" or answer[3] or answer[24:36] != nonce:
        return None
    return socket.inet_ntoa(answer[56:60]), struct.unpack_from("!H", answer, 42)[0]


def nat_pmp(gate, _, life):
    """The same by NAT-PMP."""
    outside = question(gate, b"\0\0")
    answer = question(gate, struct.pack("!BBHHHL", 0, 1, 0, INSIDE_PORT, INSIDE_PORT if life else 0, life))
    if outside is None or answer is None or answer[:4] != b"\0\x81\0\0" or outside[:4] != b"\0\x80\0\0":
        return None
    return socket.inet_ntoa(outside[8:12]), struct.unpack_from("!H", answer, 10)[0]


def upnp(gate, own, life):
    """The same by UPnP."""
    place = description_of(gate)
    if place is None:
        return None
    with urllib.request.urlopen(place, timeout=PATIENCE) as reply:
        text = reply.read().decode()
    found = re.search(r"<serviceType>(urn:schemas-upnp-org:service:WANIPConnection:\d)</serviceType>.*?<controlURL>([^<]+)</controlURL>", text, re.S)
    service, control = found[1], "/".join(place.split("/")[:3]) + found[2]
    where = [("NewRemoteHost", ""), ("NewExternalPort", INSIDE_PORT), ("NewProtocol", "UDP")]
    if not life:
        return call(control, service, "DeletePortMapping", where)
    outside = re.search(r"<NewExternalIPAddress>([^<]+)<", call(control, service, "GetExternalIPAddress", []) or "")
    granted = call(control, service, "AddPortMapping", where + [
        ("NewInternalPort", INSIDE_PORT), ("NewInternalClient", own), ("NewEnabled", 1), ("NewPortMappingDescription", "probe"), ("NewLeaseDuration", life)])
    return (outside[1], INSIDE_PORT) if outside and granted else None


def description_of(gate):
    """Where the gateway's description is, by SSDP; None if it does not say so."""
    with udp() as sock:
        sock.settimeout(6)
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(own_address(gate)))
        sock.sendto(f'M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: "ssdp:discover"\r\nMX: 1\r\nST: {IGD}\r\n\r\n'.encode(), ("239.255.255.250", 1900))
        try:
            found = re.search(r"(?im)^location: *(\S+)", sock.recv(2048).decode())
        except TimeoutError:
            return None
    return found[1] if found else None


def call(control, service, action, arguments):
    """The reply to a call, or None if it is refused."""
    body = "".join(f"<{name}>{value}</{name}>" for name, value in arguments)
    envelope = (
        '<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/">'
        f'<s:Body><u:{action} xmlns:u="{service}">{body}</u:{action}></s:Body></s:Envelope>')
    request = urllib.request.Request(control, envelope.encode(), {"Content-Type": "text/xml", "SOAPAction": f'"{service}#{action}"'})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
            return reply.read().decode()
    except urllib.error.HTTPError:
        return None


def leads_in(first, outside):
    """Whether a datagram from a stranger to that place arrives here."""
    with udp(INSIDE_PORT) as inside, udp() as asking:
        for _ in range(3):
            asking.sendto(f"at {outside[0]}:{outside[1]}".encode(), (first, PORT))
            if hear(inside, "at", 0.5) is not None:
                return True
    return False


def main(first):
    """Tries each protocol."""
    gate, own = gateway(), own_address(first)
    works = []
    for name, ask in (("pcp", pcp), ("nat-pmp", nat_pmp), ("upnp", upnp)):
        outside = ask(gate, own, LIFE)
        if outside is not None:
            if leads_in(first, outside):
                works.append(name)
            ask(gate, own, 0)
    print(json.dumps(works))


if __name__ == "__main__":
    main(*sys.argv[1:])
