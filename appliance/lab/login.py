"""Runs commands on a machine as one of its users, by ssh from the machine's own LAN; one connection serves all commands."""

import os
import subprocess
import tempfile
import time

import steal
from cleanup import RUNTIME
from network import inside
from shell import LabError, run

USER = "lab"
"""The lab's own ordinary user on every machine (pool.conf makes it): reads captures and figures."""
ADMIN = "carol"
"""Who administers the lab's pool, on its manager."""
CONNECTS = 600
"""Seconds of the day's clock until ssh gives a machine up that has not said its first word. The first login has the machine make its key: who waits decides how long,
by the lab's clock."""
LEAST = 0.1
"""Seconds between two looks at a command that has still to end."""


def must_run(machine):
    """LabError where no pool runs that the machine is in."""
    if not os.path.exists(f"/run/netns/{machine.namespace}"):
        raise LabError(f"no pool with {machine.name} runs here: `make wow KEEP=1` starts one and leaves it running")


def make_key(path):
    """Makes the key pair of this run; returns the public key's line."""
    for old in (path, path + ".pub"):
        if os.path.exists(old):
            os.remove(old)
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "wow lab", "-f", path)
    with open(path + ".pub", encoding="ascii") as file:
        return file.read().strip()


def patient(command, text, timeout):
    """The CompletedProcess of a command that waits for a machine; None of one that did not end in time, by the lab's clock, and is ended."""
    limit = steal.now() + timeout
    # A file, for communicate() that is called once more sends nothing of what is left (Python 3.11).
    with tempfile.TemporaryFile("w+", encoding="utf-8") as stdin:
        stdin.write(text or "")
        stdin.seek(0)
        with subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            while (left := limit - steal.now()) > 0:
                try:
                    out, err = process.communicate(timeout=max(left, LEAST))
                except subprocess.TimeoutExpired:
                    continue
                return subprocess.CompletedProcess(command, process.returncode, out, err)
            process.kill()
            return None


class Login:
    """A user's way into one machine."""

    def __init__(self, machine, key, user=USER):
        self.machine = machine
        self.user = user
        self.key = key

    def command(self, *words):
        """The ssh command line, for a person to type or for us to run."""
        return inside(
            self.machine.namespace, "ssh", "-i", self.key, "-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes", "-o", "LogLevel=ERROR",
            "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", f"ConnectTimeout={CONNECTS}",
            "-o", "ControlMaster=auto", "-o", "ControlPersist=600", "-o", f"ControlPath={RUNTIME}/ssh-%r-{self.machine.name}",
            "-o", "ServerAliveInterval=15", f"{self.user}@{self.machine.address}", *words)

    def run(self, script, text=None, timeout=120, check=True):
        """Runs a shell script there and returns the CompletedProcess."""
        done = patient(self.command(script), text, timeout)
        if done is None:
            raise LabError(f"`{script}` as {self.user} did not end within {timeout:.0f} s", self.machine.name, "login")
        if check and done.returncode != 0:
            said = (done.stderr.strip() or done.stdout.strip())[-1500:]
            raise LabError(f"`{script}` as {self.user} ended with {done.returncode}: {said}", self.machine.name, "login")
        return done

    def wait(self, timeout):
        """Waits until the machine lets the user in."""
        limit = steal.now() + timeout
        while True:
            try:
                return self.run("true", timeout=40)
            except LabError:
                if steal.now() > limit:
                    raise
                time.sleep(1)

    def fetch(self, path, target, timeout=120):
        """Copies a file from there; the answer to a read error names the file."""
        with open(target, "wb") as file:
            done = subprocess.run(self.command("cat", path), stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.PIPE,
                                  timeout=timeout, check=False)
        if done.returncode != 0:
            raise LabError(f"cannot read {path}: {done.stderr.decode(errors='replace').strip()}", self.machine.name, "login")
