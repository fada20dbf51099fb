"""
A starter that begins: its slot's account gets the disk space of the job that comes, before anything is written for that. For whom it runs is noted for the
page on the console.

The startd has told the starter of its slot by then: the slot's ad waits in a socket that the starter was given (startd, Starter::execDCStarter). It is
looked at and left there. So nobody has to be asked, and it is known before the starter makes the job's folder. The form is CEDAR's, HTCondor's own.
"""
import posix  # what os adds to it takes long to load
from _socket import MSG_DONTWAIT, MSG_PEEK, socket  # what the module socket adds to it takes as long to load as all else here

from wow.lib import paths
from wow.slots import disk, left, quota

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

MOST = 1 << 18
"""Bytes; a slot's ad is some 15 kB."""
LONGEST = 200
"""Characters of whose job it is, and of its project; a queue takes no job with a longer one."""
HEAD = 5
"""Bytes before each part of a message: whether it is the last, and its length."""
PROJECT = b"wowproject"
"""What the startd adds to the job that comes (JOB_EXECUTION_TRANSFORM, condor/drop_in.py)."""
WHOM = (b"remoteowner", b"remoteuser")
"""Attributes of a slot's ad that say for whom it works, the better one first."""
SECRET = b"ZKM"
"""Stands before an attribute that would be sealed on a connection that has a key."""


class CutOff(ValueError):
    """The slot's ad is larger than what a socket holds: a job may have written into it what it likes."""


def begin(arguments: list[str], inherited: str) -> None:
    """`arguments` are the starter's, `inherited` is CONDOR_INHERIT. Where the slot's space is not known its account gets no limit, and the journal says why. SystemExit
    where a job's own words are what hides it, or have it claim the slot that all others are parts of: such a job waits on in its queue."""
    account = account_of(arguments)
    if account is None:
        if "-a" in arguments:
            say(f"no job is started, for its slot has no account, and nothing would bound it: {' '.join(arguments)}")
            raise SystemExit(1)
        return
    left.end(account)
    kib, whom, project = 0, "", ""
    try:
        sent = waiting(descriptor(inherited))
        whom, project = whom_of(sent), project_of(sent)
        kib = disk_of(sent)
    except CutOff as error:
        say(f"the job of account {account} is not started, for the kernel would not bound what it writes: {error}")
        raise SystemExit(1) from None
    except (OSError, ValueError) as error:
        say(f"the disk space of account {account}'s job is not known, so the kernel does not bound it: {error}")
    note(account, whom or f"somebody of {arguments[-1]}", project)
    try:
        quota.bound(account, *(disk.kernel(kib) if kib else (0, 0)))
    except OSError as error:
        say(f"the kernel does not bound what jobs write: {error.strerror}")


def say(text: str) -> None:
    """Into the journal."""
    import syslog
    syslog.syslog(text)


def account_of(arguments: list[str]) -> int | None:
    """The number of the account whose slot the starter is told (-a slot1_3); None if it is for no job, as when the startd asks what it can."""
    slot = arguments[arguments.index("-a") + 1:][:1] if "-a" in arguments else []
    head, _, number = slot[0].partition("_") if slot else ("", "", "")
    if head != "slot1" or not (number.isascii() and number.isdigit()) or not 1 <= int(number) <= paths.JOB_ACCOUNTS:
        return None
    return paths.FIRST_JOB_UID + int(number) - 1


def descriptor(inherited: str) -> int:
    """The number of the socket that the startd speaks on: PARENT ADDRESS 1 SOCKET*... ValueError if there is none."""
    words = inherited.split()
    if len(words) < 4 or words[2] != "1":
        raise ValueError("HTCondor gives its starter no socket")
    return int(words[3].partition("*")[0])


def waiting(number: int) -> bytes:
    """What was sent and not read, which stays so."""
    channel = socket(fileno=number)
    try:
        return channel.recv(MOST, MSG_PEEK | MSG_DONTWAIT)
    finally:
        channel.detach()


def disk_of(sent: bytes) -> int:
    """The KiB of disk space in the first ad of a message. ValueError if there is none."""
    found = int(values(sent, (b"disk",)).get(b"disk", b"0"))
    if found <= 0:
        raise ValueError("the slot's ad says nothing of Disk")
    return found


def whom_of(sent: bytes) -> str:
    """For whom the slot works, as the first ad of a message says it: PERSON@MACHINE in the queue's own words, empty where it says nothing. ValueError if it is no ad."""
    found = values(sent, WHOM)
    return next((found[name].decode("utf-8", "replace").strip('"') for name in WHOM if name in found), "")


def project_of(sent: bytes) -> str:
    """Which project the job names, empty for none and for what is no text. ValueError if it is no ad."""
    return text_of(values(sent, (PROJECT,), before=1).get(PROJECT, b"")).decode("utf-8", "replace")


def text_of(value: bytes) -> bytes:
    """A text as an ad is sent: in quotes, with a backslash before each quote within. A backslash stands for itself there (ClassAdUnParser, old ClassAds). Empty for
    all else, such as an expression."""
    inner = value[1:-1]
    is_text = len(value) > 1 and value[:1] == value[-1:] == b'"' and b'"' not in inner.replace(b'\\"', b"")
    return inner.replace(b'\\"', b'"') if is_text else b""


def values(sent: bytes, wanted: "Sequence[bytes]", before: int = 0) -> dict[bytes, bytes]:
    """What an ad of a message, behind so many others, says of some attributes, whose names are in small letters. Empty where there is none. CutOff if it is not whole."""
    text, at = whole(sent), 0
    lines: list[bytes] = []
    for number in range(before + 1):
        if number and at == len(text):
            return {}
        lines, at = _ad(text, at)
    found = {}
    # A slot's ad may begin with what all slots have, so the last one counts.
    for line in lines:
        name, equals, value = line.partition(b" = ")
        if equals and name.lower() in wanted:
            found[name.lower()] = value
    return found


def _ad(text: bytes, at: int) -> tuple[list[bytes], int]:
    """The attributes of the ad that begins there, and where it ends: behind them stand two texts, its kind and that of its target."""
    count, at = int.from_bytes(text[at:at + 8], "big"), at + 8
    lines: list[bytes] = []
    while len(lines) < count + 2:
        end = text.find(b"\0", at)
        if end < 0:
            raise CutOff("the slot's ad is cut off")
        line, at = text[at:end], end + 1
        if line != SECRET:
            lines.append(line)
    return lines[:count], at


def note(account: int, whom: str, project: str = "", folder: str = paths.BEGUN) -> None:
    """Says for whom and which project the account's slot works, since when, by both clocks, and who the starter is: this process, which becomes it (the script
    `starter`). A job does not wait for that."""
    import time
    try:
        try:
            posix.mkdir(folder)
        except FileExistsError:
            pass
        with open("/proc/uptime", encoding="ascii") as file:
            now = file.read().split()[0]
        with open(f"{folder}/{account}.new", "w", encoding="utf-8") as file:
            file.write(f"{one_line(whom)}\n{posix.getpid()}\n{now}\n{one_line(project)}\n{time.time():.0f}\n")
        posix.rename(f"{folder}/{account}.new", f"{folder}/{account}")
    except OSError as error:
        say(f"for whom account {account} runs a job is not noted: {error.strerror}")


def one_line(text: str) -> str:
    """A text as one line, with one blank where it has several of ASCII. Others stay: they are shown as question marks, and refused by those (refuse/tell.py)."""
    return b" ".join(text.encode().split()).decode()[:LONGEST]


def whole(sent: bytes) -> bytes:
    """A message of its parts. CutOff if its end is not there."""
    text, at = bytearray(), 0
    while at + HEAD <= len(sent):
        is_last, length = sent[at], int.from_bytes(sent[at + 1:at + HEAD], "big")
        text += sent[at + HEAD:at + HEAD + length]
        at += HEAD + length
        if is_last and at <= len(sent):
            return bytes(text)
    raise CutOff("the slot's ad is not whole")
