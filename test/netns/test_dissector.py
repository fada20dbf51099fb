import pathlib
import random
import struct
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "test/lab")]

import overlay_frames as overlay  # noqa: E402
import packets  # noqa: E402
import tshark  # noqa: E402

CALLER, CALLED = "192.0.2.1", "192.0.2.2"
CALLED_PORTS = (4433, 30000)


def hello():
    """A TLS record with a Client Hello of one cipher suite and no extensions but an empty session ticket (RFC 8446 section 4.1.2)."""
    body = b"\x03\x03" + bytes(range(32)) + b"\0" + b"\0\2\x13\2" + b"\1\0" + b"\0\4\0\x23\0\0"
    message = b"\1" + len(body).to_bytes(3, "big") + body
    return b"\x16\3\1" + struct.pack("!H", len(message)) + message


def datagram(payload, source_port, target_port):
    """A UDP datagram in a frame; what comes from a called port is an answer."""
    ends = (CALLED, CALLER) if source_port in CALLED_PORTS else (CALLER, CALLED)
    return packets.ipv4(17, *ends, struct.pack("!HHHH", source_port, target_port, 8 + len(payload), 0) + payload)


def cut(capture, kept):
    """The same capture as if no more than these bytes of each frame had been recorded."""
    out, at = bytearray(capture[:24]), 24
    while at < len(capture):
        head = struct.unpack_from("<IIII", capture, at)
        out += struct.pack("<IIII", *head[:2], min(kept, head[2]), head[3]) + capture[at + 16:at + 16 + min(kept, head[2])]
        at += 16 + head[2]
    return bytes(out)


class DissectorTests(unittest.TestCase):
    def seen(self, frames, snap=None, port=4433, fields=None):
        """What tshark makes of [(payload, source port, target port)]."""
        capture = packets.pcap([(number / 1000, datagram(*frame)) for number, frame in enumerate(frames)])
        with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
            file.write(cut(capture, snap) if snap else capture)
            file.flush()
            return tshark.fields(file.name, *fields, port=port) if fields else tshark.frames(file.name, port)

    def test_bad_frames_are_told_and_good_ones_are_not(self):
        cases = {
            "a handshake": (overlay.handshake(), ()),
            "the largest handshake": (overlay.handshake(hello() + bytes(960 - len(hello())), offset=1), ()),
            "a handshake cut short": (overlay.handshake()[:91], ("short",)),
            "a handshake of one byte": (b"\x10", ("short",)),
            "a handshake too long": (overlay.handshake(bytes(961), offset=1), ("long",)),
            "a handshake of version 2": (overlay.handshake(version=2), ("version",)),
            "a handshake with reserved bytes": (overlay.handshake(reserved=1), ("reserved",)),
            "a handshake without index": (overlay.handshake(sender_index=0), ("index",)),
            "a handshake with a cookie": (overlay.handshake(cookie=b"\3" * 16), ()),
            "a stream that is no TLS": (overlay.handshake(b"GET / HTTP/1.1"), ("stream",)),
            "a knock": (overlay.knock(2, endpoint=bytes(10) + b"\xff\xff\xc0\0\2\1\x11\x51"), ()),
            "a question": (overlay.knock(), ()),
            "a knock cut short": (overlay.knock()[:45], ("short",)),
            "a knock too long": (overlay.knock() + b"\0", ("long",)),
            "a knock of version 2": (overlay.knock(version=2), ("version",)),
            "a knock with a reserved byte": (overlay.knock(reserved=1), ("reserved",)),
            "a knock of no kind": (overlay.knock(3), ("kind",)),
            "data": (overlay.data(), ()),
            "the largest data": (overlay.data(bytes(9216)), ()),
            "data cut short": (overlay.data()[:32], ("short",)),
            "data without anything sealed": (overlay.data(b""), ("short",)),
            "data too long": (overlay.data(bytes(9217)), ("long",)),
            "ESP": (overlay.esp(), ()),
            "the largest ESP": (overlay.esp(bytes(9187)), ()),
            "ESP cut short": (overlay.esp()[:75], ("short",)),
            "ESP too long": (overlay.esp(bytes(9188)), ("long",)),
            "data without a salt and with the largest counter": (overlay.data(salt=0, counter=(1 << 40) - 1), ()),
        }
        seen = self.seen([(payload, 20000 + number, 4433) for number, (payload, _) in enumerate(cases.values())])
        for number, (name, (payload, expected)) in enumerate(cases.items(), 1):
            with self.subTest(name):
                self.assertEqual(expected, seen[number].verdicts)
                if "stream" not in expected:
                    self.assertEqual(overlay.read(payload), seen[number])

    def test_an_unknown_type_is_told_in_a_conversation_of_ours_and_left_to_others_elsewhere(self):
        seen = self.seen([
            (b"\x14" * 80, 20000, 4433),
            (overlay.handshake(), 20001, 4433), (b"\x14" * 80, 4433, 20001),
            (overlay.handshake(), 20002, 30000), (b"\x14" * 80, 20002, 30000), (b"", 20002, 30000)])
        self.assertEqual({2: (), 3: ("type",), 4: (), 5: ("type",)}, {number: frame.verdicts for number, frame in seen.items()})

    def test_on_other_ports_only_sure_frames_are_taken_and_then_the_whole_conversation(self):
        seen = self.seen([
            (overlay.handshake(version=2), 20000, 30000), (overlay.handshake()[:91], 20001, 30000), (overlay.data(counter=1 << 32), 20002, 30000),
            (overlay.data(), 20003, 30000), (overlay.handshake(version=2), 30000, 20003), (overlay.data()[:20], 20003, 30000)])
        self.assertEqual({4: (), 5: ("version",), 6: ("short",)}, {number: frame.verdicts for number, frame in seen.items()})

    def test_a_record_in_pieces_is_shown_where_it_becomes_whole(self):
        whole = hello()
        again = overlay.handshake(whole[:20], sender_index=7)
        frames = [
            again, overlay.handshake(whole[40:], sender_index=7, offset=40), again, overlay.handshake(whole[20:40], sender_index=7, offset=20),
            overlay.handshake(whole[30:], sender_index=7, offset=30), overlay.handshake(whole[40:], sender_index=7, offset=40),
            overlay.handshake(whole, sender_index=8)]
        rows = self.seen([(frame, 20000, 4433) for frame in frames], fields=("frame.number", "wownet.record", "tls.handshake.type", "wownet.bad.stream"))
        found = {int(number): (record, kind) for number, record, kind, _ in rows if record}
        name = f"Client Hello, {len(whole) - 5} bytes"
        self.assertEqual({5: (name, "1"), 7: (name, "1")}, found)
        self.assertEqual({""}, {row[3] for row in rows})

    def test_a_capture_of_heads_alone_is_dissected_as_far_as_it_goes(self):
        frames = [(overlay.handshake(hello()), 20000, 4433), (overlay.data(bytes(100), counter=5), 20001, 4433), (overlay.data(bytes(9500)), 20002, 4433)]
        for kept in (43, 44, 50, 58, 70, 133, 134, 135, 146):
            with self.subTest(kept=kept):
                rows = self.seen(frames, snap=kept, fields=("wownet.type", "wownet.offset", "wownet.counter", "_ws.expert.message", "tls.handshake.type"))
                self.assertEqual(["0x10", "0x11", "0x11"], [row[0] for row in rows])
                self.assertEqual("0" if kept >= 134 else "", rows[0][1])
                self.assertEqual("5" if kept >= 58 else "", rows[1][2])
                self.assertEqual(["", "", "Too long: nodes drop it" if kept >= 58 else ""], [row[3] for row in rows])
                self.assertEqual({""}, {row[4] for row in rows})

    def test_two_thousand_mutants_get_the_verdict_of_a_reading_by_itself(self):
        chance = random.Random(4)
        payloads = []
        for _ in range(2000):
            mutant = bytearray(chance.choice((overlay.handshake(), overlay.handshake(bytes(chance.randrange(1000)), offset=1), overlay.data(bytes(40)), overlay.knock(), overlay.esp(bytes(40)))))
            for _ in range(chance.randrange(4)):
                mutant[chance.choice((0, 1, 2, 3, chance.randrange(len(mutant))))] = chance.choice((0, 1, 0x10, 0x11, 0x12, 0x13, chance.randrange(256)))
            payloads.append(bytes(mutant[:chance.choice((len(mutant), chance.randrange(1, len(mutant) + 1)))]))
        seen = self.seen([(payload, 10000 + number, 4433) for number, payload in enumerate(payloads)])
        own = {number: frame for number, frame in enumerate(map(overlay.read, payloads), 1) if frame}
        self.assertTrue(200 < len([frame for frame in own.values() if frame.verdicts]) < len(own) - 200)
        self.assertEqual(own.keys(), seen.keys())
        for number, frame in own.items():
            with self.subTest(payloads[number - 1].hex()):
                words = tuple(word for word in seen[number].verdicts if word != "stream")
                self.assertEqual(frame, overlay.Frame(**{**seen[number].__dict__, "verdicts": words}))

    def test_what_others_say_on_other_ports_is_left_to_them(self):
        chance = random.Random(5)
        foreign = [(chance.randbytes(chance.randrange(1, 600)), 10000 + number, 53000) for number in range(3000)]
        self.assertEqual({}, self.seen(foreign))


if __name__ == "__main__":
    unittest.main()
