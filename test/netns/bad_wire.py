"""A bad wire between two interfaces of this namespace, in user space: reorders, doubles, loses in bursts (Gilbert and Elliott) and damages datagrams, by a seed.

bad_wire.py ONE OTHER SEED; says on SIGTERM, as JSON, what it did to how many frames. The kernel's own (sch_netem) is not in every kernel.
"""

import heapq
import json
import random
import select
import signal
import socket
import sys
import time

ETH_P_ALL = 3
LONGEST = 65600
IPV4, UDP = 0x0800, 17
# Ethernet, IPv4 without options and UDP: what follows is the datagram's own.
HEADERS = 14 + 20 + 8
REORDERED, DOUBLED, DAMAGED = 0.05, 0.01, 0.005
HELD_BACK = 0.003
# A burst begins before one frame of 500 and ends after four on average; most of it is lost.
BURST_BEGINS, BURST_ENDS, BURST_LOSES = 0.002, 0.25, 0.8


class Way:
    """One direction."""

    def __init__(self, chance, counts):
        self._chance = chance
        self._counts = counts
        self._is_bad = False

    def fate(self, frame):
        """What comes of a frame: pairs of a delay in seconds and bytes."""
        self._is_bad = self._happens("bursts", BURST_BEGINS) if not self._is_bad else self._chance.random() >= BURST_ENDS
        if self._is_bad and self._happens("lost", BURST_LOSES):
            return []
        if is_datagram(frame) and self._happens("damaged", DAMAGED):
            frame = damaged(frame)
        delay = HELD_BACK if self._happens("reordered", REORDERED) else 0.0
        return [(delay, frame)] * (2 if self._happens("doubled", DOUBLED) else 1)

    def _happens(self, name, share):
        happens = self._chance.random() < share
        self._counts[name] += happens
        return happens


def is_datagram(frame):
    """Whether it holds a UDP datagram with something in it that can be damaged."""
    return len(frame) >= HEADERS + 40 and int.from_bytes(frame[12:14], "big") == IPV4 and frame[23] == UDP


def damaged(frame):
    """The same with two of its words exchanged, which UDP's checksum does not see."""
    broken = bytearray(frame)
    end = HEADERS + (len(frame) - HEADERS) // 2 * 2
    broken[end - 4:end - 2], broken[end - 2:end] = broken[end - 2:end], broken[end - 4:end - 2]
    return bytes(broken)


def tap(interface):
    """A socket that hears and says whole frames."""
    opened = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    opened.bind((interface, 0))
    return opened


def main(one, other, seed):
    """Until SIGTERM."""
    ends = [tap(one), tap(other)]
    chance = random.Random(int(seed))
    counts = dict.fromkeys(("frames", "bursts", "lost", "damaged", "reordered", "doubled"), 0)
    ways = {end: (Way(chance, counts), ends[1 - number]) for number, end in enumerate(ends)}
    waiting, number, over = [], 0, []
    signal.signal(signal.SIGTERM, lambda *_: over.append(True))
    while not over:
        wait = max(0.0, waiting[0][0] - time.monotonic()) if waiting else 0.1
        for end in select.select(ends, [], [], wait)[0]:
            frame, (_, _, kind, *_) = end.recvfrom(LONGEST)
            if kind == socket.PACKET_OUTGOING:
                continue
            counts["frames"] += 1
            way, far = ways[end]
            for delay, whole in way.fate(frame):
                number += 1
                heapq.heappush(waiting, (time.monotonic() + delay, number, far, whole))
        while waiting and waiting[0][0] <= time.monotonic():
            _, _, far, whole = heapq.heappop(waiting)
            far.send(whole)
    print(json.dumps(counts))


if __name__ == "__main__":
    main(*sys.argv[1:])
