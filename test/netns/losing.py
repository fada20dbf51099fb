"""What the kernel does not take is lost, and counted by reason."""

import re
import resource
import time

from carrying import Pair, talk
from clients import ping
from tally import must
from waiting import until

REASONS = {"waited_for_session", "came_before_session", "tcp_queue_full", "udp_send_refused", "udp_receive_queue_full", "tap_write_refused"}


def losses(node):
    """What was lost until now, by reason."""
    return {reason: int(count) for reason, count in re.findall(r'wow_lost_frames_total\{reason="(\w+)"\} (\d+)', node.ask("metrics")["text"])}


def run(tally, program):
    """Interfaces that are down."""
    with tally.case("frames for a tap that is down and datagrams without a way are counted under their reasons"), Pair(program, 1500) as pair:
        talk(pair)
        before = losses(pair.right)
        must(set(before) == REASONS, f"{before}")
        must(before["tap_write_refused"] == 0, f"{before}")
        address = pair.right.address
        pair.line.ip("right", "link", "set", "wow0", "down")
        must(ping(pair.left, address, count=5, interval=0.1, patience=1) == 0, "a tap that is down answers")
        until(lambda: losses(pair.right)["tap_write_refused"], lambda count: count >= 5, "five frames are lost at the tap")
        before = losses(pair.left)["udp_send_refused"]
        pair.line.ip("left", "link", "set", "wire", "down")
        ping(pair.left, address, count=5, interval=0.1, patience=1)
        until(lambda: losses(pair.left)["udp_send_refused"], lambda count: count >= before + 5, "five datagrams find no way")

    with tally.case("a daemon that gets no more descriptors keeps its addresses and goes on"), Pair(program, 1500) as pair:
        talk(pair)
        pid = pair.left.pid
        _most_descriptors(pid, 3)
        for number in range(3):
            pair.line.ip("left", "address", "add", f"10.99.0.{number + 1}/32", "dev", "lo")
            time.sleep(1)
        must(ping(pair.left, pair.right.address, count=5, interval=0.1, patience=1) == 5, "packets are lost")
        _most_descriptors(pid, 1024)
        must("addresses can't be read" in str(pair.left.tail(50)), "it does not say so")
        must(pair.left.status()["ring"]["joined"], "it left the ring")


def _most_descriptors(pid, count):
    """From now on a process gets none with a number from `count` on."""
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (count, resource.prlimit(pid, resource.RLIMIT_NOFILE)[1]))
