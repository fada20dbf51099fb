"""What a failed run leaves: logs and states of every machine that still answers, because they die with the machines.

Bounded in size and time, and without secrets: the configuration that holds them is not asked for, and what slipped into a log is taken out, as `wow support` does.
"""

import concurrent.futures
import contextlib
import os
import time

import rootshell
from pools import BLACK, blacken  # noqa: F401
from shell import LabError

PER_MACHINE = 90
"""Seconds that one machine may take for all its answers; all machines are asked at the same time."""

PER_QUESTION = 25
LARGEST = 1_000_000
"""Bytes kept of each answer, its end."""

QUESTIONS = {
    "steps.txt": "date -Ins; uptime; free -m; ps -eo pid,ppid,user,etimes,times,rss,args --sort=-times | head -n 40; ss -tnpi; ip -s address",
    "journal.txt": f"journalctl -b --no-pager -o short-precise | tail -c {LARGEST}",
    "condor-logs.txt": "tail -c 150000 /var/log/condor/*",
    "wow-status.txt": "wow status",
    "wow-peers.json": "wow peers --json",
    "ipsec.txt": "ip -s xfrm state list nokeys; ip -s xfrm policy; cat /proc/net/xfrm_stat; timeout 10 swanctl --list-sas",
    "nft.txt": "nft list ruleset",
    "condor_status.txt": "condor_status -any -l",
}
"""File: the script that fills it, on every machine. `nokeys`: a state's keys are the session's secret."""

QUESTIONS_OF = {"alpha": {"condor_q.txt": "condor_q -allusers -nobatch; condor_q -allusers -better-analyze; condor_q -allusers -l; condor_history -limit 10"}}
"""More of one machine: where the jobs are submitted."""

def secrets_of(setup, tickets=()):
    """What of a Setup nobody may read: the pool's secret and the tickets, also without their numbers."""
    known = [setup.pool.ticket, *tickets]
    return [setup.pool.facts.secret, *known, *(ticket.partition(":")[2] for ticket in known)]


def questions(name):
    """File: script, for a machine."""
    return {**QUESTIONS, **QUESTIONS_OF.get(name, {})}


def give_shells(lab, names):
    """Gives each machine the port of its root shell, if it has none."""
    for name in names:
        with contextlib.suppress(LabError, OSError):
            with lab.vms[name].qmp() as qmp:
                rootshell.plug(qmp)


def ask_root_or_user(lab):
    """ask(name, script, seconds) -> output: by the root shell, and where none listens by ssh as the lab's user, who may ask for less."""
    def ask(name, script, seconds):
        try:
            return rootshell.ask(name, script, seconds)[1]
        except (LabError, OSError):
            done = lab.login(name).run(script, timeout=seconds, check=False)
            return done.stdout + done.stderr
    return ask


def collect_machine(name, folder, ask, secrets, clock=time.monotonic):
    """Fills folder with one machine's answers; returns how many there are. A machine that does not answer twice is not asked any more."""
    limit, silent, kept = clock() + PER_MACHINE, 0, 0
    for file, script in questions(name).items():
        left = limit - clock()
        if left < 1 or silent == 2:
            break
        seconds = min(PER_QUESTION, left)
        try:
            # The guest's own limit, so that one slow program does not keep the shell from the next question.
            answer = ask(name, f"timeout {max(1, int(seconds) - 3)} sh -c {_quoted(script)}", seconds)
        except (LabError, OSError) as error:
            silent += 1
            answer = f"no answer: {error}"
        else:
            kept += 1
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
            out.write(blacken(f"# {script}\n{answer[-LARGEST:]}\n", secrets))
    return kept


def _quoted(script):
    return "'" + script.replace("'", "'\\''") + "'"


def collect(lab, folder, tickets=()):
    """Asks all machines of a lab that run; returns the folder, or None if no machine answered. Never raises: a failure is being told."""
    names = [name for name, vm in lab.vms.items() if vm.running]
    if not names:
        return None
    give_shells(lab, names)
    ask, secrets = ask_root_or_user(lab), secrets_of(lab.setup, tickets)
    lab.say("asking every machine for its logs: " + ", ".join(names))
    with concurrent.futures.ThreadPoolExecutor(len(names)) as pool:
        counts = list(pool.map(lambda name: collect_machine(name, os.path.join(folder, name), ask, secrets), names))
    return folder if sum(counts) else None
