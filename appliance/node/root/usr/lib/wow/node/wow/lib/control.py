"""Talks to ipopd over its control socket (docs/reference/control.md)."""
from wow.lib import lines, paths, system
from wow.lib.errors import WowError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from wow.lib import answers

TIMEOUT = 10.0
WRONG = 600
"""Seconds by which a clock is off that nothing vouches for."""


def ask(command: str, path: str = paths.SOCKET, timeout: float = TIMEOUT, **facts: object) -> "Any":
    """ipopd's answer as a dictionary; WowError when there is no ipopd or it answers with an error, whose code is its."""
    try:
        reply = lines.exchange(path, {"command": command, **facts}, timeout)
    except FileNotFoundError:
        todo = "Look with: systemctl status ipopd; journalctl -u ipopd"
        raise WowError("does not exist: ipopd is not running", system.here(todo) if path == paths.SOCKET else todo, path) from None
    except ConnectionRefusedError:
        raise WowError("nobody listens: ipopd has stopped", "Start it with: systemctl restart ipopd; journalctl -u ipopd says why it stopped", path) from None
    except PermissionError:
        raise WowError("may not be opened by you", "Ask as root, or as a user named in pool.conf (group wow)", path) from None
    except TimeoutError:
        raise WowError(f"ipopd did not answer within {timeout:.0f} s", "Look with: journalctl -u ipopd", path) from None
    except OSError as error:
        raise WowError(f"cannot be used: {error.strerror or error}", "Look with: systemctl status ipopd", path) from None
    except ValueError:
        reply = None
    if not isinstance(reply, dict):
        raise WowError("what answered is not ipopd: it did not send a JSON object", "Name ipopd's control socket with --socket", path)
    if not reply.get("ok"):
        raise WowError(f"ipopd: {reply.get('error', 'no reason given')}", "Look with: journalctl -u ipopd", path, code=reply.get("code", ""))
    return reply


def status(path: str = paths.SOCKET, timeout: float = TIMEOUT) -> "answers.Status":
    """How the machine is."""
    reply: answers.Status = ask("status", path, timeout)
    return reply


def vouches(clock: "answers.Clock") -> bool:
    """Whether ipopd knows that the machine's clock is about right."""
    return clock["follows"] != "nothing" and (clock["error_s"] is None or abs(clock["error_s"]) < WRONG)


def own_address(said: "answers.Status") -> str:
    """The address that the machine's own network gave it, empty while ipopd knows none. The pool's address is another one."""
    return next((endpoint.rpartition(":")[0] for endpoint in said["nat"]["inside"]), "")


def peers(path: str = paths.SOCKET, timeout: float = TIMEOUT) -> "list[answers.Peer]":
    """Whom it talks to."""
    found: list[answers.Peer] = ask("peers", path, timeout)["peers"]
    return found


def ping(target: str, path: str, timeout: float, timeout_ms: int) -> "answers.Ping":
    """One ping in the session with a node. timeout: seconds that ipopd may take, timeout_ms: what the node may."""
    reply: answers.Ping = ask("ping", path, timeout, target=target, timeout_ms=timeout_ms)
    return reply


def trace(target: str, path: str, timeout: float, ring: bool) -> "answers.Trace":
    """The way to a node, over the ring too if that is wanted."""
    reply: answers.Trace = ask("trace", path, timeout, target=target, ring=ring)
    return reply
