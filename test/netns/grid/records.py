"""The TLS records in TCP streams, whichever way the segments were cut: the kernel puts several records into one segment, or one into two."""

import struct

# A record's head is its type, its version and its length (RFC 8446 section 5.1); of what is sealed the head says application data.
HEAD = 5
APPLICATION_DATA = b"\x17\x03\x03"
SEQUENCES = 1 << 32
SYN = 0x02


class Records:
    """Follows each direction of each connection; take() gives the lengths of the records that a segment brings to their end."""

    def __init__(self):
        self._streams = {}

    def take(self, stream, segment):
        """
        Lengths of what the records hold that end in this segment, which begins with its TCP header. A stream that is met in its middle counts from the first
        segment that begins with a record; what comes a second time counts once.
        """
        if len(segment) < 20:
            return []
        if segment[13] & SYN:
            # Daemons that start anew use the same ports; their numbers may lie before the former connection's, and would pass for bytes that come again.
            self._streams.pop(stream, None)
            return []
        sequence, = struct.unpack_from("!I", segment, 4)
        payload = segment[4 * (segment[12] >> 4):]
        if not payload:
            return []
        following = self._streams.get(stream)
        if following is not None:
            seen = (following.next - sequence) % SEQUENCES
            if seen < SEQUENCES // 2:
                # What was there before is skipped; a segment may bring old and new.
                if seen >= len(payload):
                    return []
                return following.go_on(payload[seen:])
        if payload[:3] != APPLICATION_DATA:
            self._streams.pop(stream, None)
            return []
        following = self._streams[stream] = _Stream(sequence)
        return following.go_on(payload)


class _Stream:
    """One direction that is followed byte by byte. next: the sequence number of the byte to come."""

    def __init__(self, sequence):
        self.next = sequence
        self._head = b""
        self._left = 0

    def go_on(self, payload):
        """Takes the bytes that follow; lengths of the records that end in them."""
        self.next = (self.next + len(payload)) % SEQUENCES
        ended, at = [], 0
        while at < len(payload):
            if self._left == 0:
                wanted = HEAD - len(self._head)
                self._head += payload[at:at + wanted]
                at += wanted
                if len(self._head) < HEAD:
                    break
                self._left = int.from_bytes(self._head[3:], "big")
            taken = min(self._left, len(payload) - at)
            self._left -= taken
            at += taken
            if self._left == 0:
                ended.append(int.from_bytes(self._head[3:], "big"))
                self._head = b""
        return ended
