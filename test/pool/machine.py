"""One machine of a pool: a systemd of its own on the image's layers, in namespaces of its own, with a card on the public network."""

import json
import pathlib
import subprocess

import service
from layers import LAYERS, stack
from shell import run
from waiting import until

HERE = pathlib.Path(__file__).resolve().parent


class Machine:
    """Started, it boots as the image does and finds its pool.conf; `config` is {section: {key: value}}, None for no pool.conf."""

    def __init__(self, topology, folder, name, config):
        self.topology = topology
        self.name = name
        self.config = config
        self.folder = pathlib.Path(folder) / name
        self._disk = self.folder / "config"
        self._disk.mkdir(parents=True)
        self._group = service.cgroups() / f"wow-{topology.prefix}{name}"
        self._process = None

    def start(self):
        """Switches the machine on."""
        if self.config is not None:
            text = "".join(f"[{section}]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items()) for section, keys in self.config.items())
            (self._disk / "pool.conf").write_text(text, encoding="utf-8")
        (self.folder / "stack").write_text(stack(), encoding="utf-8")
        self._group.mkdir(exist_ok=True)
        service.make_room()
        with open(self.folder / "log", "ab") as log:
            self._process = subprocess.Popen(
                ["sh", "-c", 'echo $$ >"$0/cgroup.procs"; exec "$@"', str(self._group), "nsenter", f"--net=/run/netns/{self.topology.prefix}{self.name}",
                 "unshare", "--mount", "--pid", "--uts", "--ipc", "--cgroup", "--fork", "--kill-child",
                 str(HERE / "begin"), *map(str, LAYERS), str(self.folder), str(self._disk)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        until(self._is_systemd, bool, f"{self.name}: systemd has begun")

    @property
    def is_on(self):
        """Whether it was started and has its power."""
        return self._process is not None and self._process.poll() is None

    @property
    def first(self):
        """The process number, outside, of the machine's first process; AssertionError if the machine has ended."""
        children = pathlib.Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        try:
            return children.read_text(encoding="ascii").split()[0]
        except (OSError, IndexError):
            said = (self.folder / "log").read_text(encoding="utf-8")
            raise AssertionError(f"{self.name} has no processes: {said}") from None

    @property
    def processor(self):
        """Seconds of processor time that all its processes have used, those that have ended and earlier boots included."""
        said = (self._group / "cpu.stat").read_text(encoding="ascii").split()
        return int(said[said.index("usage_usec") + 1]) / 1e6

    @property
    def slots(self):
        """{control group of jobs: microseconds of processor time that its processes have used}."""
        return {name: int(said.split()[1]) for name, said in self._of_slots("cpu.stat")}

    @property
    def jobs_processes(self):
        """The numbers of the processes of jobs."""
        return [int(number) for _, said in self._of_slots("cgroup.procs") for number in said.split()]

    @property
    def frozen(self):
        """The control groups of jobs that are frozen."""
        return [name for name, said in self._of_slots("cgroup.freeze") if said.strip() == "1"]

    def _of_slots(self, file):
        """(control group, its file's text) of each of jobs. HTCondor has them beside its own, or at the root where it cannot tell its own (decision 0053)."""
        for path in (*self._group.glob(f"system.slice/condor.service/htcondor/*/{file}"), *self._group.glob(f"htcondor/*/{file}")):
            try:
                yield path.parent.name, path.read_text(encoding="ascii")
            except OSError:
                pass  # it has ended meanwhile

    def _is_systemd(self):
        if self._process.poll() is not None:
            return self.first  # which says why it ended
        try:
            return pathlib.Path(f"/proc/{self.first}/comm").read_text(encoding="ascii").strip() == "systemd"
        except AssertionError:
            return False

    def inside(self, *command):
        """A command line that runs as root of the machine."""
        return ["nsenter", "-t", self.first, "--mount", "--pid", "--uts", "--ipc", "--net", "--cgroup", "--root", "--wd", "env", "-i",
                "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", *command]

    def run(self, *command, **options):
        """Runs a program as root of the machine."""
        return run(*self.inside(*command), **options)

    def sh(self, script, user="root", **options):
        """Runs a script of sh as somebody of the machine, in that person's home; returns what it said."""
        return self.run("runuser", "-u", user, "--", "sh", "-c", f"cd ~{user} && {{ {script}\n}}", **options).stdout

    def begin(self, command, user="root"):
        """Starts a program of somebody of the machine, which runs until the machine ends or the returned process is ended."""
        return subprocess.Popen(self.inside("runuser", "-u", user, "--", *command), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def ask(self, command):
        """One question to ipopd."""
        return json.loads(self.run("python3", "-c", ASK, command).stdout)

    @property
    def address(self):
        """The virtual address, or None."""
        return self.ask("status")["address"]

    def wait(self):
        """Waits until the machine has its address, its fence and HTCondor's configuration."""
        until(lambda: self.run("test", "-e", "/run/wow/joined", check=False).returncode, lambda code: code == 0, f"{self.name} has joined", pause=0.3)

    def kill(self):
        """Takes its power away: every process ends at once."""
        if self.is_on:
            # unshare has its child, the machine's first process, killed with it. Not by cgroup.kill: what systemd starts in a group that was once ended so
            # is ended at once, for as long as the group stands.
            self._process.kill()
            until(self._process.poll, lambda code: code is not None, f"{self.name} ends")

    def end(self):
        """Takes its power away and removes its control group."""
        if self._process:
            self.kill()
            until(lambda: service.processes(self._group), lambda left: not left, f"{self.name}: its processes end")
            for group in sorted(self._group.rglob("*"), reverse=True):
                if group.is_dir():
                    group.rmdir()
            self._group.rmdir()

    def tail(self, count=40):
        """The journal's last lines, and HTCondor's own."""
        try:
            said = self.run("sh", "-c", f"journalctl -q -n {count} -o short-monotonic --no-hostname; journalctl -q -n 20 -o short-monotonic --no-hostname -u wow-jobs; tail -n 15 /var/log/condor/*Log", check=False).stdout
        except AssertionError as error:
            said = str(error)
        return said.splitlines()


ASK = """
import json, socket, sys
with socket.socket(socket.AF_UNIX) as client:
    client.settimeout(120)
    client.connect("/run/wow/ipopd.sock")
    client.sendall(json.dumps({"command": sys.argv[1]}).encode() + b"\\n")
    print(client.makefile().readline())
"""
