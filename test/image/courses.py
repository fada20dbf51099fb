"""A machine of a course without a machine: composed layers, a network of its own with the fence's rules for it, and people who log in. Needs root (mounts)."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

from checks import expect, run
from places import ROOT

sys.path.append(str(ROOT / "appliance/node/root/usr/lib/wow/node"))

from wow.lib import paths  # noqa: E402
from wow.seal import slots  # noqa: E402

RFB = pathlib.Path(__file__).resolve().parent / "rfb.py"
PEOPLE = {"alice": 1000, "bob": 1001}
JOB = paths.FIRST_JOB_UID
BEGINS = 40
"""Seconds in which what a person starts is there, on a busy machine."""


class Course:
    """A machine over the stack's layers with a network of its own, in which alice and bob may log in; `tell` runs something as somebody."""

    def __init__(self, machine):
        self.machine = machine
        self.space = subprocess.Popen(["unshare", "--net", "sh", "-c", "ip link set lo up && echo ready && exec sleep 100000"], stdout=subprocess.PIPE)
        expect(self.space.stdout.readline() == b"ready\n", "there is no network")
        self.within = ["nsenter", f"--net=/proc/{self.space.pid}/ns/net"]
        self.logins = []
        root = machine.root
        for name, uid in PEOPLE.items():
            with open(root / "etc/passwd", "a", encoding="ascii") as file:
                file.write(f"{name}:x:{uid}:{uid}::/home/{name}:/bin/bash\n")
            with open(root / "etc/group", "a", encoding="ascii") as file:
                file.write(f"{name}:x:{uid}:\n")
            (root / "home" / name).mkdir(mode=0o700)
            os.chown(root / "home" / name, uid, uid)
        with open(root / "etc/passwd", "a", encoding="ascii") as file:
            file.write(f"wowjob1:x:{JOB}:{JOB}:a job of the pool:/nonexistent:/usr/sbin/nologin\n")
        # A resolver that says at once that it knows nothing: HTCondor asks for this machine's name.
        (root / "etc/hosts").write_text(f"127.0.0.1 localhost {os.uname().nodename}\n", encoding="ascii")
        (root / "etc/resolv.conf").unlink(missing_ok=True)
        (root / "etc/resolv.conf").write_text("nameserver 127.0.0.1\n", encoding="ascii")
        # As every start of a machine does.
        machine.run("systemd-tmpfiles", "--create", "--prefix=/tmp")
        (root / "dev/pts").mkdir()
        machine.mount(root / "dev/pts", "-t", "devpts", "-o", "newinstance,ptmxmode=0666,mode=620", "devpts")
        (root / "dev/ptmx").symlink_to("pts/ptmx")
        os.mknod(root / "dev/tty", 0o20666, os.makedev(5, 0))
        (root / "dev/tty").chmod(0o666)
        (root / "dev/shm").mkdir()
        (root / "dev/shm").chmod(0o1777)

    def command(self, uid, *words):
        """The words as this person's login has them."""
        home = next((f"/home/{name}" for name, number in PEOPLE.items() if number == uid), "/tmp")
        return [*self.within, "chroot", f"--userspec={uid}:{uid}", str(self.machine.root), "env", "-i", f"HOME={home}", "PATH=/usr/bin:/bin", "LANG=C.UTF-8",
                "SSH_CONNECTION=192.0.2.50 50000 192.0.2.11 22", "sh", "-c", 'cd "$HOME"; exec "$@"', "sh", *map(str, words)]

    def tell(self, uid, *words):
        """How it ended, and all that it said."""
        done = subprocess.run(self.command(uid, *words), capture_output=True, text=True, check=False, timeout=300)
        return done.returncode, done.stdout + done.stderr

    def ask(self, uid, link, token=None, within=20):
        """Speaks VNC with the desktop of a link, as an account, for so many seconds."""
        port, own = re.search(r"localhost:([0-9]+)/.*token%3D([\w-]+)", link).groups()
        return self.tell(uid, "timeout", within, "/usr/bin/python3", "-c", RFB.read_text(encoding="utf-8"), port,
                         f"/websockify?token={own if token is None else token}")

    @contextlib.contextmanager
    def login(self, uid, *words):
        """A login in which wow-desktop runs: its process, and the line to open."""
        process = subprocess.Popen(self.command(uid, "wow-desktop", *words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.logins.append(process)
        said = ""
        try:
            for line in process.stdout:
                said += line
                if line.strip().startswith("http://"):
                    break
            expect("token" in said, f"the desktop does not start: {said}")
            yield process, said.split()[-1]
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(20)
            process.stdout.close()

    def close(self):
        """Ends all."""
        for login in self.logins:
            if login.poll() is None:
                login.kill()
                login.wait()
        self.space.kill()
        self.space.wait()
        self.space.stdout.close()
        self.machine.run("sh", "-c", "rm -rf /tmp/wow-desktop-*")

    def left(self):
        """Who runs still, beside the network."""
        found = []
        for place in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if os.readlink(place / "root") == str(self.machine.root):
                    found.append((place / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        return found

    def wait_until(self, happened, what):
        """Or says what did not happen."""
        until = time.monotonic() + BEGINS
        while not happened():
            expect(time.monotonic() < until, what)
            time.sleep(0.2)

    def fence(self):
        """Loads the fence's own rules for the loopback, as they stand on each machine."""
        chains = "".join(f"  chain {name} {{\n" + "".join(f"    {rule}\n" for rule in rules) + "  }\n" for name, rules in slots.chains())
        rules = "".join(f"    {rule}\n" for rule in slots.loopback())
        text = f"table inet wow {{\n{slots.sets()}{chains}  chain output {{\n    type filter hook output priority filter; policy accept;\n{rules}  }}\n}}\n"
        run(*self.within, "sysctl", "-qw", "net.ipv4.tcp_fwmark_accept=1")
        subprocess.run([*self.within, "nft", "-f", "-"], input=text, text=True, check=True)
