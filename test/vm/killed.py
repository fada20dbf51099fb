"""ipopd is killed on the machine that works: address and certificate are kept, and the job goes on."""

import probe
from tally import must

_JOB = """
rm -f sleeper.* && cat > sleeper.sub <<'END'
executable = /bin/sh
arguments = "-c '%s; hostname'"
output = sleeper.out
log = sleeper.log
should_transfer_files = yes
transfer_executable = false
requirements = regexp("^beta", TARGET.Machine)
queue
END
condor_submit -terse sleeper.sub
"""
SLEEPER = _JOB % "sleep 45"
PROCESS = "systemctl show -P MainPID ipopd.service"
WAITER = _JOB % "while [ ! -e go ]; do sleep 1; done; rm -f go"
GO = "find /var/lib/wow/execute -mindepth 1 -type d -exec touch {}/go ';'"


def run(tally, lab):
    """kill -9 while a job of alpha's runs on beta, which ends when it is told to."""
    with tally.case("ipopd killed on beta: same address, same certificate, the job goes on"):
        alice = lab.login("alpha", "alice")
        alice.run(WAITER)
        probe.until(lambda: alice.run("cat sleeper.log").stdout, lambda log: "\n001 " in log, "pool", "the job does not start")
        before, process = probe.joined_status("beta"), probe.root("beta", PROCESS)
        probe.root("beta", "systemctl kill --signal=KILL --kill-whom=main ipopd.service")
        probe.until(lambda: probe.root("beta", PROCESS).strip(), lambda now: now not in ("0", process.strip()), "command", "ipopd was not restarted")
        after = probe.joined_status("beta")
        must(after["address"] == before["address"], f"address {before['address']} became {after['address']}")
        must(after["certificate"]["serial"] == before["certificate"]["serial"], "the certificate is another")
        must("\n005 " not in alice.run("cat sleeper.log").stdout, "the job has ended already")
        probe.root("beta", GO)
        log = probe.until(lambda: alice.run("cat sleeper.log").stdout, lambda log: "\n005 " in log, "pool", "the job does not end")
        must(log.count("\n001 ") == 1 and "\n004 " not in log, f"the job was started anew:\n{log}")
        must("beta" in alice.run("cat sleeper.out").stdout, "the output does not name beta")
