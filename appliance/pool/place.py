"""Whether an address is a place for a manager, and a subnet one for a pool. What is wrong is a WowError, what may be wrong a sentence."""

import socket

from pool import here
from pool.node import WowError, agreed, ipv4

NOWHERE = (("0.0.0.0/8", "is no host's address"), ("127.0.0.0/8", "is this machine's own loopback"), ("169.254.0.0/16", "is a link-local address"),
           ("224.0.0.0/3", "is a multicast or a reserved address"))
PRIVATE = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")
EXAMPLES = ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")
PRIVATE_ENDS = (".local", ".lan", ".home", ".internal", ".home.arpa", ".localdomain")
"""What a name ends in that one network alone knows (RFC 6762, RFC 8375, and what routers call theirs)."""

REMEDY = "Give the public name or IPv4 address of the place where the manager will run, or of the router there that leads the UDP port to it"


def read(text):
    """(host, port) of HOST[:PORT]. The reader of pool.conf judges whether HOST is one; here only what it cannot know is refused."""
    if text.count(":") > 1:
        raise WowError(f'"{text}" is an IPv6 address', "Give a name or an IPv4 address: a bootstrap list holds no IPv6 addresses. A name may have both", "--at")
    host, colon, port = text.partition(":")
    if not host:
        raise WowError(f'"{text}" names no host', "Write it like manager.example.org or 203.0.113.7:4433", "--at")
    if colon and not (port.isascii() and port.isdigit() and len(port) <= 5 and 0 < int(port) < 65536):
        raise WowError(f'"{port}" is not a UDP port', f"Write a number from 1 to 65535, or leave it out for {agreed.OVERLAY_PORT}", "--at")
    return host.lower(), int(port) if colon else agreed.OVERLAY_PORT


def must_be_free(at, others):
    """WowError where one of the other managers, HOST:PORT each, has that place."""
    if at in others:
        raise WowError("is another manager's place", "Each has its own", "", f"--at {at}")


def look_up(host):
    """The IPv4 addresses of a name, as this machine's resolver tells them; OSError where it tells none."""
    return sorted({found[4][0] for found in socket.getaddrinfo(host, None, socket.AF_INET, socket.SOCK_DGRAM)})


def doubts(host, subnet, is_private, ask=None):
    """Sentences about what may be wrong with the manager's place. WowError where nobody would reach it, or strangers would not and it was not said.
    ask: as look_up, which is asked if nothing else is given."""
    inside = _in_one_network(host, subnet)
    if inside is None:
        return _examples(host) if _number(host) else _named(host, subnet, ask or look_up)
    if not is_private:
        raise WowError(f"{inside}: machines in that network alone reach it, volunteers elsewhere never do", REMEDY + ". If all machines of the pool stand "
                       "in that network, say --private", f"--at {host}")
    return [f"{host} {inside}: only machines in that network will join this pool"]


def _in_one_network(host, subnet):
    """Why only one network reaches the host, None where everybody may; WowError where nobody does."""
    number = _number(host)
    if number is None:
        if host == "localhost" or host.endswith(".localhost"):
            raise WowError("is this machine's own loopback: no other machine reaches it", REMEDY, f"--at {host}")
        return "is a name that one network alone knows" if "." not in host or host.endswith(PRIVATE_ENDS) else None
    for prefix, why in NOWHERE:
        if ipv4.overlap(number, ipv4.parse_prefix(prefix)):
            raise WowError(f"{why}: no other machine reaches it", REMEDY, f"--at {host}")
    if ipv4.overlap(number, ipv4.parse_prefix(subnet)):
        raise WowError(f"lies in the pool's own subnet {subnet}, which is there only once a machine has joined", REMEDY + ", or another --subnet", f"--at {host}")
    return "is a private address" if any(ipv4.overlap(number, ipv4.parse_prefix(prefix)) for prefix in PRIVATE) else None


def _named(host, subnet, ask):
    """What may be wrong with the name of a place. It may get its address later, so nothing is refused."""
    try:
        found = ask(host)
    except OSError as error:
        return [f"{host} has no address that this machine knows ({error.strerror or error}): no machine will find the pool by it. If that is a typing error: "
                f"{here.typed()} stamp FOLDER --at HOST, for another manager than the first {here.typed()} manager remove FOLDER NAME, then add. "
                "Else give the name its address before the first machine starts"]
    wrong = []
    for address in found:
        try:
            if (inside := _in_one_network(address, subnet)) is not None:
                wrong.append(f"{host} has the address {address} here, which {inside}: machines elsewhere reach it only if it has another one there")
        except WowError as error:
            wrong.append(f"{host} has the address {address} here, which {error.what}")
    return wrong


def _examples(host):
    number = _number(host)
    if number is not None and any(ipv4.overlap(number, ipv4.parse_prefix(prefix)) for prefix in EXAMPLES):
        return [f"{host} is an address for examples: nobody reaches it"]
    return []


def _number(host):
    try:
        return ipv4.parse_address(host), 32
    except ValueError:
        return None


def room(subnet):
    """How many machines a subnet holds beside its manager: neither network, broadcast nor DHCP server."""
    return (1 << 32 - ipv4.parse_prefix(subnet)[1]) - 4


def holds(subnet, machines, others=0):
    """WowError where a subnet has fewer addresses than the ticket admits machines; `others` are kept for managers beside the first."""
    if machines > room(subnet) - others:
        raise WowError(f"has addresses for {room(subnet) - others} machines beside {'managers' if others else 'the manager'}, the ticket admits {machines}",
                       "Give a larger --subnet, like 10.128.0.0/16, or fewer --machines", f"--subnet {subnet}")


def overlaps(subnet, routes="/proc/net/route"):
    """Sentences about networks of this machine that the subnet overlaps."""
    ours, found = ipv4.parse_prefix(subnet), []
    for card, network, bits in networks(routes):
        if bits and ipv4.overlap(ours, (network, bits)):
            found.append(f"{subnet} overlaps {ipv4.format_address(network)}/{bits}, which this machine reaches by {card}: machines that use that network "
                         "cannot reach it and the pool. Another subnet: --subnet")
    return found


def networks(routes):
    """(card, network, bits) of the kernel's IPv4 routes, whose file has addresses as hexadecimal numbers in this machine's byte order."""
    with open(routes, encoding="ascii") as file:
        rows = [line.split() for line in file.readlines()[1:]]
    return [(row[0], int.from_bytes(bytes.fromhex(row[1])[::-1], "big"), int(row[7], 16).bit_count()) for row in rows if len(row) > 7]
