"""Packets make no garbage: of the memory that ipopd asks its runtime for, none is for them, from a real tap to a real wire."""

import subprocess
import time

import cold
from carrying import Pair, talk
from cold import arrived, counters
from tally import must
from waiting import until

WARM = 100_000
# The smallest object of .NET takes 24 bytes, and a look at the counters makes text. What a node does by the clock goes on meanwhile, about 2 kB a second: where
# packets are slow that would be taken for theirs.
MOST_PER_PACKET = 1.0
MOST_PER_SECOND = 4096
# What ships compiles what is hot a second time only after ten quiet seconds, and until then asks for more; this is what it asks for afterwards.
HOT = {"DOTNET_TC_CallCountingDelayMs": "0"}
KINDS = {
    "TCP in super-packets": (1_000_000, ("-l", "128K")),
    "datagrams of 64 bytes": (300_000, ("-u", "-b", "0", "-l", "64")),
}


def send(pair, how, datagrams):
    """Sends from left to right until so many datagrams have arrived."""
    address = pair.right.address
    with subprocess.Popen(pair.right.inside("iperf3", "-s", "-B", address), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as server:
        until(lambda: pair.right.run("ss", "-Hltn", "sport", "=", ":5201").stdout, bool, "iperf3 listens")
        with subprocess.Popen(pair.left.inside("iperf3", "-c", address, "-t", "300", *how), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as client:
            try:
                wanted = arrived(pair.right) + datagrams
                until(lambda: arrived(pair.right), lambda seen: seen >= wanted, f"{datagrams} datagrams", limit=200, pause=0.2)
            finally:
                client.kill()
                server.kill()


def run(tally, program, figures):
    """Streams, then single packets; in each the node that sends and the one that receives."""
    with Pair(program, 1500, environment=HOT) as pair:
        talk(pair)
        for kind, (count, how) in KINDS.items():
            with tally.case(f"{count} packets by a real tap and a real wire, and ipopd asks for no memory for them: {kind}"):
                send(pair, how, WARM)
                nodes = (pair.left, pair.right)
                before, began = [counters(node) for node in nodes], time.monotonic()
                send(pair, how, count)
                clock = MOST_PER_SECOND * (time.monotonic() - began)
                for node, (bytes_before, *passed_before) in zip(nodes, before):
                    bytes_after, *passed = counters(node)
                    packets = sum(passed) - sum(passed_before)
                    asked = bytes_after - bytes_before
                    per_packet = asked / packets
                    figures.add(f"{kind}, {'sent' if node is pair.left else 'received'}: memory asked for, a packet", per_packet, "bytes")
                    must(packets >= count * 0.9, f"{node.name} has carried {packets} packets")
                    must(asked < MOST_PER_PACKET * packets + clock, f"{node.name} asked for {per_packet:.2f} bytes a packet")

    cold.run(tally, program, figures)
