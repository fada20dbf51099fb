"""What a support file holds: each part's name, what people are told that it is, and how it is had. Nothing here asks for keys, tickets, or a job's
arguments and environment, which may hold secrets of people that nobody can tell from other words."""
import os
import stat

from wow.history import token
from wow.lib import files, paths, system, table
from wow.lib.errors import WowError
from wow.lib.version import VERSION
from wow.support import pool_conf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

LARGEST = 256 * 1024
"""Bytes of a part, its end."""
MOST = 4 * LARGEST
"""Bytes that are read of what a program says; one that says more is ended."""
OF_A_LOG = 24 * 1024
"""Bytes of each of HTCondor's logs, its end."""
LOGS = "/var/log/condor"
MOST_LOGS = 40
PATIENCE = 45.0
"""Seconds that a program may take."""

JOURNAL = f"journalctl -b --no-pager -o short-precise -n 4000 | tail -c {LARGEST} | tail -n +2"
"""What is cut in the middle of a line may be half of a secret, which nobody knows for one: such a line is left out."""
MACHINE = "date -Ins; uptime; free -m; df -h; cat /proc/pressure/*; ps -eo pid,ppid,user,etimes,times,rss,comm --sort=-times | head -n 40"
VERSIONS = "uname -a; cat /etc/debian_version; condor_version; wow module list"
NETWORK = ("ip -s address; ip route; cat /etc/resolv.conf /run/wow/upstream.conf; ss -tnp; nft list ruleset; "
           "ip -s xfrm state list nokeys; ip -s xfrm policy; cat /proc/net/xfrm_stat; timeout 10 swanctl --list-sas")
OF_A_QUESTION = LARGEST // 4
JOBS = "; ".join(f"{question} | head -c {OF_A_QUESTION}; echo" for question in (
    "condor_q -allusers -limit 1000 -af:h ClusterId ProcId Owner JobStatus EnteredCurrentStatus RemoteHost NumShadowStarts HoldReasonCode HoldReasonSubCode "
    "HoldReason LastRejMatchReason", "condor_status -any -limit 1000 -af:h MyType Name State Activity LastHeardFrom", "condor_userprio -all"))
"""A stranger's ad may fill its own question's part, and none of the others'."""


class Part:
    """A file of the archive."""

    __slots__ = ("name", "says", "get")

    def __init__(self, name: str, says: str, get: "Callable[[], str]") -> None:
        self.name, self.says, self.get = name, says, get


def script(text: str) -> "Callable[[], str]":
    """What a script of sh prints."""
    return program("sh", "-c", text)


def program(*arguments: str) -> "Callable[[], str]":
    """What a program prints."""
    return lambda: whole(*system.run(list(arguments), timeout=PATIENCE, most=MOST))


def whole(code: int, said: str) -> str:
    """What a program said, without the line that it was ended in: half of a secret is known to nobody for one."""
    return said if code != system.TIMED_OUT else said.rpartition("\n")[0] + "\nit was ended here, for it took too long or said too much\n"


def configuration() -> str:
    """pool.conf without what is secret in it."""
    return pool_conf.shown(bytes_of(f"{paths.RUN}/pool.conf"))


def bytes_of(path: str) -> bytes:
    """A file's bytes, none if there is no such file."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def logs(folder: str = LOGS) -> str:
    """The ends of HTCondor's logs, the newest first. HTCondor's account may put there what it likes, and root reads: so no link is followed, and nothing else than
    a file is read."""
    found = []
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        if "Log" in name:
            try:
                found.append((os.lstat(f"{folder}/{name}").st_mtime, name))
            except FileNotFoundError:
                pass  # it was put aside meanwhile
    return "\n".join(f"==> {folder}/{table.printable(name)}\n{end(f'{folder}/{name}')}" for _, name in sorted(found, reverse=True)[:MOST_LOGS])


def end(path: str, size: int = OF_A_LOG) -> str:
    """The end of a text file, from a line's beginning; bytes that are no UTF-8 are replaced. What is no file says so."""
    try:
        # O_NONBLOCK: a pipe would keep us waiting.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        return f"it is not read: {error.strerror}\n"
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
            return "it is not read: it is no file of its own\n"
        data = os.pread(descriptor, size, max(0, status.st_size - size))
    finally:
        os.close(descriptor)
    return (data if status.st_size <= size else data.partition(b"\n")[2]).decode("utf-8", "replace")


def secrets(state: str = paths.STATE, run: str = paths.RUN) -> list[str]:
    """What is secret on this machine: of every pool.conf, of the ticket that was typed, and the tokens that open the figures of a manager, those of before, too."""
    found = [secret for path in (f"{run}/pool.conf", f"{state}/pool.conf", f"{paths.DISK}/pool.conf") for secret in pool_conf.secrets(_readable(path))]
    ticket = files.read(f"{run}/ticket").strip()
    return [*found, *([ticket, ticket.partition(":")[2]] if ticket else []), *tokens(f"{state}/node.key", f"{state}/history/token-number")]


def _readable(path: str) -> bytes:
    """A file's bytes; none where the disk cannot read it: neither can any part."""
    try:
        return bytes_of(path)
    except OSError:
        return b""


def tokens(key: str, number: str) -> list[str]:
    """The tokens that a manager's key has had."""
    data = _readable(key)
    try:
        last = token.number_of(number)
    except (OSError, WowError):
        last = token.FIRST
    return [token.from_key(data, which) for which in range(token.FIRST, last + 1)] if data else []


PARTS = (
    Part("versions.txt", f"the versions of WOW ({VERSION}), system and HTCondor, and the layers", script(VERSIONS)),
    Part("pool.conf", "its settings; secret, ticket and keys are taken out", configuration),
    Part("status.json", "`wow status`: addresses of this machine among it", program("wow", "status", "--json")),
    Part("peers.json", "`wow peers`: the addresses of other machines of the pool", script(f"wow peers --json | head -c {LARGEST}")),
    Part("doctor.json", "`wow doctor`, as root", program("wow", "doctor", "--json")),
    Part("machine.txt", "clock, load, memory, disk, and the names of running programs", script(MACHINE)),
    Part("network.txt", "interfaces, routes, connections, fence and IPsec, without keys", script(NETWORK)),
    Part("jobs.txt", "the queue: number, person, state, place and reason of each job (which may name a file); no programs, arguments or environments", script(JOBS)),
    Part("condor-logs.txt", f"the last {OF_A_LOG // 1024} kB of each of HTCondor's logs; names of jobs' files may stand there", logs),
    Part("journal.txt", "the end of this boot's journal: who logged in from where is among it", script(JOURNAL)),
)
