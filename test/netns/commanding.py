"""Who may ask the daemon what: each request as each kind of user, on the real socket."""

import json
import os
import re
import socket

from tally import must

READ = {"status", "peers", "ping", "trace", "metrics", "resolve"}
CHANGE = {"reload", "refuse-address", "publish-notice", "limit", "stop"}
ARGUMENTS = {"target": "10.128.0.9", "timeout_ms": 1, "name": "nobody", "address": "10.128.99.99", "file": "/nonexistent", "speed": 0}
GROUP, MEMBER, STRANGER = 4242, 4243, 4244
REFUSED = "not-permitted"


def run(tally, world):
    """A node of its own, which the last request ends."""
    world.topology.namespace("asked")
    node = world.add("asked")
    node.start()
    os.chmod(node.folder.parent, 0o711)
    os.chmod(node.folder, 0o755)
    os.chown(node.socket, 0, GROUP)

    with tally.case("the control socket has the requests that are looked at here, and no others"):
        known = set(re.search("use (.*)", node.ask("nonsense")["error"]).group(1).split(", "))
        must(known == READ | CHANGE, f"{known}")

    for command in sorted(READ | CHANGE):
        with tally.case(f"{command}: a stranger does not get in, a member of the group {'asks' if command in READ else 'is refused'}"):
            must(_as(STRANGER, STRANGER, node.socket, command) is None, "a stranger was let in")
            reply = _as(MEMBER, GROUP, node.socket, command)
            must((reply.get("code") == REFUSED) == (command in CHANGE), f"{reply}")

    for command in sorted(READ | CHANGE, key=lambda name: name == "stop"):
        with tally.case(f"{command}: root is served"):
            reply = node.ask(command, **ARGUMENTS)
            must(reply.get("code") != REFUSED, f"{reply}")


def _as(user, group, path, command):
    """The reply that a user gets; None if the socket does not let him in."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(group)
            os.setuid(user)
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(120)
                client.connect(str(path))
                client.sendall(json.dumps({"command": command, **ARGUMENTS}).encode() + b"\n")
                os.write(write, client.makefile("rb").readline())
        except PermissionError:
            pass
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as answers:
        text = answers.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else None
