"""A machine that says at the CA to have a layer, and then lies, is slow, or is not there (the fence of its network sees to that).

bad_sharer.py lies|slow|away OWN CA DIGEST SIZE
"""
import contextlib
import http.client
import socket
import sys
import threading
import time

LAYERS, SHARES = 8445, 8446
PIECE, PAUSE = 1000, 0.5


def answer(link, what, size):
    """One answer, whatever was asked."""
    with link, contextlib.suppress(OSError):
        link.recv(4096)
        link.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n\r\n".encode())
        if what == "lies":
            link.sendall(bytes(size))
        while what == "slow":
            link.sendall(bytes(PIECE))
            time.sleep(PAUSE)


def main(what, own, authority, digest, size):
    """Serves until it is ended."""
    connection = http.client.HTTPConnection(authority, LAYERS, source_address=(own, 0))
    connection.request("POST", f"/seeders/{digest}")
    if connection.getresponse().status != 200:
        sys.exit("the CA does not note it")
    with socket.create_server((own, SHARES), backlog=128) as door:
        print("ready", flush=True)
        while True:
            link, _ = door.accept()
            threading.Thread(target=answer, args=(link, what, int(size)), daemon=True).start()


if __name__ == "__main__":
    main(*sys.argv[1:])
