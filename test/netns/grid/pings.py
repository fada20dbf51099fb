"""ICMP echo requests through the taps, at a fixed pace and size."""

import itertools
import select
import socket
import struct
import threading
import time

from enter import namespace
from pressure import moment, passed
from waiting import stay

ECHO, ECHO_REPLY = 8, 0
IP_HEADER, ICMP_HEADER = 20, 8
_identifiers = itertools.count(1)


class Pings:
    """Begins at once; answers holds the moment of each answer, sent when each request left."""

    def __init__(self, full_name, target, ip_size, interval):
        with namespace(full_name):
            self._sock = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
        self._sock.setblocking(False)
        self._target = target
        self._identifier = next(_identifiers) & 0xffff
        self._payload = bytes(ip_size - IP_HEADER - ICMP_HEADER)
        self._interval = interval
        self._ends = threading.Event()
        self.sent = []
        self.answers = []
        self.begun = moment()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def end(self):
        """Stops sending."""
        self._ends.set()
        self._thread.join()
        self._sock.close()

    def first(self):
        """Seconds from the beginning to the first answer, without what the host took, or None."""
        return passed(self.begun, self.answers[0]) if self.answers else None

    def _run(self):
        due = self.begun
        while not self._ends.is_set():
            now = time.monotonic()
            if now >= due:
                self._send()
                due = max(due + self._interval, now)
            if select.select([self._sock], [], [], max(0.0, due - now))[0]:
                self._receive()

    def _send(self):
        try:
            self._sock.sendto(echo(self._identifier, len(self.sent) & 0xffff, self._payload), (self._target, 0))
        except OSError:
            pass  # no route or no neighbour yet: the next one may leave
        self.sent.append(time.monotonic())

    def _receive(self):
        packet, (source, _) = self._sock.recvfrom(2048)
        header = IP_HEADER if packet[0] & 15 == 5 else 4 * (packet[0] & 15)
        if packet[header] == ECHO_REPLY and source == self._target and int.from_bytes(packet[header + 4:header + 6], "big") == self._identifier:
            self.answers.append(moment())


def watched(flows, change, warm, seconds):
    """Lets flows that have just begun go on, makes a change, and ends them so many seconds after it. The moments of the change and of the end."""
    time.sleep(warm)
    begun = moment()
    change()
    # Both: what the host took before the change may be counted after it, and who is silent to the end is so for all of the time.
    stay(moment(), seconds)
    stay(begun, seconds)
    for flow in flows:
        flow.end()
    return begun, moment()


def echo(identifier, sequence, payload):
    """An echo request (RFC 792)."""
    body = struct.pack("!BBHHH", ECHO, 0, 0, identifier, sequence) + payload
    return body[:2] + struct.pack("!H", checksum(body)) + body[4:]


def checksum(data):
    """RFC 1071."""
    padded = data + b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(padded) // 2}H", padded))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff
