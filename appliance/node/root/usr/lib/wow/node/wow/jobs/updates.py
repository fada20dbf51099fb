"""Ends the connections by which HTCondor's daemons tell a manager of themselves, when that manager is gone. Such a daemon keeps one connection for all that it tells.
Once the kernel holds no more of what nobody takes, the daemon waits with all its work: the schedd for a minute (condor_write, 23.9.6), in which it hears no negotiator.
Ended, it tries a new one, and the kernel says at once that nobody is there.

Who is gone is what ipopd told the kernel: its routes that say "unreachable". Connections of jobs are not touched: they go on when the machine is back."""
from wow.jobs import shadows
from wow.lib import control, paths, system

DAEMONS = ("condor_master", "condor_schedd", "condor_startd", "condor_negotiator")
"""Programs that tell managers of themselves, and do nothing else by connections to HTCondor's port that may wait."""
REJECT, WHOLE = 0x200, "FFFFFFFF"
"""In /proc/net/route: the flag of a route that leads nowhere (RTF_REJECT), and the mask of one to a single host."""
QUICK = 10.0

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.lib.answers import Status


class Updates:
    """Rounds of every machine; one reads one small file where nobody is gone."""

    def __init__(self, proc: str = "/proc") -> None:
        self._proc = proc

    def round(self, _: float) -> None:
        """Ends what hangs on managers that are gone."""
        if not (away := unreachable(self._read("net/route"))):
            return
        # A worker may be gone for long, so ipopd is asked only where something waits.
        if not (waiting := stuck(self._read("net/tcp"), away)):
            return
        known = managers(control.status())
        if not (waiting := {inode: ends for inode, ends in waiting.items() if ends[1] in known}):
            return
        own = shadows.sockets_of(DAEMONS, self._proc)
        for inode in sorted(waiting.keys() & own):
            port, manager = waiting[inode]
            code, said = system.run(["ss", "--kill", "--tcp", "--no-header", "state", "established", "dst", f"{manager}:{paths.CONDOR_PORT}", "sport", "=", f":{port}"],
                                    timeout=QUICK)
            print(f"{manager} is gone: a connection by which HTCondor told it of this machine is ended" if code == 0 else f"ss: {said}", flush=True)  # for the journal

    def _read(self, name: str) -> str:
        with open(f"{self._proc}/{name}", encoding="ascii") as file:
            return file.read()


def unreachable(table: str) -> set[str]:
    """The hosts that the kernel holds to be unreachable. table: what /proc/net/route holds."""
    rows = (line.split() for line in table.splitlines()[1:])
    return {shadows.address_of(row[1]) for row in rows if len(row) > 7 and int(row[3], 16) & REJECT and row[7] == WHOLE}


def stuck(table: str, hosts: set[str]) -> dict[int, tuple[int, str]]:
    """{socket's inode: own port, host} of open connections to HTCondor's port of one of the hosts by which something is sent that was not taken. table: what
    /proc/net/tcp holds."""
    found = {}
    for line in table.splitlines()[1:]:
        fields = line.split()
        there, port = fields[2].split(":")
        if fields[3] == shadows.ESTABLISHED and int(port, 16) == paths.CONDOR_PORT and int(fields[4].split(":")[0], 16) and (host := shadows.address_of(there)) in hosts:
            found[int(fields[9])] = (int(fields[1].split(":")[1], 16), host)
    return found


def managers(status: "Status") -> set[str]:
    """The addresses of the pool's managers, as far as they are known."""
    return {one["address"] for one in status["managers"] if one["address"]} | ({status["manager"]} if status["manager"] else set())
