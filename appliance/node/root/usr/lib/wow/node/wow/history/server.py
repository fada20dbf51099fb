"""Hands out pages by HTTP/1.1 (RFC 9112), each GET on a connection of its own, to who shows the token (RFC 6750). The pool's page takes no token: it is for all
machines of the pool. As much of it as Prometheus, `wow history` and page_copy.py speak. Whoever is of the pool may connect, so there are bounds: clients at a time,
in all and of one address, a request's length, the time for one; and one page is made at a time, since a page of the history takes memory."""
import socket
import threading
import time

from wow.history import token
from wow.lib import agreed, requests
from wow.lib.errors import WowError

LONGEST = 4096
"""Bytes of a request's head."""
MOST, MOST_OF_ONE = 16, 3
"""Clients at a time in all, and of one address; further ones are let go."""
BREATH = 0.1
"""Seconds until a connection is taken again after the kernel could give none."""
PATIENCE = 5.0
"""Seconds for a request, and as many for its answer."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    Pages = dict[str, Callable[[str], tuple[str, str]]]


class Unavailable(Exception):
    """A page cannot be had now, and the text says why."""


RENEWAL = "/token"
"""Who posts to it with the token has the next one hold."""


class Server:
    """secret: gives the token that opens the pages now, renew: has the next one do so. pages: {path: gives (type, text) for what stands behind the question mark}.
    ValueError of a page: what was asked is nonsense, and its text says so. shared: gives the pool's page, JSON packed by zlib."""

    def __init__(self, listener: socket.socket, secret: "Callable[[], token.Token]", renew: "Callable[[], int]", pages: "Pages", patience: float = PATIENCE,
                 shared: "Callable[[], bytes] | None" = None) -> None:
        self._listener, self._secret, self._renew, self._pages, self._patience, self._shared = listener, secret, renew, pages, patience, shared
        self._clients: dict[str, int] = {}
        self._lock, self._page = threading.Lock(), threading.Lock()

    def run(self) -> None:
        """Serves until the listener is closed."""
        while True:
            try:
                link, (address, _) = self._listener.accept()
            except OSError:
                if self._listener.fileno() < 0:
                    return
                # It was aborted, or descriptors ran out.
                time.sleep(BREATH)
                continue
            if not self._enter(address):
                link.close()
                continue
            try:
                threading.Thread(target=self._serve, args=(link, address), daemon=True).start()
            except RuntimeError:
                # There is no room for one more thread.
                self._leave(address)
                link.close()

    def _enter(self, address: str) -> bool:
        with self._lock:
            of_one = self._clients.get(address, 0)
            is_room = of_one < MOST_OF_ONE and sum(self._clients.values()) < MOST
            if is_room:
                self._clients[address] = of_one + 1
            return is_room

    def _leave(self, address: str) -> None:
        with self._lock:
            self._clients[address] -= 1
            if not self._clients[address]:
                del self._clients[address]

    def _serve(self, link: socket.socket, address: str) -> None:
        try:
            with link:
                link.settimeout(self._patience)
                link.sendall(self.answer(requests.head(link, self._patience, LONGEST)))
        except OSError:
            pass  # who is gone, or too slow, does not get it
        finally:
            self._leave(address)

    def answer(self, head: bytes) -> bytes:
        """The whole answer to a request's head."""
        lines = head.decode("latin-1").split("\r\n")
        words = lines[0].split(" ")
        if len(words) != 3 or not words[2].startswith("HTTP/1."):
            return response("400 Bad Request", "this is no request of HTTP/1.1\n")
        if self._shared is None or words[:2] != ["GET", agreed.POOL_PAGE_PATH]:
            return self._opened(words, lines[1:])
        try:
            return response("200 OK", self._shared(), "application/json", "Content-Encoding: deflate\r\n")
        except (OSError, Unavailable) as error:
            return response("503 Service Unavailable", f"{error}\n")

    def _opened(self, words: list[str], fields: list[str]) -> bytes:
        """The answer to a request that needs the token, by the words of its first line and its other lines."""
        shown = [line.partition(":")[2].strip() for line in fields if line.partition(":")[0].lower() == "authorization"]
        kind, _, credentials = shown[0].partition(" ") if len(shown) == 1 else ("", "", "")
        try:
            # One at a time, so that a token which is shown twice at once is not followed by two.
            with self._page:
                wanted = self._secret()
                is_right = kind.lower() == "bearer" and token.is_right(credentials.strip(), wanted.secret)
                if is_right and words[:2] == ["POST", RENEWAL]:
                    return response("200 OK", f'{{"number": {self._renew()}}}\n', "application/json")
        except (OSError, WowError) as error:
            return response("503 Service Unavailable", f"the token cannot be told or changed: {error}\n")
        if not is_right:
            return response("401 Unauthorized", f"show the token that `wow pool show FOLDER --token{wanted.option}` prints\n", more="WWW-Authenticate: Bearer\r\n")
        path, _, query = words[1].partition("?")
        if words[0] != "GET":
            return response("405 Method Not Allowed", "pages are read by GET\n", more="Allow: GET\r\n")
        if path not in self._pages:
            return response("404 Not Found", f"there are {', '.join(self._pages)}\n")
        try:
            with self._page:
                kind, text = self._pages[path](query)
        except ValueError as error:
            return response("400 Bad Request", f"{error}\n")
        except Unavailable as error:
            return response("503 Service Unavailable", f"{error}\n")
        return response("200 OK", text, kind)


def response(status: str, text: str | bytes, kind: str = "text/plain; charset=utf-8", more: str = "") -> bytes:
    """An answer, after which the connection ends."""
    body = text if isinstance(text, bytes) else text.encode()
    return f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{more}Connection: close\r\n\r\n".encode() + body
