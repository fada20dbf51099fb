"""What a machine and a web server do of origins, by the machine's own code; each is run in a namespace.

outsider.py serve FOLDER ADDRESS PORT CERTIFICATE KEY    a web server of a folder by TLS
outsider.py fetch FOLDER LIST DIGEST SIZE                wow-stack, by the origins that the fence knows, and wow-origin@ in its account, as systemd
                                                         starts it; prints what came of it
outsider.py settle LIST NOTICE OWN...                    wow-origins.service, with origins of pool.conf; prints its exit code
outsider.py call UID HOST PORT FROM                      prints whether an account's connection opens; FROM: its own port, 0 for any
"""
import functools
import http.server
import os
import pathlib
import socket
import ssl
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "appliance/node/root/usr/lib/wow/node"), str(ROOT / "test/node")]

import samples  # noqa: E402
from wow.config import facts, users  # noqa: E402
from wow.lib import paths  # noqa: E402
from wow.stack import named, origins, tls  # noqa: E402
from wow.stack.text import Layer  # noqa: E402

PATIENCE = 2.0
"""Seconds until a connection that the fence drops counts as closed."""


def serve(folder, address, port, certificate, key):
    """Serves until it is ended."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = http.server.ThreadingHTTPServer((address, int(port)), functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder))
    server.socket = context.wrap_socket(server.socket, server_side=True)
    print("ready", flush=True)
    server.serve_forever()


def become(uid):
    """Gives up root for an account."""
    os.setgroups([])
    os.setgid(users.NOGROUP)
    os.setuid(uid)


def fetch(folder, known, digest, size):
    """Says whether it came, or why not."""
    paths.ORIGINS, paths.ORIGIN_SOCKET, paths.ORIGINS_LEFT, paths.BESIDE = known, f"{folder}/socket", f"{folder}/left", f"{folder}/carried"
    # What the account may not read where the clone lies is loaded before.
    socket.getaddrinfo("127.0.0.1", 1)
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(paths.ORIGIN_SOCKET)
        door.listen()
        threading.Thread(target=accept, args=(door,), daemon=True).start()
        came = origins.Origins(named.known()).bring(Layer("module", "maths", int(size), digest), folder)
        left = pathlib.Path(paths.ORIGINS_LEFT)
        print("came" if came else left.read_text(encoding="utf-8").strip() if left.exists() else "none", flush=True)


def settle(known, notice, *own):
    """wow-origins.service, as systemd starts it, on a machine that has this notice of the pool's CA. own: origins of pool.conf."""
    paths.ORIGINS, named.NOTICE = known, notice
    facts.read = lambda: samples.pool(modules__origins=" ".join(own))
    print(named.main(), flush=True)


def accept(door):
    """What systemd does for wow-origin.socket."""
    while True:
        link, _ = door.accept()
        if not os.fork():
            os.dup2(link.fileno(), 0)
            become(users.ORIGIN_UID)
            os._exit(tls.main())
        link.close()


def call(uid, host, port, source):
    """Says open or closed."""
    # The fence goes by who made the socket.
    become(int(uid))
    with socket.socket() as link:
        link.settimeout(PATIENCE)
        link.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        link.bind(("", int(source)))
        print("closed" if link.connect_ex((host, int(port))) else "open", flush=True)


if __name__ == "__main__":
    {"serve": serve, "fetch": fetch, "settle": settle, "call": call}[sys.argv[1]](*sys.argv[2:])
