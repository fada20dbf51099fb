"""Where a volunteer's machine stands: beta of a pool with its manager, a computer of the same network that looks at its page, and one of another network."""

import pathlib
import traceback

from asking import Asker
from pool import MANAGER, Pool, ZONE
from shell import run
from waiting import until

CLIENT, FAR = "client", "far"
ADDRESS = "192.0.2.11"
DESK_ADDRESS = "192.0.2.12"
"""Of the machine that has no pool.conf."""
OTHER = "198.51.100"
SLOT = "/sys/fs/cgroup/htcondor/slot1_1"
JOB = f"""cp /usr/bin/sleep /run/condor_starter
mkdir -p {SLOT} /run/wow/begun
echo +memory > {SLOT}/../cgroup.subtree_control || :
echo $$ > {SLOT}/cgroup.procs
printf '%s\\n%s\\n%s\\n%s\\n%s\\n' "$1" $$ "$(cut -d ' ' -f 1 /proc/uptime)" "$2" "$(date +%s)" > /run/wow/begun/2001
exec /run/condor_starter 3600
"""
"""A job as it stands on a machine: a control group that is frozen, and a note of whose it is by a starter that runs. $1: whose; $2: of which project."""


class House(Pool):
    """start() switches it on; close() ends all."""

    def __init__(self):
        super().__init__(("beta",))
        self.topology.public(CLIENT, "192.0.2.50")
        self.topology.public(FAR)
        self.topology.ip(FAR, "address", "add", f"{OTHER}.7/24", "dev", "wan")
        self.topology.ip(FAR, "route", "add", "default", "via", f"{OTHER}.1")
        self.topology.ip("net", "address", "add", f"{OTHER}.1/24", "dev", "bridge")
        run(*self.topology.inside("net", "sysctl", "-qw", "net.ipv4.ip_forward=1"))
        self._jobs = []
        self.desk_config, self.desk.config = self.desk.config, None
        self.client_folder = pathlib.Path(self.folder)

    def start(self):
        """Both machines; beta is in the pool, and its fence knows its network."""
        for machine in self.machines.values():
            machine.start()
        for machine in self.machines.values():
            machine.wait()

    @property
    def client(self):
        """The full name of the client's namespace."""
        return self.topology.prefix + CLIENT

    @property
    def far(self):
        """That of the other network's computer."""
        return self.topology.prefix + FAR

    @property
    def manager_space(self):
        """The full name of the manager's namespace, in which the loopback is the manager's own."""
        return self.topology.prefix + MANAGER

    def asker(self):
        """Somebody who is not in."""
        return Asker(self.client, ADDRESS)

    def guest(self):
        """Somebody who is in, and the key of the forms."""
        guest = self.asker()
        status, headers, text = guest.ask("/login", {"code": self.code()})
        if status != 303:
            raise AssertionError(f"the code is not taken: {status} {headers} {text}")
        return guest, guest.key()

    def code(self):
        """A new code, as the key N of the screen asks for it."""
        return self.beta.run("runuser", "-u", "wow-console", "--", "/usr/lib/wow/node/ask", "login").stdout.strip()

    def job(self, whose=f"alice@alpha.{ZONE}", project=""):
        """Puts a job of somebody on beta, in place of the one before."""
        self.beta.sh(f"for pid in $(cat {SLOT}/cgroup.procs 2> /dev/null); do kill -9 $pid; done; echo 0 > {SLOT}/cgroup.freeze; :")
        self._jobs.append(self.beta.begin(["sh", "-c", JOB, "job", whose, project]))

    def frozen(self):
        """Whether the kernel keeps the job from running. It does what it was told when each process of the job had a turn, which may take a moment on a busy machine."""
        def states():
            return self.beta.sh(f"cat {SLOT}/cgroup.freeze; sed -n 's/^frozen //p' {SLOT}/cgroup.events").split()
        told, _ = until(states, lambda both: both[0] == both[1], "the kernel does with the job what it was told")[0]
        return told == "1"

    def explain(self, error):
        """What went wrong where, and what the page's own journal says."""
        where = traceback.extract_tb(error.__traceback__)[-1]
        said = self.beta.run("journalctl", "-q", "-n", "12", "-o", "cat", "-u", "wow-web", "-u", "wow-agent", check=False).stdout if self.beta.is_on else ""
        return [f"{error} ({pathlib.Path(where.filename).name}:{where.lineno})", *said.splitlines()]

    def close(self):
        """Ends all of it."""
        super().close()
        for job in self._jobs:
            job.wait()
