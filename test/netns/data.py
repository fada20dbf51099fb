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
server = socket.create_connection((sys.argv[1], 5000), timeout=60)
server.sendall(sys.stdin.buffer.read())
server.shutdown(socket.SHUT_WR)
print(server.recv(64).decode())
"""


def run(tally, world, figures):
    """Sizes, bursts, TCP, cheating."""
    with tally.case("packets of the full MTU cross direct and ring paths uncut"):
        for far in (world.two, world.sym):
            must(ping(world.one, far.address, count=5, interval=0.1, size=1252) == 5, f"to {far.name}")

    with tally.case("500 pings in 5 s over the direct path: none is lost"):
        got = ping(world.one, world.two.address, count=500, interval=0.01)
        must(got == 500, f"{got} of 500 came back")

    for far in (world.two, world.sym):
        with tally.case(f"8 MB by TCP from one to {far.name} arrive unchanged"):
            seconds = transfer(world.one, far)
            figures.add(f"one -> {far.name} ({world.one.peer(far)['path']}): TCP", SIZE * 8 / seconds / 1e6, "Mbit/s")

    with tally.case("a packet with somebody else's source address is not delivered"):
        foreign = world.sym.address
        world.one.run("ip", "address", "add", foreign + "/32", "dev", "wow0")
        try:
            ended = world.one.run("ping", "-n", "-c", "3", "-i", "0.2", "-W", "1", "-I", foreign, world.two.address, check=False)
            must(" 0 received" in ended.stdout, ended.stdout)
        finally:
            world.one.run("ip", "address", "delete", foreign + "/32", "dev", "wow0")
        must(ping(world.one, world.sym.address) == 1, "the rightful owner is not reached afterwards")


def transfer(source, target):
    """Sends random bytes; returns the seconds. The receiver's hash must be the sender's."""
    data = os.urandom(SIZE)
    with subprocess.Popen(target.inside("python3", "-c", RECEIVER, target.address), stdout=subprocess.PIPE) as receiver:
        try:
            receiver.stdout.readline()
            begin = time.monotonic()
            ended = subprocess.run(source.inside("python3", "-c", SENDER, target.address), input=data, stdout=subprocess.PIPE, timeout=120, check=True)
            seconds = time.monotonic() - begin
        finally:
            receiver.kill()
    must(ended.stdout.decode().strip() == hashlib.sha256(data).hexdigest(), "the hash differs")
    return seconds
