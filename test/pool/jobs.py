"""Jobs that the tests submit: a script of sh, or a file of ours that Python runs."""

import itertools
import pathlib

from looking import scratch
from waiting import LIMIT, until

HERE = pathlib.Path(__file__).resolve().parent
NUMBERS = itertools.count(1)
UNTIL_TOLD = "sleep 611; exit 0"
"""A job that ends when `tell` says so."""
SAVES = """[ ! -e kept ] || { cat kept; hostname; exit 0; }
trap 'echo saved > kept; exit 1' TERM
: > ready
while :; do sleep 0.2 & wait $!; done"""
"""A job that leaves a checkpoint when it is told to end, and ends at once where it finds one."""
KEEPS = "when_to_transfer_output = ON_EXIT_OR_EVICT\ntransfer_output_files = kept"
"""What such a job's submit file says of it."""

SUBMIT = """executable = {executable}
arguments = {arguments}
output = {name}.out
error = {name}.err
log = {name}.log
request_cpus = 1
request_memory = 64
request_disk = {disk}
requirements = {requirements}
{more}
queue
"""


class Job:
    """Submitted when made. on: the machine that it must run on."""

    def __init__(self, machine, user, script, on=None, arguments="", disk="10M", more="", interpreter="/bin/sh"):
        self.machine = machine
        self.user = user
        self.name = f"job{next(NUMBERS)}"
        head = f"#!{interpreter}\n" if not script.startswith("#!") else ""
        self._write(f"{self.name}.sh", head + script + "\n", "755")
        self._write(f"{self.name}.sub", SUBMIT.format(executable=f"{self.name}.sh", arguments=arguments, name=self.name, disk=disk, more=more,
                                                      requirements=f'TARGET.Machine == "{on}"' if on else "true"), "644")
        said = machine.sh(f"condor_submit -terse {self.name}.sub", user)
        self.number = said.split()[0]

    def _write(self, name, text, mode):
        self.machine.sh(f"cat > {name} && chmod {mode} {name}", self.user, text_in=text)

    def has(self, event):
        """Whether the job's log has an event, given by its three digits."""
        return self.machine.sh(f"grep -c '^{event} ' {self.name}.log || :", self.user).strip() not in ("", "0")

    def wait(self, event="005", what="ended", limit=LIMIT):
        """Waits for an event of the job's log: 001 it runs, 005 it ended, 012 it is held."""
        try:
            until(lambda: self.has(event), bool, f"job {self.number} has {what}", limit, pause=0.2)
        except AssertionError as error:
            said = self.machine.sh(f"cat {self.name}.log; condor_q -better-analyze {self.number} | tail -n 25", self.user, check=False)
            raise AssertionError(f"{error}\n{said}") from None

    def started(self, limit=LIMIT):
        """Waits until it runs; returns itself."""
        self.wait("001", "begun", limit)
        return self

    def ready(self, machine):
        """Waits until it runs on a machine, and the program itself has made its file `ready` there; returns itself."""
        self.started()
        own = f"ClusterId = {self.number.partition('.')[0]}\n"
        until(lambda: [file for file in scratch(machine, "ready") if own in (file.parent / ".job.ad").read_text(encoding="utf-8")], bool,
              f"job {self.number} is ready on {machine.name}")
        return self

    def result(self, limit=LIMIT):
        """What the job wrote to its output, once it has ended."""
        self.wait(limit=limit)
        return self.machine.sh(f"cat {self.name}.out {self.name}.err", self.user)

    def remove(self):
        """condor_rm."""
        self.machine.sh(f"condor_rm {self.number}", self.user)


def tell(machine):
    """Has the job UNTIL_TOLD that begins on a machine, or runs there, end."""
    until(lambda: machine.run("pkill", "-xf", UNTIL_TOLD.partition(";")[0], check=False).returncode, lambda code: code == 0, "the job runs there")
