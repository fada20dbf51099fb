"""Requests to the page as no browser makes them, from a network namespace."""

import ctypes
import http.client
import os
import socket
import threading
import urllib.parse

CLONE_NEWNET = 0x40000000
LIBC = ctypes.CDLL(None, use_errno=True)


def connect(namespace, address, port=80, timeout=120):
    """A connection that begins in a network namespace. OSError if there is none."""
    found = []

    def begin():
        # setns counts for this thread alone, which ends.
        descriptor = os.open(f"/run/netns/{namespace}", os.O_RDONLY)
        try:
            if LIBC.setns(descriptor, CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), "setns")
            found.append(socket.create_connection((address, port), timeout))
        except OSError as error:
            found.append(error)
        finally:
            os.close(descriptor)

    thread = threading.Thread(target=begin)
    thread.start()
    thread.join()
    if isinstance(found[0], OSError):
        raise found[0]
    return found[0]


class Asker:
    """Somebody at a machine's page who keeps a cookie. Each request has a connection of its own."""

    def __init__(self, namespace, address):
        self.namespace, self.address = namespace, address
        self.cookie = ""

    def ask(self, path="/", form=None, host=None, headers=(), method=None):
        """(status, headers, text) of a request; `form` makes it a POST."""
        link = connect(self.namespace, self.address)
        client = http.client.HTTPConnection(self.address)
        client.sock = link
        body = None if form is None else urllib.parse.urlencode(form) if isinstance(form, dict) else form
        sent = {"Host": host if host is not None else self.address, **({"Cookie": self.cookie} if self.cookie else {}),
                **({"Content-Type": "application/x-www-form-urlencoded"} if body is not None else {}), **dict(headers)}
        try:
            client.request(method or ("GET" if body is None else "POST"), path, body, sent)
            answer = client.getresponse()
            text = answer.read().decode()
            if (cookie := answer.headers.get("Set-Cookie")):
                self.cookie = cookie.partition(";")[0]
            return answer.status, answer.headers, text
        finally:
            client.close()

    def key(self):
        """What stands in this login's forms."""
        return self.ask()[2].partition('name="key" value="')[2].partition('"')[0]
