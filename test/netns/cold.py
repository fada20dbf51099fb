"""
Packets make no garbage: of the memory that ipopd asks its runtime for, none is for them, from a real tap to a real wire. What counts is the program as it ships, just
started: for half a minute it runs the code that was compiled ahead of time, which makes objects where code that was compiled again, and the tests' own build, does not.
What goes on while the packets do is looked at beside it: how many of them a round of ipopd's loop takes, and what is resident.
"""

import re
import subprocess
import time

import usage
from carrying import Pair, talk
from tally import must
from waiting import until

# What is compiled at the start takes a moment, and so do the caches of both kernels.
FIRST = 1
# The smallest object of .NET takes 24 bytes. What a node does by the clock goes on meanwhile, about 2 kB a second: where
# packets are slow that would be taken for theirs.
MOST_PER_PACKET = 0.1
# Resident memory of the shipped program, idle and after a stream, in MB. Two thirds of the first are files, of which kernels map more or less around what is used.
MOST_IDLE, MOST_AFTER = 45, 55
# Then what an idle daemon uses comes back, which is not asked for at once.
IDLE = 5
# Of a flood each round of the loop takes several packets: what a rest is worth it for.
LEAST_PER_ROUND = 4
# Each makes some 70 kB of text, so together ten times what may lie about.
QUESTIONS = 600
MOST_PER_SECOND = 4096
KINDS = {
    "TCP in super-packets": (1_000_000, ("-l", "128K")),
    "datagrams of 64 bytes": (300_000, ("-u", "-b", "0", "-l", "64")),
}


def counters(node, *names):
    """Since it started: what is named, else bytes asked for, and datagrams sent and received."""
    text = node.ask("metrics")["text"]
    return [int(re.search(rf"^wow_{name}_total (\d+)", text, re.MULTILINE).group(1))
            for name in names or ("allocated_bytes", "sent_datagrams", "received_datagrams")]


def arrived(node):
    """Datagrams that came by the wire: the kernel counts them, as ipopd is not to be disturbed."""
    return int(node.run("cat", "/sys/class/net/wire/statistics/rx_packets").stdout)


def send(pair, how, datagrams, begun):
    """Sends from left to right; calls begun() after the first second, and ends when so many datagrams more have arrived."""
    address = pair.right.address
    with subprocess.Popen(pair.right.inside("iperf3", "-s", "-B", address), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as server:
        until(lambda: pair.right.run("ss", "-Hltn", "sport", "=", ":5201").stdout, bool, "iperf3 listens")
        with subprocess.Popen(pair.left.inside("iperf3", "-c", address, "-t", "300", *how), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as client:
            try:
                time.sleep(FIRST)
                begun()
                wanted = arrived(pair.right) + datagrams
                until(lambda: arrived(pair.right), lambda seen: seen >= wanted, f"{datagrams} datagrams", limit=200, pause=0.2)
            finally:
                client.kill()
                server.kill()


def carry(pair, count, how):
    """A stream of so many datagrams after its first second: of both nodes, the memory that they asked for for packets and how many they carried."""
    nodes, before = (pair.left, pair.right), []

    def begun():
        # A look at the counters makes text itself: that counts for the clock. The very first makes more.
        looks = [[counters(node)[0] for _ in range(3)] for node in nodes]
        before.append(time.monotonic())
        before.extend((counters(node), last - former) for node, (_, former, last) in zip(nodes, looks))

    send(pair, how, count, begun)
    began, *first = before
    clock = MOST_PER_SECOND * (time.monotonic() - began)
    for node, ((bytes_before, *passed_before), look) in zip(nodes, first):
        bytes_after, *passed = counters(node)
        yield node, max(0, bytes_after - bytes_before - look - clock), sum(passed) - sum(passed_before)


def rest(pair, figures):
    """How many packets of a flood a round of each loop takes; neither may find that its rests gather nothing."""
    count, how = KINDS["datagrams of 64 bytes"]
    nodes, before = (pair.left, pair.right), []
    names = ("sent_datagrams", "received_datagrams", "loop_rounds", "loop_bars")
    send(pair, how, count, lambda: before.extend(counters(node, *names) for node in nodes))
    for node, began in zip(nodes, before):
        sent, received, rounds, bars = (now - former for now, former in zip(counters(node, *names), began))
        figures.add(f"a flood of 64-byte datagrams, {'sent' if node is pair.left else 'received'}: packets a round", (sent + received) / rounds, "")
        must(sent + received >= LEAST_PER_ROUND * rounds and bars == 0, f"{node.name}: {sent + received} packets in {rounds} rounds, rests given up {bars} times")


def stay_small(pair, figures):
    """Resident memory of the receiver before and after four seconds of one flow, and after so many questions, which do make garbage, in MB."""
    # What only the start needed is given back two seconds after the node has joined.
    until(lambda: usage.resident(pair.right.pid) / 1e6, lambda seen: seen <= MOST_IDLE, "what only the start needed is given back")
    time.sleep(IDLE)
    seen = [usage.resident(pair.right.pid) / 1e6]
    pair.stream(4)
    seen.append(usage.resident(pair.right.pid) / 1e6)
    for _ in range(QUESTIONS):
        counters(pair.right)
    seen.append(usage.resident(pair.right.pid) / 1e6)
    for name, value in zip(("idle", "after four seconds of one TCP flow, at the receiver", f"after {QUESTIONS} questions"), seen):
        figures.add(f"resident memory, {name}", value, "MB")
    must(seen[0] <= MOST_IDLE and max(seen) <= MOST_AFTER, f"{seen} MB: idle, after a stream, after {QUESTIONS} questions")


def run(tally, program, figures):
    """Streams, then single packets, each with nodes that have just been started; in each the node that sends and the one that receives."""
    for kind, (count, how) in KINDS.items():
        with tally.case(f"{count} packets by a real tap and a real wire, and ipopd, just started, asks for no memory for them: {kind}"):
            with Pair(program, 1500) as pair:
                talk(pair)
                for node, asked, packets in carry(pair, count, how):
                    figures.add(f"just started, {kind}, {'sent' if node is pair.left else 'received'}: memory asked for, a packet", asked / packets, "bytes")
                    must(packets >= count * 0.9, f"{node.name} has carried {packets} packets")
                    must(asked < MOST_PER_PACKET * packets, f"{node.name} asked for {asked / packets:.2f} bytes a packet")

    with tally.case(f"each round of ipopd's loop takes {LEAST_PER_ROUND} packets of a flood at least, at the sender and at the receiver"):
        with Pair(program, 1500) as pair:
            talk(pair)
            rest(pair, figures)

    with tally.case(f"an idle ipopd takes {MOST_IDLE} MB at most, and {MOST_AFTER} MB after a stream and much garbage, whatever the processor's cache"):
        with Pair(program, 1500) as pair:
            talk(pair)
            stay_small(pair, figures)
