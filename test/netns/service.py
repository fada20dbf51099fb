"""ipopd as a service of a systemd of its own, which is the first process of a PID namespace and has a control group and a /run of its own."""

import pathlib
import subprocess

from node import Node
from waiting import until

HERE = pathlib.Path(__file__).resolve().parent
UNIT = HERE.parents[1] / "ipop/Ipopd/ipopd.service"
SYSTEMD = "/lib/systemd/systemd"
INSTANCES, ROOM = pathlib.Path("/proc/sys/fs/inotify/max_user_instances"), 4096
# In the service's view: the node's folder and the program's. Elsewhere the unit's sandbox hides /tmp and /home.
FOLDER, PROGRAM = "/run/wow/node", "/run/wow/program"

# The unit as the image has it, but for where things are; the boot that it waits for has happened.
UNITS = {
    "ipopd.service.d/here.conf":
        "[Unit]\nDefaultDependencies=no\n"
        f"[Service]\nExecStart=\nExecStart={PROGRAM}/{{program}} --config {FOLDER}/ipopd.conf\nReadWritePaths=\nReadWritePaths=/run/wow\n"
        f"StandardError=append:{FOLDER}/log\n",
    "wow-config.service": "[Unit]\nDefaultDependencies=no\n[Service]\nType=oneshot\nExecStart=/bin/true\nRemainAfterExit=yes\n",
    "test.target": "[Unit]\nDefaultDependencies=no\nWants=ipopd.service\n",
}

# No more of the machine's control groups is seen than the one that it is in.
BEGIN = f"""
set -eu
mount --make-rprivate /
mount -t tmpfs none /sys/fs
mkdir /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup
mount -t tmpfs none /run
mkdir -p {FOLDER} {PROGRAM}
mount --bind "$1" {FOLDER}
mount --bind "$2" {PROGRAM}
export container=test SYSTEMD_UNIT_PATH={FOLDER}/units
exec {SYSTEMD} --system --unit=test.target --log-target=console --show-status=no
"""


class Service(Node):
    """A node whose daemon systemd starts, restarts and keeps descriptors for."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.options["node"]["state"] = f"{FOLDER}/state"
        self.options["control"]["socket"] = f"{FOLDER}/control"
        self._group = cgroups() / f"wow-{self.topology.prefix}{self.name}"

    def start(self, bootstrap="", pause=0.05):
        self.options["pool"]["bootstrap"] = bootstrap
        self.write()
        make_room()
        program = pathlib.Path(self.program)
        for name, text in UNITS.items():
            file = self.folder / "units" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text.format(program=program.name), encoding="utf-8")
        (self.folder / "units/ipopd.service").write_text(UNIT.read_text(encoding="utf-8"), encoding="utf-8")
        self._group.mkdir()
        with open(self.folder / "systemd", "ab") as log:
            self._process = subprocess.Popen(
                ["sh", "-c", 'echo $$ >"$0/cgroup.procs"; exec "$@"', str(self._group), *self.inside(
                    "unshare", "--fork", "--kill-child", "--pid", "--mount", "--mount-proc", "--cgroup", "--ipc",
                    "sh", "-c", BEGIN, "sh", str(self.folder), str(program.parent))],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        until(self.answers, lambda answers: answers, f"{self.name}: the control socket answers", pause=pause)

    def systemctl(self, *arguments):
        """Tells systemd; returns what it says."""
        first = pathlib.Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text(encoding="ascii").split()[0]
        return subprocess.run(
            ["nsenter", "-t", first, "--all", "systemctl", *arguments], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, timeout=240).stdout

    def end(self):
        super().end()
        if self._group.exists():
            until(lambda: processes(self._group), lambda left: not left, f"{self.name}: its processes end")
            for group in sorted(self._group.rglob("*"), reverse=True):
                if group.is_dir():
                    group.rmdir()
            self._group.rmdir()


def processes(group):
    """Whether anything runs in a control group or below."""
    return "populated 1" in (group / "cgroup.events").read_text(encoding="ascii")


def cgroups():
    """Where the machine has its control groups of version 2."""
    for line in pathlib.Path("/proc/mounts").read_text(encoding="utf-8").splitlines():
        _, place, kind, *_ = line.split()
        if kind == "cgroup2":
            return pathlib.Path(place)
    raise AssertionError("no cgroup2 is mounted: systemd needs one")


def make_room():
    """Each systemd has a score of inotify instances, one for each unit that waits for a file; of all machines together the kernel gives root 128."""
    if int(INSTANCES.read_text(encoding="ascii")) < ROOM:
        INSTANCES.write_text(f"{ROOM}\n", encoding="ascii")
