"""A server of layers as the CA's is, over TLS with a pool's own certificates, which does what a test says: answers, cuts, lies, is slow or busy."""
import os
import socket
import ssl
import subprocess
import threading

MANAGER = "manager.demo.internal"
_EXTENSIONS = "basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign"


def certificates(folder, name=MANAGER):
    """Makes ca.pem, node.pem and node.key as a pool has them: a CA of its own, and a manager's certificate for that name."""
    def openssl(*words):
        subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=folder)

    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    openssl("req", "-x509", *curve, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/O=demo/CN=WOW CA", "-days", "2",
            *(word for one in _EXTENSIONS for word in ("-addext", one)))
    openssl("req", *curve, "-keyout", "node.key", "-out", "node.csr", "-subj", "/O=demo/OU=manager/CN=manager")
    with open(f"{folder}/extensions", "w", encoding="ascii") as file:
        file.write(f"subjectAltName=DNS:{name}\nextendedKeyUsage=serverAuth\n")
    openssl("x509", "-req", "-in", "node.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out", "node.pem", "-days", "1", "-extfile", "extensions")


class Server:
    """answers: what to do with each connection, one after the other: a function of (the TLS socket, the request's lines). The last one stays."""

    def __init__(self, folder, *answers):
        self.asked = []
        self._answers = list(answers)
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._tls.load_cert_chain(os.path.join(folder, "node.pem"), os.path.join(folder, "node.key"))
        self._socket = socket.create_server(("127.0.0.1", 0))
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
            plain.settimeout(10)
            try:
                with self._tls.wrap_socket(plain, server_side=True) as link:
                    head = b""
                    while not head.endswith(b"\r\n\r\n"):
                        head += link.recv(1) or b"\r\n\r\n"
                    lines = head.decode().split("\r\n")
                    self.asked.append(lines)
                    answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
                    answer(link, lines)
            except OSError:
                plain.close()


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
