"""Counts what goes over each site's physical interface, whatever the daemons say about it."""

import selectors
import socket
import struct
import threading
import time

from enter import namespace
from records import Records
from verdict import Seen

ETH_P_ALL = 3
ETHERNET, SHORTEST_IP, IPV6_HEADER = 14, 20, 40
TCP_PROTOCOL, UDP_PROTOCOL = 6, 17
# Inside a TLS record beside a frame of a TCP link: the inner type and the seal (RFC 8446 section 5.2), and the frame's length.
TLS_AROUND = 1 + 16 + 2
LEAST_PAYLOAD = 200
RECEIVE_BUFFER = 4 << 20
# The kernel shows what it joined, or has not cut yet, as one.
LONGEST_FRAME = 1 << 16

# socket(7): the kernel says when a packet passed, so a reader that falls behind does not move it to another moment.
SO_TIMESTAMPNS = 35
TIMESPEC = struct.Struct("@qq")
PATIENCE = 10.0


class Wire:
    """Listens on all sites at once, in one thread; packets() gives what was seen since a moment."""

    def __init__(self):
        self._selector = selectors.DefaultSelector()
        self._seen = {}
        self._records = Records()
        self._lock = threading.Lock()
        self._ends = False
        self._rounds = 0
        self._since_boot = time.monotonic() - time.time()
        self._thread = threading.Thread(target=self._listen, daemon=True)

    def add(self, name, full_name, interface):
        """Listens on an interface inside a namespace."""
        with namespace(full_name):
            sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
            sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
            sock.bind((interface, ETH_P_ALL))
        sock.setblocking(False)
        self._seen[name] = []
        self._selector.register(sock, selectors.EVENT_READ, name)

    def start(self):
        """Begins to listen."""
        self._thread.start()

    def clear(self, name):
        """Forgets what was seen at a site."""
        with self._lock:
            self._seen[name] = []

    def packets(self, name):
        """Everything seen at a site since it was cleared. What passed before the call is in it."""
        rounds, limit = self._rounds, time.monotonic() + PATIENCE

        # The round under way may have looked at this site already; the next one begins after the call.
        while self._rounds < rounds + 2 and time.monotonic() < limit and self._thread.is_alive():
            time.sleep(0.01)
        with self._lock:
            return list(self._seen[name])

    def close(self):
        """Ends the thread."""
        self._ends = True
        if self._thread.is_alive():
            self._thread.join()
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()
        self._selector.close()

    def _listen(self):
        while not self._ends:
            for key, _ in self._selector.select(0.05):
                self._drain(key.fileobj, key.data)
            self._rounds += 1

    def _drain(self, sock, name):
        while True:
            try:
                frame, ancillary, _, address = sock.recvmsg(LONGEST_FRAME, 64)
            except OSError:
                return
            seen = parse(self._passed(ancillary), address[2] == socket.PACKET_OUTGOING, frame, self._records, name)
            if seen:
                with self._lock:
                    self._seen[name] += seen

    def _passed(self, ancillary):
        """When the packet passed, by the kernel's time if it says it."""
        for level, kind, data in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS):
                seconds, nanoseconds = TIMESPEC.unpack(data)
                return seconds + nanoseconds / 1e9 + self._since_boot
        return time.monotonic()


def parse(now, is_out, frame, records, name):
    """What IP carries at the site of that name that is large enough for a ping of ours: a UDP packet, or what TLS records of a TCP segment hold."""
    packet = frame[ETHERNET:]
    if frame[12:14] == b"\x08\x00" and len(packet) >= SHORTEST_IP:
        head, protocol, family, source, length = 4 * (packet[0] & 15), packet[9], socket.AF_INET, 12, 4
        total = int.from_bytes(packet[2:4], "big")
    elif frame[12:14] == b"\x86\xdd" and len(packet) >= IPV6_HEADER:
        head, protocol, family, source, length = IPV6_HEADER, packet[6], socket.AF_INET6, 8, 16
        total = IPV6_HEADER + int.from_bytes(packet[4:6], "big")
    else:
        return []
    if protocol == UDP_PROTOCOL:
        sizes = [int.from_bytes(packet[head + 4:head + 6], "big") - 8]
    elif protocol == TCP_PROTOCOL:
        stream = name, is_out, bytes(packet[source:source + 2 * length]), bytes(packet[head:head + 4])
        sizes = [size - TLS_AROUND for size in records.take(stream, packet[head:total])]
    else:
        return []
    far = source + length if is_out else source
    host = socket.inet_ntop(family, packet[far:far + length])
    return [Seen(now, is_out, host, size) for size in sizes if size >= LEAST_PAYLOAD]
