"""Talks to ipopd over its control socket: one JSON object a line in, one out (docs/architecture.md, "ipopd")."""
import json
import socket

from errors import WowError
from generate import paths

TIMEOUT = 10.0


def ask(command, path=paths.SOCKET, timeout=TIMEOUT, **facts):
    """ipopd's answer as a dictionary; WowError when there is no ipopd or it answers with an error."""
    line = json.dumps({"command": command, **facts}, separators=(",", ":")) + "\n"
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(timeout)
            connection.connect(path)
            connection.sendall(line.encode())
            answer = _line(connection)
    except FileNotFoundError:
        raise WowError("does not exist: ipopd is not running", "Look with: systemctl status ipopd; journalctl -u ipopd", path, "") from None
    except ConnectionRefusedError:
        raise WowError("nobody listens: ipopd has stopped", "Start it with: systemctl restart ipopd; journalctl -u ipopd says why it stopped", path) from None
    except PermissionError:
        raise WowError("may not be opened by you", "Ask as root, or as a user named in pool.conf (group wow)", path) from None
    except TimeoutError:
        raise WowError(f"ipopd did not answer within {timeout:.0f} s", "Look with: journalctl -u ipopd", path) from None
    except OSError as error:
        raise WowError(f"cannot be used: {error.strerror or error}", "Look with: systemctl status ipopd", path) from None
    try:
        reply = json.loads(answer)
    except ValueError:
        raise WowError("what answered is not ipopd: it did not send JSON", "Name ipopd's control socket with --socket", path) from None
    if not reply.get("ok"):
        raise WowError(f"ipopd: {reply.get('error', 'no reason given')}", "Look with: journalctl -u ipopd", path)
    return reply


def _line(connection):
    parts = b""
    while not parts.endswith(b"\n"):
        part = connection.recv(65536)
        if not part:
            break
        parts += part
    return parts
