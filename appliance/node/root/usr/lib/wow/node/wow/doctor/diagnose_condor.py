"""Decides from gathered facts whether HTCondor here is of the pool and gets jobs. Pure, as doctor/diagnose.py."""
from wow.doctor.finding import Finding, ok, unknown, wrong
from wow.lib import table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.doctor.gathered import Condor, Disk, Slots

CHECK = "HTCondor"
APART = 10.0
"""Seconds between this machine's clock and the manager's that do no harm."""
LITTLE_ROOM = 100_000_000
"""Bytes: HTCondor keeps 64 MB back, so jobs hardly get any of less."""
MOST_NAMED = 5
LOGS = "Look with: journalctl -u condor; tail /var/log/condor/*Log."


def findings(facts: "Condor | None") -> list[Finding]:
    """What there is to say; nothing where HTCondor does not run."""
    if facts is None:
        return []
    if not facts["answers"]:
        return [wrong(CHECK, "The pool's manager does not answer HTCondor's questions, so no job gets a machine.",
                      "Look whether it can be reached: wow ping manager. On the manager: systemctl status condor.", "manager-silent"), *own(facts)]
    return [*(manager(facts) if facts["is_manager"] else worker(facts)), *clock(facts), *own(facts)]


def manager(facts: "Condor") -> list[Finding]:
    """A manager has the collector that was asked, and the negotiator, or another one has that."""
    if not facts["is_listed"]:
        return [wrong(CHECK, "It is not on the pool's list of managers, so it gives out no machines.",
                      "Switch it off, and revoke its certificate where the CA is: wow-ca revoke. To have it back: wow pool manager add.", "manager-not-listed")]
    if facts["negotiator"] == facts["name"]:
        return [ok(CHECK, "It gives out machines: collector and negotiator are there.", "pool-manager")]
    if facts["negotiator"]:
        other = table.printable(facts["negotiator"])
        return [ok(CHECK, f"It is one of {facts['managers']} managers and lists all machines; now {other} gives them out.", "pool-manager-beside")]
    return [wrong(CHECK, "The negotiator is not there, so no job gets a machine.", LOGS, "negotiator-missing")]


def worker(facts: "Condor") -> list[Finding]:
    """Whether the manager lists the machine's slots and queue, and whether they take jobs."""
    found: list[Finding] = []
    slots = facts["slots"]
    if slots is None:
        found.append(wrong(CHECK, f"The manager does not list slots of {facts['name']}, so no jobs come here.", LOGS, "slots-not-listed"))
    else:
        found.append(ok(CHECK, facts["paused"], "paused") if facts["paused"] else takes(slots))
    if not facts["queue"]:
        found.append(wrong(CHECK, f"The manager does not list a queue of {facts['name']}, so jobs that are submitted here wait.", LOGS, "queue-not-listed"))
    return found


def takes(slots: "Slots") -> Finding:
    """Whether jobs may come, and when one last did."""
    if slots["state"] == "Drained":
        return wrong(CHECK, "It is in the pool and takes no new jobs: it is being drained.", "To end that: condor_drain -cancel $(hostname).", "draining")
    if slots["start"] is False:
        return wrong(CHECK, f"It is in the pool and takes no jobs by its own rule START: {slots['rule']}.",
                     "That is a setting of this machine; look where it is made with: condor_config_val -verbose START.", "start-false")
    runs = f"{slots['jobs']} job{' runs' if slots['jobs'] == 1 else 's run'} now"
    if not slots["started"]:
        return ok(CHECK, f"It is in the pool and takes jobs; none has come in the {table.duration(slots['up_s'])} since HTCondor began.", "never-matched")
    last = f", and one came or went {table.duration(slots['changed_s'])} ago" if slots["changed_s"] is not None else ""
    return ok(CHECK, f"It is in the pool and takes jobs: {slots['started']} since HTCondor began; {runs}{last}.", "pool-member")


def clock(facts: "Condor") -> list[Finding]:
    """Whether the manager has the same time."""
    apart = facts["clock_s"]
    if apart is None or facts["is_manager"]:
        return []
    if abs(apart) <= APART:
        return [ok(CHECK, "Its clock and the manager's agree.", "clock-agrees")]
    return [wrong(CHECK, f"Its clock is {abs(apart):.0f} s {'ahead of' if apart > 0 else 'behind'} the manager's.",
                  "wow doctor on the manager says whose is wrong; times of jobs and shares are not right until then.", "clock-differs")]


def own(facts: "Condor") -> list[Finding]:
    """The files of a pause, of limits and of refused projects, the queue's held jobs, and the disk."""
    found: list[Finding] = []
    if facts["pause_trouble"]:
        found.append(wrong(CHECK, f"{facts['pause_trouble']}.", "Type `wow resume` to remove it, or pause again.", "pause-unreadable"))
    if facts["limits_trouble"]:
        found.append(wrong(CHECK, f"{facts['limits_trouble']}.", "Type `wow limit clear`, and set them again.", "limits-unreadable"))
    if facts["refused_trouble"]:
        found.append(wrong(CHECK, f"{facts['refused_trouble']}.", "Type `wow refuse PROJECT` for what is missing, or `wow accept PROJECT`: that makes it anew.",
                           "refused-unreadable"))
    if facts["held"]:
        count = len(facts["held"])
        names = ", ".join(facts["held"][:MOST_NAMED]) + (" and more" if count > MOST_NAMED else "")
        found.append(wrong(CHECK, f"{count} job{' is' if count == 1 else 's are'} held: {names}.", f"Why, and what to do: wow why {facts['held'][0]}.", "jobs-held"))
    elif facts["held"] is None and not facts["is_manager"]:
        found.append(unknown(CHECK, "Its queue does not say what it holds.", LOGS, "queue-silent"))
    return found + room(facts["disk"])


def room(disk: "Disk | None") -> list[Finding]:
    """Whether jobs have room to work, and HTCondor to write."""
    if disk is None:
        return []
    if disk["is_bounded"] is None:
        # No job runs here, but the queue writes to the same disk as people.
        text = f"{table.size(disk['free'])} of {table.size(disk['size'])} are free for HTCondor's files and those of /home"
        if disk["free"] < LITTLE_ROOM:
            return [wrong(CHECK, f"{text}: a full disk stops the queue.", "Remove files of /home, or give the machine a larger disk.", "disk-low")]
        return [ok(CHECK, f"{text}.", "disk")]
    text = f"{table.size(disk['free'])} of {table.size(disk['size'])} are free where jobs work ({disk['path']})"
    if disk["free"] < LITTLE_ROOM:
        return [wrong(CHECK, f"{text}: jobs that ask for more are not taken.", "Remove files of /home, or give the machine a larger disk.", "disk-low")]
    if disk["is_bounded"] is False:
        return [wrong(CHECK, f"{text}, and one job may write all of it: the kernel does not bound what jobs write.",
                      "Why: journalctl -b -u wow-join. Then start the machine again.", "disk-unbounded")]
    return [ok(CHECK, f"{text}.", "disk")]
