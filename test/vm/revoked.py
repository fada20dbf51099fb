"""beta's certificate is revoked on the manager, by a list that is not the first: within a minute nobody talks to beta any more, the pool offers it no more, and each says
so. Then alpha's is, too."""

import json
import re

import echo
import killed
import probe
import steal
from login import ADMIN
from tally import must

REVOKE = "wow-ca revoke beta"
ADS = "for kind in startd schedd master; do condor_status -$kind -af Machine; done"
MINUTE = 60
PAPER = "paper"
"""Who is on the first list: a certificate without a machine."""
FIRST = f"""
folder=$(mktemp -d) && wow-ca machine --state /var/lib/wow/ca --out "$folder" --host {PAPER} --address 10.128.77.77 && rm -r "$folder" &&
wow-ca revoke {PAPER} --state /var/lib/wow/ca
"""
LISTED = "swanctl --list-certs --type x509_crl"
"""The CA's lists that charon has; of each it says how many certificates are on it."""


def ping(name, address):
    """Whether an ICMP echo of a machine, sealed by IPsec inside the overlay, is answered."""
    return echo.answers(name, address) > 0


def silent(name, address, begin):
    """Waits until a machine's echoes are not answered any more; returns when the last answer was here, `begin` if there was none."""
    answered = [begin]

    def asked():
        heard = ping(name, address)
        if heard:
            answered.append(steal.now())
        return heard

    probe.until(asked, lambda heard: not heard, "command", f"{name} still pings {address}", probe.at_once)
    return answered[-1]


def listed():
    """The machines whose slots, queues and masters the manager's collector has."""
    return {line.strip().split(".")[0] for line in probe.root("manager", ADS).splitlines()}


def counted(name):
    """How many certificates are on the list that charon of a machine has."""
    return max([int(count) for count in re.findall(r"(\d+) revoked certificate", probe.root(name, LISTED))], default=0)


def run(tally, lab):
    """Neither comes back by itself."""
    address, manager = lab.address("beta"), lab.address("manager")
    alice, carol = lab.login("alpha", "alice"), lab.login("manager", ADMIN)
    alice.run(killed.WAITER)
    probe.until(lambda: alice.run("cat sleeper.log").stdout, lambda log: "\n001 " in log, "pool", "the job does not start")
    probe.until(listed, lambda machines: "beta" in machines, "pool", "the collector does not have beta before")
    with tally.case("the first list of the pool, of a certificate without a machine, is with charon on alpha and on the manager within a minute"):
        must(counted("alpha") == counted("manager") == 0, "there is a list before")
        must("is revoked: " in probe.root("manager", FIRST), "the CA says something else")
        begin = steal.now()
        for name in ("alpha", "manager"):
            probe.until(lambda name=name: counted(name), lambda count: count == 1, "command", f"charon on {name} has no list of one")
        first = steal.now() - begin
        lab.say(f"charon has the first list after {first:.0f} s")
        must(first < MINUTE, f"that took {first:.0f} s")
    begin = steal.now()
    with tally.case("who is no administrator gets nothing of the CA on the manager, and an administrator sees all that it has"):
        refused = lab.login("manager").run("wow-ca list", check=False)
        must(refused.returncode == 2 and "as one of the administrators" in refused.stderr, f"{refused.stdout}{refused.stderr}")
        told = json.loads(carol.run("wow-ca list --json").stdout)
        must({"alpha", "beta", "manager"} <= {row["host"] for row in told["certificates"]} and told["audit_whole"], f"{told}")
    with tally.case("wow-ca revoke, typed by an administrator on the manager: alpha's and the manager's pings to beta end within a minute, and those between them go on"):
        for name in ("alpha", "manager"):
            probe.until(lambda name=name: ping(name, address), bool, "command", f"{name} can't ping beta before")
        said = carol.run(REVOKE).stdout
        must("is revoked: " in said, said)
        begin = steal.now()
        needed = max([silent(name, address, begin) for name in ("alpha", "manager")]) - begin
        lab.say(f"no answer any more after {needed:.0f} s")
        must(needed < MINUTE, f"that took {needed:.0f} s")
        probe.until(lambda: ping("alpha", manager), bool, "command", "alpha can't ping the manager any more")
        must("was revoked" in carol.run(REVOKE).stdout, "revoked a second time it says something else")
    with tally.case("the collector offers beta no more within a minute of the revocation: neither slot nor queue nor master, and alpha's ads stay"):
        machines = probe.until(listed, lambda machines: "beta" not in machines, "command", "the collector still has ads of beta", probe.at_once)
        needed = steal.now() - begin
        lab.say(f"no ad of beta any more after {needed:.0f} s")
        must(needed < MINUTE and "alpha" in machines, f"after {needed:.0f} s it has {machines}")
    with tally.case("the job that ran on beta is taken back at once, and its log says why"):
        log = probe.until(lambda: alice.run("cat sleeper.log").stdout, lambda log: "\n013 " in log, "command", "the job is not taken back")
        must("was put out of the pool" in log and "\n005 " not in log, log)
        alice.run("condor_rm -all")
    with tally.case("the log and wow status say so, on those who stay and on beta itself"):
        log = probe.root("alpha", "journalctl -u ipopd -q --no-pager -g PeerRevoked")
        must(address in log, f"alpha's log does not name {address}:\n{log}")
        status = probe.status("alpha")
        must(status["revocations"]["certificates"] >= 1, f"alpha's status: {status}")
        probe.until(lambda: probe.status("beta"), lambda now: any(one["code"] == "certificate" and "revoked" in one["text"] for one in now.get("warnings", [])) and not now["certified"], "ring",
                    "beta's status does not say that it was revoked")
    with tally.case("charon has the list: no SA with beta is left, and none can be made"):
        probe.until(lambda: probe.root("alpha", "swanctl --list-sas --raw"), lambda listed: f"remote-host={address} " not in listed, "command",
                    "alpha has an SA with beta")
        must((counted("alpha"), counted("manager")) == (2, 2), "charon has not the second list")
    with tally.case("the revoked machine gets no certificate again, and its console tells why"):
        probe.root("beta", "systemctl restart --no-block wow-join.service")
        probe.complaint(lab, "beta", "was revoked", "wow reset")
        must(not probe.status("beta")["certified"], "beta is certified")
    with tally.case("alpha, revoked by a third list: the manager's pings to it end within a minute, the collector has it no more, and beta stays out"):
        own = lab.address("alpha")
        probe.until(lambda: ping("manager", own), bool, "command", "the manager can't ping alpha before")
        must("is revoked: " in carol.run("wow-ca revoke alpha").stdout, "the CA says something else")
        begin = steal.now()
        needed = silent("manager", own, begin) - begin
        lab.say(f"no answer of alpha any more after {needed:.0f} s")
        must(needed < MINUTE, f"that took {needed:.0f} s")
        probe.until(listed, lambda machines: not machines & {"alpha", "beta"}, "command", "the collector still has ads of alpha or beta")
        must(steal.now() - begin < MINUTE, f"the collector has it until {steal.now() - begin:.0f} s after")
        probe.until(lambda: counted("manager"), lambda count: count == 3, "command", "charon on the manager has not the third list")
        must(not ping("manager", address), "beta answers again")
