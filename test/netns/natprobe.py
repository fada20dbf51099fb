#!/usr/bin/python3
"""Says what a NAT is, by itself: sockets on two addresses outside, sockets inside (RFC 4787; the tests of RFC 3489 section 10.1).

natprobe.py serve FIRST SECOND             outside: UDP 7000 on both addresses and 7001 on the first, TCP 443 and 80 on the first
natprobe.py ask FIRST SECOND               inside: prints MAPPING FILTERING, such as `independent address-and-port`
natprobe.py reaches FIRST SECOND           inside: prints JSON, whether anything comes back from there
natprobe.py describe FIRST SECOND          inside: prints all that can be seen at once, as JSON
natprobe.py lasts FIRST SECOND SECONDS     inside: prints JSON, whether a silent mapping is still there 6 s before and 6 s after
natprobe.py forgets FIRST SECOND           inside: prints `now`, waits for a line (meanwhile somebody resets the NAT), prints JSON
"""

import json
import select
import socket
import sys
import threading
import time

PORT, OTHER_PORT = 7000, 7001
TCP_PORTS = (80, 443)
PROBE_PORT = 4433
TRIES, PATIENCE = 3, 0.5
MAX_HOPS = 5
MARGIN = 6.0


def serve(first, second):
    """Tells each asker how it looks; the request names the socket that answers, how many seconds later this one does, or another place to tell."""
    sockets = {}
    family = family_of(first)
    for name, place in {"same": (first, PORT), "port": (first, OTHER_PORT), "address": (second, PORT)}.items():
        sockets[name] = socket.socket(family, socket.SOCK_DGRAM)
        sockets[name].bind(place)
    tcp = [socket.create_server((first, port), family=family) for port in TCP_PORTS]
    print("ready", flush=True)
    while True:
        for ready in select.select([*sockets.values(), *tcp], [], [])[0]:
            if ready in tcp:
                ready.accept()[0].close()
                continue
            request, asker = ready.recvfrom(64)
            word, _, wait = request.decode().partition(" ")
            answer = f"{word} {asker[0]}:{asker[1]}".encode()
            if word == "at":
                # To a place that the asker names, from an address that it has not spoken to.
                host, _, port = wait.rpartition(":")
                sockets["address"].sendto(answer, (host, int(port)))
            elif word == "later":
                threading.Timer(float(wait), ready.sendto, (answer, asker)).start()
            else:
                (ready if word == "same" else sockets[word]).sendto(answer, asker)


def ask(sock, place, request, tries=TRIES, patience=PATIENCE):
    """How the asker looks from there, or None if no answer comes through."""
    for _ in range(tries):
        sock.sendto(request.encode(), place)
        if (answer := hear(sock, request, patience)) is not None:
            return answer
    return None


def hear(sock, word, patience):
    """What an answer with this word says, or None."""
    end = time.monotonic() + patience
    while (left := end - time.monotonic()) > 0:
        sock.settimeout(left)
        try:
            answer = sock.recv(64).decode().split()
        except TimeoutError:
            break
        if answer[0] == word:
            return answer[1]
    return None


def filtering_of(sock, first):
    """Who is let in but those who were spoken to; ask before any other place is spoken to."""
    if ask(sock, (first, PORT), "address"):
        return "none"
    return "address" if ask(sock, (first, PORT), "port") else "address-and-port"


def mapping_of(same, other_port, other_address):
    """RFC 4787 section 4.1, from how one socket looked to three places."""
    if same == other_port == other_address:
        return "independent"
    return "address" if same == other_port else "address-and-port"


def ports_of(inside, outsides):
    """How the NAT chooses outside ports, from one inside port and the outside ones in the order of their making."""
    if len(set(outsides)) == 1:
        return "kept" if outsides[0] == inside else "moved"
    steps = [after - before for before, after in zip(outsides, outsides[1:])]
    return "sequential" if all(0 < step <= 4 for step in steps) else "random"


def family_of(address):
    """AF_INET or AF_INET6."""
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def udp(port=0, family=socket.AF_INET):
    """A UDP socket on every address of this machine."""
    sock = socket.socket(family, socket.SOCK_DGRAM)
    sock.bind(("", port))
    return sock


def own_address(far):
    """The address that this machine speaks from."""
    with udp(family=family_of(far)) as sock:
        sock.connect((far, PORT))
        return sock.getsockname()[0]


def hairpins(first):
    """Whether two sockets reach each other by their outside addresses. Both speak, so filtering is no obstacle."""
    with udp() as one, udp() as two:
        places = [ask(sock, (first, PORT), "same") for sock in (one, two)]
        if None in places:
            return False
        heard = None
        for _ in range(TRIES):
            for sock, place in ((one, places[1]), (two, places[0])):
                address, _, port = place.rpartition(":")
                sock.sendto(b"hairpin yes", (address, int(port)))
            heard = heard or hear(one, "hairpin", PATIENCE)
        return heard is not None


def hops(first):
    """Routers and NATs on the way, plus one: the smallest time to live that gets an answer; None if none does."""
    for ttl in range(1, MAX_HOPS + 1):
        with udp(family=family_of(first)) as sock:
            if sock.family == socket.AF_INET6:
                sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS, ttl)
            else:
                sock.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, ttl)
            if ask(sock, (first, PORT), "same"):
                return ttl
    return None


def tcp_ports(first):
    """Which ports can be connected to."""
    open_ports = []
    for port in TCP_PORTS:
        try:
            socket.create_connection((first, port), timeout=3.5).close()
            open_ports.append(port)
        except OSError:
            pass
    return open_ports


def describe(first, second, port=PROBE_PORT):
    """Everything that can be seen at once."""
    facts = {"inside": own_address(first), "tcp": tcp_ports(first)}
    with udp(port, family_of(first)) as sock:
        seen = ask(sock, (first, PORT), "same")
        facts["udp"] = seen is not None
        if seen is None:
            return facts
        facts["outside"] = seen
        facts["translated"] = seen.rpartition(":")[0] != facts["inside"]
        facts["filtering"] = filtering_of(sock, first)
        places = [seen, ask(sock, (first, OTHER_PORT), "same"), ask(sock, (second, PORT), "same")]
        facts["mapping"] = mapping_of(*places)
        facts["ports"] = ports_of(port, [int(place.rpartition(":")[2]) for place in places if place])
    facts["hairpin"] = facts["translated"] and hairpins(first)
    facts["hops"] = hops(first)
    return facts


def lasts(first, seconds):
    """Whether a mapping that was used both ways and fell silent still lets answers in, before and after that time."""
    with udp() as early, udp() as late:
        for sock, wait in ((early, seconds - MARGIN), (late, seconds + MARGIN)):
            for _ in range(3):
                ask(sock, (first, PORT), "same")
            sock.sendto(f"later {wait}".encode(), (first, PORT))
        return {
            "lasts_shorter": hear(early, "later", seconds - MARGIN + 2) is not None,
            "lasts_longer": hear(late, "later", 2 * MARGIN + 1) is not None}


def forgets(first, port=PROBE_PORT):
    """Whether an answer that was on its way is lost after the reset, and whether the outside port is another one."""
    with udp(port, family_of(first)) as sock:
        before = ask(sock, (first, PORT), "same")
        sock.sendto(b"later 2", (first, PORT))
        print("now", flush=True)
        sys.stdin.readline()
        lost = hear(sock, "later", 3) is None
        after = ask(sock, (first, PORT), "same")
        return {"forgets": lost and after is not None, "moves": after is not None and after != before}


def reaches(first):
    """Whether anything at all comes back; a machine without a route has its answer at once."""
    try:
        with udp(family=family_of(first)) as sock:
            return ask(sock, (first, PORT), "same") is not None
    except OSError:
        return False


def classify(first, second):
    """MAPPING FILTERING in the words of RFC 4787."""
    with udp() as sock:
        seen = ask(sock, (first, PORT), "same")
        if seen is None:
            return "no answer"
        filtering = filtering_of(sock, first)
        mapping = "independent" if ask(sock, (second, PORT), "same") == seen else "dependent"
        return f"{mapping} {filtering}"


def main(command, first, second, *rest):
    """Does what the first lines of this file say."""
    if command == "serve":
        serve(first, second)
    elif command == "ask":
        print(classify(first, second))
    else:
        facts = {
            "reaches": lambda: reaches(first),
            "describe": lambda: describe(first, second),
            "lasts": lambda: lasts(first, float(rest[0])),
            "forgets": lambda: forgets(first)}[command]()
        print(json.dumps(facts), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
