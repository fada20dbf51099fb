"""One ipopd in one namespace."""

import json
import os
import pathlib
import signal
import socket
import subprocess

from shell import run
from waiting import until

SECRET = "5e" * 32


class Node:
    """Writes the configuration, starts and stops the daemon, asks its control socket."""

    def __init__(self, topology, name, folder, program, pool, multicast=False, environment=None):
        self.topology = topology
        self.name = name
        self.folder = pathlib.Path(folder) / name
        self.folder.mkdir()
        self.config = self.folder / "ipopd.conf"
        self.socket = self.folder / "control"
        self.log = self.folder / "log"
        self.program = program
        self._environment = {**os.environ, **(environment or {})}
        self._process = None
        self.options = {
            "node": {"state": str(self.folder / "state"), "host": name},
            "pool": {"name": pool, "subnet": "10.128.0.0/16", "secret": SECRET, "open": "yes"},
            "udp": {"multicast": "yes" if multicast else "no"},
            "control": {"socket": str(self.socket)},
            "dns": {"listen": "127.0.0.54:5354"},
        }

    def write(self):
        """Writes the configuration file."""
        lines = []
        for section, keys in self.options.items():
            lines += [f"[{section}]"] + [f"{key} = {value}" for key, value in keys.items()]
        self.config.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def start(self, bootstrap="", pause=0.05):
        """Starts the daemon and waits for its control socket, which it asks for every `pause` seconds."""
        self.options["pool"]["bootstrap"] = bootstrap
        self.write()
        with open(self.log, "ab") as log:
            self._process = subprocess.Popen(
                self.topology.inside(self.name, self.program, "--config", str(self.config)), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=self._environment)
        until(self.answers, lambda answers: answers, f"{self.name}: the control socket answers", pause=pause)

    @property
    def pid(self):
        """Process number of the running daemon."""
        return self._process.pid

    def answers(self):
        """Whether the daemon answers."""
        if self._process.poll() is not None:
            raise AssertionError(f"{self.name}: ipopd ended with {self._process.returncode}: {self.log.read_text(encoding='utf-8')}")
        try:
            return self.ask("status")["ok"]
        except OSError:
            return False

    def ask(self, command, **arguments):
        """One request, one reply."""
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(120)
            client.connect(str(self.socket))
            client.sendall(json.dumps({"command": command, **arguments}).encode() + b"\n")
            with client.makefile("r", encoding="utf-8") as lines:
                return json.loads(lines.readline())

    def status(self):
        """The reply to `status`."""
        return self.ask("status")

    def peer(self, other):
        """What the node says of another one, named by itself or by its ring address; empty if it knows none."""
        wanted = other if isinstance(other, str) else other.status()["node"]
        return next((peer for peer in self.ask("peers")["peers"] if peer["node"] == wanted), {})

    def inside(self, *command):
        """A command line that runs beside the daemon."""
        return self.topology.inside(self.name, *command)

    def run(self, *command, **options):
        """Runs a program beside the daemon."""
        return run(*self.inside(*command), **options)

    def kill(self):
        """kill -9."""
        self._process.kill()
        self._process.wait()

    def stop(self):
        """SIGTERM; returns the exit code."""
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(240)

    def end(self):
        """Stops whatever runs, at the end of the tests."""
        if self._process and self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def tail(self, count=15):
        """The log's last lines."""
        return self.log.read_text(encoding="utf-8").splitlines()[-count:] if self.log.exists() else []

    @property
    def address(self):
        """The virtual address, or None."""
        return self.status()["address"]
