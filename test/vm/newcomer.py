"""A machine that has everything against it: the bootstrap is away when it starts, its tickets are wrong, ended and used up, and the CA
refuses its address. Each time it says so; in the end it is in the pool."""

import datetime
import time

import probe
import rootshell
import sites
from network import inside
from pools import moment
from shell import run as command
from tally import must

DAY = datetime.timedelta(days=1)
WALL = "insert rule inet filter forward udp dport 4433 drop comment wall"


def tickets(authority):
    """Tickets by what is wrong with them, made before the manager starts with this CA. The one that ends does so in a second."""
    made = {"ended": authority.ticket(5, moment(datetime.timedelta(seconds=2))), "used": authority.ticket(1, moment(DAY))}
    number, secret = made["used"].split(":")
    made["wrong"] = f"{number}:{secret[::-1]}"
    return made


def run(tally, lab, papers):
    """gamma, started late into the running pool."""
    machine = sites.GAMMA
    # Made where the pool was made, while the manager runs with its own copy of the CA.
    papers["good"] = lab.setup.pool.authority.ticket(1, moment(DAY))
    lab.setup.stamp(machine, ticket=papers["wrong"])
    with tally.case("the bootstrap cannot be reached at boot and can be later: the machine joins by itself"):
        lab.add(machine)
        nft = inside(machine.namespace, "nft")
        command(*nft, *WALL.split())
        lab.power_on("gamma")
        lab.wait("config", "gamma")
        time.sleep(10)
        lab.look()
        must(lab.vms["gamma"].console.last("ring") is None, "it joined through the wall")
        command(*nft, "flush", "chain", "inet", "filter", "forward")
        command(*nft, "add", "rule", "inet", "filter", "forward", "iifname", "lan0", "oifname", "wan0", "accept")
        command(*nft, "add", "rule", "inet", "filter", "forward", "ct", "state", "established,related", "accept")
        lab.wait("address", "gamma")
    with tally.case("a wrong ticket: the console names pool.conf, [ca] ticket and what to do"):
        probe.complaint(lab, "gamma", "pool.conf", "[ca] ticket", "wow enroll")
    with tally.case("a ticket that has ended is refused, and the machine says so"):
        refused(papers["ended"])
    with tally.case("a ticket that is used up is refused, and the machine says so"):
        manager_python("database.execute('INSERT INTO ticket_uses VALUES (?, ?, 0)', (%r, 'another machine'))" % papers["used"].split(":")[0])
        refused(papers["used"])
    with tally.case("the CA refuses the address, another key holds it: the machine takes the next one and is certified, by a ticket that another copy of the CA made"):
        must(papers["good"].split(":")[0] not in probe.root("manager", "/usr/lib/wow/ca/wow-ca list --state /var/lib/wow/ca"), "the manager knows the ticket")
        address = probe.joined_status("gamma")["address"]
        manager_python("database.execute(\"INSERT INTO certificates SELECT 'taken', ?, 'another key', 'taken', 'worker', not_before, not_after, "
                       "'valid', NULL, der FROM certificates LIMIT 1\", (%r,))" % address)
        rootshell.ask("gamma", f"wow enroll --ticket {papers['good']}", 200)
        lab.wait("certificate", "gamma")
        now = probe.joined_status("gamma")
        must(now["address"] != address and now["certificate"]["address"] == now["address"], f"{address} became {now['address']}, certificate {now['certificate']}")
    with tally.case("the newcomer is in the pool"):
        lab.wait("ready", "gamma")
        probe.until(lambda: probe.slots(lab), lambda found: "gamma" in found, "pool", "gamma's slot is not in the pool")


def refused(ticket):
    """`wow enroll` with this ticket does not give a certificate; the machine tells about the ticket."""
    probe.root("gamma", "rm -f /run/issue.d/wow.issue")
    rootshell.ask("gamma", f"timeout 20 wow enroll --ticket {ticket}", 60)
    told = probe.until(lambda: rootshell.ask("gamma", "cat /run/issue.d/wow.issue")[1], lambda text: "ticket" in text, "certificate",
                       "gamma tells nothing about its ticket")
    must(not probe.status("gamma").get("certificate"), f"it was certified: {told}")


def manager_python(statement):
    """Changes the CA's database on the manager behind its back: the state that another machine's enrolment would leave."""
    probe.root("manager", f"python3 - <<'END'\nimport sqlite3\nwith sqlite3.connect('/var/lib/wow/ca/ca.db', timeout=20) as database:\n    {statement}\nEND")
