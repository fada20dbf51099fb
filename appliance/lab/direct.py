"""When did two machines behind NATs begin to talk without help: read from the captures at their cards."""

from frames import IPV4, UDP, parse
from pcap import read


def first_heard(path, own, other_public, port):
    """Seconds since 1970 of the first overlay datagram that reached own straight from the other's NAT; None if none did."""
    for record in read(path):
        packet = parse(record.frame)
        if (packet.ethertype == IPV4 and packet.protocol == UDP and packet.target == own and packet.source == other_public
                and packet.target_port == port):
            return record.time
    return None


def both_ways(one, other, ports):
    """Seconds since 1970 from which each of two (capture, machine) pairs had heard the other straight; None if never. ports: {address: UDP port} of the overlay."""
    heard = [first_heard(path, machine.address, peer.public, ports[machine.address]) for (path, machine), (_, peer) in ((one, other), (other, one))]
    return None if None in heard else max(heard)
