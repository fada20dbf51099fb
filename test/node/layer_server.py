"""A server of layers as the CA's is, which does what a test says: answers, cuts, lies, is slow or busy."""
import socket
import threading


class Server:
    """answers: what to do with each connection, one after the other: a function of (the socket, the request's lines). The last one stays."""

    def __init__(self, *answers, at=("127.0.0.1", 0)):
        self.asked = []
        self.answers = list(answers)
        self._socket = socket.create_server(at)
        self.port = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self):
        """Ends it."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()

    def _serve(self):
        while True:
            try:
                plain, _ = self._socket.accept()
            except OSError:
                return
            try:
                with plain as link:
                    link.settimeout(10)
                    head = b""
                    while not head.endswith(b"\r\n\r\n"):
                        head += link.recv(1) or b"\r\n\r\n"
                    lines = head.decode().split("\r\n")
                    self.asked.append(lines)
                    answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
                    answer(link, lines)
            except OSError:
                pass


def header(lines, name):
    """A header of a request, None where it has none."""
    return next((line.partition(": ")[2] for line in lines if line.lower().startswith(name.lower() + ":")), None)


def head(status, **headers):
    """The lines of an answer before its body."""
    return "".join([f"HTTP/1.1 {status} X\r\n", *(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items()), "\r\n"]).encode()


def serving(data, until=None):
    """An honest answer with the data, which is cut after so many bytes of its body."""
    def answer(link, lines):
        asked = header(lines, "Range")
        at = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
        ranged = {"Content_Range": f"bytes {at}-{len(data) - 1}/{len(data)}"} if asked else {}
        link.sendall(head(206 if asked else 200, Content_Length=len(data) - at, **ranged) + data[at:][:until])
    return answer


def saying(text):
    """An answer of just these bytes."""
    return lambda link, _: link.sendall(text)
