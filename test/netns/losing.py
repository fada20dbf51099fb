"""What the kernel does not take is lost, and counted by reason; what it does not give is done without, and told."""

import contextlib
import os
import re
import resource
import socket
import subprocess
import time

import usage
from carrying import Pair, talk
from clients import ping
from tally import must
from waiting import until

# So many connections at each TCP port of the daemon, which say nothing: more than it has free numbers between those in use.
SILENT = 40
PORTS = (("127.0.0.1", 4433), ("127.0.0.54", 5354))
CALL = f"""
import socket, sys
held = [socket.create_connection(port) for port in {PORTS} for _ in range({SILENT})]
print("called", flush=True)
sys.stdin.read()
"""
SPAN = 3
# Of a processor. A daemon that looks at them again and again takes all of one.
MOST_PROCESSOR = 0.2

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
        until(lambda: pair.left.tail(50), lambda lines: "addresses can't be read" in str(lines), "it says so")
        _most_descriptors(pid, 1024)
        must(pair.left.status()["ring"]["joined"], "it left the ring")

    with tally.case("who calls a daemon that gets no more descriptors costs no processor and is served when there are some"), Pair(program, 1500) as pair:
        # Below all that are in use, so that the one that it spares for its own clients does not help either.
        _most_descriptors(pair.left.pid, 3)
        with _silent_calls(pair.left), socket.socket(socket.AF_UNIX) as client:
            client.settimeout(120)
            client.connect(str(pair.left.socket))
            client.sendall(b'{"command":"status"}\n')
            _must_be_calm(pair.left)
            _most_descriptors(pair.left.pid, 1024)
            must(b'"shortages":{"count":' in client.recv(1 << 20), "it does not say that descriptors ran out")

    with tally.case("a daemon that has used up its descriptors says so to who asks for its status"), Pair(program, 1500) as pair:
        must(pair.left.status()["shortages"] is None, "it lacks some at once")
        _most_descriptors(pair.left.pid, 1 + max(int(number) for number in os.listdir(f"/proc/{pair.left.pid}/fd")))
        with _silent_calls(pair.left):
            _must_be_calm(pair.left)
            for _ in range(3):
                status = pair.left.status()
                must(status["shortages"]["count"] > 0, f"{status['shortages']}")
                must(any(warning["code"] == "shortage" for warning in status["warnings"]), f"{status['warnings']}")
        must("KernelShort" in str(pair.left.tail(50)), "the journal does not say so")


@contextlib.contextmanager
def _silent_calls(node):
    """Connections to all TCP ports of a node, from its own machine."""
    with subprocess.Popen(node.inside("python3", "-c", CALL), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as caller:
        must(caller.stdout.readline() == b"called\n", "the ports can't be called")
        yield
        caller.stdin.close()


def _must_be_calm(node):
    """For some seconds it uses next to no processor."""
    before = usage.processor(node.pid)
    time.sleep(SPAN)
    used = (usage.processor(node.pid) - before) / SPAN
    must(used < MOST_PROCESSOR, f"it uses {used:.2f} of a processor")


def _most_descriptors(pid, count):
    """From now on a process gets none with a number from `count` on."""
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (count, resource.prlimit(pid, resource.RLIMIT_NOFILE)[1]))
