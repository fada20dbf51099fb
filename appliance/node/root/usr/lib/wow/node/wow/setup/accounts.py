"""The accounts of pool.conf's people on this machine: numbers that are kept, lines of /etc/passwd, ssh keys, homes."""
import errno
import os

from wow.config import users
from wow.lib import console, files, paths
from wow.lib.errors import WowError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable

NUMBERS = users.NUMBERS
HOMES = "/home"
FAILING = "The disk is failing: take a backup of the machine, or give it another disk"


def own() -> None:
    """Adds the accounts of both pages and of wow-origin@. OSError: /etc cannot be written."""
    passwd, shadow = files.read("/etc/passwd"), files.read("/etc/shadow")
    if f"\n{users.CONSOLE}:x:" not in passwd:
        passwd, shadow = users.own(passwd, shadow)
        files.write("/etc/passwd", passwd)
        write_shadow(shadow)


def take_back() -> None:
    """Takes away what an earlier start added, which in develop is still there: the people and numbers of today's pool.conf count. OSError: /etc cannot be written."""
    names = {line.split()[0] for line in kept().splitlines() if line.split()} | set(owners())
    files.write("/etc/passwd", users.without(files.read("/etc/passwd"), names))
    files.write("/etc/group", users.without(files.read("/etc/group"), names))
    write_shadow(users.without(files.read("/etc/shadow"), names))


def write_shadow(shadow: str) -> None:
    """Replaces /etc/shadow; who owns it stays."""
    status = os.stat("/etc/shadow")
    files.write("/etc/shadow", shadow, 0o640, (status.st_uid, status.st_gid))


def make(wanted: dict[str, str | None], admins: "Iterable[str]" = ()) -> None:
    """Adds the accounts, and homes for people who have none yet. wanted: name to ssh key; admins: those of them who may ask the CA. OSError: /etc or /run
    cannot be written. Who gets no number has no account, and neither has who is called as one of the system's accounts; both are told."""
    passwd, group, shadow = (files.read(f"/etc/{name}") for name in ("passwd", "group", "shadow"))
    if taken := users.of_the_system(passwd, wanted):
        # A module or a newer base may have brought that account. It costs the person the account here, and not the machine its pool.
        console.say_of_start(WowError(f"{', '.join(taken)} can have no account here: the system has one of that name. Others have theirs", "Have the pool's "
                                      "administrator choose another name: wow pool user remove, then wow pool user add", "pool.conf", f"[user:{taken[0]}]"))
        wanted = {name: key for name, key in wanted.items() if name not in taken}
    known = numbers(wanted)
    people = {name: known[name] for name in wanted if name in known}
    if without := sorted(set(wanted) - set(people)):
        console.say_of_start(WowError(f"{without[0]}{f' and {len(without) - 1} more' if without[1:] else ''} can have no account here: the numbers {users.FIRST_UID} to "
                                      f"{users.LAST_UID} are all given to people, some of whom may have left the pool", "As root remove homes of people who left, and "
                                      "their lines in this file; then start the machine again", NUMBERS))
    if f"\n{users.GROUP}:x:" not in group:
        passwd, group, shadow = users.add(passwd, group, shadow, people, [name for name in admins if name in people])
        files.write("/etc/passwd", passwd)
        files.write("/etc/group", group)
        write_shadow(shadow)
    os.makedirs(f"{paths.RUN}/keys", exist_ok=True)
    for name, uid in people.items():
        if wanted[name]:
            files.write(f"{paths.RUN}/keys/{name}", f"{wanted[name]}\n")
        try:
            home(f"{HOMES}/{name}", uid)
        except OSError as error:
            console.say_of_start(full(error))


def numbers(names: "Iterable[str]") -> dict[str, int]:
    """name to number of these and of everybody who was a person here before, which is kept; without those for whom no number is free. What keeps it from being read
    or written is told; each has the number of their home all the same."""
    before = kept()
    found = users.numbers(before, names, owners())
    text = "".join(f"{name} {uid}\n" for name, uid in found.items())
    try:
        if text != before:
            files.write(NUMBERS, text, sync=True)
    except OSError as error:
        console.say_of_start(full(error))
    return found


def kept() -> str:
    """The file with the numbers; what keeps it from being read is told."""
    try:
        return files.read(NUMBERS)
    except OSError as error:
        console.say_of_start(WowError(f"cannot be read: {error.strerror}", FAILING, NUMBERS))
        return ""


def owners() -> dict[str, int]:
    """name to number of whose homes are there."""
    try:
        with os.scandir(HOMES) as found:
            return {one.name: one.stat(follow_symlinks=False).st_uid for one in found if one.is_dir(follow_symlinks=False)
                    and users.FIRST_UID <= one.stat(follow_symlinks=False).st_uid <= users.LAST_UID}
    except OSError:
        return {}


def home(path: str, uid: int, skeleton: str = "/etc/skel") -> None:
    """Makes a home as useradd -m does; one that is there stays as it is."""
    if os.path.isdir(path):
        return
    import shutil
    temporary = f"{path}.new"
    shutil.rmtree(temporary, ignore_errors=True)
    if os.path.isdir(skeleton):
        shutil.copytree(skeleton, temporary)
    else:
        os.mkdir(temporary)
    for folder, folders, names in os.walk(temporary):
        for name in (*folders, *names):
            os.lchown(f"{folder}/{name}", uid, uid)
    os.chown(temporary, uid, uid)
    os.chmod(temporary, 0o700)
    os.rename(temporary, path)


def full(error: OSError) -> WowError:
    """What to say when what is kept cannot be written: the home is full, or its disk is failing, after which the kernel writes nothing there."""
    todo = FAILING if error.errno in (errno.EIO, errno.EROFS) else "Free some room in /home (df -h /home), then start the machine again"
    return WowError(f"cannot be written: {error.strerror}", todo, str(error.filename or paths.STATE))
