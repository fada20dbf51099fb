"""More than single pings."""

import hashlib
import os
import subprocess
import time

from clients import ping
from tally import must

SIZE = 8 << 20
RECEIVER = """
import hashlib, socket, sys
server = socket.create_server((sys.argv[1], 5000))
print("ready", flush=True)
client, _ = server.accept()
digest = hashlib.sha256()
while data := client.recv(1 << 16):
    digest.update(data)
client.sendall(digest.hexdigest().encode())
"""
SENDER = """
import socket, sys
server = socket.create_connection((sys.argv[1], 5000), timeout=240)
server.sendall(sys.stdin.buffer.read())
server.shutdown(socket.SHUT_WR)
print(server.recv(64).decode())
"""

# Messages of every size in order, each sent as one call of up to 64 datagrams (UDP_SEGMENT, udp(7)); the one at the end may be shorter.
GATHERER = """
import hashlib, socket, sys
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
SO_RCVBUFFORCE = 33  # all of them may wait, and the machine's limit is less
server.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 4 << 20)
server.bind((sys.argv[1], 5002))
server.settimeout(120)
print("ready", flush=True)
got = {}
try:
    while len(got) < int(sys.argv[2]):
        data = server.recv(1 << 16)
        got[int.from_bytes(data[:4], "big")] = (len(data), hashlib.sha256(data).hexdigest())
except TimeoutError:
    pass
print(len(got), hashlib.sha256(repr(sorted(got.items())).encode()).hexdigest())
"""
SCATTERER = """
import hashlib, os, socket, sys, time
UDP_SEGMENT = 103
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.connect((sys.argv[1], 5002))
sent, number = {}, 0
for size in (16, 64, 300, 1000, 1200):
    for count in (1, 2, 7, 40):
        message = b""
        for index in range(count):
            data = number.to_bytes(4, "big") + os.urandom(size - 4 - (5 if index and index == count - 1 else 0))
            sent[number] = (len(data), hashlib.sha256(data).hexdigest())
            number += 1
            message += data
        client.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, size)
        client.send(message)
        time.sleep(0.02)
print(len(sent), hashlib.sha256(repr(sorted(sent.items())).encode()).hexdigest())
"""


def run(tally, world, figures):
    """Sizes, bursts, TCP, cheating."""
    with tally.case("packets of the full MTU cross direct and ring paths uncut"):
        for far in (world.two, world.sym):
            must(ping(world.one, far.address, count=5, interval=0.1, size=1252) == 5, f"to {far.name}")

    # Each ping crosses eight queues of a kernel that other tests keep busy, too. One lost in some 60,000 is what was seen of it; a daemon that loses, loses more.
    with tally.case("500 pings in 5 s over the direct path: no more than one is lost"):
        got = ping(world.one, world.two.address, count=500, interval=0.01)
        figures.add("pings of 500 that came back over the direct path", got, "")
        must(got >= 499, f"{got} of 500 came back; {dropped()} packets had no room in a queue of the kernel since its start")

    for far in (world.two, world.sym):
        with tally.case(f"8 MB by TCP from one to {far.name} arrive unchanged"):
            seconds = transfer(world.one, far)
            figures.add(f"one -> {far.name} ({world.one.peer(far)['path']}): TCP", SIZE * 8 / seconds / 1e6, "Mbit/s")

    with tally.case("datagrams that a program sends at once arrive each as it was, joined or not"):
        datagrams(world.one, world.two)

    with tally.case("a packet with somebody else's source address is not delivered"):
        foreign = world.sym.address
        world.one.run("ip", "address", "add", foreign + "/32", "dev", "wow0")
        try:
            ended = world.one.run("ping", "-n", "-c", "3", "-i", "0.2", "-W", "1", "-I", foreign, world.two.address, check=False)
            must(" 0 received" in ended.stdout, ended.stdout)
        finally:
            world.one.run("ip", "address", "delete", foreign + "/32", "dev", "wow0")
        must(ping(world.one, world.sym.address) == 1, "the rightful owner is not reached afterwards")


def dropped():
    """Packets that the kernel threw away because a processor's queue was full, of all namespaces (softnet_stat, second column)."""
    with open("/proc/net/softnet_stat", encoding="ascii") as file:
        return sum(int(line.split()[1], 16) for line in file)


def datagrams(source, target):
    """Sends runs of datagrams of many sizes; what is received must be what was sent, to the byte."""
    with subprocess.Popen(target.inside("python3", "-c", GATHERER, target.address, "250"), stdout=subprocess.PIPE) as receiver:
        try:
            receiver.stdout.readline()
            sent = subprocess.run(source.inside("python3", "-c", SCATTERER, target.address), stdout=subprocess.PIPE, timeout=240, check=True)
            got = receiver.stdout.readline()
        finally:
            receiver.kill()
    must(got == sent.stdout and got.startswith(b"250 "), f"sent {sent.stdout}, got {got}")


def transfer(source, target):
    """Sends random bytes; returns the seconds. The receiver's hash must be the sender's."""
    data = os.urandom(SIZE)
    with subprocess.Popen(target.inside("python3", "-c", RECEIVER, target.address), stdout=subprocess.PIPE) as receiver:
        try:
            receiver.stdout.readline()
            begin = time.monotonic()
            ended = subprocess.run(source.inside("python3", "-c", SENDER, target.address), input=data, stdout=subprocess.PIPE, timeout=240, check=True)
            seconds = time.monotonic() - begin
        finally:
            receiver.kill()
    must(ended.stdout.decode().strip() == hashlib.sha256(data).hexdigest(), "the hash differs")
    return seconds
