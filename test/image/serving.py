"""Serves a folder of this computer by HTTP."""

import contextlib
import functools
import http.server
import threading


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Says nothing of what was fetched."""

    def log_message(self, *_):
        """Nothing."""


@contextlib.contextmanager
def served(folder):
    """The port on which this computer serves the folder; a guest finds it at 10.0.2.2."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()
