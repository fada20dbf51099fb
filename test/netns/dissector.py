"""The Wireshark dissector on what the four nodes said to each other while they found together."""

import collections
import contextlib
import pathlib
import subprocess
import sys
import time

import overlay_frames
import tshark
from natprobe import OTHER_PORT, PORT
from tally import must

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "appliance/lab"))

import pcap  # noqa: E402
from frames import UDP, parse  # noqa: E402

CAPTURE = ROOT / "build/out/netns/overlay.pcap"
PATIENCE = 240


@contextlib.contextmanager
def recording(world):
    """Records every datagram of the public network, but the NAT probe's; the file is kept for people."""
    CAPTURE.parent.mkdir(parents=True, exist_ok=True)
    command = world.topology.inside(
        "net", "tcpdump", "-n", "-U", "-s", "0", "-Z", "root", "-i", "bridge", "-w", str(CAPTURE), f"udp and not port {PORT} and not port {OTHER_PORT}")
    world.topology.runs(stay_whole=False)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        try:
            said = process.stderr.readline()
            must("listening on" in said, f"tcpdump does not record: {said.strip()}")
            yield
            time.sleep(0.2)  # what is on its way to the file
        finally:
            process.terminate()
            process.communicate(timeout=PATIENCE)
            world.topology.runs(stay_whole=True)


def run(tally):
    """Everything that was recorded, against a reading of our own."""
    own = {}
    with tally.case("every recorded datagram is a frame of the overlay, and none is malformed"):
        for record in pcap.read(CAPTURE):
            packet = parse(record.frame)
            must(packet.protocol == UDP and record.length == len(record.frame), f"frame {record.number}: {packet}")
            own[record.number] = overlay_frames.read(overlay_frames.payload(record.frame))
            must(own[record.number] and not own[record.number].verdicts, f"frame {record.number}: {packet}: {own[record.number]}")
        count = collections.Counter(frame.type for frame in own.values())
        must(count[overlay_frames.HANDSHAKE] >= 12 and count[overlay_frames.DATA] >= 100, f"too little was recorded: {count}")

    for port, how in ((4433, "by the port"), (0, "by their looks alone")):
        with tally.case(f"tshark finds the same in each of them, {how}, and no fault"):
            compare(own, tshark.frames(CAPTURE, port, looks_first=True))

    with tally.case("tshark shows the TLS of the handshakes: who calls begins with a Client Hello, who is called with a Server Hello"):
        first = [frame for frame in own.values() if frame.type == overlay_frames.HANDSHAKE and frame.offset == 0 and frame.length]
        begun, callers = {frame.sender_index for frame in first}, {frame.sender_index for frame in first if not frame.receiver_index}
        hellos = tshark.fields(CAPTURE, "wownet.sender_index", "tls.handshake.type", only="tls.handshake.type in {1, 2}")
        client, server = ({int(index, 0) for index, found in hellos if kind in found.split("|")} for kind in ("1", "2"))
        must(callers <= client and server and not client & server, f"Client Hello of {client}, Server Hello of {server}, calls of {callers}")
        must(client | server == begun, f"Client Hello of {client}, Server Hello of {server}, streams of {begun}")


def compare(own, seen):
    """Every frame alike."""
    must(own.keys() == seen.keys(), f"tshark dissects {len(seen)} of {len(own)}; of one side only: {sorted(own.keys() ^ seen.keys())[:10]}")
    differing = {number: (own[number], seen[number]) for number in own if own[number] != seen[number]}
    must(not differing, f"{len(differing)} differ, the first: {next(iter(differing.items()), None)}")
