"""IPsec policies of the machine that cover the networks below the overlay."""

import subprocess

from carrying import LEFT, RIGHT, Pair, talk
from clients import ping
from tally import must

NETS = {"left": LEFT + ".0/24", "right": RIGHT + ".0/24"}
# Waits until it is told that something was sent; says what it got, or nothing after two seconds.
LISTEN = "import socket; s = socket.socket(2, 2); s.bind(('', 9999)); s.settimeout(2); print('ready', flush=True); input(); print(s.recv(9).decode())"
SPEAK = "import socket; socket.socket(2, 2).sendto(b'plain', ('%s.2', 9999))" % RIGHT


def block(node):
    """No UDP of the networks below leaves or enters but by a socket with a policy of its own."""
    here, there = NETS[node.name], next(net for name, net in NETS.items() if name != node.name)
    for way, source, target in (("out", here, there), ("in", there, here)):
        node.run("ip", "xfrm", "policy", "add", "src", source, "dst", target, "proto", "udp", "dir", way, "action", "block", "priority", "1")


def passes(pair):
    """Whether an ordinary socket's datagram gets from left to right."""
    command = pair.right.inside("python3", "-c", LISTEN)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as listener:
        listener.stdout.readline()
        pair.left.run("python3", "-c", SPEAK, check=False)
        return listener.communicate("sent\n")[0].strip() == "plain"


def run(tally, program):
    """All of it."""
    with tally.case("an IPsec policy that lets no UDP through stops ordinary sockets and leaves the overlay's alone"), Pair(program, 1500) as pair:
        talk(pair)
        must(passes(pair), "an ordinary datagram is lost before there is a policy")
        for node in (pair.left, pair.right):
            block(node)
        must(not passes(pair), "the policy stops nothing, so it proves nothing")
        must(ping(pair.left, pair.right.address, count=10, interval=0.1) == 10, "pings over the overlay are lost")
