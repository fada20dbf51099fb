"""Programs that everybody knows, run between two namespaces: iperf3 and ping."""

import contextlib
import json
import os
import re
import statistics
import subprocess
import time

import usage
from shell import run

FLOOD = ("-u", "-b", "0", "-l", "64")
SETTLE = 0.5
BURSTS, PINGS = 9, 100


def tcp(two, address, seconds, *options):
    """One flow from a to b: Mb/s that arrived, segments sent again."""
    end = _iperf(two, address, "-t", str(seconds), *options)["end"]
    return mbits(end["sum_received"]), end["sum_sent"]["retransmits"]


def flows(two, address, seconds, count):
    """So many flows from a to b at once: Mb/s that arrived, the least flow's part of the mean."""
    end = _iperf(two, address, "-t", str(seconds), "-P", str(count))["end"]
    each = [mbits(stream["receiver"]) for stream in end["streams"]]
    return mbits(end["sum_received"]), round(min(each) * len(each) / max(1, sum(each)), 2)


def udp(two, address, seconds):
    """64-byte datagrams as fast as one thread makes them: thousands a second that arrived."""
    end = _iperf(two, address, "-t", str(seconds), *FLOOD)["end"]["sum"]
    return round(end["packets"] * (1 - end["lost_percent"] / 100) / end["seconds"] / 1000, 1)


def round_trip(two, address):
    """The median of the means of some bursts of pings, 2 ms apart, in milliseconds: a moment in which the computer's host takes a processor is in one of them."""
    return statistics.median(_burst(two, address) for _ in range(BURSTS))


def _burst(two, address):
    said = run(*two.inside("a", "ping", "-q", "-i", "0.002", "-c", str(PINGS), address)).stdout
    return float(re.search(r"= [\d.]+/([\d.]+)/", said).group(1))


def round_trip_beside(two, address):
    """The same while a sends b as much as it can by TCP."""
    with server(two, "b", address):
        time.sleep(SETTLE)
        with client(two, "a", address, "-t", "60"):
            time.sleep(SETTLE)
            return round_trip(two, address)


def round_trip_taken(two, address):
    """The same while half of each processor is somebody else's: a program that never rests for each, scheduled as all are."""
    with contextlib.ExitStack() as running:
        for _ in range(os.cpu_count()):
            running.enter_context(_running(("sh", "-c", "while :; do :; done"), subprocess.DEVNULL))
        time.sleep(SETTLE)
        return round_trip(two, address)


def pings_beside(two, address, seconds, *options):
    """Pings, 10 ms apart, while a sends b as much as it can: the 99th percentile in milliseconds; one without an answer counts as a second."""
    count = seconds * 80
    with server(two, "b", address):
        time.sleep(SETTLE)
        with client(two, "a", address, "-t", str(seconds + 2), *options):
            time.sleep(SETTLE)
            said = run(*two.inside("a", "ping", "-i", "0.01", "-W", "1", "-c", str(count), address), check=False).stdout
    return percentile([float(time_) for time_ in re.findall(r"time=([\d.]+)", said)], count)


def percentile(found, count):
    """The 99th percentile of so many pings of which these were answered."""
    return sorted(found + [1000.0] * (count - len(found)))[count * 99 // 100]


def processor(processes):
    """Seconds of processor time that the processes have used."""
    return sum(usage.processor(process) for process in processes)


def resident(processes):
    """The larger one's resident memory, in MB; 0 of none."""
    return round(max((usage.resident(process) for process in processes), default=0) / 1e6, 1)


def mbits(part):
    """Mb/s of a part of what iperf3 said."""
    return round(part["bits_per_second"] / 1e6)


@contextlib.contextmanager
def server(two, name, address):
    """iperf3 that waits for one client; give it a moment."""
    with _running(two.inside(name, "iperf3", "-s", "-1", "-B", address), subprocess.DEVNULL):
        yield


@contextlib.contextmanager
def client(two, name, address, *options):
    """iperf3 that sends; the process, for report()."""
    with _running(two.inside(name, "iperf3", "-c", address, "-J", *options), subprocess.PIPE) as process:
        yield process


def report(process, address):
    """What iperf3 says at its end."""
    said = json.loads(process.communicate(timeout=120)[0])
    if "error" in said:
        raise RuntimeError(f"iperf3 to {address}: {said['error']}")
    return said


@contextlib.contextmanager
def _running(command, output):
    with subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def _iperf(two, address, *options):
    with server(two, "b", address):
        time.sleep(SETTLE)
        with client(two, "a", address, *options) as process:
            return report(process, address)
