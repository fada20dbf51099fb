"""Programs that everybody knows, run between `a` and `b`: iperf3 and ping."""

import json
import os
import pathlib
import re
import subprocess
import time

from shell import run

TICK = os.sysconf("SC_CLK_TCK")


def all_of(two, peer, address, seconds):
    """Every figure of one peer in one round."""
    run(*two.inside("a", "ping", "-c", "1", "-W", "10", address))
    before = processor(peer.processes())
    idle = resident(peer.processes())
    mbits, resent = tcp(two, address, seconds)
    used = processor(peer.processes()) - before
    return {
        "tcp_mbits": mbits, "resent": resent, "processor_s_per_gbit": round(used / (mbits * seconds / 1000), 3), "rtt_ms": round_trip(two, address),
        "udp64_kpps": udp(two, address), "rss_idle_mb": idle, "rss_mb": resident(peer.processes())}


def tcp(two, address, seconds, *options):
    """One flow from a to b: Mb/s that arrived, segments sent again."""
    end = _iperf(two, address, "-t", str(seconds), *options)["end"]
    return round(end["sum_received"]["bits_per_second"] / 1e6), end["sum_sent"]["retransmits"]


def udp(two, address, seconds=3):
    """64-byte datagrams as fast as one thread makes them: thousands a second that arrived."""
    end = _iperf(two, address, "-u", "-b", "0", "-l", "64", "-t", str(seconds))["end"]["sum"]
    return round(end["packets"] * (1 - end["lost_percent"] / 100) / end["seconds"] / 1000, 1)


def round_trip(two, address):
    """Mean of 500 pings, 2 ms apart, in milliseconds."""
    said = run(*two.inside("a", "ping", "-q", "-i", "0.002", "-c", "500", address)).stdout
    return float(re.search(r"= [\d.]+/([\d.]+)/", said).group(1))


def processor(processes):
    """Seconds of processor time that the processes have used."""
    return sum(sum(int(number) for number in _stat(process)[11:13]) for process in processes) / TICK


def resident(processes):
    """The larger one's resident memory, in MB; 0 of none."""
    found = [int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{process}/status").read_text(encoding="ascii")).group(1)) for process in processes]
    return round(max(found, default=0) / 1000, 1)


def _stat(process):
    return pathlib.Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()


def _iperf(two, address, *options):
    with subprocess.Popen(two.inside("b", "iperf3", "-s", "-1", "-B", address), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            time.sleep(0.4)
            ended = run(*two.inside("a", "iperf3", "-c", address, "-J", *options), timeout=120, check=False)
            said = json.loads(ended.stdout)
            if "error" in said:
                raise RuntimeError(f"iperf3 to {address}: {said['error']}")
            return said
        finally:
            server.kill()
