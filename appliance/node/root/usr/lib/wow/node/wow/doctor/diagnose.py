"""Decides from gathered facts what is wrong. Pure: no file, socket or clock is touched here, so recorded facts test it.

Which facts there are stands in doctor/gathered.py."""
import time

from wow.condor import managers
from wow.doctor import diagnose_condor
from wow.doctor.finding import Finding, ok, unknown, wrong
from wow.join.certificates import STAMP, renew_from
from wow.lib import agreed
from wow.lib import clock as clocks
from wow.stack import damage
from wow.stack import told as stacks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.doctor.gathered import Bootstrap, Gathered
    from wow.lib.answers import Status

DAY = 86400
READ_WITHIN = 600
"""Seconds after which strongSwan should have read a renewed certificate. Mostly it takes one."""
UNITS = {"strongswan.service": "strongSwan", "condor.service": "HTCondor", "wow-names.service": "dnsmasq"}
CHOSEN = ("open-pool", "capture")
"""Warnings of what somebody wanted so: nothing is wrong."""
TOLD = ("overlap", "certificate", "twin", "shortage")
"""Warnings that have a decision of their own here."""
AS_ROOT = "People have no root here: the file of `wow support` has what root finds."
"""For whom something is out of sight."""


def diagnose(facts: "Gathered") -> list[Finding]:
    """All findings, the one that explains the others first."""
    found = [daemon(facts), *shortages(facts), *configuration(facts), *homes(facts), *system(facts), clock(facts), *twin(facts), *names_of_bootstrap(facts), *ring(facts),
             *tap(facts), *subnet(facts), *certificate(facts), *authority(facts), *authority_ends(facts), *warnings(facts), *names(facts), *services(facts),
             *listed(facts), *stack(facts), *sealed(facts), *origins(facts), *diagnose_condor.findings(facts["condor"])]
    return [finding for finding in found if finding]


def day(seconds: float) -> str:
    """A time for people, in UTC."""
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds))


def daemon(facts: "Gathered") -> Finding:
    """Whether ipopd answers."""
    if facts["status"]:
        return ok("ipopd", f"It runs and answers on {facts['socket']}.")
    return wrong("ipopd", f"ipopd cannot be asked ({facts['trouble']}): the overlay is down, and what follows was found without it.",
                 "Look with: systemctl status ipopd; journalctl -u ipopd; then systemctl restart ipopd.")


def shortages(facts: "Gathered") -> list[Finding]:
    """Whether the kernel lately had no descriptor or no memory for ipopd."""
    told = facts["status"].get("shortages") if facts["status"] else None
    if not told:
        return []
    return [wrong("kernel", f"It had no more descriptors or memory for ipopd, {told['count']} times so far, "
                  f"{told['last_s']} s ago the last time: who connects to it waits.",
                  "Look what holds them: ls /proc/$(systemctl show -P MainPID ipopd)/fd; cat /proc/sys/fs/file-nr; free -m. "
                  "More descriptors: LimitNOFILE= of ipopd.service.")]


def configuration(facts: "Gathered") -> list[Finding]:
    """Whether there is a configuration to go by."""
    if facts["config_trouble"]:
        what = f"The configuration cannot be read: {facts['config_trouble']}."
        return [unknown("pool.conf", what, f"{AS_ROOT} Or name the file with --config.") if facts["status"] else
                wrong("pool.conf", what, "Look at the console for what is wrong with pool.conf.")]
    return []


def homes(facts: "Gathered") -> list[Finding]:
    """Whether the home's file system fails, or a disk with another home is attached."""
    found, failing = [], facts["failing"]
    if failing:
        what = f"The kernel found {failing['errors'] or 'an'} error{'s' if failing['errors'] > 1 else ''} in the file system of the home"
        found.append(wrong("home", f"{what}{', and writes nothing more there: jobs, their queue and what people do there stop' if failing['is_closed'] else ''}.",
                           "Start the machine again: it repairs its home then. Where this comes again, the disk is failing: save what is in /home, and give the "
                           "machine another disk.", "home-failing"))
    if not facts["homes"]:
        return found
    taken, *left = facts["homes"]
    return [*found, wrong("home", f"There are several homes: that on {taken}, which was used last, is this machine's; left as it is: {', '.join(left)}.",
                          "Shut the machine down and take off the disk that does not belong to it.")]


def system(facts: "Gathered") -> list[Finding]:
    """Whether the disk lost a part of the machine's system, or the machine left it."""
    said, told = facts["system"], facts["stack"]
    if not said:
        return []
    running = said["running"]
    if not (said["lost"] or said["damaged"] or said["is_kept"]):
        return [ok("system", f"The kernel does not look at what is read of the system {running} in this start: {said['unhashed']}. "
                   "It does in the next one after the daily look.", "system-unhashed")] if said["unhashed"] else []
    anew = "It is written anew where the pool publishes it."
    if said["is_cut"] and not said["lost"]:
        return [wrong("system", f"Two starts with this machine's system {said['damaged']} did not come to their end; this start is with the other one, {running}.",
                      f"{anew} Let each start of the machine come to its end: do not reset it or switch it off before.", "system-cut")]
    if not said["lost"] and not said["is_kept"]:
        return [wrong("system", f"The disk lost a part of this machine's system {said['damaged']}; this start is with the other one, {running}.",
                      f"{anew} {damage.REMEDY.partition(': home is kept. ')[2]}.", "system-left")]
    what = f"The disk has lost a part of the system {running}, which runs: {', '.join(said['lost']) or 'see the console'}."
    if told and told["code"] == "damaged":
        return [wrong("system", what, f"This machine starts with its other system. {stacks.RESTART}{stacks.by_itself(told)}.", "system-damaged")]
    if said["is_kept"] or not said["has_spare"] or (told and told["code"] == "rotten"):
        other = (" Starts with the other system do not come to their end." if said["is_cut"] else " The other system is damaged, too."
                 if said["is_kept"] or said["damaged"] else "")
        return [wrong("system", f"{what}{other}", f"{damage.REMEDY}.", "system-rotten")]
    return [wrong("system", what, "Wait: it is mended with what the pool publishes, or the machine starts with its other system.", "system-damaged")]


GET_CLOCK = ("It is set by itself when the hypervisor's clock, three other machines or a time server say so: give the virtual machine the host's clock (RTC), "
             "let it reach the pool, or name a server in pool.conf ([time] ntp).")


def clock(facts: "Gathered") -> Finding:
    """A clock that is behind what was signed is wrong for sure; one ahead looks like a certificate that has ended."""
    now, told = facts["now"], facts["status"].get("clock") if facts["status"] else None
    follows = f" It {clocks.describe(told)}." if told else ""
    if told and clocks.is_wrong(told):
        return wrong("clock", f"This machine's clock says {day(now)}; it {clocks.describe(told)}.",
                     f"ipopd cannot set it: {told['trouble']}." if told["trouble"] else
                     "It is mended within a minute." if told["set"] else "ipopd may not set it: [time] set = no in its configuration.")
    for whose, dates in (("the CA's certificate", facts["authority"]), ("this machine's certificate", facts["certificate"])):
        if dates and now < dates[0]:
            return wrong("clock", f"This machine's clock says {day(now)}, but {whose} is valid from {day(dates[0])} on: the clock is behind.{follows}", GET_CLOCK)
    if facts["authority"] and now > facts["authority"][1]:
        return wrong("clock", f"The CA's certificate ended on {day(facts['authority'][1])} by this machine's clock, which says {day(now)}.{follows}",
                     "If that is the time, the pool's administrator renews it (wow-ca renew-authority), and this machine hears of it, or takes it from a new "
                     "disk WOWCFG. If not: " + GET_CLOCK)
    if facts["authority"] or facts["certificate"]:
        return ok("clock", f"It says {day(now)}, which fits the certificates.{follows}")
    return unknown("clock", f"It says {day(now)}; there is no certificate to compare it with.{follows}")


def sealed(facts: "Gathered") -> list[Finding]:
    """Whether strongSwan knows the newest certificates. Where it does not run, that is said already."""
    written = facts["unread"]
    if written is None or facts["now"] - written < READ_WITHIN or facts["services"].get("strongswan.service") not in ("active", None):
        return []
    return [wrong("services", f"strongSwan has not read the certificate that was renewed on {day(written)}: when the former one ends, no machine takes its connections.",
                  "Look with: journalctl -u wow-watch; then systemctl start wow-watch.", "seal-unread")]


def listed(facts: "Gathered") -> list[Finding]:
    """Whether a new list of managers would be taken."""
    if facts["list_ahead"] is None:
        return []
    error = managers.keeps_out(facts["list_ahead"])
    return [wrong("managers", f"{error.what[0].upper()}{error.what[1:]}.", f"{error.todo}.", "managers-ahead")]


def stack(facts: "Gathered") -> list[Finding]:
    """Whether this machine has the modules that its pool published."""
    if not (said := facts["stack"]) or not (sentence := stacks.sentence(said)):
        return []
    what, todo = stacks.trouble(said)
    if what:
        return [wrong("modules", f"{what[0].upper()}{what[1:]}. This start has: {stacks.now(said)}.", f"{todo}." if todo else "", f"modules-{said['code'] or 'left'}")]
    return [ok("modules", f"{sentence[0].upper()}{sentence[1:]}.")]


def origins(facts: "Gathered") -> list[Finding]:
    """Whether the web servers that pool.conf or the CA names gave what they should."""
    todo = "Other machines and the CA give it meanwhile. The pool's administrator looks at that server, at [modules] origins, and at wow-ca origins."
    return [wrong("origins", f"{line}.", todo) for line in facts["origins"].splitlines()]


def twin(facts: "Gathered") -> list[Finding]:
    """Whether another machine runs with this one's key. Before the ring, which one of the two leaves."""
    if not facts["status"] or not warnings_of(facts["status"], "twin"):
        return []
    return [wrong("twin", "Another machine runs with this machine's key: one is a copy of the other, and one of them has left the pool until it starts again.",
                  # It would have the same key from its disk again, and with the CA nobody may reset it.
                  "Delete the copy in the hypervisor." if facts["is_manager"] else "At the copy's screen press L, start it, and press J there; or type wow reset.")]


def names_of_bootstrap(facts: "Gathered") -> list[Finding]:
    """Whether the bootstrap list resolves; without an address of its own network a machine can ask nobody."""
    no_address = [wrong("network", "This network gives no IPv4 address; the machine needs one.",
                        "Look whether a DHCP server is on its network. Where the network has IPv6 alone, take the hypervisor's own NAT instead of a bridged card.",
                        "network-no-ipv4")] if facts["has_no_ipv4"] else []
    return no_address + [wrong("bootstrap", f"The name in {one['entry']} does not resolve.",
                               "Check [pool] bootstrap in pool.conf, and this machine's DNS: resolvers are those that its own network's DHCP names.")
                         for one in facts["bootstrap"] if not one["addresses"]]


def ring(facts: "Gathered") -> list[Finding]:
    """Whether the ring is joined, and if not, whether UDP or the seed is to blame."""
    status, resolved = facts["status"], [one for one in facts["bootstrap"] if one["addresses"]]
    if status and status["ring"]["joined"]:
        nodes = status["ring"]["connections"]
        if nodes and not status["udp"]["received_datagrams"]:
            return [wrong("udp", "The ring is joined by TCP alone, for nothing ever came by UDP: links are slower, and most go over a relay.",
                          f"Let UDP out of this machine's network, from port {status['udp']['port']} to any.")]
        return [ok("ring", f"Joined, with links to {nodes} other machine{'' if nodes == 1 else 's'}.")]
    if not resolved:
        if facts["bootstrap"]:
            return []
        return [unknown("ring", "There is no bootstrap list to ask.", "Only the pool's first machine may do without one.")]
    targets = ", ".join(one["entry"] for one in resolved)
    answered = [one for one in resolved if one["answer_ms"] is not None]
    if answered:
        if not status:
            return [ok("ring", f"{answered[0]['entry']} answers by UDP after {answered[0]['answer_ms']:.0f} ms.")]
        return [wrong("ring", f"{answered[0]['entry']} answers by UDP, but ipopd is not on the ring yet.",
                      "Wait a few seconds; if it stays so, look with: journalctl -u ipopd.")]
    refused = [one for one in resolved if one["error"] == "refused"]
    if refused:
        return [wrong("seed", f"The machine of {refused[0]['entry']} is there, but nobody listens on that UDP port.",
                      "Start ipopd on it, or correct [pool] bootstrap.")]
    unreachable = [one for one in resolved if one["error"] == "unreachable"]
    if len(unreachable) == len(resolved):
        return [wrong("seed", f"This machine has no way to {targets}: its own network has no route there.",
                      "Check the network: ip address; ip route; is the cable or the virtual network card connected?")]
    return silent(status, resolved, targets)


def silent(status: "Status | None", resolved: "list[Bootstrap]", targets: str) -> list[Finding]:
    """Nothing comes back from the bootstrap list."""
    if not status and not any(one["asked"] for one in resolved):
        return [unknown("ring", f"{targets} was not asked.", "Ask as root: only root may read the pool's secret and pass the fence.")]
    if status and status["udp"]["received_datagrams"]:
        return [wrong("seed", f"Nothing comes back from {targets}, though datagrams came from elsewhere: UDP works, and the pool's machines do not answer.",
                      "Ask the pool's administrator whether one of them runs, and [pool] secret is the same there.")]
    sent = f" to {status['udp']['sent_datagrams']} datagrams" if status and status["udp"]["sent_datagrams"] else ""
    return [wrong("udp", f"No answer comes by UDP{sent} from {targets}: this machine's network does not let UDP out, or nobody runs there.",
                  "Look whether this computer is on the Internet. Let UDP out to these ports. Ask the pool's administrator whether that machine runs, and "
                  "[pool] secret is the same there.")]


def tap(facts: "Gathered") -> list[Finding]:
    """Whether the overlay's interface is there and has the address."""
    status, found = facts["status"], facts["tap"]
    if not status:
        return []
    if not found["exists"]:
        return [wrong("tap", f"The interface {found['name']} is missing.", "Look with: journalctl -u ipopd; is the kernel's tun module there (modprobe tun)?")]
    if not status["address"]:
        return [wrong("address", f"ipopd has no virtual address yet, and {found['name']} has none.",
                      "Look with: networkctl status " + found["name"] + "; journalctl -u systemd-networkd.")] if status["ring"]["joined"] else []
    if found["address"] != status["address"]:
        had = f"has {found['address']}" if found["address"] else "has no address"
        return [wrong("tap", f"ipopd gave out {status['address']}, but {found['name']} {had}: the DHCP client does not do its work.",
                      f"Look with: networkctl status {found['name']}; journalctl -u systemd-networkd.")]
    return [ok("tap", f"{found['name']} has {found['address']}.")]


def whole(text: str) -> str:
    """A warning's words as a finding has them."""
    return f"{text[0].upper()}{text[1:].removesuffix('.')}."


def warnings_of(status: "Status", code: str) -> list[str]:
    """What ipopd warns of by a code, in its words."""
    return [warning["text"] for warning in status["warnings"] if warning["code"] == code]


def subnet(facts: "Gathered") -> list[Finding]:
    """Whether the pool's subnet is also the machine's own."""
    status = facts["status"]
    if not status:
        return []
    if clashes := warnings_of(status, "overlap"):
        return [wrong("subnet", f"ipopd says that {text}.", "") for text in clashes]
    return [ok("subnet", f"{status['subnet']} overlaps none of this machine's own networks.")]


def is_open(facts: "Gathered") -> bool:
    """Whether the pool has no CA."""
    known = facts["status"] or facts["config"]
    return bool(known and known["open"])


def certificate(facts: "Gathered") -> list[Finding]:
    """Whether there is a certificate that is believed."""
    if is_open(facts) or not (facts["status"] or facts["config"]):
        return []
    now, dates, status = facts["now"], facts["certificate"], facts["status"]
    refusals = warnings_of(status, "certificate") if status else []
    if not dates:
        return [lacking(facts, "This machine has none, so it reaches nothing but the CA.",
                        "Get a ticket from the pool's administrator, then type: wow enroll --ticket ID:SECRET.")]
    if now > dates[1]:
        return [lacking(facts, f"It ended on {day(dates[1])}; this machine's clock says {day(now)}.",
                        "If the clock is right: start the machine again, or type wow enroll --ticket ID:SECRET.")]
    if now < dates[0]:
        return []  # the clock's finding says it
    if status and not status["certified"]:
        return [lacking(facts, f"It is refused: {refusals[0] if refusals else 'ipopd does not believe it'}.", "Get a new one: wow enroll --ticket ID:SECRET.")]
    if refusals:
        return [wrong("certificate", whole(text), "") for text in refusals]
    known = status["certificate"] if status else None
    # Half of the time that there is for it is past.
    if known and now - renew_from(known) > dates[1] - now:
        return [wrong("certificate", f"It ends on {day(dates[1])} and should have been renewed {int((now - renew_from(known)) // DAY)} days ago.",
                      "Look with: journalctl -u wow-renew; is the CA up?")]
    return [ok("certificate", f"It is valid until {day(dates[1])}.")]


def lacking(facts: "Gathered", what: str, todo: str) -> Finding:
    """There is no certificate that is believed. A manager asks nobody for one. A denied machine or one that waits for an approval is helped by no ticket: the CA said
    what helps, and the console has that."""
    if facts["is_manager"]:
        return wrong("certificate", what, f"If the clock is right: {STAMP}.")
    if facts["notice"]:
        return wrong("certificate", f"{what} The console said: {facts['notice']}", "Do what the console says.")
    return wrong("certificate", what, todo)


def authority(facts: "Gathered") -> list[Finding]:
    """Whether the CA can be reached."""
    status = facts["status"]
    if not status or is_open(facts) or not status["ring"]["joined"]:
        return []
    if not status["manager"]:
        return [wrong("CA", "The ring is joined, but no manager has made itself known in it: certificates can't be had or renewed.",
                      "Check that the manager runs: wow status on it.")]
    if facts["ca"] and facts["ca"]["by"] == "own":
        return [ok("CA", "It is on this machine, and serves.") if facts["ca"]["open"] else not_serving(facts["ca"]["says"])]
    if facts["ca"] and facts["ca"]["by"] == "ping":
        if facts["ca"]["open"]:
            return [ok("CA", f"The manager {facts['ca']['address']}, where the CA is, answers inside the overlay. Whether the CA serves, wow doctor says there.")]
        return [wrong("CA", f"The manager {facts['ca']['address']}, where the CA is, does not answer inside the overlay.",
                      "Check that the manager runs: wow status on it.")]
    if facts["ca"] and not facts["ca"]["open"]:
        return [wrong("CA", f"The manager {facts['ca']['address']} does not take connections on the CA's port.",
                      "On the manager look with: wow doctor; from here: wow ping manager.")]
    return [ok("CA", f"The manager {facts['ca']['address']} takes connections on the CA's port.")] if facts["ca"] else []


def not_serving(says: str | None) -> Finding:
    """The CA is on this machine and does not serve. says: why it ended last."""
    why = says.strip() if says else "Why is not known: it begins a minute or two after the machine's start, and the file of `wow support` has what it wrote since."
    return wrong("CA", f"It is on this machine and does not serve, so nobody enrols or renews. {why}",
                 "The pool's administrator does what docs/operating.md says (a CA that does not serve).", "ca-silent")


def authority_ends(facts: "Gathered") -> list[Finding]:
    """Whether the CA's certificate ends soon: a manager says so a year before, for whom administrators look after, another machine a month. Once it has, the clock's
    finding says it."""
    known, status = facts["authority"], facts["status"]
    own = status["certificate"] if status else None
    warned = agreed.AUTHORITY_WARNING if own and own["role"] == agreed.MANAGER_ROLE else 30 * DAY
    if not known or not 0 <= known[1] - facts["now"] < warned:
        return []
    return [wrong("CA", f"Its certificate ends on {day(known[1])}, and with it the pool: no machine is believed from then on.",
                  "The pool's administrator renews it before, on the manager with the CA: wow-ca renew-authority. The machines hear of it by themselves.", "ca-ends")]


def warnings(facts: "Gathered") -> list[Finding]:
    """What else `wow status` warns of, in its words."""
    said = [(one["code"], whole(one["text"])) for one in [*(facts["status"]["warnings"] if facts["status"] else []), *facts["warnings"]]]
    return [ok(code, text) if code in CHOSEN else wrong(code, text, "") for code, text in said if code not in TOLD]


def names(facts: "Gathered") -> list[Finding]:
    """Whether names are answered, by ipopd for the pool's zone and by dnsmasq for programs."""
    found = []
    for one in facts["names"]:
        if one["answer"] is None:
            unit = "ipopd" if one["who"] == "ipopd" else "wow-names"
            found.append(wrong("names", f"{one['who']} does not answer DNS on {one['server']}: names of the pool are not found.",
                               f"Look with: journalctl -u {unit}; then systemctl restart {unit}."))
        else:
            found.append(ok("names", f"{one['who']} answers on {one['server']}."))
    return found


def services(facts: "Gathered") -> list[Finding]:
    """Whether the machine's other parts run; before it has what they need they cannot."""
    status = facts["status"]
    if not facts["services"] or not status or not status["address"] or not (status["certified"] or is_open(facts)):
        return []
    found, hidden = [], []
    for unit, state in facts["services"].items():
        name = UNITS.get(unit, unit)
        if unit == "strongswan.service" and is_open(facts):
            continue
        if state is None:
            hidden.append(name)
        elif state == "active":
            found.append(ok("services", f"{name} runs."))
        else:
            lost = {"strongswan.service": "nothing is sealed, so nothing passes", "condor.service": "no jobs run here"}.get(unit, "names are not found")
            found.append(wrong("services", f"{name} does not run ({state}): {lost}.", f"Look with: journalctl -u {unit}; then systemctl start {unit}."))
    if hidden:
        found.append(unknown("services", f"Whether these run, only root can find out: {', '.join(hidden)}.", AS_ROOT))
    return found
