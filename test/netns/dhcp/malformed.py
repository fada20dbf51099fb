"""Frames that no sound program sends, put on the tap of a running ipopd: each is dropped for the right reason, and everything goes on."""

import random
import re

import crafted
import usage
from clients import dig, lease
from tally import must
from waiting import until

MUTANTS = 5000
SEED = 20
SPARE = 16 << 20

# Sends the frames that come as lines of hexadecimal digits; a tap keeps 500 that its program has not read yet.
SENDER = """
import socket, sys, time
link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
link.bind(("wow0", 0))
for number, line in enumerate(sys.stdin, 1):
    link.send(bytes.fromhex(line))
    if number % 100 == 0:
        time.sleep(0.02)
"""


def run(tally, pool):
    """On the first node, whose machine has its address."""
    node = pool.nodes["boot"]
    own = lease(node)["ip"]
    mac = bytes.fromhex(node.run("cat", "/sys/class/net/wow0/address").stdout.strip().replace(":", ""))

    # The kernel's own IPv6 would be counted, too.
    node.run("sysctl", "-q", "-w", "net.ipv6.conf.wow0.disable_ipv6=1")
    table = crafted.frames(mac, own)
    with tally.case(f"{len(table)} malformed frames: each is dropped and counted under the one right reason"):
        wrong = []
        for what, reason, frame in table:
            before = drops(node)
            send(node, [frame])
            try:
                after, _ = until(lambda: drops(node), lambda now, old=before: now != old, what, limit=20.0)
            except AssertionError:
                after = before
            found = {name: after[name] - before[name] for name in after if after[name] != before[name]}
            wrong += [f"{what}: {found or 'not counted'}, not {reason}"] if found != {reason: 1} else []
        must(not wrong, "; ".join(wrong))
    with tally.case(f"{MUTANTS} frames mutated by chance harm nothing: address, names and memory are as before"):
        memory = usage.resident(node.pid)
        found = drops(node)
        send(node, crafted.mutants(random.Random(SEED), [frame for _, _, frame in table], MUTANTS))
        until(lambda: sum(drops(node).values()) - sum(found.values()), lambda dropped: dropped > MUTANTS / 2, "more than half are dropped")
        must(lease(node)["ip"] == own, "the lease is another one")
        must(dig(node, "boot.dhcp.internal", "A") == ("NOERROR", [own]), f"{dig(node, 'boot.dhcp.internal', 'A')}")
        grown = usage.resident(node.pid) - memory
        must(grown < SPARE, f"{grown} bytes more")


def drops(node):
    """What was dropped until now, by reason."""
    return {reason: int(count) for reason, count in re.findall(r'wow_dropped_packets_total\{reason="(\w+)"\} (\d+)', node.ask("metrics")["text"])}


def send(node, frames):
    """Puts frames on the tap, as its machine's kernel would."""
    node.run("python3", "-c", SENDER, text_in="\n".join(frame.hex() for frame in frames))
