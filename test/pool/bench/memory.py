"""What each resident program of ours has of memory that nobody shares, on a worker and on the manager."""

from looking import own_kb

UNITS = "systemctl list-units --plain --no-legend --state=running 'wow-*.service' | cut -d' ' -f1"
ASK = """import socket
with socket.socket(socket.AF_UNIX) as client:
    client.connect("/run/wow/agent.sock")
    client.sendall(b'{"command": "nothing"}\\n')
    client.recv(4096)
"""


def measure(pool, _):
    """{machine: {program: MB}}."""
    return {machine.name: programs(machine) for machine in (pool.alpha, pool.manager)}


def programs(machine):
    """{program: MB} of one machine; the agent, which ends when nobody asks, is asked first."""
    machine.run("python3", "-c", ASK)
    return {unit.removesuffix(".service"): round(own_kb(machine, unit) / 1000, 1) for unit in machine.sh(UNITS).split()}
