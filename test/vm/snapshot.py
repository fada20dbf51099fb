"""A snapshot of gamma is loaded twice, each time with another VM Generation ID: gamma notices, agrees on new keys for the overlay and for IPsec,
and on the wire no nonce was ever used twice with a key."""

import ipaddress
import os
import struct

import echo
import pcap
import probe
import rootshell
from tally import must

NAME = "gamma"
SNAPSHOT = "again"
SEALED, HEADER = (0x11, 0x13), 16
"""docs/protocol.md, Data and ESP: the types, and the bytes that hold session and nonce."""
LOADS = 2
ECHOES = 40
SAVE_SECONDS = 300


def options(name):
    """QEMU options of the machine whose snapshot is loaded."""
    return ("-device", "vmgenid,guid=auto") if name == NAME else ()


def spis():
    """The SPIs of gamma's IPsec SAs. One that the kernel only waits for has no key yet, and the SPI of the policy's last."""
    return keyed(probe.root(NAME, "ip xfrm state"))


def keyed(listed):
    """The SPIs of what `ip xfrm state` lists, where there is a key."""
    found, spi = set(), None
    for line in listed.splitlines():
        words = line.split()
        if "spi" in words:
            spi = words[words.index("spi") + 1]
        elif words[:1] == ["aead"]:
            found.add(spi)
    return found


def talk(lab):
    """Sends echoes to the manager, through IPsec and the overlay, until most of them are answered."""
    manager = lab.address("manager")
    probe.until(lambda: echo.answers(NAME, manager, ECHOES), lambda answered: answered > ECHOES // 2, "ring", "the manager does not answer gamma's echoes")


def run(tally, lab):
    """gamma is in the pool."""
    vm = lab.vms[NAME]
    with tally.case("a machine with a VM Generation ID runs, a snapshot of it is taken, and it runs on"):
        talk(lab)
        before = spis()
        must(before, "gamma has no SA")
        with vm.qmp(SAVE_SECONDS) as qmp:
            said = qmp.ask("human-monitor-command", **{"command-line": f"savevm {SNAPSHOT}"})
        must(not said, said)
        talk(lab)
    for number in range(1, LOADS + 1):
        with tally.case(f"the snapshot is loaded, time {number}: ipopd notices, drops its keys and comes back by a new handshake; so does IKE"):
            vm.pull_plug()
            vm.power_on("-loadvm", SNAPSHOT)
            probe.until(lambda: os.path.exists(rootshell.path(NAME)), bool, "boot", "QEMU does not get ready")
            probe.until(lambda: rootshell.ask(NAME, "journalctl -u ipopd -q --no-pager -g MachineCopied", 60)[1], lambda log: "MachineCopied" in log, "ring",
                        "ipopd does not notice")
            probe.until(lambda: rootshell.ask(NAME, "systemctl show -P NRestarts strongswan.service", 60)[1], lambda count: count not in ("", "0"), "ring",
                        "charon was not killed")
            talk(lab)
            left = before & spis()
            must(not left, f"SAs of before are used on: {left}")
    with tally.case("on gamma's wire no nonce was used twice with a key"):
        frames, sessions, repeated, counters = nonces(pcap.read(lab.file(NAME, "wan.pcap")), vm.machine.address)
        # How many those are is chance: the keys are dropped within moments.
        lab.say(f"{frames} frames in {sessions} sessions; {counters} have a counter of an earlier frame with another salt")
        must(frames > 100, f"only {frames} data frames were recorded")
        must(not repeated, f"{len(repeated)} nonces were used twice, such as {repeated[0].hex()}" if repeated else "")


def nonces(records, address):
    """(data frames that an address sent, sessions, heads of those with another frame's key and nonce, frames with an earlier one's counter)."""
    source = ipaddress.IPv4Address(address).packed
    seen, counters, repeated, again, frames = {}, {}, [], 0, 0
    for record in records:
        found = data_frame(record.frame, source)
        if found is None:
            continue
        peer, frame = found
        frames += 1
        head, key = frame[:HEADER], (peer, frame[4:8])
        if seen.setdefault((peer, head), frame) != frame:
            repeated.append(head)
        again += counters.setdefault((key, frame[11:HEADER]), head) != head
    return frames, len({key for key, _ in counters}), repeated, again


def data_frame(frame, source):
    """(destination and its port, the overlay's frame) of an Ethernet frame with a UDP datagram of the source that is a data frame; else None."""
    if len(frame) < 42 or frame[12:14] != b"\x08\x00" or frame[23] != 17 or frame[26:30] != source:
        return None
    head = 14 + (frame[14] & 15) * 4
    _, port, length, _ = struct.unpack("!HHHH", frame[head:head + 8])
    payload = frame[head + 8:head + length]
    return ((frame[30:34], port), payload) if len(payload) > HEADER + 16 and payload[0] in SEALED else None
