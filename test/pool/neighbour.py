"""A job that listens, in all ways that another slot might try, until it is removed: on TCP PORT of every address, and as an abstract Unix socket.

usage: neighbour.py PORT [WORD ...]
"""

import socket
import sys
import time


def main(arguments):
    """Listens for ten minutes."""
    tcp = socket.create_server(("0.0.0.0", int(arguments[0])))
    with socket.socket(socket.AF_UNIX) as unix:
        unix.bind("\0neighbour")
        unix.listen()
        time.sleep(600)
    tcp.close()


if __name__ == "__main__":
    main(sys.argv[1:])
