"""The manager's part: the ads of a machine that the overlay does not reach any more go from the collector, so that they draw no match. HTCondor alone keeps
them for minutes, and each match that such an ad draws costs its job a cycle of negotiation.

Machines are those that have a connection to the collector, by the kernel's table; some of them are asked in each round, all in turn, so that a large pool
costs no more than a small one."""
from wow.condor import collector
from wow.jobs import shadows
from wow.lib import barred, overlay, system

SOME = 20
"""Machines that are asked in a round."""
SILENT = 2
"""Rounds without an answer after which a machine is gone: one answer may be lost."""
KINDS = (("INVALIDATE_STARTD_ADS", "Machine"), ("INVALIDATE_STARTD_ADS", "StartD"), ("INVALIDATE_SCHEDD_ADS", "Scheduler"),
         ("INVALIDATE_SUBMITTOR_ADS", "Submitter"), ("INVALIDATE_MASTER_ADS", "DaemonMaster"),
         # condor_userprio takes the first negotiator that it finds here, be that the dead manager's.
         ("INVALIDATE_NEGOTIATOR_ADS", "Negotiator"))
"""condor_advertise(1)'s commands, with the type of what each takes away."""
QUICK = 20.0

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping

    from wow.config.facts import Facts
    from wow.lib.overlay import Boot


class Turns:
    """Whom to ask next, and who has not answered. Those that have no connection any more are forgotten, unless they are about to be found gone. The kernel keeps
    the connection of a machine that was switched off, so who is gone is asked on, in turn, and is gone once, until it answers or has another connection."""

    def __init__(self) -> None:
        self._silent: dict[str, int] = {}
        self._gone: dict[str, set[int]] = {}
        self._machines: dict[str, set[int]] = {}
        self._last = ""

    def next(self, machines: dict[str, set[int]]) -> list[str]:
        """Those that did not answer lately, and the next in turn. machines: {address: its connections, by inode}."""
        self._machines = machines
        self._gone = {address: had for address, had in self._gone.items() if address in machines and machines[address] <= had}
        rest = sorted(machines.keys() - self._silent.keys())
        after = [address for address in rest if address > self._last] + [address for address in rest if address <= self._last]
        turn = after[:SOME]
        self._last = turn[-1] if turn else self._last
        return sorted(self._silent)[:SOME] + turn

    def heard(self, answers: "Mapping[str, Boot | None]", reaches_others: bool) -> list[str]:
        """Takes in {address: boot, or None where nothing answered}; returns who is gone. A machine that reaches nobody is cut off itself."""
        gone = []
        for address, boot in answers.items():
            if boot is not None or not reaches_others:
                self._silent.pop(address, None)
                self._gone.pop(address, None)
            elif address in self._gone:
                pass
            elif self._silent.get(address, 0) + 1 >= SILENT:
                del self._silent[address]
                self._gone[address] = self._machines.get(address, set())
                gone.append(address)
            else:
                self._silent[address] = self._silent.get(address, 0) + 1
        return gone


def clients() -> dict[str, set[int]]:
    """{address: inodes} of other machines' connections to HTCondor's port here."""
    with open("/proc/net/tcp", encoding="ascii") as file:
        table = shadows.connections(file.read(), at_home=True)
    found: dict[str, set[int]] = {}
    for inode, address in table.items():
        found.setdefault(address, set()).add(inode)
    return found


def take_away(gone: "list[str]", own: str, why: str = "the overlay does not reach them") -> None:
    """Has the collector of this name forget these machines. Whoever is only cut off advertises itself anew."""
    # A megabyte of modules, on every machine, for what managers do when somebody is gone.
    import tempfile
    requirement = " || ".join(f'regexp("^<{address.replace(".", "[.]")}:", MyAddress)' for address in gone)
    for command, kind in KINDS:
        with tempfile.NamedTemporaryFile("w", suffix=".ad") as file:
            file.write(f'MyType = "Query"\nTargetType = "{kind}"\nRequirements = {requirement}\n')
            file.flush()
            # This machine's own collector: each manager looks for itself.
            code, said = system.run(["condor_advertise", "-pool", own, "-tcp", command, file.name], timeout=QUICK)
        if code:
            print(f"{command}: {said}", flush=True)  # for the journal
    print(f"{', '.join(gone)}: {why}; their ads are gone", flush=True)


class Keeper:
    """Rounds of a manager."""

    def __init__(self, pool: "Facts") -> None:
        self._turns = Turns()
        self._revoked: set[str] = set()
        self._collector = collector.own(pool)

    def round(self, _: float) -> None:
        """Asks some machines, and takes away the ads of those that are gone, and of those whose certificate is revoked."""
        _, revoked = barred.read()
        if fresh := revoked - self._revoked:
            take_away(sorted(fresh), self._collector, "their certificates are revoked")
        self._revoked = revoked
        answers = overlay.boots(self._turns.next(clients()))
        reaches = any(boot is not None for boot in answers.values()) or (bool(answers) and overlay.reaches_anybody())
        if gone := self._turns.heard(answers, reaches):
            take_away(gone, self._collector)
