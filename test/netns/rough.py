"""Two daemons at the ends of a wire that reorders, doubles, loses in bursts and damages what it carries."""

import json
import pathlib
import signal
import subprocess

from carrying import Pair
from shell import run as run_command
from streams import streams
from tally import must
from topology import Topology

WIRE = pathlib.Path(__file__).with_name("bad_wire.py")
NET = "198.51.100"
SEED = 16


class Rough(Topology):
    """left - wire - right, one network."""

    def __init__(self):
        super().__init__()
        self._wire = None

    def build(self, mtu):
        """Makes the three, and starts the wire."""
        for name in ("left", "wire", "right"):
            self.namespace(name)
        for name, last in (("left", 2), ("right", 3)):
            self.ip("wire", "link", "add", name, "mtu", str(mtu), "type", "veth", "peer", "name", "wire", "netns", self.prefix + name)
            # What leaves has to be whole frames with their checksums, as on a wire.
            run_command(*self.inside(name, "ethtool", "-K", "wire", "tx", "off", "gso", "off", "tso", "off", "tx-udp-segmentation", "off"))
            self.ip(name, "link", "set", "wire", "mtu", str(mtu), "up")
            self.ip("wire", "link", "set", name, "up")
            self.ip(name, "address", "add", f"{NET}.{last}/24", "dev", "wire")
        self._wire = subprocess.Popen(
            self.inside("wire", "python3", str(WIRE), "left", "right", str(SEED)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)

    def end(self):
        """What the wire did to how many frames."""
        self._wire.send_signal(signal.SIGTERM)
        return json.loads(self._wire.communicate(timeout=240)[0])

    def close(self):
        if self._wire:
            self._wire.kill()
            self._wire.wait()
        super().close()


class RoughPair(Pair):
    """Two ipopds at the ends of such a wire."""

    def __init__(self, program):
        super().__init__(program, 1500, topology=Rough)


def run(tally, program):
    """Two streams, one each way; the wire's own counters say what they went through."""
    with tally.case("a wire that reorders 5 %, doubles 1 %, loses in bursts and damages: both TCP streams arrive whole"):
        with RoughPair(program) as pair:
            streams(pair.left, pair.right, lambda: None)
            counts = pair.line.end()
            print(f"  the wire: {counts}")
            must(all(counts.values()), f"something did not happen: {counts}")
            must(counts["reordered"] > counts["frames"] / 50, f"too few were reordered: {counts}")
