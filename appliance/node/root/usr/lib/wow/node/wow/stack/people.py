"""Who is logged in. The image has no logind, and ssh without a terminal stands in no utmp; so whoever has a process is: a shell, a copy, what was left running.
A connection of ssh alone is nobody, for clients keep it open long after the last command."""
import os

from wow.config import users
from wow.lib import files

SERVERS = ("sshd", "sshd-session", "sshd-auth")
UNIX98 = range(136, 144)
"""Major numbers of terminals of ssh (Linux, admin-guide/devices.txt)."""


def look(proc: str = "/proc") -> dict[int, str]:
    """{number of a person's process: its terminal of ssh, "" for none}."""
    found = {}
    for entry in os.listdir(proc):
        if entry.isdigit():
            try:
                if users.FIRST_UID <= _user(files.read(f"{proc}/{entry}/status")) <= users.LAST_UID and files.read(f"{proc}/{entry}/comm").strip() not in SERVERS:
                    found[int(entry)] = _terminal(files.read(f"{proc}/{entry}/stat"))
            except (OSError, ValueError, IndexError):
                pass  # it has ended meanwhile
    return found


def _user(status: str) -> int:
    """The real user, for HTCondor's daemons act for others and are root's."""
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("Uid:")), -1)


def _terminal(stat: str) -> str:
    """proc_pid_stat(5), field 7."""
    number = int(stat.rpartition(")")[2].split()[4])
    major, minor = number >> 8 & 0xfff, number & 0xff | number >> 12 & 0xfff00
    return f"/dev/pts/{(major - UNIX98[0]) * 256 + minor}" if major in UNIX98 else ""


def tell(terminal: str, text: str) -> None:
    """Writes a line there, unless it takes none now: somebody may have stopped it."""
    try:
        descriptor = os.open(terminal, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            os.write(descriptor, f"\r\n{text}\r\n".encode())
        finally:
            os.close(descriptor)
    except OSError:
        pass
