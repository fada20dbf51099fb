"""What time it is, on machines without a hypervisor's clock whose wall clocks are wrong: by peers over their sealed sessions, and by a time server that speaks NTP.
None is set here (`[time] set = no`): what is judged is by how much each says that its clock is off."""

import contextlib
import pathlib
import subprocess

from node import Node
from nodes import Nodes
from tally import must
from waiting import until

HIDDEN = pathlib.Path(__file__).resolve().parent / "hidden_clock.py"
HOUR, YEAR = 3600, 365 * 86400
# Peers that are right outnumber the two that are not.
OFF = {"one": 0, "two": 0, "three": 0, "four": 0, "hours": 3 * HOUR, "year": -YEAR}
EXACT = 3
"""Seconds."""
ASKED = 120
"""Four times what passes between two questions."""
SERVER, MITM = "192.0.2.40", "192.0.2.41"
CHRONY = f"bindaddress {SERVER}\nlocal stratum 8\nallow 192.0.2.0/24\ncmdport 0\nport 123\npidfile {{folder}}/chronyd.pid\n"

# Hands questions on to the server. Before each answer it tells a time that is a year off as if somebody had asked for it, under a number that nobody used; after it,
# the same under the right number, which was answered already.
LIAR = f"""
import socket, struct
door = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
door.bind(("{MITM}", 123))
print("ready", flush=True)
while True:
    question, asker = door.recvfrom(512)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        way.settimeout(5)
        way.sendto(question, ("{SERVER}", 123))
        answer = way.recv(512)
    seconds = struct.unpack("!I", answer[40:44])[0]
    wrong = answer[:40] + struct.pack("!I", seconds + {YEAR}) + answer[44:]
    door.sendto(wrong[:24] + b"\\x01\\x02\\x03\\x04\\x05\\x06\\x07\\x08" + wrong[32:], asker)
    door.sendto(answer, asker)
    door.sendto(wrong, asker)
    print("answered", flush=True)
"""


class Wrong(Node):
    """A machine without a hypervisor's clock, whose own is so many seconds ahead."""

    def __init__(self, topology, name, folder, program, ahead):
        super().__init__(topology, name, folder, program, "timing")
        self.program = str(self.folder / "ipopd")
        script = pathlib.Path(self.program)
        script.write_text(f'#!/bin/sh\nexec unshare -m python3 {HIDDEN} {ahead} {program} "$@"\n', encoding="ascii")
        script.chmod(0o755)

    def clock(self):
        """What it says of its clock."""
        return self.status()["clock"]


def run(tally, program):
    """Two pools, one after the other."""
    with tally.case("machines whose clocks are hours and a year off learn it from their peers, and those that are right know it"), World(program) as world:
        for number, (name, ahead) in enumerate(OFF.items()):
            world.add(name, f"192.0.2.{10 + number}", ahead)
        for name, ahead in OFF.items():
            clock, _ = until(world.nodes[name].clock, lambda clock, ahead=ahead: clock["follows"] == "peers" and is_off(clock, ahead), f"{name} is {ahead} s ahead",
                             limit=ASKED, pause=1)
            must(clock["voices"] >= 3, f"{name}: {clock}")
    with tally.case("a time server that speaks NTP is followed; answers that nobody asked for are not"), World(program) as world, serving(world):
        world.add("one", "192.0.2.10", -2 * HOUR, {"ntp": SERVER})
        world.add("two", "192.0.2.11", 2 * HOUR, {"ntp": MITM})
        with lying(world) as said:
            for name, ahead in (("one", -2 * HOUR), ("two", 2 * HOUR)):
                until(world.nodes[name].clock, lambda clock, ahead=ahead: clock["follows"] == "server" and is_off(clock, ahead), f"{name} is {ahead} s ahead",
                      limit=ASKED, pause=1)
            # Once more, with what it believes now.
            must([said.readline() for _ in range(2)] == ["answered\n"] * 2, "the server is not asked again")
            must(is_off(world.nodes["two"].clock(), 2 * HOUR), f"{world.nodes['two'].clock()}")


def is_off(clock, ahead):
    """Whether a clock says that it is so many seconds ahead."""
    return clock["error_s"] is not None and abs(clock["error_s"] - ahead) < EXACT


class World(Nodes):
    """Nodes on one network."""

    def __init__(self, program):
        super().__init__()
        self._program = program

    def add(self, name, address, ahead, time=None):
        """Starts a node and waits until it is on the ring."""
        self.topology.public(name, address)
        node = self.nodes[name] = Wrong(self.topology, name, self.folder.name, self._program, ahead)
        if time:
            node.options["time"] = time
        node.start("" if len(self.nodes) == 1 else "udp:192.0.2.10:4433")
        until(node.status, lambda status: status["ring"]["joined"], f"{name} joins")


@contextlib.contextmanager
def serving(world):
    """Debian's chronyd, which serves the time of this machine."""
    world.topology.public("server", SERVER, MITM)
    config = pathlib.Path(world.folder.name) / "chrony.conf"
    config.write_text(CHRONY.format(folder=world.folder.name), encoding="ascii")
    command = world.topology.inside("server", "chronyd", "-d", "-x", "-u", "root", "-f", str(config))
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            yield
        finally:
            server.kill()


@contextlib.contextmanager
def lying(world):
    """Somebody between a machine and its time server; gives what he prints."""
    with subprocess.Popen(world.topology.inside("server", "python3", "-c", LIAR), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as liar:
        try:
            must(liar.stdout.readline() == "ready\n", "the one between does not start")
            yield liar.stdout
        finally:
            liar.kill()
