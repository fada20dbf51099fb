"""What root does for people of a machine: each request as each kind of user on the real socket, a crowd that holds on to it, and a machine that is
told to forget who it is."""

import json

from tally import must
from waiting import until

ASK = """
import json, socket, sys
with socket.socket(socket.AF_UNIX) as client:
    client.settimeout(120)
    try:
        client.connect("/run/wow/agent.sock")
        client.sendall(sys.argv[1].encode() + b"\\n")
        print(client.makefile().readline())
    except PermissionError:
        print("null")
"""
"""Prints the reply to a line, null where the socket lets nobody in."""

CROWD = """
import json, socket
links = []
for number in range(24):
    link = socket.socket(socket.AF_UNIX)
    link.settimeout(120)
    link.connect("/run/wow/agent.sock")
    links.append(link)
links[0].sendall(b"x" * 100000 + b"\\n")
codes = [json.loads(link.makefile().readline())["code"] for link in links]
print(json.dumps(codes))
"""
"""Two dozen clients of one user, fewer than the kernel keeps waiting (Backlog=), of whom one says too much and the others nothing."""

NOTED = """mkdir -p /run/systemd/system/{unit}.d
printf '[Service]\\nType=oneshot\\nRestart=no\\nReadWritePaths=/run\\nExecStart=\\nExecStart=/usr/bin/touch /run/asked-{unit}\\n' > /run/systemd/system/{unit}.d/noted.conf
systemctl stop {unit}
systemctl daemon-reload
"""
REQUESTS = {"enroll": "wow-join.service", "reset": "wow-reset.service", "support": "wow-support@.service"}
PAGE, WEB, LEAVES = "wow-console", "wow-web", "wow-leave.service"
USERS = {"root": True, "alice": True, "wowjob1": False}
"""Who may ask: root, a person of pool.conf, and a stranger, whom the kernel keeps off the socket."""


def run(tally, pool):
    """The last that the machine beta does: it forgets who it was."""
    machine = pool.beta
    with tally.case("nothing of the agent runs until somebody asks, and its socket is there for group wow"):
        must(machine.sh("systemctl is-active wow-agent.socket wow-agent.service; :").split() == ["active", "inactive"], "it is not so")
        must(machine.sh("stat -c '%a %G' /run/wow/agent.sock").strip() == "660 wow", "the socket is another's")
    for request, unit in REQUESTS.items():
        machine.sh(NOTED.format(unit=unit))
        for user, may in USERS.items():
            with tally.case(f"{request}: {user} {'is served' if may else 'is not heard'}"):
                machine.sh(f"rm -f /run/asked-{unit}; systemctl reset-failed {unit}; :")
                reply = ask(machine, user, command=request)
                must(reply == ({"ok": True} if may else None), f"{reply}")
                noted = f"test -e /run/asked-{unit} && echo done; :"
                if may:
                    until(lambda noted=noted: machine.sh(noted).strip(), lambda said: said == "done", f"{unit} is started")
                else:
                    must(not machine.sh(noted).strip(), f"{unit} was started")
    with tally.case("leave: the page on the console is served, a person of pool.conf is not, and the page may not enroll or reset"):
        machine.sh(NOTED.format(unit=LEAVES))
        for user, request, reply in ((PAGE, "leave", None), ("alice", "leave", "not-permitted"), (PAGE, "enroll", "not-permitted"), (PAGE, "reset", "not-permitted")):
            must(ask(machine, user, command=request).get("code") == reply, f"{request} as {user}")
        until(lambda: machine.sh(f"test -e /run/asked-{LEAVES} && echo done; :").strip(), lambda said: said == "done", f"{LEAVES} is started")
    with tally.case("login: a person of pool.conf gets a code, the web page's own account does not, and that may not enroll, reset or switch off"):
        must(ask(machine, "alice", command="login").keys() == {"ok", "login"}, "there is no code")
        codes = {request: ask(machine, WEB, command=request).get("code") for request in ("login", "enroll", "reset", "power-off", "support")}
        must(set(codes.values()) == {"not-permitted"}, f"{codes}")
    with tally.case("a ticket is kept where root alone reads it, and the journal does not have it"):
        must(ask(machine, "alice", command="enroll", ticket="t1:hushhush") == {"ok": True}, "it was not taken")
        must(machine.sh("cat /run/wow/ticket; stat -c %a /run/wow/ticket").split() == ["t1:hushhush", "600"], "it is elsewhere")
        must("hush" not in machine.sh("journalctl -q -u wow-agent"), "it is in the journal")
    with tally.case("what is no request is refused by its code, and a crowd is told to come again while others are served"):
        must(ask(machine, "alice", command="poweroff")["code"] == "unknown-command", "it was not refused")
        must(ask(machine, "alice", command="reset", now="yes")["code"] == "bad-request", "it was not refused")
        codes = json.loads(machine.run("runuser", "-u", "bob", "--", "python3", "-c", CROWD).stdout)
        must(set(codes) == {"busy", "bad-request"} and codes[0] == "bad-request", f"{codes}")
        must(ask(machine, "alice", command="enroll") == {"ok": True}, "it is deaf")
    with tally.case("the agent ends when nobody asks any more, and hears the next one"):
        until(lambda: machine.sh("systemctl is-active wow-agent.service; :").strip(), lambda said: said == "inactive", "it ends")
        must(ask(machine, "alice", command="poweroff")["code"] == "unknown-command", "it is deaf")
    with tally.case("wow reset has the machine forget its key and its pool, and keeps the home"):
        machine.sh("rm -r /run/systemd/system/*.d; systemctl daemon-reload; touch ~alice/mine")
        kept = machine.folder
        must((kept / "state/node.key").exists() and (kept / "state/pool.conf").exists(), "there is nothing to forget")
        machine.sh("wow reset --yes", "alice")
        until(lambda: [name for name in ("node.key", "pool.conf") if (kept / "state" / name).exists()], lambda left: not left, "it has forgotten")
        must((kept / "home/alice/mine").exists() and (kept / "state/users").exists(), "it has forgotten too much")


def ask(machine, user, **request):
    """The agent's reply to somebody of the machine."""
    return json.loads(machine.run("runuser", "-u", user, "--", "python3", "-c", ASK, json.dumps(request)).stdout)
