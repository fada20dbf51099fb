"""wow-web: the machine's web page, on a socket that systemd listens on. It ends when nobody has asked for five minutes, so that a page nobody looks at costs no memory.

waitress holds its bounds: of a request's length, of connections, of how long one may say nothing. That one may not say little for ever is held here."""
import os
import socket
import sys
import time

from wow.page import where
from wow.web import computer, joining
from wow.web.app import App, REQUEST_LIMIT
from wow.web.guests import Guests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FIRST = 3
"""sd_listen_fds(3)."""
PACKAGES = "/usr/lib/python3/dist-packages"
"""Debian's Python modules; `python3 -S` leaves them out."""
IDLE = 300.0
"""Seconds without a request until the program ends."""
SILENT, PATIENCE = 5, 10.0
"""Seconds that a connection may say nothing, and in which a request must be whole."""
CONNECTIONS, THREADS = 100, 4
SHARE, ROOM = 25, 90
"""Connections of one computer, and of all of them, over which the oldest are ended: at CONNECTIONS, of which two are its own, waitress takes in nobody more."""


def main() -> int:
    """Exit code. systemd starts it with the socket when somebody connects."""
    if os.environ.get("LISTEN_PID") != str(os.getpid()) or os.environ.get("LISTEN_FDS") != "1":
        print("wow-web is started by systemd when a browser connects: systemctl start wow-web.socket", flush=True)
        return 1
    sys.path.append(PACKAGES)
    import bottle
    from waitress import server, wasyncore
    os.set_inheritable(FIRST, False)
    with socket.socket(fileno=FIRST) as listener:
        serve(App(bottle, Guests(), lambda: where.own(listener)), listener, server, wasyncore)
    return 0


def serve(app: App, listener: socket.socket, server: "Any", wasyncore: "Any", idle: float = IDLE) -> None:
    """Answers until nobody has asked for so long. What connects after that is systemd's to notice, on the same socket."""
    # Here, for waitress has loaded it, and nothing else does.
    import logging
    # waitress says a line of each request that has to wait, and of each connection that broke: whoever causes enough of them would push all else out of the journal.
    logging.getLogger("waitress").setLevel(logging.ERROR)
    # Who only reports keeps it for a moment, and so does nobody.
    stays = min(idle, computer.TIME_UP)
    asked = [time.monotonic() - idle + stays]

    def noted(environ: "Any", start: "Any") -> "Any":
        now = time.monotonic()
        asked[0] = max(asked[0], now - idle + stays) if computer.is_report(environ) else now
        return app(environ, start)

    channels: dict[int, Any] = {}
    serving = server.create_server(
        noted, map=channels, sockets=[listener], ident=None, threads=THREADS, connection_limit=CONNECTIONS, channel_timeout=SILENT, cleanup_interval=2,
        max_request_body_size=joining.LARGEST_REQUEST, max_request_header_size=REQUEST_LIMIT, log_socket_errors=False, backlog=128, asyncore_use_poll=True)
    begun: "dict[Any, float]" = {}
    while serving.active_channels or time.monotonic() - asked[0] < idle:
        wasyncore.loop(timeout=1.0, use_poll=True, map=channels, count=1)
        begun = end_slow(serving.active_channels, begun, time.monotonic())
        end_surplus(serving.active_channels)


def end_surplus(channels: "dict[int, Any]") -> None:
    """Ends the oldest connections of a computer that has more than its share, and where there is no room then, of who has the most: those that keep asking would keep
    all others out, also one computer by many addresses."""
    owned: "dict[str, list[Any]]" = {}
    for channel in channels.values():
        owned.setdefault(channel.addr[0], []).append(channel)
    left = len(channels)
    while left > ROOM or max(map(len, owned.values()), default=0) > SHARE:
        max(owned.values(), key=len).pop(0).will_close = True
        left -= 1


def end_slow(channels: "dict[int, Any]", begun: "dict[Any, float]", now: float) -> "dict[Any, float]":
    """Ends connections whose request is not whole after its time: bytes that come one by one would keep one for ever. Returns when those began that are left."""
    # The first byte counts, of a request that waitress has not whole.
    left = {channel: begun.get(channel, now) for channel in channels.values() if channel.request is not None}
    for channel, since in left.items():
        if now - since > PATIENCE:
            channel.will_close = True
    return left
