"""
A starter that begins: its slot's account gets the disk space of the job that comes, before anything is written for that.

The startd has told the starter of its slot by then: the slot's ad waits in a socket that the starter was given (startd, Starter::execDCStarter). It is
looked at and left there. So nobody has to be asked, and it is known before the starter makes the job's folder. The form is CEDAR's, HTCondor's own.
"""
from _socket import MSG_DONTWAIT, MSG_PEEK, socket  # what the module socket adds to it takes as long to load as all else here

from wow.lib import paths
from wow.slots import disk, quota

MOST = 1 << 18
"""Bytes; a slot's ad is some 15 kB."""
HEAD = 5
"""Bytes before each part of a message: whether it is the last, and its length."""
SECRET = b"ZKM"
"""Stands before an attribute that would be sealed on a connection that has a key."""


def begin(arguments: list[str], inherited: str) -> None:
    """`arguments` are the starter's, `inherited` is CONDOR_INHERIT. Where the slot's space is not known its account gets no limit, and the journal says why."""
    account = account_of(arguments)
    if account is None:
        return
    try:
        kib = disk_of(waiting(descriptor(inherited)))
    except (OSError, ValueError) as error:
        say(f"the disk space of account {account}'s job is not known, so the kernel does not bound it: {error}")
        kib = 0
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
    text = whole(sent)
    count, at = int.from_bytes(text[:8], "big"), 8
    found = None
    # A slot's ad may begin with what all slots have, so the last one counts.
    while count > 0:
        end = text.find(b"\0", at)
        if end < 0:
            raise ValueError("the slot's ad is cut off")
        line = text[at:end]
        at = end + 1
        if line == SECRET:
            continue
        count -= 1
        if line.lower().startswith(b"disk = "):
            found = int(line[7:])
    if not found or found < 0:
        raise ValueError("the slot's ad says nothing of Disk")
    return found


def whole(sent: bytes) -> bytes:
    """A message of its parts. ValueError if its end is not there."""
    text, at = bytearray(), 0
    while at + HEAD <= len(sent):
        is_last, length = sent[at], int.from_bytes(sent[at + 1:at + HEAD], "big")
        text += sent[at + HEAD:at + HEAD + length]
        at += HEAD + length
        if is_last and at <= len(sent):
            return bytes(text)
    raise ValueError("the slot's ad is not whole")
