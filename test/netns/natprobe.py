#!/usr/bin/python3
"""Says what a NAT is, by itself: two sockets on two addresses outside, one inside (the tests of RFC 3489 section 10.1).

natprobe.py serve FIRST SECOND      outside: answers on port 7000 of both addresses and on 7001 of the first
natprobe.py ask FIRST SECOND        inside: prints MAPPING FILTERING, such as `independent address-and-port`
"""

import select
import socket
import sys

PORT, OTHER_PORT = 7000, 7001
TRIES, PATIENCE = 3, 0.5


def serve(first, second):
    """Tells each asker how it looks; the request names the socket that answers."""
    sockets = {}
    for name, place in {"same": (first, PORT), "port": (first, OTHER_PORT), "address": (second, PORT)}.items():
        sockets[name] = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        sockets[name].bind(place)
    print("ready", flush=True)
    while True:
        for ready in select.select(list(sockets.values()), [], [])[0]:
            request, asker = ready.recvfrom(64)
            answerer = ready if request == b"same" else sockets[request.decode()]
            answerer.sendto(f"{request.decode()} {asker[0]}:{asker[1]}".encode(), asker)


def ask(sock, place, request):
    """How the asker looks from there, or None if no answer comes through."""
    for _ in range(TRIES):
        sock.sendto(request.encode(), place)
        sock.settimeout(PATIENCE)
        try:
            while True:
                answer = sock.recv(64).decode().split()
                if answer[0] == request:
                    return answer[1]
        except TimeoutError:
            pass
    return None


def classify(first, second):
    """MAPPING FILTERING in the words of RFC 4787."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        # Filtering first: whoever is spoken to is let in.
        seen = ask(sock, (first, PORT), "same")
        if seen is None:
            return "no answer"
        from_address = ask(sock, (first, PORT), "address")
        from_port = ask(sock, (first, PORT), "port")
        filtering = "none" if from_address else "address" if from_port else "address-and-port"
        mapping = "independent" if ask(sock, (second, PORT), "same") == seen else "dependent"
        return f"{mapping} {filtering}"


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(*sys.argv[2:])
    print(classify(*sys.argv[2:]))
