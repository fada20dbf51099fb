"""What alice, an ordinary user of alpha, may leave for root's programs, and what she may have root do."""

import probe
from tally import must

WRITABLE = "find /run/wow /var/lib/wow -xdev ! -type l ! -type s -writable 2>/dev/null; true"
LOCAL = "/var/lib/wow/local/execute"
"""Where HTCondor's schedd has jobs of its local universe work, which run as who submitted them: it makes the folder as /tmp is, in one that people alone enter."""
ASK = """python3 -c '
import socket, sys
with socket.socket(socket.AF_UNIX) as client:
    client.settimeout(120)
    client.connect("/run/wow/agent.sock")
    client.sendall(sys.stdin.buffer.readline())
    print(client.makefile().readline())
'"""
"""Sends a line to the agent and prints its reply."""
ENROLL = '{"command":"enroll"}\n'


def run(tally, lab):
    """alice may log in to alpha."""
    alice = lab.login("alpha", "alice")
    with tally.case("where root's programs look, alice may write into HTCondor's folder alone, where nobody may touch another's"):
        found = alice.run(WRITABLE).stdout.split()
        must(set(found) <= {LOCAL}, f"she may write to {found}")
        must(probe.root("alpha", f"stat -c %a {LOCAL}") == "1777" or LOCAL not in found, f"{LOCAL} is no sticky folder")
    with tally.case("the agent, confined as it is, does what alice may ask, and nothing else"):
        said = [alice.run(ASK, request).stdout for request in (ENROLL, '{"command":"poweroff"}\n', "x" * 5000 + "\n")]
        must('"ok":true' in said[0] and '"unknown-command"' in said[1] and '"bad-request"' in said[2], f"it said {said}")
    with tally.case("it ends when nobody asks any more, and its socket hears the next one"):
        probe.until(lambda: probe.root("alpha", "systemctl is-active wow-agent.service wow-agent.socket; true"), lambda now: now.split() == ["inactive", "active"],
                    "command", "it runs still")
        must('"ok":true' in alice.run(ASK, ENROLL).stdout, "it is deaf")
