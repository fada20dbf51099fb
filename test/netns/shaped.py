"""The owner's limit of what a machine sends: a stream keeps to it, what goes beside goes on, and it ends as it began."""

import json
import subprocess
import time

from carrying import Pair
from tally import must
from waiting import until

SPEED = 500
SECONDS = 8


def run(tally, program, figures):
    """Two machines on one line."""
    with Pair(program, 1500) as pair:
        with tally.case("without a limit nothing waits, and a stream is as fast as it is"):
            free, _ = pair.stream(3)
            must(pair.left.status()["carried"]["waits"] == 0 and pair.left.status()["carried"]["speed"] is None, f"{pair.left.status()['carried']}")
            figures.add("a stream without a limit of its sender's owner", free, "Mbit/s")
        with tally.case(f"a stream has no more than {SPEED} kB/s, waits for that, and pings beside it come back"):
            must(pair.left.ask("limit", speed=SPEED)["ok"], "the limit was not taken")
            part, back, worst = _stream(pair)
            figures.add(f"part of a limit of {SPEED} kB/s that a stream has", part, "")
            figures.add("longest ping of ten a second beside it", worst, "ms")
            # Half: what runs beside may keep both ends of the stream from a processor.
            must(0.5 <= part <= 1.05, f"{part:.3f} of the limit went")
            must(back >= 0.9, f"{back:.2f} of the pings came back")
            must(pair.left.status()["carried"]["waits"] > 0, "nothing waited")
        with tally.case("what comes is not held: the other way is fast"):
            must(_reverse(pair) > 5 * SPEED * 8 / 1000, "it is as slow as what is sent")
        with tally.case("without the limit the stream is fast again"):
            must(pair.left.ask("limit", speed=0)["ok"], "the limit was not ended")
            again, _ = pair.stream(3)
            carried = pair.left.status()["carried"]
            # How fast it is now is the computer's: what runs beside it took more than half of it. What a limit would leave is its own.
            must(again > 5 * SPEED * 8 / 1000 and carried["speed"] is None, f"{again:.0f} Mbit/s: {carried}")
            pair.stream(3)
            must(pair.left.status()["carried"]["waits"] == carried["waits"], "something waits")
        with tally.case("a limit ends with ipopd, and its tap is as before"):
            pair.left.ask("limit", speed=SPEED)
            short = _queue(pair)
            pair.left.kill()
            pair.join(pair.left)
            must(pair.left.status()["carried"]["speed"] is None and short < _queue(pair) == 500, f"{short}, then {_queue(pair)} packets")


def _stream(pair):
    """What of the limit left by its counters while TCP filled it; how many pings came back, and the longest of them in ms."""
    target = pair.right.address
    with subprocess.Popen(pair.right.inside("iperf3", "-s", "-1", "-B", target), stdout=subprocess.DEVNULL) as server:
        until(lambda: pair.right.run("ss", "-Hltn", "sport", "=", ":5201").stdout, bool, "iperf3 listens")
        with subprocess.Popen(pair.left.inside("iperf3", "-c", target, "-t", str(SECONDS + 4)), stdout=subprocess.DEVNULL) as client:
            time.sleep(2)
            began, before = time.monotonic(), pair.left.status()["carried"]["sent_bytes"]
            said = pair.left.run("ping", "-n", "-c", str(SECONDS * 10), "-i", "0.1", "-W", "3", target, check=False).stdout
            after, ended = pair.left.status()["carried"]["sent_bytes"], time.monotonic()
            client.wait(240)
        server.kill()
    times = [float(line.partition("time=")[2].split()[0]) for line in said.splitlines() if "time=" in line]
    must(times, f"no ping came back: {said}")
    return (after - before) / (ended - began) / (SPEED * 1000), len(times) / (SECONDS * 10), max(times)


def _reverse(pair):
    """Mbit/s from right to left."""
    target = pair.right.address
    with subprocess.Popen(pair.right.inside("iperf3", "-s", "-1", "-B", target), stdout=subprocess.DEVNULL) as server:
        until(lambda: pair.right.run("ss", "-Hltn", "sport", "=", ":5201").stdout, bool, "iperf3 listens")
        said = pair.left.run("iperf3", "-J", "-R", "-c", target, "-t", "3").stdout
        server.kill()
    return json.loads(said)["end"]["sum_received"]["bits_per_second"] / 1e6


def _queue(pair):
    """Packets of the tap's queue."""
    return int(pair.left.run("cat", "/sys/class/net/wow0/tx_queue_len").stdout)
