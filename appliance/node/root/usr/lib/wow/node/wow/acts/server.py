"""wow-agent: hears requests on a Unix socket that systemd listens on, one JSON object a line, answers each and ends when nobody asks any more, so
that it costs no memory then.

The contract has bounds, since anybody of the socket's group may hold on to what there is: a request's length, clients in all and of one user, the
time for one. All is done by one thread; who asks is the kernel's word (SO_PEERCRED)."""
import json
import os
import select
import signal
import socket
import struct
import time

from wow.acts import requests
from wow.agent import allowed
from wow.lib import paths
from wow.lib.errors import WowError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

FIRST = 3
"""sd_listen_fds(3)."""


def main() -> int:
    """Exit code. systemd starts it with the socket when somebody connects."""
    if os.environ.get("LISTEN_PID") != str(os.getpid()) or os.environ.get("LISTEN_FDS") != "1":
        print(f"wow-agent is started by systemd when somebody connects to {paths.AGENT}: systemctl start wow-agent.socket", flush=True)
        return 1
    os.set_inheritable(FIRST, False)
    with socket.socket(fileno=FIRST) as listener:
        Server(listener).run()
    return 0


class Client:
    """Somebody who connected, and what of the request has come."""

    __slots__ = ("link", "uid", "until", "said")

    def __init__(self, link: socket.socket, until: float) -> None:
        # struct ucred: pid, uid, gid.
        self.uid: int = struct.unpack("3i", link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1]
        self.link, self.until, self.said = link, until, b""

    def reply(self, said: dict[str, object]) -> None:
        """Sends the one reply. It fits into a socket of which nothing was read, so this does not block; who is gone does not get it."""
        try:
            self.link.sendall(json.dumps(said, separators=(",", ":")).encode() + b"\n")
        except OSError:
            pass


class Server:
    """Serves clients until there is none for so many seconds. now: seconds, of a clock that nobody sets."""

    def __init__(self, listener: socket.socket, patience: float = allowed.PATIENCE, idle: float = allowed.IDLE, now: "Callable[[], float]" = time.monotonic) -> None:
        self._listener, self._patience, self._idle, self._now = listener, patience, idle, now
        self._clients: dict[int, Client] = {}
        listener.setblocking(False)

    def run(self) -> None:
        """Returns when it has been idle for long enough. Whoever connects after that is systemd's to notice, on the same socket."""
        end = self._now() + self._idle
        while self._clients or self._now() < end:
            if self.turn(end):
                end = self._now() + self._idle

    def turn(self, end: float) -> bool:
        """Waits for the next thing that happens, until `end` at the latest, and does what there is to do. Returns whether anybody was there."""
        was_there = bool(self._clients)
        poll = select.poll()
        if len(self._clients) < allowed.MOST:
            poll.register(self._listener, select.POLLIN)
        for number in self._clients:
            poll.register(number, select.POLLIN)
        next_time = min([end, *(client.until for client in self._clients.values())])
        for number, _ in poll.poll(max(0.0, next_time - self._now()) * 1000):
            if number == self._listener.fileno():
                self.accept()
            else:
                self.hear(number)
        for number, client in list(self._clients.items()):
            if client.until <= self._now():
                self.end(number, requests.refusal(WowError(
                    f"no whole line came within {self._patience:g} s", "Send the request at once", code=allowed.BAD_REQUEST)))
        return was_there or bool(self._clients)

    def accept(self) -> None:
        """Takes a client in, or tells one of too many of a user to come again."""
        try:
            link, _ = self._listener.accept()
        except OSError:
            return
        link.setblocking(False)
        client = Client(link, self._now() + self._patience)
        self._clients[link.fileno()] = client
        if sum(other.uid == client.uid for other in self._clients.values()) > allowed.MOST_OF_ONE:
            self.end(link.fileno(), requests.refusal(WowError(
                f"{allowed.MOST_OF_ONE} requests of yours are being heard already", "Ask again in a moment", code=allowed.BUSY)))

    def hear(self, number: int) -> None:
        """Takes in what a client said, and answers when it is a whole line."""
        client = self._clients[number]
        try:
            part = client.link.recv(allowed.LONGEST)
        except BlockingIOError:
            return
        except OSError:
            part = b""
        client.said += part
        line, is_whole, _ = client.said.partition(b"\n")
        if len(line) > allowed.LONGEST:
            self.end(number, requests.refusal(WowError(f"the request is longer than {allowed.LONGEST} bytes", "Send one JSON object a line", code=allowed.BAD_REQUEST)))
        elif is_whole:
            # What was asked may end this very program, with the machine: who asked hears first that it was taken.
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
            self.end(number, requests.answer(line, client.uid))
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        elif not part:
            self.end(number, None)

    def end(self, number: int, reply: dict[str, object] | None) -> None:
        """Lets a client go, with a reply where there is one to give."""
        client = self._clients.pop(number)
        if reply is not None:
            client.reply(reply)
        client.link.close()
