"""A job that listens, in all ways that another slot might try, until it is removed: on PORT of every address over TCP and UDP, as an abstract Unix socket, and by
what System V and POSIX give programs of one machine to talk by, all open to everybody. Its file `heard` has a line for each that it made, and one for each
datagram that came.

usage: neighbour.py PORT [WORD ...]
"""

import ctypes
import os
import select
import socket
import sys
import time

LASTS = 600.0
KEY, NAME = 0x574f57, "/wow-neighbour"
"""By which System V's and POSIX's are found."""
CREATE, OPEN_CREATE, EVERYBODY = 0o1000, 0o102, 0o666
"""IPC_CREAT; O_RDWR | O_CREAT; a mode."""


def shared(port):
    """{what: what libc said} of all that is made for other programs: no number below 0 is one that was made."""
    libc = ctypes.CDLL(None)
    # Open to everybody, not only to be read.
    os.umask(0)
    found = {"System V shared memory": libc.shmget(KEY, ctypes.c_size_t(4096), CREATE | EVERYBODY),
             "System V semaphore": libc.semget(KEY, 1, CREATE | EVERYBODY), "System V queue": libc.msgget(KEY, CREATE | EVERYBODY),
             "POSIX queue": libc.mq_open(NAME.encode(), OPEN_CREATE, EVERYBODY, None),
             "POSIX shared memory": libc.shm_open(NAME.encode(), OPEN_CREATE, EVERYBODY)}
    with open(f"/dev/shm{NAME}.file", "w", encoding="ascii") as file:
        file.write(str(port))
    return found


def main(arguments):
    """Listens for ten minutes."""
    port, made, sockets = int(arguments[0]), shared(arguments[0]), []
    for family, anywhere in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            one = socket.socket(family, kind)
            if family == socket.AF_INET6:
                one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            one.bind((anywhere, port))
            if kind == socket.SOCK_STREAM:
                one.listen()
            sockets.append(one)
    datagrams = [one for one in sockets if one.type == socket.SOCK_DGRAM]
    end = time.monotonic() + LASTS
    with socket.socket(socket.AF_UNIX) as unix, open("heard", "w", encoding="ascii") as heard:
        unix.bind("\0neighbour")
        unix.listen()
        for what, number in made.items():
            print(f"made {what}" if number >= 0 else f"no {what}", file=heard, flush=True)
        while (left := end - time.monotonic()) > 0:
            for one in select.select(datagrams, [], [], left)[0]:
                said, whom = one.recvfrom(4096)
                print(f"from {whom[0]}: {said.decode('ascii', 'replace')}", file=heard, flush=True)
                one.sendto(said, whom)
    for one in sockets:
        one.close()


if __name__ == "__main__":
    main(sys.argv[1:])
